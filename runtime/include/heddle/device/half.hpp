// SPDX-License-Identifier: MIT-0
// IEEE 754 binary16 in memory, f32 or f64 in registers; rounds to nearest even, one result on every
// target.
#ifndef HEDDLE_DEVICE_HALF_HPP
#define HEDDLE_DEVICE_HALF_HPP

#include <cstdint>

#include "heddle/device/bits.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// The float that a half stands for; exact.
HEDDLE_HOST_DEVICE inline float half_to_float(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  const std::uint32_t bits = half;
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = (bits & 0x7fffU) << 13U;
  // Scaling by 2^112 moves the exponent's bias, and makes subnormal halves normal floats on the
  // way.
  const float scaled = bits_as<float>(magnitude) * 0x1p112F;
  const std::uint32_t infinite = (bits & 0x7c00U) == 0x7c00U ? 0x7f800000U : 0U;
  return bits_as<float>(bits_as<std::uint32_t>(scaled) | infinite | sign);
#endif
}

HEDDLE_HOST_DEVICE inline double half_to_double(std::uint16_t half) {
  return static_cast<double>(half_to_float(half));
}

/// The half nearest to a float, ties to even; overflow gives infinity.
HEDDLE_HOST_DEVICE inline std::uint16_t to_half(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  const std::uint32_t bits = bits_as<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Normal result: move the bias, round at bit 13 by adding half an ulp less the tie, then shift.
  const std::uint32_t rounded =
      (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13U) & 1U)) >> 13U;
  // Subnormal result: adding 0.5 aligns the last bit of a half with the last bit of the float; the
  // sum rounds.
  const std::uint32_t small =
      bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5F) - 0x3f000000U;
  const std::uint32_t finite = magnitude < 0x38800000U ? small : rounded;
  const std::uint32_t special = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;
  return static_cast<std::uint16_t>(sign | (magnitude >= 0x477ff000U ? special : finite));
#endif
}

/// The half nearest to a double: through a float rounded to odd, so that nothing is rounded twice.
HEDDLE_HOST_DEVICE inline std::uint16_t to_half(double value) {
  const float near = static_cast<float>(value);
  std::uint32_t bits = bits_as<std::uint32_t>(near);
  const double back = static_cast<double>(near);
  const bool inexact = back != value && value == value;
  if (inexact && (bits & 1U) == 0U) {
    const bool too_large = (value < 0.0 ? -back : back) > (value < 0.0 ? -value : value);
    bits = too_large ? bits - 1U : bits + 1U;
  }
  return to_half(bits_as<float>(bits));
}

}  // namespace heddle

#endif
