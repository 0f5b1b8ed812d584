// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_ROW_BITS_HPP
#define HEDDLE_SRC_SPARSE_ROW_BITS_HPP

#include <algorithm>
#include <cstdint>

namespace heddle {

/// Bits first <= b < last of a word, clipped to 0..64.
inline std::uint64_t bit_range(std::int64_t first, std::int64_t last) {
  first = std::clamp<std::int64_t>(first, 0, 64);
  last = std::clamp<std::int64_t>(last, 0, 64);
  if (first >= last) return 0;
  const std::uint64_t below_last = last == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last) - 1;
  return below_last & ~((std::uint64_t{1} << first) - 1);
}

/// Words of 64 bits for so many.
inline std::int64_t words_of(std::int64_t bits) {
  return (bits + 63) / 64;
}

} // namespace heddle

#endif
