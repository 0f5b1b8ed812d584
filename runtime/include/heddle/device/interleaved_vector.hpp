// SPDX-License-Identifier: MIT-0
// Lanes: the same cell of several interleaved blocks, which one CUDA thread loads and stores as
// vectors.
#ifndef HEDDLE_DEVICE_INTERLEAVED_VECTOR_HPP
#define HEDDLE_DEVICE_INTERLEAVED_VECTOR_HPP

#include <cstdint>

#include "heddle/device/qualifiers.hpp"

#if defined(__CUDA_ARCH__)
#include <cstring>
#include <type_traits>
/// Before a loop over lanes: each iteration is written out, so that small arrays become registers.
#define HEDDLE_UNROLL _Pragma("unroll")
#else
#define HEDDLE_UNROLL
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

/// One store of 16 bytes to global memory in PTX: what is put together by memcpy nvcc may store in
/// parts.
template <typename T>
__device__ inline void store_word(T* to, const T* from) {
  const auto place = __cvta_generic_to_global(to);
  if constexpr (std::is_same_v<T, double>) {
    asm volatile("st.global.v2.f64 [%0], {%1, %2};"
                 :
                 : "l"(place), "d"(from[0]), "d"(from[1])
                 : "memory");
  } else if constexpr (std::is_same_v<T, float>) {
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(place), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3])
                 : "memory");
  } else {
    uint4 word;
    std::memcpy(&word, from, sizeof(word));
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(place), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
                 : "memory");
  }
}

}  // namespace detail
#endif

/// local[l] = from[l] for 0 <= l < lanes. On a device `from` is aligned to the whole vector, or to
/// 16 bytes.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void load_vector(T* local, const T* from) {
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

/// to[l] = local[l] for 0 <= l < lanes; `to` as above, and on a device in global memory.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void store_vector(T* to, const T* local) {
#if defined(__CUDA_ARCH__)
  constexpr int bytes = lanes * static_cast<int>(sizeof(T));
  constexpr int step = bytes < 16 ? bytes : 16;
#pragma unroll
  for (int b = 0; b < bytes; b += step) {
    const int first = b / static_cast<int>(sizeof(T));
    // Steps of halves take fewer registers so, and more blocks per SM, which hold up the borders of
    // small parts.
    if constexpr (step == 16 && sizeof(T) > 2) {
      detail::store_word(to + first, local + first);
    } else {
      using Word = typename detail::Word<step>::type;
      Word word;
      std::memcpy(&word, local + first, step);
      *reinterpret_cast<Word*>(to + first) = word;
    }
  }
#else
  for (int l = 0; l < lanes; ++l) {
    to[l] = local[l];
  }
#endif
}

}  // namespace heddle

#endif
