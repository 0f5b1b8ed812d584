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

/// What a list says of a chunk whose neighbours do not follow each other.
inline constexpr std::uint32_t scattered = 0xFFFFFFFFU;

namespace detail {

/// Calls `move(lane, index, size)` for each stretch of indices that follow each other.
template <typename Move>
inline void for_stretches(const std::uint32_t* index, std::int64_t count, Move&& move) {
  for (std::int64_t lane = 0; lane < count;) {
    const std::uint32_t first = index[lane];
    std::int64_t size = 1;
    while (lane + size < count && index[lane + size] == first + static_cast<std::uint32_t>(size)) {
      ++size;
    }
    move(lane, first, size);
    lane += size;
  }
}

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define HEDDLE_MASKED_RUNS

/// One vector of 4- or 8-byte elements, the lanes under a mask.
template <typename T>
struct Lanes {
  static constexpr int count = 0;  // no vectors of this type
};

template <>
struct Lanes<float> {
  static constexpr int count = 16;
  static __m512 zero() { return _mm512_setzero_ps(); }
  static __m512 load(__m512 rest, unsigned mask, const float* from) {
    return _mm512_mask_loadu_ps(rest, static_cast<__mmask16>(mask), from);
  }
  static __m512 load(const float* local) { return _mm512_load_ps(local); }
  static void store(float* to, unsigned mask, __m512 value) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), value);
  }
  static void store(float* local, __m512 value) { _mm512_store_ps(local, value); }
  /// The lanes whose index is `start` + lane.
  static unsigned following(const std::uint32_t* index, unsigned valid, std::uint32_t start) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto mask = static_cast<__mmask16>(valid);
    return _mm512_mask_cmpeq_epi32_mask(mask, _mm512_maskz_loadu_epi32(mask, index),
                                        _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(start)), lanes));
  }
};

template <>
struct Lanes<double> {
  static constexpr int count = 8;
  static __m512d zero() { return _mm512_setzero_pd(); }
  static __m512d load(__m512d rest, unsigned mask, const double* from) {
    return _mm512_mask_loadu_pd(rest, static_cast<__mmask8>(mask), from);
  }
  static __m512d load(const double* local) { return _mm512_load_pd(local); }
  static void store(double* to, unsigned mask, __m512d value) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), value);
  }
  static void store(double* local, __m512d value) { _mm512_store_pd(local, value); }
  static unsigned following(const std::uint32_t* index, unsigned valid, std::uint32_t start) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto mask = static_cast<__mmask8>(valid);
    return _mm256_mask_cmpeq_epi32_mask(mask, _mm256_maskz_loadu_epi32(mask, index),
                                        _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(start)), lanes));
  }
};

/// Whether a run of `length` elements is a number of vectors.
template <typename T, int length>
inline constexpr bool whole_vectors =
    Lanes<T>::count > 0 && length % (Lanes<T>::count > 0 ? Lanes<T>::count : 1) == 0;

/// Calls `move(mask, start)` for each stretch of one vector of indices: lane l under the mask has index start + l.
template <typename T, typename Move>
inline void for_masked_stretches(const std::uint32_t* index, unsigned left, Move&& move) {
  while (left != 0) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t start = index[lane] - lane;
    const unsigned stretch = Lanes<T>::following(index, left, start);
    move(stretch, static_cast<std::int64_t>(index[lane]) - lane);  // lane 0 may lie before the field: not touched
    left &= ~stretch;
  }
}

/// The lanes of the vector beginning at element `begin` that lie before `count`.
template <typename T>
inline unsigned valid_lanes(std::int64_t begin, std::int64_t count) {
  const std::int64_t left = count - begin;
  constexpr unsigned all = (1U << Lanes<T>::count) - 1U;
  return left >= Lanes<T>::count ? all : (1U << static_cast<unsigned>(left > 0 ? left : 0)) - 1U;
}

#endif

}  // namespace detail

/// local[l] = field[index[l]] for 0 <= l < count <= length. `run` is index[0] if all `length` indices are known to follow
/// each other, else `scattered`: then they move a vector a stretch. `local` is aligned to 64 bytes.
template <int length, typename T>
inline void load_run(T* __restrict__ local, const T* field, const std::uint32_t* index, std::int64_t count,
                     std::uint32_t run) {
  if (run != scattered && count == length) {
    const T* const first = field + run;
#pragma omp simd
    for (int l = 0; l < length; ++l) {
      local[l] = first[l];
    }
    return;
  }
#if defined(HEDDLE_MASKED_RUNS)
  if constexpr (detail::whole_vectors<T, length>) {
    for (int begin = 0; begin < length; begin += detail::Lanes<T>::count) {
      auto value = detail::Lanes<T>::zero();
      detail::for_masked_stretches<T>(
          index + begin, detail::valid_lanes<T>(begin, count), [&](unsigned mask, std::int64_t start) {
            value = detail::Lanes<T>::load(value, mask, field + start);
          });
      detail::Lanes<T>::store(local + begin, value);
    }
    return;
  }
#endif
  detail::for_stretches(index, count, [&](std::int64_t lane, std::uint32_t first, std::int64_t size) {
    for (std::int64_t l = 0; l < size; ++l) {
      local[lane + l] = field[first + l];
    }
  });
}

/// field[index[l]] = local[l] for 0 <= l < count <= length, the indices being distinct; `run` and `local` as above.
template <int length, typename T>
inline void store_run(T* field, const T* __restrict__ local, const std::uint32_t* index, std::int64_t count,
                      std::uint32_t run) {
  if (run != scattered && count == length) {
    T* const first = field + run;
#pragma omp simd
    for (int l = 0; l < length; ++l) {
      first[l] = local[l];
    }
    return;
  }
#if defined(HEDDLE_MASKED_RUNS)
  if constexpr (detail::whole_vectors<T, length>) {
    for (int begin = 0; begin < length; begin += detail::Lanes<T>::count) {
      const auto value = detail::Lanes<T>::load(local + begin);
      detail::for_masked_stretches<T>(index + begin, detail::valid_lanes<T>(begin, count),
                                      [&](unsigned mask, std::int64_t start) {
                                        detail::Lanes<T>::store(field + start, mask, value);
                                      });
    }
    return;
  }
#endif
  detail::for_stretches(index, count, [&](std::int64_t lane, std::uint32_t first, std::int64_t size) {
    for (std::int64_t l = 0; l < size; ++l) {
      field[first + l] = local[lane + l];
    }
  });
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
