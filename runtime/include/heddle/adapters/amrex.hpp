// SPDX-License-Identifier: MIT-0
// AMReX's Array4, before and after 26.02, when it became an ArrayND and lost the members jstride, kstride and
// nstride: strides are differences of addresses, bounds come from lbound() and ubound().
#ifndef HEDDLE_ADAPTERS_AMREX_HPP
#define HEDDLE_ADAPTERS_AMREX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heddle/adapters/view.hpp"

namespace heddle::adapters {

/// The cells `box` of `array`: in MFIter that is mfi.validbox(), or mfi.tilebox() where tiles run in
/// parallel. It has AMREX_SPACEDIM axes, then components. Of options only reach and unit_stride count, for
/// the array knows its ghost cells. An Array4 does not say where its memory is: kernels of the CPU need an
/// arena that the host can access. Launchers of CUDA take amrex::Gpu::gpuStream(). Throws Refused.
template <typename Array4, typename Box>
auto amrex_view(const Array4& array, const Box& box, const Options& options = {}) {
  const auto low = lbound(box);
  const auto high = ubound(box);
  const auto first = lbound(array);
  const auto last = ubound(array);
  auto* const data = array.ptr(low.x, low.y, low.z);
  const std::array<std::int64_t, 3> below{low.x - first.x, low.y - first.y, low.z - first.z};
  const std::array<std::int64_t, 3> above{last.x - high.x, last.y - high.y, last.z - high.z};
  constexpr std::size_t space = AMREX_SPACEDIM;
  std::array<std::int64_t, 4> extent{high.x - low.x + 1, high.y - low.y + 1, high.z - low.z + 1, 1};
  for (std::size_t d = 0; d < space; ++d) {
    if (below[d] < 0 || above[d] < 0) {
      throw Refused("amrex_view", std::string("the box leads out of the array along ") + "xyz"[d],
                    "pass the box of the same MFIter as the array");
    }
    require_ghosts("amrex_view", d, below[d], above[d], options.reach.axis[d]);
  }
  // From the array's first cell to its next along each axis; an axis of one cell has none.
  const auto* const origin = array.ptr(first.x, first.y, first.z);
  std::array<std::int64_t, 4> stride{1, 1, 1, 1};
  if (last.x > first.x) stride[0] = array.ptr(first.x + 1, first.y, first.z) - origin;
  stride[1] = stride[0] * (last.x - first.x + 1);
  if (last.y > first.y) stride[1] = array.ptr(first.x, first.y + 1, first.z) - origin;
  stride[2] = stride[1] * (last.y - first.y + 1);
  if (last.z > first.z) stride[2] = array.ptr(first.x, first.y, first.z + 1) - origin;
  extent[space] = array.nComp();
  stride[space] = stride[space - 1] * (space == 1   ? last.x - first.x + 1
                                       : space == 2 ? last.y - first.y + 1
                                                    : last.z - first.z + 1);
  if (array.nComp() > 1) stride[space] = array.ptr(first.x, first.y, first.z, 1) - origin;
  require_unit_stride("amrex_view", stride[0], options.unit_stride);
  return View<std::remove_pointer_t<decltype(array.ptr(0, 0, 0))>>(data, extent, stride);
}

} // namespace heddle::adapters

#endif
