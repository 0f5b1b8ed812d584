// SPDX-License-Identifier: MIT-0
// The lanes of a warp share the work of a cell: values in shared memory, sums by tables.
#ifndef HEDDLE_DEVICE_WARP_CELLS_HPP
#define HEDDLE_DEVICE_WARP_CELLS_HPP

#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/launch.hpp"
#include "heddle/device/preconditions.hpp"
#include "heddle/device/shared.hpp"

namespace heddle {

/// A warp of 32 lanes owns `most` consecutive cells. Before and after its rounds, a lane has one of
/// them. In a round, `groups` cells are under way; lane `l` works for that of group `l % groups`. A
/// group whose cell is done takes the next: the cells of a warp need not take equally many rounds.
template <int groups>
class WarpCells {
 public:
  static constexpr int members = 32 / groups;
  int member;

  /// places: of shared memory, so many numbers for each group, one group beside the other.
  __device__ WarpCells(double* places, int most, std::int64_t count)
      : member(static_cast<int>(threadIdx.x) / groups),
        values_(places + threadIdx.x % groups),
        lane_(static_cast<int>(threadIdx.x)),
        first_(static_cast<std::int64_t>(blockIdx.x) * most),
        cells_(static_cast<int>(count - first_ < most ? count - first_ : most)),
        cell_(lane_ % groups),
        begins_(cell_ < cells_) {
  }

  /// The cell of this lane; lanes behind the last one look at the last.
  __device__ std::int64_t own() const {
    return first_ + (lane_ < cells_ ? lane_ : cells_ - 1);
  }
  __device__ bool has_own() const {
    return lane_ < cells_;
  }

  /// A value of the group.
  __device__ double& operator[](unsigned place) const {
    return values_[place * groups];
  }
  /// All of them.
  __device__ double* values() const {
    return values_;
  }

  /// Writes the first values of each group.
  __device__ void write(const double* constants, int count) const {
    for (int n = member; n < count; n += members) {
      values_[n * groups] = constants[n];
    }
  }

  /// Whether this lane's cell begins now: the lane has to write the values of the group.
  __device__ bool hands_over() const {
    return from_group(begins_ ? cell_ : -1) == lane_;
  }
  /// What the lane of a cell that begins has; else the value as it is.
  template <typename T>
  __device__ T taken(T value, T own) const {
    const T begin = shuffle(own, cell_);
    return begins_ ? begin : value;
  }
  /// Whether the group goes on with its cell, which has taken fewer rounds than `most`.
  __device__ bool continues(std::int64_t most, bool condition) const {
    return cell_ < cells_ && round_ < most && condition;
  }
  /// Whether the cell of a group is done.
  __device__ bool any_ends(bool more) {
    ends_ = cell_ < cells_ && !more;
    begins_ = false;
    return any(ends_);
  }
  /// Whether that of this lane is: the lane has to read the values of the group.
  __device__ bool takes_back() const {
    return from_group(ends_ ? cell_ : -1) == lane_;
  }
  /// For that lane, what the group has; else the value as it is.
  template <typename T>
  __device__ T given_back(T value, T own) const {
    const T end = from_group(value);
    return takes_back() ? end : own;
  }
  /// Groups whose cell is done turn to the next.
  __device__ void next() {
    wait_for_warp();
    if (ends_) {
      cell_ += groups;
      round_ = 0;
      begins_ = cell_ < cells_;
    }
  }
  __device__ void end_round() {
    wait_for_warp();
    ++round_;
  }

  __device__ static bool any(bool condition) {
#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
    return __any(condition);
#else
    return __any_sync(0xffffffffU, condition);
#endif
  }

 private:
  template <typename T>
  __device__ static T shuffle(T value, int lane) {
#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
    return __shfl(value, lane, 32);
#else
    return __shfl_sync(0xffffffffU, value, lane);
#endif
  }
  /// What the group has that takes the cell of this lane.
  template <typename T>
  __device__ T from_group(T value) const {
    return shuffle(value, lane_ % groups);
  }

  double* values_;
  int lane_;
  std::int64_t first_;
  int cells_;
  int cell_;
  bool begins_;
  bool ends_ = false;
  std::int64_t round_ = 0;
};

/// Sums of products for each group, slice by slice. A slice has a word for each member, the end of
/// its sum, and so many words as it is long, each a term.
///
/// - end: place of the result, of the factor; bit 30: the sum begins here; bit 31: one over it
/// - term: places of both factors; bit 31: it is subtracted
/// - slice: twice its length; and one more if the next one reads what it has written
template <int groups>
__device__ inline void add_products(const WarpCells<groups>& warp,
                                    const std::uint32_t* __restrict__ const slices, int count,
                                    const std::uint32_t* __restrict__ words) {
  constexpr std::uint32_t place = 0x7fff;
  constexpr int lanes = WarpCells<groups>::members;
  words += warp.member;
  for (int s = 0; s < count; ++s) {
    const std::uint32_t slice = slices[s];
    const std::uint32_t end = words[0];
    const std::uint32_t result = end & place;
    double sum = (end >> 30 & 1) != 0 ? -0.0 : warp[result];
    const int length = static_cast<int>(slice >> 1);
#if defined(__CUDACC__)
#pragma unroll 4
#endif
    for (int n = 1; n <= length; ++n) {
      const std::uint32_t term = words[n * lanes];
      const double product = warp[term & place] * warp[term >> 15 & place];
      sum += term >> 31 != 0 ? -product : product;
    }
    words += (length + 1) * lanes;
    if (end >> 31 != 0) {
      sum = 1.0 / sum;
    } else {
      sum *= warp[end >> 15 & place];
    }
    if (result != place) {
      warp[result] = sum;
    }
    if ((slice & 1) != 0) {
      wait_for_warp();
    }
  }
}

/// Puts a kernel into a stream, a warp for `most` cells along x; returns ok, also if there are no
/// cells, or launch_failed.
template <typename... Parameters, typename... Arguments>
int launch_warps(void (*kernel)(Parameters...), Cells cells, int most, std::size_t bytes,
                 void* stream, Arguments... arguments) {
  if (cells.x <= 0 || cells.y <= 0 || cells.z <= 0) {
    return ok;
  }
  const dim3 grid(static_cast<unsigned>((cells.x + most - 1) / most),
                  static_cast<unsigned>(cells.y), static_cast<unsigned>(cells.z));
  return launch_with_shared(kernel, grid, dim3(32), bytes, stream, arguments...);
}

}  // namespace heddle

#endif
