// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/region_sweep.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"

namespace heddle {

RegionSweep::RegionSweep(std::string name, const BlockGrid& grid, int rank, Memory memory, const Box& cells,
                         std::vector<FieldAccess> accesses, Kernel kernel)
    : name_(std::move(name)), grid_(&grid), rank_(rank), memory_(memory), cells_(cells),
      accesses_(std::move(accesses)), kernel_(std::move(kernel)),
      watch_(name_, cover_of<RegionSweep>(grid, rank), accesses_) {
  if (!kernel_) throw Error("RegionSweep", "'" + name_ + "' has no kernel", "pass a callable object");
}

std::vector<Box> boxes_of_region(const BlockGrid& grid, int rank, int block, const Box& cells,
                                 const BlockPart& part) {
  const Box& all = grid.block(grid.first_block(rank) + block);
  const Box mine = cells.intersect(all).shift({-all.lower[0], -all.lower[1], -all.lower[2]});
  std::vector<Box> found;
  if (mine.empty()) return found;
  for (const Box& box : part.boxes({all.extent(0), all.extent(1), all.extent(2), 1})) {
    const Box both = box.intersect(mine);
    if (!both.empty()) found.push_back(both);
  }
  return found;
}

bool RegionSweep::has(const BlockPart& part) const {
  const int blocks = grid_->first_block(rank_ + 1) - grid_->first_block(rank_);
  for (int block = 0; block < blocks; ++block) {
    if (!boxes(block, part).empty()) return true;
  }
  return false;
}

void RegionSweep::operator()(Stream& stream, const BlockPart& part) const {
  const int blocks = grid_->first_block(rank_ + 1) - grid_->first_block(rank_);
  side_by_side(stream, blocks, [&](int block, Stream& branch) {
    for (const Box& box : boxes(block, part))
      kernel_(block, box, branch);
  });
}

} // namespace heddle
