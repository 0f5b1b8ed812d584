// SPDX-License-Identifier: Apache-2.0
#include "heddle/block_grid.hpp"

#include <limits>
#include <string>

#include "heddle/error.hpp"

namespace heddle {

namespace {

constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};

std::int64_t cut(const Box& domain, std::size_t axis, int part, int parts) {
  return domain.lower[axis] + domain.extent(static_cast<int>(axis)) * part / parts;
}

} // namespace

BlockGrid::BlockGrid(const Box& domain, const std::array<int, 3>& blocks, const std::array<bool, 3>& periodic,
                     int ranks)
    : domain_(domain), blocks_(blocks), periodic_(periodic), ranks_(ranks) {
  if (domain.empty()) throw Error("BlockGrid", "the domain " + to_string(domain) + " has no cells");
  std::int64_t count = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t cells = domain.extent(static_cast<int>(d));
    if (blocks[d] < 1 || blocks[d] > cells) {
      throw Error("BlockGrid",
                  std::to_string(blocks[d]) + " blocks for " + std::to_string(cells) + " cells along " +
                      axis_name[d],
                  "each block needs a cell");
    }
    count *= blocks[d];
    if (count > std::numeric_limits<int>::max()) throw Error("BlockGrid", "more than 2^31 - 1 blocks");
  }
  if (ranks < 1 || ranks > count) {
    throw Error("BlockGrid", std::to_string(ranks) + " ranks for " + std::to_string(count) + " blocks",
                "each rank needs a block");
  }
  boxes_.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < size(); ++i) {
    const std::array<int, 3> at = place(i);
    Box box;
    for (std::size_t d = 0; d < 3; ++d) {
      box.lower[d] = cut(domain, d, at[d], blocks[d]);
      box.upper[d] = cut(domain, d, at[d] + 1, blocks[d]);
    }
    boxes_.push_back(box);
  }
}

const Box& BlockGrid::block(int i) const {
  if (i < 0 || i >= size()) {
    throw Error("BlockGrid", "no block " + std::to_string(i) + " among " + std::to_string(size()));
  }
  return boxes_[static_cast<std::size_t>(i)];
}

std::array<int, 3> BlockGrid::place(int i) const {
  if (i < 0 || i >= size()) {
    throw Error("BlockGrid", "no block " + std::to_string(i) + " among " + std::to_string(size()));
  }
  return {i % blocks_[0], i / blocks_[0] % blocks_[1], i / blocks_[0] / blocks_[1]};
}

int BlockGrid::index(const std::array<int, 3>& place) const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (place[d] < 0 || place[d] >= blocks_[d]) {
      throw Error("BlockGrid", "no block at place " + std::to_string(place[d]) + " along " + axis_name[d]);
    }
  }
  return place[0] + blocks_[0] * (place[1] + blocks_[1] * place[2]);
}

int BlockGrid::neighbour(int i, const std::array<int, 3>& offset) const {
  std::array<int, 3> at = place(i);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t moved = std::int64_t{at[d]} + offset[d];
    const std::int64_t wrapped = ((moved % blocks_[d]) + blocks_[d]) % blocks_[d];
    if (wrapped != moved && !periodic_[d]) return -1;
    at[d] = static_cast<int>(wrapped);
  }
  return index(at);
}

int BlockGrid::owner(const std::array<std::int64_t, 3>& cell) const noexcept {
  if (!domain_.contains(cell)) return -1;
  std::array<int, 3> at{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t cells = domain_.extent(static_cast<int>(d));
    // The guess may be one too low, because cuts round down.
    at[d] = static_cast<int>((cell[d] - domain_.lower[d]) * blocks_[d] / cells);
    while (at[d] + 1 < blocks_[d] && cell[d] >= cut(domain_, d, at[d] + 1, blocks_[d]))
      ++at[d];
  }
  return at[0] + blocks_[0] * (at[1] + blocks_[1] * at[2]);
}

int BlockGrid::rank(int i) const {
  (void)block(i);
  return static_cast<int>(((std::int64_t{i} + 1) * ranks_ - 1) / size());
}

int BlockGrid::first_block(int rank) const {
  if (rank < 0 || rank > ranks_) {
    throw Error("BlockGrid", "no rank " + std::to_string(rank) + " among " + std::to_string(ranks_));
  }
  return static_cast<int>(std::int64_t{size()} * rank / ranks_);
}

void require_one_rank(const char* user, const BlockGrid& grid) {
  if (grid.ranks() == 1) return;
  throw Error(user, "it needs all blocks, but " + std::to_string(grid.ranks()) + " ranks share them");
}

} // namespace heddle
