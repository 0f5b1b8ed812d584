// SPDX-License-Identifier: Apache-2.0
#include "held_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "heddle/parallel.hpp"

namespace heddle {

namespace {

bool along_one_axis(const Link& link) {
  return std::count(link.offset.begin(), link.offset.end(), 0) == 2;
}

} // namespace

HeldCells::HeldCells(const std::array<std::int64_t, 3>& extent, const std::array<CellRange, 3>& own,
                     const std::array<bool, 3>& periodic, std::span<const Link> links)
    : extent_(extent), periodic_(periodic), links_(links), own_(own) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t rim = 0;
    for (const Link& link : links) {
      if (!periodic[axis]) rim = std::max<std::int64_t>(rim, std::abs(link.offset[axis]));
    }
    known_[axis] = {own[axis].first == 0 ? -rim : 0,
                    extent[axis] + (own[axis].last == extent[axis] ? rim : 0)};
  }
  numbers_.assign(static_cast<std::size_t>(known_[0].size() * known_[1].size() * known_[2].size()), nobody);
}

std::size_t HeldCells::place(const std::array<std::int64_t, 3>& cell) const {
  const std::int64_t row = cell[1] - known_[1].first + known_[1].size() * (cell[2] - known_[2].first);
  return static_cast<std::size_t>(cell[0] - known_[0].first + known_[0].size() * row);
}

std::array<std::int64_t, 3> HeldCells::cell_at(std::size_t place) const {
  auto rest = static_cast<std::int64_t>(place);
  std::array<std::int64_t, 3> cell{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell[axis] = known_[axis].first + rest % known_[axis].size();
    rest /= known_[axis].size();
  }
  return cell;
}

bool HeldCells::is_among_ghosts(const std::array<std::int64_t, 3>& cell) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool below = cell[axis] >= 0 && cell[axis] < own_[axis].first;
    const bool above = cell[axis] >= own_[axis].last && cell[axis] < extent_[axis];
    if (below || above) return true;
  }
  return false;
}

bool HeldCells::follow(std::size_t from, const Link& link, std::size_t& to) const {
  std::array<std::int64_t, 3> cell = cell_at(from);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell[axis] += link.offset[axis];
    if (periodic_[axis]) cell[axis] = (cell[axis] % extent_[axis] + extent_[axis]) % extent_[axis];
    if (cell[axis] < known_[axis].first || cell[axis] >= known_[axis].last) return false;
  }
  to = place(cell);
  return true;
}

std::int64_t HeldCells::number(std::int64_t count) {
  // Rows along axes are followed one after the other, so that the cells of earlier rows count for later ones.
  const bool in_turn = std::all_of(links_.begin(), links_.end(), along_one_axis);
  constexpr std::uint32_t wanted = nobody - 1;
  std::vector<std::size_t> held;
  const auto hold = [&](std::size_t from, const Link& link) {
    std::size_t to = 0;
    if (!follow(from, link, to) || numbers_[to] != nobody) return;
    numbers_[to] = wanted;
    held.push_back(to);
  };
  for (const Link& link : links_) {
    const std::size_t before = held.size();
    for (std::size_t from = 0; from < numbers_.size(); ++from) {
      if (numbers_[from] < wanted) hold(from, link);
    }
    for (std::size_t i = 0; in_turn && i < before; ++i)
      hold(held[i], link);
  }
  std::sort(held.begin(), held.end());
  std::stable_partition(held.begin(), held.end(),
                        [&](std::size_t cell) { return !is_among_ghosts(cell_at(cell)); });
  auto next = static_cast<std::uint32_t>(count);
  for (const std::size_t cell : held) {
    numbers_[cell] = next++;
    if (is_among_ghosts(cell_at(cell))) among_ghosts_.push_back(cell_at(cell));
  }
  return static_cast<std::int64_t>(held.size());
}

void HeldCells::fill(const Link& link, std::uint32_t* entries) const {
  parallel_ranges(static_cast<std::int64_t>(numbers_.size()), [&](std::int64_t first, std::int64_t last) {
    for (auto from = static_cast<std::size_t>(first); from < static_cast<std::size_t>(last); ++from) {
      const std::uint32_t own = numbers_[from];
      if (own == nobody) continue;
      std::size_t to = from;
      const bool inside = follow(from, link, to);
      entries[own] = inside && numbers_[to] != nobody ? numbers_[to] : own;
    }
  });
}

} // namespace heddle
