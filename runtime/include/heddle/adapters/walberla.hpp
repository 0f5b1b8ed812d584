// SPDX-License-Identifier: MIT-0
// FieldView of waLBerla v8, of both layouts (fzyx, whose rows are padded, and zyxf): a block's cells for a
// kernel.
#ifndef HEDDLE_ADAPTERS_WALBERLA_HPP
#define HEDDLE_ADAPTERS_WALBERLA_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/adapters/view.hpp"

namespace heddle::adapters {

/// The interior of a block: walberla_view(FieldView(field, block), {.reach = 1}) within a sweep. memory:
/// which entry will be called; a field of another memory does not compile. Of options only reach and
/// unit_stride count, for the view knows its ghost layers and components. Throws Refused.
template <Memory memory = Memory::host, typename FieldView>
View<typename FieldView::element_type> walberla_view(const FieldView& field, const Options& options = {}) {
  using Tag = typename FieldView::memory_tag;
  static_assert(
      memory == Memory::device || Tag::isHostAccessible,
      "walberla_view: kernels of the CPU cannot access this field's memory; call the CUDA entry with "
      "walberla_view<Memory::device>, or give the field memory of the host");
  static_assert(memory == Memory::host || Tag::isDeviceAccessible,
                "walberla_view: kernels of a device cannot access this field's memory");
  const auto shape = field.shape();
  const auto strides = field.strides();
  const auto ghosts = static_cast<std::int64_t>(field.numGhostLayers());
  std::array<std::int64_t, 4> extent{};
  std::array<std::int64_t, 4> stride{};
  for (std::size_t d = 0; d < 4; ++d) {
    extent[d] = static_cast<std::int64_t>(shape[d]);
    stride[d] = static_cast<std::int64_t>(strides[d]);
    if (d < 3) require_ghosts("walberla_view", d, ghosts, ghosts, options.reach.axis[d]);
  }
  require_unit_stride("walberla_view", stride[0], options.unit_stride);
  return {&field(0, 0, 0, 0), extent, stride};
}

} // namespace heddle::adapters

#endif
