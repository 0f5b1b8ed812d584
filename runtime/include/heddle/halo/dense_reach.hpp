// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_DENSE_REACH_HPP
#define HEDDLE_HALO_DENSE_REACH_HPP

#include <array>
#include <cstddef>
#include <vector>

#include "heddle/halo/exchange.hpp"

namespace heddle {

/// The offset at which a cell of a dense field accesses each component, in a step that accesses each at one
/// offset; derived from the exchange before the step. For lists: LinkPaths.
class DenseReach {
public:
  /// object: the field in the exchange. Throws Error where a component is reached in several places.
  DenseReach(const DenseExchange& exchange, const void* object, int components);

  /// From the cell, in cells.
  [[nodiscard]] const std::array<int, 3>& offset(int component) const {
    return offsets_[static_cast<std::size_t>(component)];
  }
  /// The largest distance along an axis, in cells.
  [[nodiscard]] int reach() const noexcept;

private:
  std::vector<std::array<int, 3>> offsets_;
};

} // namespace heddle

#endif
