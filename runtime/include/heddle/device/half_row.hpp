// SPDX-License-Identifier: MIT-0
// Up to `length` halves of a row, converted at once between memory and a small array of floats: the
// bits that half.hpp gives, by the processor's own conversions where it has them. g++ 12 does not
// find those in a loop over elements.
#ifndef HEDDLE_DEVICE_HALF_ROW_HPP
#define HEDDLE_DEVICE_HALF_ROW_HPP

#include <cstdint>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "heddle/device/half.hpp"
#include "heddle/device/row.hpp"

namespace heddle {

namespace detail {

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define HEDDLE_MASKED_HALVES
inline constexpr __mmask16 all_lanes =
    0xFFFF;  // g++ 12 warns within its own header of the forms without a mask

/// The first `count` of 16 lanes: all if there are more, none below 1.
inline __mmask16 first_halves(std::int64_t count) {
  const std::int64_t lanes = count < 0 ? 0 : count;
  return lanes < 16 ? static_cast<__mmask16>((1U << static_cast<unsigned>(lanes)) - 1U) : all_lanes;
}
#endif

}  // namespace detail

/// local[l] = row[first + l] for 0 <= l < count <= length, and 0 in the lanes beyond. `local` is
/// aligned to 64 bytes.
template <int length, typename Row>
inline void load_halves(float* local, Row row, std::int64_t first, std::int64_t count) {
#if defined(HEDDLE_MASKED_HALVES)
  // One path for complete and incomplete chunks: results of vector code stay in registers and do
  // not pass through `local`.
  if constexpr (detail::is_line<Row> && length % 16 == 0) {
    for (int l = 0; l < length; l += 16) {
      const __m256i halves =
          _mm256_maskz_loadu_epi16(detail::first_halves(count - l), row + first + l);
      _mm512_store_ps(local + l, _mm512_maskz_cvtph_ps(detail::all_lanes, halves));
    }
    return;
  }
#elif defined(__F16C__)
  if constexpr (detail::is_line<Row> && length % 8 == 0) {
    if (count == length) {
      for (int l = 0; l < length; l += 8) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + first + l));
        _mm256_store_ps(local + l, _mm256_cvtph_ps(halves));
      }
      return;
    }
  }
#endif
  for (std::int64_t l = 0; l < length; ++l) {
    local[l] = l < count ? half_to_float(row[first + l]) : 0.0F;
  }
}

/// row[first + l] = the half nearest to local[l] for 0 <= l < count <= length. `local` is aligned
/// to 64 bytes.
template <int length, typename Row>
inline void store_halves(Row row, std::int64_t first, const float* local, std::int64_t count) {
#if defined(HEDDLE_MASKED_HALVES)
  if constexpr (detail::is_line<Row> && length % 16 == 0) {
    for (int l = 0; l < length; l += 16) {
      const __m256i halves = _mm512_maskz_cvtps_ph(detail::all_lanes, _mm512_load_ps(local + l),
                                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
      _mm256_mask_storeu_epi16(row + first + l, detail::first_halves(count - l), halves);
    }
    return;
  }
#elif defined(__F16C__)
  if constexpr (detail::is_line<Row> && length % 8 == 0) {
    if (count == length) {
      for (int l = 0; l < length; l += 8) {
        const __m128i halves = _mm256_cvtps_ph(_mm256_load_ps(local + l),
                                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(row + first + l), halves);
      }
      return;
    }
  }
#endif
  for (std::int64_t l = 0; l < count; ++l) {
    row[first + l] = to_half(local[l]);
  }
}

}  // namespace heddle

#endif
