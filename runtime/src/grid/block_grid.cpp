// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_grid.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/grid/space_filling_curve.hpp"

namespace heddle {

namespace {

constexpr std::array<const char*, 3> axis_name{"x", "y", "z"};

[[noreturn]] void refuse(int ranks, std::int64_t blocks) {
  throw Error("BlockGrid",
              std::to_string(ranks) + " ranks cannot share " + std::to_string(blocks) + " blocks",
              "use at least one block per rank");
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
                  std::to_string(blocks[d]) + " blocks cannot share " + std::to_string(cells) +
                      " cells along " + axis_name[d],
                  "use at least one cell per block");
    }
    count *= blocks[d];
    if (count > std::numeric_limits<int>::max())
      throw Error("BlockGrid", "the grid has more than 2^31 - 1 blocks", "use larger blocks");
    for (int part = 0; part <= blocks[d]; ++part)
      cuts_[d].push_back(domain.lower[d] + cells * part / blocks[d]);
  }
  if (ranks < 1 || ranks > count) refuse(ranks, count);
  std::vector<int> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::vector<int> first;
  for (int rank = 0; rank <= ranks; ++rank)
    first.push_back(static_cast<int>(count * rank / ranks));
  number(places, std::move(first));
}

BlockGrid BlockGrid::balanced(const Box& domain, const std::array<int, 3>& blocks,
                              const std::array<bool, 3>& periodic, int ranks,
                              std::span<const std::int64_t> weights) {
  BlockGrid grid(domain, blocks, periodic, 1);
  if (static_cast<int>(weights.size()) != grid.places()) {
    throw Error("BlockGrid", std::to_string(weights.size()) + " weights were given for " +
                                 std::to_string(grid.places()) + " blocks");
  }
  std::vector<int> places;
  for (const int place : curve_order(blocks)) {
    const std::int64_t weight = weights[static_cast<std::size_t>(place)];
    if (weight < 0)
      throw Error("BlockGrid", "block " + std::to_string(place) + " has a negative weight",
                  "use weights of 0 or more");
    if (weight > 0) places.push_back(place);
  }
  const auto count = static_cast<int>(places.size());
  if (ranks < 1 || ranks > count) refuse(ranks, count);
  std::vector<std::int64_t> along;
  for (const int place : places)
    along.push_back(weights[static_cast<std::size_t>(place)]);
  grid.ranks_ = ranks;
  grid.number(places, cut_by_weight(along, ranks));
  return grid;
}

BlockGrid BlockGrid::slabs(const Box& domain, const std::array<bool, 3>& periodic, int ranks,
                           std::span<const std::uint8_t> weights) {
  const std::array<std::int64_t, 3> n = domain.extents();
  const std::size_t axis = n[2] >= n[1] && n[2] >= n[0] ? 2 : n[1] >= n[0] ? 1 : 0;
  std::array<int, 3> blocks{1, 1, 1};
  blocks[axis] = ranks;
  BlockGrid grid(domain, blocks, periodic, ranks);
  if (static_cast<std::int64_t>(weights.size()) != domain.volume()) {
    throw Error("BlockGrid", std::to_string(weights.size()) + " weights were given for " +
                                 std::to_string(domain.volume()) + " cells");
  }
  std::vector<std::int64_t> layers(static_cast<std::size_t>(n[axis]));
  auto weight = weights.begin();
  std::array<std::int64_t, 3> at{};
  for (at[2] = 0; at[2] < n[2]; ++at[2]) {
    for (at[1] = 0; at[1] < n[1]; ++at[1]) {
      for (at[0] = 0; at[0] < n[0]; ++at[0])
        layers[static_cast<std::size_t>(at[axis])] += *weight++;
    }
  }
  grid.cuts_[axis].clear();
  for (const int first : cut_by_weight(layers, ranks))
    grid.cuts_[axis].push_back(domain.lower[axis] + first);
  grid.number(std::vector<int>(grid.place_of_), std::vector<int>(grid.first_));
  return grid;
}

/// Gives blocks to places, in this order, and to ranks.
void BlockGrid::number(const std::vector<int>& places, std::vector<int> first) {
  place_of_ = places;
  first_ = std::move(first);
  number_at_.assign(static_cast<std::size_t>(this->places()), -1);
  boxes_.clear();
  for (int i = 0; i < size(); ++i) {
    number_at_[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])] = i;
    boxes_.push_back(cells_at(place(i)));
  }
}

const Box& BlockGrid::block(int i) const {
  if (i < 0 || i >= size()) {
    throw Error("BlockGrid", "block " + std::to_string(i) + " does not exist; there are " +
                                 std::to_string(size()) + " blocks");
  }
  return boxes_[static_cast<std::size_t>(i)];
}

std::array<int, 3> BlockGrid::place(int i) const {
  if (i < 0 || i >= size()) {
    throw Error("BlockGrid", "block " + std::to_string(i) + " does not exist; there are " +
                                 std::to_string(size()) + " blocks");
  }
  const int at = place_of_[static_cast<std::size_t>(i)];
  return {at % blocks_[0], at / blocks_[0] % blocks_[1], at / blocks_[0] / blocks_[1]};
}

int BlockGrid::flat(const std::array<int, 3>& place) const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (place[d] < 0 || place[d] >= blocks_[d]) {
      throw Error("BlockGrid",
                  "there is no block at position " + std::to_string(place[d]) + " along " + axis_name[d]);
    }
  }
  return place[0] + blocks_[0] * (place[1] + blocks_[1] * place[2]);
}

int BlockGrid::index(const std::array<int, 3>& place) const {
  return number_at_[static_cast<std::size_t>(flat(place))];
}

Box BlockGrid::cells_at(const std::array<int, 3>& place) const {
  (void)flat(place);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] = cuts_[d][static_cast<std::size_t>(place[d])];
    box.upper[d] = cuts_[d][static_cast<std::size_t>(place[d]) + 1];
  }
  return box;
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

std::array<int, 3> BlockGrid::place_of(const std::array<std::int64_t, 3>& cell) const noexcept {
  std::array<int, 3> at{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto next = std::upper_bound(cuts_[d].begin(), cuts_[d].end(), cell[d]);
    at[d] = static_cast<int>(next - cuts_[d].begin()) - 1;
  }
  return at;
}

std::array<std::int64_t, 3> BlockGrid::in_domain(std::array<std::int64_t, 3> cell) const noexcept {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t extent = domain_.upper[d] - domain_.lower[d];
    if (periodic_[d]) cell[d] = domain_.lower[d] + ((cell[d] - domain_.lower[d]) % extent + extent) % extent;
  }
  return cell;
}

int BlockGrid::owner(const std::array<std::int64_t, 3>& cell) const noexcept {
  if (!domain_.contains(cell)) return -1;
  const std::array<int, 3> at = place_of(cell);
  return number_at_[static_cast<std::size_t>(at[0] + blocks_[0] * (at[1] + blocks_[1] * at[2]))];
}

int BlockGrid::rank(int i) const {
  (void)block(i);
  return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), i) - first_.begin()) - 1;
}

int BlockGrid::first_block(int rank) const {
  if (rank < 0 || rank > ranks_) {
    throw Error("BlockGrid", "rank " + std::to_string(rank) + " does not exist; there are " +
                                 std::to_string(ranks_) + " ranks");
  }
  return first_[static_cast<std::size_t>(rank)];
}

BlockGrid BlockGrid::on_one_rank() const {
  BlockGrid grid(*this);
  grid.ranks_ = 1;
  grid.first_ = {0, size()};
  return grid;
}

void require_one_rank(const char* user, const BlockGrid& grid) {
  if (grid.ranks() == 1) return;
  throw Error(user,
              "it needs all blocks on one rank, but " + std::to_string(grid.ranks()) + " ranks share them",
              "use a grid of one rank");
}

} // namespace heddle
