// SPDX-License-Identifier: MIT-0
// A row: a line of elements at a constant stride. With unit stride it is a plain pointer, which
// compilers vectorise.
#ifndef HEDDLE_DEVICE_ROW_HPP
#define HEDDLE_DEVICE_ROW_HPP

#include <cstdint>

namespace heddle {

template <typename T>
class StridedRow {
 public:
  StridedRow(T* first, std::int64_t stride) : first_(first), stride_(stride) {
  }
  T& operator[](std::int64_t i) const {
    return first_[i * stride_];
  }
  /// The row that begins so many elements of memory further on.
  friend StridedRow further(const StridedRow& row, std::int64_t elements) {
    return StridedRow(row.first_ + elements, row.stride_);
  }

 private:
  T* first_;
  std::int64_t stride_;
};

/// The row that begins so many elements of memory further on.
template <typename T>
inline T* further(T* row, std::int64_t elements) {
  return row + elements;
}

template <bool unit_stride, typename T>
inline auto row(T* first, [[maybe_unused]] std::int64_t stride) {
  if constexpr (unit_stride) {
    return first;
  } else {
    return StridedRow<T>(first, stride);
  }
}

/// Whether the elements [begin, end) of a row of integers, one at least, all are `value`.
template <typename Row>
inline bool all_equal(const Row& line, std::int64_t begin, std::int64_t end, int value) {
  auto differences =
      line[begin];  // as bits of one element: whole vectors of them, without a branch
  differences = 0;
  const auto expected = static_cast<decltype(differences)>(value);
  for (std::int64_t i = begin; i < end; ++i) {
    differences = static_cast<decltype(differences)>(differences | (line[i] ^ expected));
  }
  return differences == 0;
}

/// Whether one of the first `count` lanes of a mask takes part.
inline bool any_lane(const std::int32_t* mask, std::int64_t count) {
  std::int32_t any = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    any |= mask[i];
  }
  return any != 0;
}

namespace detail {

/// Whether the elements of a row are contiguous.
template <typename Row>
inline constexpr bool is_line = false;
template <typename T>
inline constexpr bool is_line<T*> = true;

/// Whether elements are only read.
template <typename T>
inline constexpr bool only_read = false;
template <typename T>
inline constexpr bool only_read<const T> = true;

}  // namespace detail

/// Prefetch the cache lines of `length` elements that are about to be updated, or only read if they
/// are const.
template <int length, typename T>
inline void prefetch(T* first) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int i = 0; i < length; i += line) {
    __builtin_prefetch(first + i, detail::only_read<T> ? 0 : 1, 3);
  }
}

/// Prefetch the cache lines of `length` elements of each of some rows of `count`, from element x
/// on; beyond the end of a row, those of the next one, which begins `next` elements of memory
/// further on.
template <int length, typename... Row>
[[gnu::always_inline]] inline void prefetch(std::int64_t x, std::int64_t count, std::int64_t next,
                                            const Row&... rows) {
  (prefetch<length>(x < count ? &rows[x] : &rows[x - count] + next), ...);
}

}  // namespace heddle

#endif
