// SPDX-License-Identifier: Apache-2.0
// By hand, on a machine with a GPU: kernels on Views of Kokkos::CudaSpace, in the stream of an execution
// space of its own, between two kernels of Kokkos and without a wait. Compared: addresses, and each bit with
// the entry for CPUs. generator/docs/hosts.md says how to build it.
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "embedding.hpp"
#include "heddle/adapters/kokkos.hpp"

namespace {

using heddle::adapters::kokkos_view;
using heddle::adapters::Memory;
using Policy = Kokkos::MDRangePolicy<Kokkos::Cuda, Kokkos::Rank<3>>;

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  ++failures;
}

/// Values without a pattern, from the cell's number.
KOKKOS_INLINE_FUNCTION double noise(int i, int j, int k) {
  auto word = static_cast<std::uint32_t>(i * 73856093 ^ j * 19349663 ^ k * 83492791);
  word = (word ^ (word >> 13)) * 2654435761U;
  return word / 4294967296.0 - 0.5;
}

template <class Layout> void between_kokkos(const Kokkos::Cuda& space, int n) {
  const Kokkos::View<double***, Layout, Kokkos::CudaSpace> u("u", n + 2, n + 2, n + 2),
      v("v", n + 2, n + 2, n + 2);
  const auto from = kokkos_view<Memory::device>(u, {.reach = 1, .ghosts = 1});
  const auto to = kokkos_view<Memory::device>(v, {.ghosts = 1});
  expect(from.data() == u.data() + u.stride(0) + u.stride(1) + u.stride(2),
         "the kernel reads the View's memory");
  Kokkos::parallel_for(
      Policy(space, {0, 0, 0}, {n + 2, n + 2, n + 2}),
      KOKKOS_LAMBDA(int i, int j, int k) { u(i, j, k) = noise(i, j, k); });
  embedding::diffuse_cuda(from, to, 0.1, space.cuda_stream());
  Kokkos::parallel_for(
      Policy(space, {1, 1, 1}, {n + 1, n + 1, n + 1}),
      KOKKOS_LAMBDA(int i, int j, int k) { u(i, j, k) = 2 * v(i, j, k); });
  space.fence();

  const Kokkos::View<double***, Layout, Kokkos::HostSpace> a("a", n + 2, n + 2, n + 2),
      b("b", n + 2, n + 2, n + 2);
  for (int k = 0; k < n + 2; ++k)
    for (int j = 0; j < n + 2; ++j)
      for (int i = 0; i < n + 2; ++i)
        a(i, j, k) = noise(i, j, k);
  embedding::diffuse(kokkos_view(a, {.reach = 1, .ghosts = 1}), kokkos_view(b, {.ghosts = 1}), 0.1);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  long differ = 0;
  for (int k = 1; k <= n; ++k)
    for (int j = 1; j <= n; ++j)
      for (int i = 1; i <= n; ++i)
        differ += found(i, j, k) != 2 * b(i, j, k);
  expect(differ == 0, "the bits of the CPU");

  constexpr int calls = 1000;
  Kokkos::Timer timer;
  for (int call = 0; call < calls; ++call)
    embedding::diffuse_cuda(from, to, 0.1, space.cuda_stream());
  const double given = timer.seconds();
  space.fence();
  std::printf("%d cubed, %s: %ld differ; %.2f us to give a call to the stream, %.2f us with its kernel\n", n,
              std::is_same_v<Layout, Kokkos::LayoutLeft> ? "left" : "right", differ, given / calls * 1e6,
              timer.seconds() / calls * 1e6);
}

} // namespace

int main() {
  const Kokkos::ScopeGuard guard;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  {
    const Kokkos::Cuda space(stream);
    expect(space.cuda_stream() == stream, "a stream of its own");
    for (const int n : {12, 64}) {
      between_kokkos<Kokkos::LayoutLeft>(space, n);
      between_kokkos<Kokkos::LayoutRight>(space, n);
    }
  }
  cudaStreamDestroy(stream);
  return failures == 0 ? 0 : 1;
}
