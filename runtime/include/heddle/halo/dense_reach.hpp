// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_DENSE_REACH_HPP
#define HEDDLE_HALO_DENSE_REACH_HPP

#include <array>
#include <cstddef>
#include <vector>

#include "heddle/halo/exchange.hpp"

namespace heddle {

/// Where a cell of a dense field reaches the components in a step that reaches each in one place, as the
/// exchange before the step says it: LinkPaths for what is no list.
class DenseReach {
public:
  /// object: the field in the exchange. Throws Error where a component is reached in several places.
  DenseReach(const Exchange& exchange, const void* object, int components);

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
