// SPDX-License-Identifier: MIT-0
// Reductions with one result for any number of threads, lanes and blocks: 32 values at a time
// become one by halves (value 0 with 16, 1 with 17, ...; then 0 with 8, ...), then 32 of these,
// until one is left. If one of them is NaN, so is the result.
#ifndef HEDDLE_DEVICE_REDUCE_HPP
#define HEDDLE_DEVICE_REDUCE_HPP

#include <cmath>
#include <cstdint>

#include "heddle/device/arithmetic.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// Values that become one at a time: the threads of a warp of CUDA, half of a wave of AMD.
inline constexpr int tile = 32;

/// Each operation has a neutral value, which replaces missing values. `combine` keeps a NaN;
/// `combine_numbers` may lose one, where `loses_nan` says so, and is one instruction.
struct Sum {
  static constexpr bool loses_nan = false;
  template <typename T>
  HEDDLE_HOST_DEVICE static T neutral() {
    return T(-0.0);  // adding it changes nothing, not even the sign of a zero
  }
  template <typename T>
  HEDDLE_HOST_DEVICE static T combine(T a, T b) {
    return a + b;
  }
  template <typename T>
  static T combine_numbers(T a, T b) {
    return a + b;
  }
};

struct Min {
  static constexpr bool loses_nan = true;
  template <typename T>
  HEDDLE_HOST_DEVICE static T neutral() {
    return static_cast<T>(HUGE_VAL);
  }
  template <typename T>
  HEDDLE_HOST_DEVICE static T combine(T a, T b) {
    return heddle::min(a, b);
  }
  template <typename T>
  static T combine_numbers(T a, T b) {
    return b < a ? b : a;
  }
};

struct Max {
  static constexpr bool loses_nan = true;
  template <typename T>
  HEDDLE_HOST_DEVICE static T neutral() {
    return -static_cast<T>(HUGE_VAL);
  }
  template <typename T>
  HEDDLE_HOST_DEVICE static T combine(T a, T b) {
    return heddle::max(a, b);
  }
  template <typename T>
  static T combine_numbers(T a, T b) {
    return a < b ? b : a;
  }
};

namespace detail {

template <typename Operation, int half, typename T>
inline void fold(T* values) {
  for (int i = 0; i < half; ++i) {
    values[i] = Operation::combine_numbers(values[i], values[i + half]);
  }
}

/// Whether a tile has a NaN. A flag as wide as a value makes this a vector operation.
template <typename Flag, typename T>
inline bool has_nan(const T* values) {
  Flag found = 0;
  for (int i = 0; i < tile; ++i) {
    found |= values[i] != values[i] ? Flag(-1) : Flag(0);
  }
  return found != 0;
}
inline bool is_nan(const double* tile_values) {
  return has_nan<std::int64_t>(tile_values);
}
inline bool is_nan(const float* tile_values) {
  return has_nan<std::int32_t>(tile_values);
}

}  // namespace detail

/// The reduction of a whole tile; overwrites `values`.
template <typename Operation, typename T>
inline T combine_tile(T* values) {
  const bool nan = Operation::loses_nan && detail::is_nan(values);
  detail::fold<Operation, 16>(values);
  detail::fold<Operation, 8>(values);
  detail::fold<Operation, 4>(values);
  detail::fold<Operation, 2>(values);
  detail::fold<Operation, 1>(values);
  return nan ? static_cast<T>(NAN) : values[0];
}

/// The reduction of `count` values; overwrites `values`.
template <typename Operation, typename T>
inline T combine(T* values, std::int64_t count) {
  if (count == tile) {
    return combine_tile<Operation>(values);
  }
  while (true) {
    std::int64_t tiles = 0;
    for (std::int64_t first = 0; first < count || tiles == 0; first += tile) {
      T part[tile];
      for (T& value : part) {
        value = Operation::template neutral<T>();
      }
      const std::int64_t here = heddle::min<std::int64_t>(count - first, tile);
      for (std::int64_t i = 0; i < here; ++i) {
        part[i] = values[first + i];
      }
      const T result = combine_tile<Operation>(part);
      if (count <= tile) {
        return result;
      }
      values[tiles++] = result;
    }
    count = tiles;
  }
}

/// For kernels: sum, minimum and maximum of `count` values, which are overwritten.
template <typename T>
inline T combine_sum(T* values, std::int64_t count) {
  return combine<Sum>(values, count);
}
template <typename T>
inline T combine_min(T* values, std::int64_t count) {
  return combine<Min>(values, count);
}
template <typename T>
inline T combine_max(T* values, std::int64_t count) {
  return combine<Max>(values, count);
}

}  // namespace heddle

#endif
