// SPDX-License-Identifier: Apache-2.0
// What must not compile, one case a definition; tests read the compiler's message.
#include <vector>

#include "embedding.hpp"
#include "heddle/adapters/view.hpp"
#include "heddle/adapters/walberla.hpp"
#include "walberla_double.hpp"

#ifdef KOKKOS_OF_DEVICE
#include <Kokkos_Core.hpp>

#include "heddle/adapters/kokkos.hpp"
/// A memory that the host cannot access, as Kokkos::CudaSpace is in a build with CUDA.
struct Elsewhere {
  using memory_space = Elsewhere;
};
template <> struct Kokkos::SpaceAccessibility<Kokkos::HostSpace, Elsewhere> {
  static constexpr bool accessible = false;
};
struct DeviceView {
  using value_type = double;
  using memory_space = Elsewhere;
  static constexpr int rank = 3;
  double* data() const { return nullptr; }
  long extent(unsigned) const { return 1; }
  template <class T> void stride(T*) const {}
};
#endif

int main() {
  std::vector<double> memory(8 * 8 * 8);
#ifdef OTHER_PRECISION
  std::vector<long double> others(8 * 8 * 8);
  const heddle::adapters::View<long double> u(others.data(), {8, 8, 8, 1}, {1, 8, 64, 512});
  embedding::diffuse(u, u, 0.1);
#elif defined(DEVICE_MEMORY)
  const walberla_double::FieldView<double, 1, walberla_double::memtag::device> u(memory.data(), {6, 6, 6}, 1,
                                                                                 walberla_double::fzyx);
  static_cast<void>(heddle::adapters::walberla_view(u));
#elif defined(HOST_MEMORY)
  const walberla_double::FieldView<double, 1, walberla_double::memtag::host> u(memory.data(), {6, 6, 6}, 1,
                                                                               walberla_double::fzyx);
  static_cast<void>(heddle::adapters::walberla_view<heddle::adapters::Memory::device>(u));
#elif defined(KOKKOS_OF_DEVICE)
  static_cast<void>(heddle::adapters::kokkos_view(DeviceView()));
#endif
}
