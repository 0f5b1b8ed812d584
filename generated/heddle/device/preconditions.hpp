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
  misaligned = -7,
  uneven_rows = -8,
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
  int before[3] = {};          ///< so many cells before the interior are accessed, along each axis
  int after[3] = {};           ///< and so many after it
  bool written_there = false;  ///< whether these are written, too
  bool of_row = false;         ///< only the first cell of each row along x is accessed
  bool other_grid = false;     ///< a box of another size, read at computed positions
};

namespace detail {

/// Bytes from the first to the last of one array: more than any memory has, and so few that sums
/// and differences of some of them fit 64 bits.
inline constexpr double most_bytes = 1152921504606846976.0;  // 2^60

/// Strides, the larger ones first, and how often an element may lie that far from another one:
/// differences of addresses are sums of `coefficient * stride` with low <= coefficient <= high.
struct Lattice {
  std::int64_t stride[8];
  std::int64_t low[8];
  std::int64_t high[8];
  int size = 0;

  void insert(std::int64_t step, std::int64_t from, std::int64_t to) {
    if (step == 0 || (from == 0 && to == 0)) {
      return;  // one element for all, or only one
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

inline int dimensions(const ArrayArgument& array) {
  return array.rank + (array.components != 0 ? 1 : 0);
}

/// Places along a dimension of an array, counted from the first interior one.
struct Range {
  std::int64_t first;
  std::int64_t last;
};

/// around: with the cells around the interior that are accessed.
inline Range places(const ArrayArgument& array, int d, bool around) {
  if (array.of_row && d == 0) {
    return {0, 0};
  }
  if (!around || d >= array.rank) {
    return {0, array.extent[d] - 1};
  }
  return {-std::int64_t{array.before[d]}, array.extent[d] - 1 + array.after[d]};
}

/// The lowest and the highest element of an array that is not empty, counted from its first.
inline Range elements(const ArrayArgument& array, bool around) {
  Range all{0, 0};
  for (int d = 0; d < dimensions(array); ++d) {
    const Range range = places(array, d, around);
    const bool down = array.stride[d] < 0;
    all.first += array.stride[d] * (down ? range.last : range.first);
    all.last += array.stride[d] * (down ? range.first : range.last);
  }
  return all;
}

/// Whether elements of two arrays, of which none is empty, have a byte in common.
inline bool meet(const ArrayArgument& a, bool around_a, const ArrayArgument& b, bool around_b) {
  const auto address_a = reinterpret_cast<std::uintptr_t>(a.data);
  const auto address_b = reinterpret_cast<std::uintptr_t>(b.data);
  const auto apart = static_cast<std::int64_t>(address_b - address_a);
  const auto bytes_a = static_cast<std::int64_t>(a.element_bytes);
  const auto bytes_b = static_cast<std::int64_t>(b.element_bytes);
  const Range all_a = elements(a, around_a);
  const Range all_b = elements(b, around_b);
  if ((all_a.last + 1) * bytes_a <= apart + all_b.first * bytes_b ||
      apart + (all_b.last + 1) * bytes_b <= all_a.first * bytes_a) {
    return false;
  }
  if (bytes_a != bytes_b || apart % bytes_a != 0) {
    return true;  // of different types: any byte between the first and the last counts
  }
  Lattice lattice;
  for (int d = 0; d < dimensions(a); ++d) {
    const Range range = places(a, d, around_a);
    lattice.insert(a.stride[d], range.first, range.last);
  }
  for (int d = 0; d < dimensions(b); ++d) {
    const Range range = places(b, d, around_b);
    lattice.insert(b.stride[d], -range.last, -range.first);
  }
  int budget = 100000;
  return lattice.reaches(apart / bytes_a, 0, budget);
}

/// Whether an element that one of two arrays has written is one that the other accesses.
inline bool share_an_element(const ArrayArgument& a, const ArrayArgument& b) {
  return (a.written && meet(a, a.written_there, b, true)) ||
         (b.written && meet(a, true, b, b.written_there));
}

/// Whether two cells or components of an array, which is not empty, are one element.
inline bool overlaps_itself(const ArrayArgument& array) {
  std::int64_t passed = 0;  // how far the dimensions before lead: seldom farther than a stride
  bool nested = true;
  for (int d = 0; d < dimensions(array); ++d) {
    const std::int64_t far = places(array, d, false).last;
    if (far > 0) {
      const std::int64_t step = array.stride[d] < 0 ? -array.stride[d] : array.stride[d];
      nested = nested && step > passed;
      passed += far * step;
    }
  }
  if (nested) {
    return false;
  }
  Lattice lattice;
  for (int d = 0; d < dimensions(array); ++d) {
    const std::int64_t far = places(array, d, false).last;
    const int known = lattice.size;
    lattice.insert(array.stride[d], -far, far);
    if (far > 0 && lattice.size == known) {
      return true;  // a stride of zero, or the same along two dimensions
    }
  }
  int budget = 100000;
  std::int64_t smaller = 0;  // how far the smaller strides lead
  for (int i = lattice.size - 1; i >= 0; --i) {
    const std::int64_t step = lattice.stride[i];
    for (std::int64_t c = 1; c <= lattice.high[i] && c * step <= smaller; ++c) {
      if (lattice.reaches(c * step, i + 1, budget)) {
        return true;
      }
    }
    smaller += step * lattice.high[i];
  }
  return false;
}

/// How far the first and the last accessed element of an array lie apart, counted in elements.
inline double span(const ArrayArgument& array) {
  double elements = 1;
  for (int d = 0; d < dimensions(array); ++d) {
    const auto stride = static_cast<double>(array.stride[d]);
    const int around = d < array.rank ? array.before[d] + array.after[d] : 0;
    elements +=
        (static_cast<double>(array.extent[d]) - 1 + around) * (stride < 0 ? -stride : stride);
  }
  return elements;
}

/// Whether no memory has the elements of an array, or none has room for its strides.
inline int check_size(const ArrayArgument& array) {
  const auto bytes = static_cast<double>(array.element_bytes);
  double elements = 1;
  for (int d = 0; d < dimensions(array); ++d) {
    elements *= static_cast<double>(array.extent[d]);
  }
  if (elements * bytes > most_bytes) {
    return extents_differ;
  }
  return span(array) * bytes > most_bytes ? bad_stride : ok;
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
    if (array.stride[d] == 0 && array.written && !(array.of_row && d == 0)) {
      return bad_stride;  // what is only read may be the same in all cells along an axis, or in all
                          // components
    }
  }
  if (array.components != 0 && array.extent[array.rank] != array.components) {
    return extents_differ;
  }
  if (array.components > 1 && array.stride[array.rank] == 0 && array.written) {
    return bad_stride;
  }
  if (unit_stride && array.stride[0] != 1 && !array.of_row) {
    return bad_stride;
  }
  if ((reinterpret_cast<std::uintptr_t>(array.data) & (array.element_bytes - 1)) != 0) {
    return misaligned;
  }
  return check_size(array);
}

/// Whether no array that is written shares an element with another one or has one twice.
template <std::size_t count>
int check_overlap(const ArrayArgument (&arrays)[count]) {
  for (std::size_t i = 0; i < count; ++i) {
    if (arrays[i].written && overlaps_itself(arrays[i])) {
      return fields_overlap;
    }
    for (std::size_t j = i + 1; j < count; ++j) {
      if (share_an_element(arrays[i], arrays[j])) {
        return fields_overlap;
      }
    }
  }
  return ok;
}

}  // namespace detail

/// Check the arrays of one call; `unit_stride`: whether x must be contiguous. Arrays of fewer
/// dimensions have the first extents of the others; those of another grid have their own, none
/// of them 0. Returns ok or the first violation.
template <std::size_t count>
int check_arrays(const ArrayArgument (&arrays)[count], bool unit_stride) {
  const ArrayArgument* whole = arrays;
  for (const ArrayArgument& array : arrays) {
    const int status = detail::check_array(array, unit_stride);
    if (status != ok) {
      return status;
    }
    if (whole->other_grid || (array.rank > whole->rank && !array.other_grid)) {
      whole = &array;
    }
  }
  bool empty = false;
  for (const ArrayArgument& array : arrays) {
    for (int d = 0; d < array.rank; ++d) {
      if (array.other_grid ? array.extent[d] == 0 : array.extent[d] != whole->extent[d]) {
        return extents_differ;
      }
      empty = empty || array.extent[d] == 0;
    }
  }
  return empty ? ok : detail::check_overlap(arrays);
}

/// As check_arrays, and that one number of a cell, in an int, serves all arrays of the box: their
/// strides are those of the first.
template <std::size_t count>
int check_same_strides(const ArrayArgument (&arrays)[count], bool unit_stride) {
  constexpr double most_int = 2147483647;
  const int status = check_arrays(arrays, unit_stride);
  if (status != ok) {
    return status;
  }
  const ArrayArgument* first = nullptr;
  for (const ArrayArgument& array : arrays) {
    if (detail::span(array) > most_int) {
      return extents_differ;
    }
    if (!array.other_grid && (first == nullptr || array.rank > first->rank)) {
      first = &array;
    }
  }
  for (const ArrayArgument& array : arrays) {
    for (int d = 0; d < array.rank && array.rank == first->rank && !array.other_grid; ++d) {
      if (array.stride[d] != first->stride[d]) {
        return bad_stride;
      }
    }
  }
  return ok;
}

/// As check_same_strides with contiguous rows, and that a thread which takes `cells` cells of a row
/// can load them as one vector: uneven_rows where a row has no whole number of such vectors, or
/// strides or addresses are no multiples of one.
template <std::size_t count>
int check_row_cells(const ArrayArgument (&arrays)[count], int cells) {
  const int status = check_same_strides(arrays, true);
  if (status != ok) {
    return status;
  }
  for (const ArrayArgument& array : arrays) {
    const std::size_t bytes = array.element_bytes * static_cast<std::size_t>(cells);
    const std::size_t vector = bytes < 16 ? bytes : 16;
    bool even =
        array.extent[0] % cells == 0 && reinterpret_cast<std::uintptr_t>(array.data) % vector == 0;
    for (int d = 1; d < detail::dimensions(array); ++d) {
      even = even && array.stride[d] % cells == 0;
    }
    if (!even) {
      return uneven_rows;
    }
  }
  return ok;
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
