// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_D3Q19_VALUES_HPP
#define HEDDLE_D3Q19_VALUES_HPP

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace test {

/// A multiple of 2^-17 below 2^-6, which every precision holds exactly. Halves hold 2^15 times the
/// population.
template <class T> T exactly(int multiple) {
  return static_cast<T>(std::ldexp(multiple, -17));
}
template <> inline std::uint16_t exactly(int multiple) {
  const auto sign = static_cast<std::uint16_t>(multiple < 0 ? 0x8000 : 0);
  const int magnitude = std::abs(multiple);
  if (magnitude == 0) return sign;
  int exponent = 0;
  while ((magnitude >> (exponent + 1)) != 0)
    ++exponent;
  const int fraction = (magnitude << (10 - exponent)) & 0x3FF; // magnitude < 2^11
  return static_cast<std::uint16_t>(sign | ((exponent - 17 + 15 + 15) << 10) | fraction);
}

inline double number(double value) {
  return value;
}
inline double number(float value) {
  return static_cast<double>(value);
}
inline double number(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 0x3FF;
  const double scaled =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  const double value = scaled * 0x1p-15;
  return (half & 0x8000) != 0 ? -value : value;
}

} // namespace test

#endif
