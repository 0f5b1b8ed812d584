// SPDX-License-Identifier: MIT-0
// std::mdspan, Kokkos' mdspan, cuda::std::mdspan, or any type with their interface: its cells for a kernel.
// (Kernels also take negative strides, which std::layout_stride does not have.)
#ifndef HEDDLE_ADAPTERS_MDSPAN_HPP
#define HEDDLE_ADAPTERS_MDSPAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heddle/adapters/view.hpp"

namespace heddle::adapters {

/// The interior of `array`; its first index is x unless options say otherwise. A submdspan works as well,
/// also one without ghost cells inside a larger array: then options.ghosts is 0 and options.reach stays 0,
/// and the caller knows what lies around. Throws Refused.
template <typename Mdspan>
View<typename Mdspan::element_type> mdspan_view(const Mdspan& array, const Options& options = {}) {
  using Element = typename Mdspan::element_type;
  static_assert(std::is_convertible_v<typename Mdspan::data_handle_type, Element*>,
                "mdspan_view: this accessor does not give addresses; kernels need some");
  static_assert(Mdspan::rank() >= 1 && Mdspan::rank() <= 4,
                "mdspan_view: kernels have 1 to 3 axes and components");
  if (!array.is_strided()) {
    throw Refused("mdspan_view", "the layout of this mdspan has no strides",
                  "use layout_left, layout_right, layout_stride or another strided mapping");
  }
  std::array<std::int64_t, 4> extent{1, 1, 1, 1};
  std::array<std::int64_t, 4> stride{1, 1, 1, 1};
  for (std::size_t d = 0; d < Mdspan::rank(); ++d) {
    extent[d] = static_cast<std::int64_t>(array.extent(d));
    stride[d] = static_cast<std::int64_t>(array.stride(d));
  }
  return interior<Element>("mdspan_view", array.data_handle(), Mdspan::rank(), extent, stride, options);
}

} // namespace heddle::adapters

#endif
