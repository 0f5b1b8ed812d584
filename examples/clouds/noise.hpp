// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_NOISE_HPP
#define HEDDLE_CLOUDS_NOISE_HPP

#include <cstdint>

namespace clouds {

/// A number in [-1, 1) without pattern, the same for the same seed and cell everywhere: the mixing function
/// of splitmix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014) over the four numbers, one after the
/// other.
[[nodiscard]] inline double random_unit(std::uint64_t seed, std::int64_t i, std::int64_t j, std::int64_t k) {
  std::uint64_t state = 0;
  for (const std::uint64_t word :
       {seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(k)}) {
    state = (state ^ word) + 0x9E3779B97F4A7C15U;
    state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
    state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
    state ^= state >> 31U;
  }
  return static_cast<double>(state >> 11U) * 0x1p-52 - 1;
}

} // namespace clouds

#endif
