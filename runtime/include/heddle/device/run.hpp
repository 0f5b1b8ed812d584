// SPDX-License-Identifier: MIT-0
// Runs: up to `length` elements moved at once between memory and a small array.
#ifndef HEDDLE_DEVICE_RUN_HPP
#define HEDDLE_DEVICE_RUN_HPP

#include <cstdint>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "heddle/device/row.hpp"

namespace heddle {

/// Whether `count` indices follow each other.
template <int length>
inline bool is_contiguous(const std::uint32_t* index, std::int64_t count) {
  const std::uint32_t first = index[0];
  std::uint32_t difference = 0;
  if (count == length) {
#pragma omp simd reduction(| : difference)
    for (int l = 0; l < length; ++l) {
      difference |= index[l] ^ (first + static_cast<std::uint32_t>(l));
    }
    return difference == 0;
  }
  for (std::int64_t l = 0; l < count; ++l) {
    difference |= index[l] ^ (first + static_cast<std::uint32_t>(l));
  }
  return difference == 0;
}

/// local[l] = field[index[l]] for 0 <= l < count <= length; the rest becomes 0.
template <int length, typename T>
inline void load_run(T* __restrict__ local, const T* field, const std::uint32_t* index, std::int64_t count) {
  if (count == length && is_contiguous<length>(index, count)) {
    const T* const first = field + index[0];
#pragma omp simd
    for (int l = 0; l < length; ++l) {
      local[l] = first[l];
    }
  } else {
    for (int l = 0; l < length; ++l) {
      local[l] = l < count ? field[index[l]] : T(0);
    }
  }
}

/// field[index[l]] = local[l] for 0 <= l < count <= length; the indices are distinct.
template <int length, typename T>
inline void store_run(T* field, const std::uint32_t* index, const T* __restrict__ local, std::int64_t count) {
  if (count == length && is_contiguous<length>(index, count)) {
    T* const first = field + index[0];
#pragma omp simd
    for (int l = 0; l < length; ++l) {
      first[l] = local[l];
    }
  } else {
    for (std::int64_t l = 0; l < count; ++l) {
      field[index[l]] = local[l];
    }
  }
}

/// row[first + l] = local[l] for 0 <= l < count <= length, past the caches where whole aligned vectors allow it.
template <int length, typename T>
inline void stream_run(T* row, std::int64_t first, const T* local, std::int64_t count) {
  T* const to = row + first;
#if defined(__AVX512F__)
  constexpr int vector = 64 / static_cast<int>(sizeof(T));
  if (count == length && length % vector == 0 && reinterpret_cast<std::uintptr_t>(to) % 64 == 0) {
    for (int l = 0; l < length; l += vector) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + l),
                          _mm512_load_si512(reinterpret_cast<const __m512i*>(local + l)));
    }
    return;
  }
#elif defined(__AVX__)
  constexpr int vector = 32 / static_cast<int>(sizeof(T));
  if (count == length && length % vector == 0 && reinterpret_cast<std::uintptr_t>(to) % 32 == 0) {
    for (int l = 0; l < length; l += vector) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + l),
                          _mm256_load_si256(reinterpret_cast<const __m256i*>(local + l)));
    }
    return;
  }
#endif
  for (std::int64_t l = 0; l < count; ++l) {
    to[l] = local[l];
  }
}

template <int length, typename T>
inline void stream_run(const StridedRow<T>& row, std::int64_t first, const T* local, std::int64_t count) {
  for (std::int64_t l = 0; l < count; ++l) {
    row[first + l] = local[l];
  }
}

}  // namespace heddle

#endif
