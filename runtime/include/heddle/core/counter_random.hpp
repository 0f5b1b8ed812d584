// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_COUNTER_RANDOM_HPP
#define HEDDLE_CORE_COUNTER_RANDOM_HPP

#include <array>
#include <cstdint>

namespace heddle {

/// Philox4x32 with ten rounds: four random words that are a function of a counter and a key, without a state
/// (J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11,
/// 2011).
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

/// A random number of the cell (x, y, z), evenly distributed in [-1, 1): a multiple of 2^-31, so exact in
/// double. Counted in the whole domain, as Field::fill does, cells have the same numbers for any blocks and
/// ranks. Coordinates count modulo 2^32. stream: tells several numbers of a cell apart, such as those of
/// several fields. seed: of a run.
[[nodiscard]] constexpr double random_number(std::uint64_t seed, std::uint32_t stream, std::int64_t x,
                                             std::int64_t y, std::int64_t z) {
  const std::array<std::uint32_t, 4> words = philox(
      {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z), stream},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  return static_cast<double>(words[0]) * 0x1p-31 - 1.0;
}

} // namespace heddle

#endif
