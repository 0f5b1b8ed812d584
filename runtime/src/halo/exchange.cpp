// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/exchange.hpp"

#include <cstdlib>

namespace heddle {

Box Crossing::cells(const std::array<std::int64_t, 3>& extent) const noexcept {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t n = extent[d];
    box.lower[d] = anchor[d] == 0 ? near[d] : anchor[d] > 0 ? n + near[d] : -std::int64_t{far[d]};
    box.upper[d] = anchor[d] == 0 ? n - far[d] : anchor[d] > 0 ? n + far[d] : -std::int64_t{near[d]};
  }
  return box;
}

std::vector<Crossing> ghost_shell(int components, const std::array<int, 3>& layers) {
  std::vector<Crossing> shell;
  for (int component = 0; component < components; ++component) {
    for (int side = 0; side < 27; ++side) {
      Crossing crossing{0, component, {side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1}, {}, {}};
      bool empty = side == 13; // the interior
      for (std::size_t d = 0; d < 3; ++d) {
        crossing.far[d] = crossing.anchor[d] == 0 ? 0 : layers[d];
        empty = empty || (crossing.anchor[d] != 0 && layers[d] == 0);
      }
      if (!empty) shell.push_back(crossing);
    }
  }
  return shell;
}

void Exchange::add(Side side, const BlockGrid& grid, int rank, Memory memory) {
  const auto number = static_cast<int>(fields_.size());
  for (const Crossing& crossing : crossings_) {
    if (crossing.field != number) continue;
    if (crossing.component < 0 || crossing.component >= side.components) {
      throw Error(name_, "component " + std::to_string(crossing.component) + " is exchanged, but field '" +
                             side.name + "' has " + std::to_string(side.components) + " components");
    }
    for (std::size_t d = 0; d < 3; ++d) {
      if (crossing.anchor[d] != 0 && crossing.far[d] > side.ghost_layers[d]) {
        throw Error(name_,
                    std::to_string(crossing.far[d]) + " ghost layers of '" + side.name +
                        "' are exchanged, but it has " + std::to_string(side.ghost_layers[d]),
                    "construct the field with more ghost layers");
      }
    }
  }
  if (grid_ == nullptr) {
    grid_ = &grid;
    rank_ = rank;
    memory_ = memory;
  } else if (*grid_ != grid || rank_ != rank || memory_ != memory) {
    throw Error(
        name_, "fields '" + fields_.front().name + "' and '" + side.name + "' differ in grid, rank or memory",
        "construct them with the same grid and options");
  }
  fields_.push_back(std::move(side));
}

void Exchange::add_listed(Side side, const IndexList& list) {
  if (list_ != nullptr && list_ != &list)
    throw Error(name_,
                "fields '" + fields_.front().name + "' and '" + side.name + "' belong to different lists",
                "construct them over the same IndexList");
  list_ = &list;
  add(std::move(side), list.grid(), list.rank(), list.memory());
}

} // namespace heddle
