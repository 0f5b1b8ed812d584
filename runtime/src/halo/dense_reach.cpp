// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/dense_reach.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "heddle/core/error.hpp"

namespace heddle {

DenseReach::DenseReach(const DenseExchange& exchange, const void* object, int components)
    : offsets_(static_cast<std::size_t>(components)) {
  for (const HaloRegion& region : exchange.regions()) {
    if (exchange.fields()[static_cast<std::size_t>(region.field)].object != object) continue;
    std::array<int, 3>& offset = offsets_[static_cast<std::size_t>(region.component)];
    for (std::size_t d = 0; d < 3; ++d) {
      if (region.anchor[d] == 0) continue;
      const int here = region.anchor[d] * region.far[d];
      if (offset[d] != 0 && offset[d] != here) {
        throw Error(exchange.name(),
                    "component " + std::to_string(region.component) + " is accessed at several offsets",
                    "pass the two steps of an in-place pattern");
      }
      offset[d] = here;
    }
  }
}

int DenseReach::reach() const noexcept {
  int furthest = 0;
  for (const std::array<int, 3>& offset : offsets_) {
    for (const int cells : offset)
      furthest = std::max(furthest, std::abs(cells));
  }
  return furthest;
}

} // namespace heddle
