// SPDX-License-Identifier: MIT-0
// Lanes: the same cell of several interleaved blocks, which one CUDA thread loads and stores as vectors.
#ifndef HEDDLE_DEVICE_LANES_HPP
#define HEDDLE_DEVICE_LANES_HPP

#include <cstdint>

#include "heddle/device/qualifiers.hpp"

#if defined(__CUDA_ARCH__)
#include <cstring>
/// Before a loop over lanes: each iteration is written out, so that small arrays become registers.
#define HEDDLE_EVERY_LANE _Pragma("unroll")
#else
#define HEDDLE_EVERY_LANE
#endif

namespace heddle {

#if defined(__CUDA_ARCH__)
namespace detail {

/// What one instruction moves.
template <int bytes>
struct Word;
template <>
struct Word<4> {
  using type = unsigned int;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

}  // namespace detail
#endif

/// local[l] = from[l] for 0 <= l < lanes. On a device `from` is aligned to the whole vector, or to 16 bytes.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void load_lanes(T* local, const T* from) {
#if defined(__CUDA_ARCH__)
  constexpr int bytes = lanes * static_cast<int>(sizeof(T));
  constexpr int step = bytes < 16 ? bytes : 16;
#pragma unroll
  for (int b = 0; b < bytes; b += step) {
    using Word = typename detail::Word<step>::type;
    const Word word = *reinterpret_cast<const Word*>(reinterpret_cast<const char*>(from) + b);
    std::memcpy(reinterpret_cast<char*>(local) + b, &word, step);
  }
#else
  for (int l = 0; l < lanes; ++l) {
    local[l] = from[l];
  }
#endif
}

/// to[l] = local[l] for 0 <= l < lanes; `to` as above.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void store_lanes(T* to, const T* local) {
#if defined(__CUDA_ARCH__)
  constexpr int bytes = lanes * static_cast<int>(sizeof(T));
  constexpr int step = bytes < 16 ? bytes : 16;
#pragma unroll
  for (int b = 0; b < bytes; b += step) {
    using Word = typename detail::Word<step>::type;
    Word word;
    std::memcpy(&word, reinterpret_cast<const char*>(local) + b, step);
    *reinterpret_cast<Word*>(reinterpret_cast<char*>(to) + b) = word;
  }
#else
  for (int l = 0; l < lanes; ++l) {
    to[l] = local[l];
  }
#endif
}

}  // namespace heddle

#endif
