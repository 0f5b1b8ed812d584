// SPDX-License-Identifier: MIT-0
// A row: a line of elements at a constant stride. With unit stride it is a plain pointer, which compilers vectorise.
#ifndef HEDDLE_DEVICE_ROW_HPP
#define HEDDLE_DEVICE_ROW_HPP

#include <cstdint>

namespace heddle {

template <typename T>
class StridedRow {
 public:
  StridedRow(T* first, std::int64_t stride) : first_(first), stride_(stride) {}
  T& operator[](std::int64_t i) const { return first_[i * stride_]; }

 private:
  T* first_;
  std::int64_t stride_;
};

template <bool unit_stride, typename T>
inline auto row(T* first, [[maybe_unused]] std::int64_t stride) {
  if constexpr (unit_stride) {
    return first;
  } else {
    return StridedRow<T>(first, stride);
  }
}

/// Ask for the cache lines of `length` elements that are about to be updated.
template <int length, typename T>
inline void prefetch(const T* first) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int i = 0; i < length; i += line) {
    __builtin_prefetch(first + i, 1, 3);
  }
}

}  // namespace heddle

#endif
