// SPDX-License-Identifier: Apache-2.0
// A synthetic city: blocks of houses of random heights between streets.
#ifndef HEDDLE_TESTS_PROJECTION_CITY_HPP
#define HEDDLE_TESTS_PROJECTION_CITY_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "flow.hpp"

namespace test {

/// A house on `edge` x `edge` cells in each square of 8 x 8; heights between lowest and highest, in cells.
struct City {
  std::int64_t edge = 0; // 0: none
  std::int64_t lowest = 0;
  std::int64_t highest = 0;

  [[nodiscard]] std::vector<std::uint8_t> solid(const std::array<std::int64_t, 3>& cells) const {
    std::vector<std::uint8_t> mask;
    mask.reserve(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
    for (std::int64_t z = 0; z < cells[2]; ++z) {
      for (std::int64_t y = 0; y < cells[1]; ++y) {
        for (std::int64_t x = 0; x < cells[0]; ++x) {
          const double draw = (noise(x / 8 + 4099 * (y / 8)) + 1) / 2;
          const auto height =
              lowest + static_cast<std::int64_t>(draw * static_cast<double>(highest - lowest + 1));
          mask.push_back(x % 8 < edge && y % 8 < edge && z < height ? 1 : 0);
        }
      }
    }
    return mask;
  }
};

} // namespace test

#endif
