// SPDX-License-Identifier: Apache-2.0
// The lattices that are timed: filled with small random disturbances of the rest state, never with zeros.
#ifndef HEDDLE_BENCHMARKS_LBM_CASE_HPP
#define HEDDLE_BENCHMARKS_LBM_CASE_HPP

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace bench {

inline constexpr int populations = 19;

/// A reproducible value in [-0.01, 0.01) for population q of cell number n.
inline double disturbance(std::int64_t n, int q) {
  constexpr std::uint64_t cells = 0x9E3779B97F4A7C15U; // odd numbers without pattern
  constexpr std::uint64_t slots = 0xBF58476D1CE4E5B9U;
  std::uint64_t state = static_cast<std::uint64_t>(n) * cells + static_cast<std::uint64_t>(q) * slots;
  state ^= state >> 31U;
  state *= 0x94D049BB133111EBU;
  state ^= state >> 29U;
  return 0.02 * (static_cast<double>(state >> 11U) * 0x1p-53 - 0.5);
}

/// A closed box: one layer of solid cells around fluid.
inline std::vector<std::uint8_t> box_flags(std::int64_t edge) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(edge * edge * edge));
  for (std::int64_t z = 0; z < edge; ++z) {
    for (std::int64_t y = 0; y < edge; ++y) {
      for (std::int64_t x = 0; x < edge; ++x) {
        const bool wall = x == 0 || y == 0 || z == 0 || x == edge - 1 || y == edge - 1 || z == edge - 1;
        flags[static_cast<std::size_t>(x + edge * (y + edge * z))] = wall ? 0 : 1;
      }
    }
  }
  return flags;
}

/// A porous block in a closed box: spheres of `radius` cells at random places, which may overlap, until no
/// more than the share `porosity` of all cells is fluid. The same for the same arguments.
inline std::vector<std::uint8_t> sphere_flags(std::int64_t edge, std::int64_t radius, double porosity) {
  std::vector<std::uint8_t> flags = box_flags(edge);
  std::int64_t fluid = 0;
  for (const std::uint8_t flag : flags) {
    fluid += flag;
  }
  std::mt19937_64 random(42);
  const auto middle = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(edge)); };
  const double wanted = porosity * static_cast<double>(edge * edge * edge);
  while (static_cast<double>(fluid) > wanted) {
    const std::int64_t x = middle();
    const std::int64_t y = middle();
    const std::int64_t z = middle();
    for (std::int64_t k = std::max<std::int64_t>(z - radius, 0); k <= std::min(z + radius, edge - 1); ++k) {
      for (std::int64_t j = std::max<std::int64_t>(y - radius, 0); j <= std::min(y + radius, edge - 1); ++j) {
        for (std::int64_t i = std::max<std::int64_t>(x - radius, 0); i <= std::min(x + radius, edge - 1);
             ++i) {
          const std::int64_t square = (i - x) * (i - x) + (j - y) * (j - y) + (k - z) * (k - z);
          std::uint8_t& flag = flags[static_cast<std::size_t>(i + edge * (j + edge * k))];
          if (square > radius * radius || flag == 0) {
            continue;
          }
          flag = 0;
          --fluid;
        }
      }
    }
  }
  return flags;
}

} // namespace bench

#endif
