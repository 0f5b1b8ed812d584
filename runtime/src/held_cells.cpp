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

HeldCells::HeldCells(const std::array<std::int64_t, 3>& extent, const std::array<bool, 3>& periodic,
                     std::span<const Link> links)
    : extent_(extent), periodic_(periodic), links_(links) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const Link& link : links) {
      if (!periodic[axis]) rim_[axis] = std::max<std::int64_t>(rim_[axis], std::abs(link.offset[axis]));
    }
    size_[axis] = extent[axis] + 2 * rim_[axis];
  }
  numbers_.assign(static_cast<std::size_t>(size_[0] * size_[1] * size_[2]), nobody);
}

std::size_t HeldCells::place(const std::array<std::int64_t, 3>& cell) const {
  return static_cast<std::size_t>(cell[0] + rim_[0] +
                                  size_[0] * (cell[1] + rim_[1] + size_[1] * (cell[2] + rim_[2])));
}

bool HeldCells::follow(std::size_t from, const Link& link, std::size_t& to) const {
  auto rest = static_cast<std::int64_t>(from);
  std::array<std::int64_t, 3> cell{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell[axis] = rest % size_[axis] - rim_[axis] + link.offset[axis];
    rest /= size_[axis];
    if (periodic_[axis]) cell[axis] = (cell[axis] % extent_[axis] + extent_[axis]) % extent_[axis];
    if (cell[axis] < -rim_[axis] || cell[axis] >= extent_[axis] + rim_[axis]) return false;
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
  auto next = static_cast<std::uint32_t>(count);
  for (const std::size_t cell : held)
    numbers_[cell] = next++;
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
