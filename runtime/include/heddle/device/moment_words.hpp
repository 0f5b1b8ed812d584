// SPDX-License-Identifier: MIT-0
// Moments in memory: four or two numbers of a cell as one word, floats or halves, and where such
// words lie.
#ifndef HEDDLE_DEVICE_MOMENT_WORDS_HPP
#define HEDDLE_DEVICE_MOMENT_WORDS_HPP

#include <cstdint>
#include <type_traits>

#include "heddle/device/gpu.hpp"
#include "heddle/device/half.hpp"

namespace heddle {

/// One block of a field of 2 or 4 components, which follow each other in a cell, as cells do in a
/// row: the first interior cell, and element strides.
template <typename T>
struct MomentField {
  T* data;
  std::int64_t sy;
  std::int64_t sz;
};

namespace detail {

/// How memory holds numbers: `unit` times the value, four or two of them as one word.
template <typename T>
struct Stored;
template <>
struct Stored<float> {
  using Four = float4;
  using Two = float2;
  static constexpr float unit = 1.0F;
};
template <>
struct Stored<std::uint16_t> {
  using Four = uint2;
  using Two = std::uint32_t;
  static constexpr float unit = 0x1p14F;
};

/// Two halves in a word, and the halves nearest to two floats.
__device__ inline float2 from_halves(std::uint32_t word) {
  const auto half = [](std::uint32_t bits) {
    return half_to_float(static_cast<std::uint16_t>(bits & 0xffffU));
  };
  return {half(word), half(word >> 16U)};
}
__device__ inline std::uint32_t to_halves(float low, float high) {
#if defined(__CUDA_ARCH__)
  std::uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
#else
  return to_half(low) | static_cast<std::uint32_t>(to_half(high)) << 16U;
#endif
}

/// A word as numbers in another unit, `scale` times those in memory (a power of two: exact), and
/// back.
__device__ inline float4 numbers(float4 word, float scale) {
  return {word.x * scale, word.y * scale, word.z * scale, word.w * scale};
}
__device__ inline float2 numbers(float2 word, float scale) {
  return {word.x * scale, word.y * scale};
}
__device__ inline float4 numbers(uint2 word, float scale) {
  const float2 low = from_halves(word.x);
  const float2 high = from_halves(word.y);
  return {low.x * scale, low.y * scale, high.x * scale, high.y * scale};
}
__device__ inline float2 numbers(std::uint32_t word, float scale) {
  return numbers(from_halves(word), scale);
}
template <typename T>
__device__ inline void store(typename Stored<T>::Four* to, float4 value, float scale) {
  const float4 v = numbers(value, 1.0F / scale);
  if constexpr (sizeof(T) == sizeof(float)) {
    *to = v;
  } else {
    *to = {to_halves(v.x, v.y), to_halves(v.z, v.w)};
  }
}
template <typename T>
__device__ inline void store(typename Stored<T>::Two* to, float2 value, float scale) {
  const float2 v = numbers(value, 1.0F / scale);
  if constexpr (sizeof(T) == sizeof(float)) {
    *to = v;
  } else {
    *to = to_halves(v.x, v.y);
  }
}

/// Where a column of cells lies in each plane, in bytes behind its cell (-1, -1): never negative,
/// so that an address is the plane's, the same for all threads, and 32 bits.
template <int components, typename T>
__device__ inline std::uint32_t column_of(const MomentField<T>& field, std::int64_t x,
                                          std::int64_t y) {
  return static_cast<std::uint32_t>((components * (x + 1) + (y + 1) * field.sy) *
                                    static_cast<std::int64_t>(sizeof(T)));
}

/// The numbers of such a column's cell in a plane.
template <typename Word, int components, typename T>
__device__ inline Word* word(const MomentField<T>& field, std::int32_t plane,
                             std::uint32_t column) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  T* const corner = field.data + (plane * field.sz - field.sy - components);
  return reinterpret_cast<Word*>(reinterpret_cast<Byte*>(corner) + column);
}

}  // namespace detail

}  // namespace heddle

#endif
