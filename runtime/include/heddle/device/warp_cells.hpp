// SPDX-License-Identifier: MIT-0
// The lanes of a warp, or of several, share the work of a cell: values in shared memory, sums by
// tables.
#ifndef HEDDLE_DEVICE_WARP_CELLS_HPP
#define HEDDLE_DEVICE_WARP_CELLS_HPP

#include <cstdint>
#include <cstring>

#include "heddle/device/gpu.hpp"
#include "heddle/device/launch.hpp"
#include "heddle/device/preconditions.hpp"
#include "heddle/device/shared.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HEDDLE_NOINLINE __noinline__
#else
#define HEDDLE_NOINLINE
#endif

namespace heddle {

/// A block of `warps` warps owns `most` consecutive cells. Before and after its rounds, a lane has
/// one of them. In a round, `groups` cells are under way; lane `l` of the block works for that of
/// group `l % groups`. A group whose cell is done takes the next but `groups - 1`: the cells of a
/// block need not take equally many rounds.
template <int groups, int warps>
class WarpCells {
 public:
  static constexpr int lanes = 32 * warps;
  static constexpr int members = lanes / groups;
  int member;

  /// Shared memory has the same number of values for each group, one group beside the other.
  __device__ WarpCells(int most, std::int64_t count)
      : member(static_cast<int>(threadIdx.x) / groups),
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
    return values()[place * groups];
  }

  /// Writes the first values of each group.
  __device__ void write(const double* constants, int count) const {
    for (int n = member; n < count; n += members) {
      values()[n * groups] = constants[n];
    }
  }

  /// Waits for all lanes of the block, and makes their values visible.
  __device__ static void wait() {
    if constexpr (warps > 1) {
      __syncthreads();
    } else {
      wait_for_warp();
    }
  }

  /// Whether this lane's cell begins now: the lane has to write the values of the group. A lane
  /// works for the group that takes its cell.
  __device__ bool hands_over() const {
    return begins_ && cell_ == lane_;
  }
  /// Puts a number of that lane where taken() finds it after wait().
  template <typename T>
  __device__ void hand_over(unsigned place, T own) const {
    static_assert(sizeof(T) <= sizeof(double));
    std::memcpy(&(*this)[place], &own, sizeof own);
  }
  /// What the lane of a cell that begins has handed over; else the value as it is.
  template <typename T>
  __device__ T taken(unsigned place, T value) const {
    if (begins_) {
      std::memcpy(&value, &(*this)[place], sizeof value);
    }
    return value;
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
    return ends_ && cell_ == lane_;
  }
  /// For that lane, what the group has; else the value as it is.
  template <typename T>
  __device__ T given_back(T value, T own) const {
    return takes_back() ? value : own;
  }
  /// Groups whose cell is done turn to the next.
  __device__ void next() {
    wait();
    if (ends_) {
      cell_ += groups;
      round_ = 0;
      begins_ = cell_ < cells_;
    }
  }
  __device__ void end_round() {
    wait();
    ++round_;
  }

  __device__ static bool any(bool condition) {
    if constexpr (warps > 1) {
      return __syncthreads_or(condition ? 1 : 0) != 0;
    }
#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
    return __any(condition);
#else
    return __any_sync(0xffffffffU, condition);
#endif
  }

 private:
  /// Not kept, so that compilers see in every function that it is shared memory.
  __device__ static double* values() {
    return dynamic_shared<double>() + threadIdx.x % groups;
  }

  int lane_;
  std::int64_t first_;
  int cells_;
  int cell_;
  bool begins_;
  bool ends_ = false;
  std::int64_t round_ = 0;
};

/// Four words of a table, which a lane reads at once.
struct alignas(16) ProductWords {
  std::uint32_t first, second, third, fourth;
};

/// The words of a warp, read one unit after the other. They come through shared memory, in batches
/// that are on their way long before they are needed: a lane would wait for each one.
template <int groups, int warps>
class WordStream {
 public:
  static constexpr int width = 32 / groups;  // lanes of a group in a warp
  static constexpr int batch = 4;            // units
  static constexpr int batches = 4;

  /// numbers: of shared memory, an even number, in front of `batch` times `batches` times `width`
  /// units for each warp. words: followed by as many units. begins: of each warp, in units.
  __device__ WordStream(int numbers, const ProductWords* words, const std::int32_t* begins)
      : lane_(static_cast<int>(threadIdx.x) % 32),
        buffer_(numbers / 2 + static_cast<int>(threadIdx.x) / 32 * batch * batches * width),
        words_(words + begins[threadIdx.x / 32]) {
  }

  /// Begins with the first unit. All lanes of the warp have read what they took before.
  __device__ void start() {
    wait_for_copies<0>();
    position_ = 0;
    for (int n = 0; n + 1 < batches; ++n) {
      copy(n);
    }
    following_ = read();
  }
  /// The next unit of this lane; all lanes of the warp take it together.
  __device__ ProductWords next() {
    const ProductWords unit = following_;
    following_ = read();
    return unit;
  }

 private:
  __device__ void copy(int number) {
    constexpr int size = batch * width;
    for (int n = lane_; n < size; n += 32) {
      copy_ahead(buffer() + number % batches * size + n, words_ + number * size + n);
    }
    end_of_copies();
  }
  __device__ ProductWords read() {
    if (position_ % batch == 0) {
      wait_for_copies<batches - 2>();
      wait_for_warp();  // all have read the batch before
      copy(position_ / batch + batches - 1);
    }
    const int unit = position_ % (batch * batches);
    ++position_;
    return buffer()[unit * width + lane_ / groups];
  }

  __device__ ProductWords* buffer() const {
    return reinterpret_cast<ProductWords*>(dynamic_shared<double>()) + buffer_;
  }

  int lane_;
  int buffer_;
  const ProductWords* words_;
  int position_ = 0;
  ProductWords following_{};
};

/// Sums of products for each group, chunk by chunk: each lane of a warp that works for a group has
/// a sum, or a piece of one. The units of a chunk, four words for each of these lanes:
///
/// - the end: place of the result, of the factor; bit 30: the sum begins here; bit 31: one over it
/// - four times the length of the chunk; 1: others read its results, so lanes wait; 2: the last one
/// - so many terms as it is long: places of both factors; bit 31: it is subtracted
/// Returns the words behind them. A function of its own, whose registers are not those of the
/// kernel.
template <int groups, int warps>
__device__ HEDDLE_NOINLINE WordStream<groups, warps> add_products(WarpCells<groups, warps> warp,
                                                                  WordStream<groups, warps> words) {
  constexpr std::uint32_t place = 0x7fff;
  const auto product = [](std::uint32_t term, double a, double b) {
    const double value = a * b;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    bits ^= static_cast<std::uint64_t>(term >> 31) << 63;  // the sign
    double result = 0;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  };
  for (;;) {
    ProductWords unit = words.next();
    const std::uint32_t end = unit.first;
    const std::uint32_t how = unit.second;
    const std::uint32_t result = end & place;
    const double factor = warp[end >> 15 & place];
    double sum = (end >> 30 & 1) != 0 ? -0.0 : warp[result];
    const double a = warp[unit.third & place];
    const double b = warp[unit.third >> 15 & place];
    const double c = warp[unit.fourth & place];
    const double d = warp[unit.fourth >> 15 & place];
    sum += product(unit.third, a, b);
    sum += product(unit.fourth, c, d);
    const int length = static_cast<int>(how >> 2);
    for (int n = 2; n < length; n += 4) {
      unit = words.next();
      const std::uint32_t terms[4] = {unit.first, unit.second, unit.third, unit.fourth};
      double left[4];
      double right[4];  // all are on their way before one is waited for
      HEDDLE_UNROLL
      for (int m = 0; m < 4; ++m) {
        left[m] = warp[terms[m] & place];
        right[m] = warp[terms[m] >> 15 & place];
      }
      double products[4];
      HEDDLE_UNROLL
      for (int m = 0; m < 4; ++m) {
        products[m] = product(terms[m], left[m], right[m]);
      }
      HEDDLE_UNROLL
      for (int m = 0; m < 4; ++m) {
        sum += products[m];
      }
    }
    if (end >> 31 != 0) {
      sum = 1.0 / sum;
    } else {
      sum *= factor;
    }
    if (result != place) {
      warp[result] = sum;
    }
    if ((how & 1) != 0) {
      warp.wait();
    }
    if ((how & 2) != 0) {
      return words;
    }
  }
}

/// Puts a kernel into a stream, `warps` warps for `most` cells along x; returns ok, also if there
/// are no cells, extents_differ where these are more blocks than a launch can have, or
/// launch_failed.
template <typename... Parameters, typename... Arguments>
int launch_warps(void (*kernel)(Parameters...), Cells cells, int most, int warps, std::size_t bytes,
                 void* stream, Arguments... arguments) {
  if (cells.x <= 0 || cells.y <= 0 || cells.z <= 0) {
    return ok;
  }
  dim3 grid;
  if (!grid_of({(cells.x + most - 1) / most, cells.y, cells.z}, grid)) {
    return extents_differ;
  }
  return launch_with_shared(kernel, grid, dim3(32U * static_cast<unsigned>(warps)), bytes, stream,
                            arguments...);
}

}  // namespace heddle

#endif
