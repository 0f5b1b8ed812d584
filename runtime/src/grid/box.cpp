// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/box.hpp"

#include <algorithm>

namespace heddle {

std::int64_t Box::extent(int d) const noexcept {
  const auto i = static_cast<std::size_t>(d);
  return std::max<std::int64_t>(0, upper[i] - lower[i]);
}

std::array<std::int64_t, 3> Box::extents() const noexcept {
  return {extent(0), extent(1), extent(2)};
}

std::int64_t Box::volume() const noexcept {
  return extent(0) * extent(1) * extent(2);
}

bool Box::contains(const std::array<std::int64_t, 3>& cell) const noexcept {
  for (std::size_t d = 0; d < 3; ++d) {
    if (cell[d] < lower[d] || cell[d] >= upper[d]) return false;
  }
  return true;
}

bool Box::covers(const Box& other) const noexcept {
  return other.empty() || intersect(other) == other;
}

Box Box::grow(const std::array<int, 3>& layers) const noexcept {
  Box box = *this;
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] -= layers[d];
    box.upper[d] += layers[d];
  }
  return box;
}

Box Box::shift(const std::array<std::int64_t, 3>& offset) const noexcept {
  Box box = *this;
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] += offset[d];
    box.upper[d] += offset[d];
  }
  return box;
}

Box Box::intersect(const Box& other) const noexcept {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] = std::max(lower[d], other.lower[d]);
    box.upper[d] = std::min(upper[d], other.upper[d]);
  }
  return box;
}

Box Box::layer(int d, bool last) const noexcept {
  const auto i = static_cast<std::size_t>(d);
  Box box = *this;
  if (last)
    box.lower[i] = box.upper[i] - 1;
  else
    box.upper[i] = box.lower[i] + 1;
  return intersect(box);
}

std::vector<Box> subtract(const Box& a, const Box& b) {
  if (a.empty()) return {};
  const Box common = a.intersect(b);
  if (common.empty()) return {a};
  std::vector<Box> pieces;
  Box rest = a; // shrinks to `common`, axis by axis
  for (std::size_t d = 3; d-- > 0;) {
    Box below = rest;
    below.upper[d] = common.lower[d];
    if (!below.empty()) pieces.push_back(below);
    Box above = rest;
    above.lower[d] = common.upper[d];
    if (!above.empty()) pieces.push_back(above);
    rest.lower[d] = common.lower[d];
    rest.upper[d] = common.upper[d];
  }
  return pieces;
}

std::string to_string(const Box& box) {
  std::string text;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d > 0) text += " x ";
    text += '[';
    text += std::to_string(box.lower[d]) + ", " + std::to_string(box.upper[d]) + ")";
  }
  return text;
}

} // namespace heddle
