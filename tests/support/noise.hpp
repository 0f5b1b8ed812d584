// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_NOISE_HPP
#define HEDDLE_TESTS_NOISE_HPP

#include <concepts>
#include <cstdint>

namespace test {

/// A number without pattern in [-1, 1), the same for the same n everywhere.
template <std::integral Number> double noise(Number n) {
  auto state = static_cast<std::uint64_t>(n + 1) * 0x9E3779B97F4A7C15U;
  state ^= state >> 31U;
  state *= 0xBF58476D1CE4E5B9U;
  return static_cast<double>(state >> 11U) * 0x1p-52 - 1;
}

} // namespace test

#endif
