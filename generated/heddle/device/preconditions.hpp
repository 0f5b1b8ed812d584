// SPDX-License-Identifier: MIT-0
// Preconditions of a kernel entry, checked before the first cell is accessed.
#ifndef HEDDLE_DEVICE_PRECONDITIONS_HPP
#define HEDDLE_DEVICE_PRECONDITIONS_HPP

#include <cstddef>
#include <cstdint>

namespace heddle {

enum Status : int {
  ok = 0,
  null_pointer = -1,
  extents_differ = -2,
  bad_stride = -3,
  fields_overlap = -4,
  index_outside = -5,
  launch_failed = -6,
};

/// One array argument: address of its first interior element, extents and element strides.
struct ArrayArgument {
  const void* data;
  std::size_t element_bytes;
  const std::int64_t* extent;
  const std::int64_t* stride;
  int rank;        ///< space dimensions
  int components;  ///< 0: none; otherwise entry `rank` of extent and stride belongs to the
                   ///< components
  bool written;
};

namespace detail {

/// Extents and strides of both arrays, the larger strides first; elements meet where the difference
/// of addresses is the sum of `coefficient * stride` with 0 <= coefficient < extent.
struct Lattice {
  std::int64_t stride[8];
  std::int64_t low[8];
  std::int64_t high[8];
  int size = 0;

  void insert(std::int64_t step, std::int64_t from, std::int64_t to) {
    if (step == 0) {
      return;  // one element for all
    }
    if (step < 0) {
      step = -step;
      const std::int64_t turned = -from;
      from = -to;
      to = turned;
    }
    for (int i = 0; i < size; ++i) {
      if (stride[i] ==
          step) {  // of both arrays: c * stride - d * stride is one number times the stride
        low[i] += from;
        high[i] += to;
        return;
      }
    }
    int at = size++;
    for (; at > 0 && stride[at - 1] < step; --at) {
      stride[at] = stride[at - 1];
      low[at] = low[at - 1];
      high[at] = high[at - 1];
    }
    stride[at] = step;
    low[at] = from;
    high[at] = to;
  }

  /// Whether some admissible combination of the strides from `first` on equals `difference`.
  /// `budget` bounds the search; an undecided case counts as an overlap.
  bool reaches(std::int64_t difference, int first, int& budget) const {
    if (first == size) {
      return difference == 0;
    }
    if (--budget < 0) {
      return true;
    }
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (int i = first + 1; i < size; ++i) {
      least += stride[i] * low[i];
      most += stride[i] * high[i];
    }
    const std::int64_t step = stride[first];
    for (std::int64_t c = ceiling(difference - most, step); c * step <= difference - least; ++c) {
      if (c >= low[first] && c <= high[first] &&
          reaches(difference - c * step, first + 1, budget)) {
        return true;
      }
      if (c > high[first] || budget < 0) {
        break;
      }
      if (c < low[first]) {
        c = low[first] - 1;
      }
    }
    return budget < 0;
  }

  static std::int64_t ceiling(std::int64_t a, std::int64_t b) {
    return a >= 0 ? (a + b - 1) / b : -((-a) / b);
  }
};

inline bool share_an_element(const ArrayArgument& a, const ArrayArgument& b) {
  const auto address_a = reinterpret_cast<std::uintptr_t>(a.data);
  const auto address_b = reinterpret_cast<std::uintptr_t>(b.data);
  const auto bytes = static_cast<std::int64_t>(address_b - address_a);
  if (a.element_bytes != b.element_bytes ||
      bytes % static_cast<std::int64_t>(a.element_bytes) != 0) {
    // Different types: any touching byte counts, so compare the spans.
    std::int64_t low_a = 0, high_a = 0, low_b = 0, high_b = 0;
    for (int d = 0; d < a.rank + (a.components != 0 ? 1 : 0); ++d) {
      const std::int64_t span =
          (a.extent[d] - 1) * a.stride[d] * static_cast<std::int64_t>(a.element_bytes);
      (span < 0 ? low_a : high_a) += span;
    }
    for (int d = 0; d < b.rank + (b.components != 0 ? 1 : 0); ++d) {
      const std::int64_t span =
          (b.extent[d] - 1) * b.stride[d] * static_cast<std::int64_t>(b.element_bytes);
      (span < 0 ? low_b : high_b) += span;
    }
    high_a += static_cast<std::int64_t>(a.element_bytes);
    high_b += static_cast<std::int64_t>(b.element_bytes);
    return bytes + low_b < high_a && low_a < bytes + high_b;
  }
  Lattice lattice;
  for (int d = 0; d < a.rank + (a.components != 0 ? 1 : 0); ++d) {
    lattice.insert(a.stride[d], 0, a.extent[d] - 1);
  }
  for (int d = 0; d < b.rank + (b.components != 0 ? 1 : 0); ++d) {
    lattice.insert(b.stride[d], -(b.extent[d] - 1), 0);
  }
  int budget = 100000;
  return lattice.reaches(bytes / static_cast<std::int64_t>(a.element_bytes), 0, budget);
}

/// One array by itself.
inline int check_array(const ArrayArgument& array, bool unit_stride) {
  if (array.data == nullptr || array.extent == nullptr || array.stride == nullptr) {
    return null_pointer;
  }
  for (int d = 0; d < array.rank; ++d) {
    if (array.extent[d] < 0) {
      return extents_differ;
    }
    if (array.stride[d] == 0 && array.written) {
      return bad_stride;  // what is only read may be the same in all cells along an axis
    }
  }
  if (array.components != 0 && array.extent[array.rank] != array.components) {
    return extents_differ;
  }
  if (array.components > 1 && array.stride[array.rank] == 0) {
    return bad_stride;
  }
  return unit_stride && array.stride[0] != 1 ? bad_stride : ok;
}

/// Whether no array that is written shares an element with another one.
template <std::size_t count>
int check_overlap(const ArrayArgument (&arrays)[count]) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      if ((arrays[i].written || arrays[j].written) && share_an_element(arrays[i], arrays[j])) {
        return fields_overlap;
      }
    }
  }
  return ok;
}

}  // namespace detail

/// Check the arrays of one call; `unit_stride`: whether x must be contiguous. Arrays of fewer
/// dimensions have the first extents of the others. Returns ok or the first violation.
template <std::size_t count>
int check_arrays(const ArrayArgument (&arrays)[count], bool unit_stride) {
  const ArrayArgument* whole = arrays;
  for (const ArrayArgument& array : arrays) {
    const int status = detail::check_array(array, unit_stride);
    if (status != ok) {
      return status;
    }
    if (array.rank > whole->rank) {
      whole = &array;
    }
  }
  bool empty = false;
  for (const ArrayArgument& array : arrays) {
    for (int d = 0; d < array.rank; ++d) {
      if (array.extent[d] != whole->extent[d]) {
        return extents_differ;
      }
      empty = empty || array.extent[d] == 0;
    }
  }
  return empty ? ok : detail::check_overlap(arrays);
}

/// Check the arrays of one call over the cells of a list up to `last`. linked: bit i is set if
/// links lead to other cells of array i; these arrays belong to one list. The other arrays have at
/// least these cells: lists of the same cells that store more or fewer cells behind walls number
/// the listed cells identically. Returns ok or the first violation.
template <std::size_t count>
int check_listed(const ArrayArgument (&arrays)[count], unsigned with_links, std::int64_t last) {
  const ArrayArgument* list = nullptr;
  bool empty = false;
  for (std::size_t i = 0; i < count; ++i) {
    const ArrayArgument& array = arrays[i];
    const int status = detail::check_array(array, true);
    if (status != ok) {
      return status;
    }
    if (array.extent[0] < last) {
      return extents_differ;
    }
    if ((with_links >> i & 1U) != 0) {
      if (list != nullptr && array.extent[0] != list->extent[0]) {
        return extents_differ;
      }
      list = &array;
    }
    empty = empty || array.extent[0] == 0;
  }
  return empty ? ok : detail::check_overlap(arrays);
}

}  // namespace heddle

#endif
