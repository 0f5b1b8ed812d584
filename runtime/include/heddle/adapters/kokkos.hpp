// SPDX-License-Identifier: MIT-0
// Views of Kokkos, of any layout, and subviews: their cells for a kernel. Kokkos 3 and 4; include its header
// first. NeoN and others that hand over Kokkos Views take the same way.
#ifndef HEDDLE_ADAPTERS_KOKKOS_HPP
#define HEDDLE_ADAPTERS_KOKKOS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/adapters/view.hpp"

namespace heddle::adapters {

/// The interior of `view`; its first index is x unless options say otherwise. memory: which entry will be
/// called; a View of another memory does not compile. The caller keeps the View, which owns the memory, and
/// fences: kernels of the CPU run at once, those of CUDA in the stream that they are given, for instance
/// Kokkos::Cuda().cuda_stream(). Throws Refused.
template <Memory memory = Memory::host, typename KokkosView>
View<typename KokkosView::value_type> kokkos_view(const KokkosView& view, const Options& options = {}) {
  using Space = typename KokkosView::memory_space;
  constexpr bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible;
  static_assert(
      memory == Memory::device || host,
      "kokkos_view: kernels of the CPU cannot access the memory of this View; call the CUDA entry with "
      "kokkos_view<Memory::device>, or mirror the View on the host");
  static_assert(memory == Memory::host || !std::is_same_v<Space, Kokkos::HostSpace>,
                "kokkos_view: kernels of a device cannot access the memory of this View, Kokkos::HostSpace");
  constexpr std::size_t rank = KokkosView::rank;
  static_assert(rank >= 1 && rank <= 4, "kokkos_view: kernels have 1 to 3 axes and components");
  std::array<std::int64_t, 4> extent{1, 1, 1, 1};
  std::array<std::int64_t, 4> stride{1, 1, 1, 1};
  std::array<std::int64_t, 9> strides{}; // Kokkos writes one more than the rank
  view.stride(strides.data());
  for (std::size_t d = 0; d < rank; ++d) {
    extent[d] = static_cast<std::int64_t>(view.extent(d));
    stride[d] = strides[d];
  }
  return interior("kokkos_view", view.data(), rank, extent, stride, options);
}

} // namespace heddle::adapters

#endif
