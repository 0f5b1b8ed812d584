// SPDX-License-Identifier: MIT-0
// The reductions of reduce.hpp with a thread for each value, in the same order, so with the same
// bits.
#ifndef HEDDLE_DEVICE_REDUCE_GPU_HPP
#define HEDDLE_DEVICE_REDUCE_GPU_HPP

#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/launch.hpp"
#include "heddle/device/reduce.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HEDDLE_NO_UNROLL _Pragma("unroll 1")  // before a loop that runs seldom
#else
#define HEDDLE_NO_UNROLL
#endif

namespace heddle {

namespace detail {

/// In the first of each so many lanes: what their values become.
template <typename Operation, int lanes = tile, typename T>
__device__ inline T fold_tree(T value) {
  for (unsigned half = lanes / 2; half > 0; half /= 2) {
    value = Operation::combine(value, shuffle_down<lanes>(value, half));
  }
  return value;
}

/// The same, where a device knows a shorter way.
template <typename Operation, typename T>
__device__ inline T fold_warp(T value) {
  return fold_tree<Operation>(value);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// Integers in the order of floats, back and forth; they are one apart for the two zeros.
__device__ inline int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
__device__ inline float unordered(int key) {
  return __int_as_float(key ^ ((key >> 31) & 0x7fffffff));
}

/// The largest float of a warp in one instruction. A NaN gets the largest key, which is one again;
/// which zero wins among zeros is the matter of the tree.
template <>
__device__ inline float fold_warp<Max>(float value) {
  const int own = value != value ? 0x7fffffff : ordered(value);
  const int key = __reduce_max_sync(0xffffffffU, own);
  return key == 0 || key == -1 ? fold_tree<Max>(value) : unordered(key);
}
template <>
__device__ inline float fold_warp<Min>(float value) {
  const int own = value != value ? -0x7fffffff - 1 : ordered(value);  // the smallest key
  const int key = __reduce_min_sync(0xffffffffU, own);
  return key == 0 || key == -1 ? fold_tree<Min>(value) : unordered(key);
}
#endif

constexpr unsigned combine_threads = tile * tile;

/// Each block makes one of 32 x 32 values.
template <typename Operation, typename T>
__global__ void __launch_bounds__(combine_threads)
    combine_blocks(T* __restrict__ const results, const T* __restrict__ const values,
                   const std::int64_t count) {
  __shared__ T of_warp[tile];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * combine_threads + threadIdx.x;
  const T own = fold_warp<Operation>(i < count ? values[i] : Operation::template neutral<T>());
  if (threadIdx.x % tile == 0) {
    of_warp[threadIdx.x / tile] = own;
  }
  __syncthreads();
  if (threadIdx.x < tile) {
    const T result = fold_warp<Operation>(of_warp[threadIdx.x]);
    if (threadIdx.x == 0) {
      results[blockIdx.x] = result;
    }
  }
}

}  // namespace detail

/// All threads of a warp give a value, those without a cell a neutral one. The first thread stores
/// what they become, if there is a place for it (`known`).
template <typename Operation, typename T>
__device__ inline void combine_warp(T* results, std::int64_t index, T value, bool known) {
  value = detail::fold_warp<Operation>(value);
  if (threadIdx.x % tile == 0 && known) {
    results[index] = value;
  }
}

/// What the rows of a block become, up to `length` results at a time. All threads of the block give
/// a value of one row after the other, those beyond its end (not `known`) a neutral one: each warp
/// makes its part by halves, and the parts wait until `length` results do, or `store` is called.
/// Then a thread per result combines its parts in order and stores it. In blocks of 32 threads
/// along x, each warp has a row of its own, waits for nobody and stores at once; so has each half
/// of a warp in blocks of 16: the other half of a tile would change nothing. `const` in emitted
/// code: what waits is no part of its value.
///
/// count: cells of a row. begin: the first cell of the piece of a row that has a cell for each
/// thread of the block along x; pieces come one after the other, and each is combined with what
/// those before have stored.
template <typename Operation, typename T, int length>
class WaitingRows {
 public:
  __device__ explicit WaitingRows(std::int64_t count)
      : first_(true),
        warps_(static_cast<unsigned>((count + tile - 1) / tile)),
        most_(places / warps_ < rows ? places / warps_ : rows) {
  }
  __device__ WaitingRows(std::int64_t count, std::int64_t begin)
      : first_(begin == 0),
        warps_(static_cast<unsigned>(
            (heddle::min<std::int64_t>(count - begin, blockDim.x) + tile - 1) / tile)),
        most_(places / warps_ < rows ? places / warps_ : rows) {
  }
  WaitingRows(const WaitingRows&) = delete;
  WaitingRows& operator=(const WaitingRows&) = delete;

  __device__ void give(T* result, T value, bool known) const {
    value = known ? value : Operation::template neutral<T>();
    value = blockDim.x < tile ? detail::fold_tree<Operation, tile / 2>(value)
                              : detail::fold_warp<Operation>(value);
    if (blockDim.x <= tile) {
      if (threadIdx.x == 0) {
        *result = first_ ? value : Operation::combine(*result, value);
      }
      return;
    }
    if (waiting_ == most_) {
      store();
    }
    if (threadIdx.x % tile == 0 && threadIdx.x / tile < warps_) {
      table().part[waiting_ * warps_ + threadIdx.x / tile] = value;
    }
    if (threadIdx.x == 0) {
      table().result[waiting_] = result;
    }
    ++waiting_;
  }

  /// Combine and store what waits. All threads of the block call it, the last time before they end.
  __device__ void store() const {
    if (blockDim.x <= tile) {
      return;
    }
    __syncthreads();
    HEDDLE_NO_UNROLL
    for (unsigned row = threadIdx.x; row < waiting_; row += blockDim.x) {
      T* const result = table().result[row];
      const T begun = table().part[row * warps_];
      T whole = first_ ? begun : Operation::combine(*result, begun);
      HEDDLE_NO_UNROLL
      for (unsigned warp = 1; warp < warps_; ++warp) {
        whole = Operation::combine(whole, table().part[row * warps_ + warp]);
      }
      *result = whole;
    }
    __syncthreads();  // before the next parts come
    waiting_ = 0;
  }

 private:
  static constexpr unsigned rows = length;
  static constexpr unsigned places = 8 * rows;
  struct Table {
    T part[places];
    T* result[rows];
  };
  __device__ static Table& table() {
    __shared__ Table own;
    return own;
  }

  const bool first_;
  const unsigned warps_;
  const unsigned most_;
  mutable unsigned waiting_ = 0;
};

/// Puts into `stream` what makes one of `count` values. Behind them, `values` has room for a value
/// for each 1024 and one more; it is scratch afterwards.
template <typename Operation, typename T>
int launch_combine(T* result, T* values, std::int64_t count, void* stream) {
  T* from = values;
  T* to = values + count;
  while (true) {
    const std::int64_t blocks =
        count > detail::combine_threads
            ? (count + detail::combine_threads - 1) / detail::combine_threads
            : 1;
    const bool last = blocks == 1;
    const int status =
        launch(detail::combine_blocks<Operation, T>, Cells{blocks * detail::combine_threads},
               dim3(detail::combine_threads), stream, last ? result : to, from, count);
    if (status != ok || last) {
      return status;
    }
    T* const next = from;
    from = to;
    to = next;
    count = blocks;
  }
}

/// What kernels and their launchers call.
template <typename T>
__device__ inline void combine_warp_sum(T* results, std::int64_t index, T value, bool known) {
  combine_warp<Sum>(results, index, value, known);
}
template <typename T>
__device__ inline void combine_warp_min(T* results, std::int64_t index, T value, bool known) {
  combine_warp<Min>(results, index, value, known);
}
template <typename T>
__device__ inline void combine_warp_max(T* results, std::int64_t index, T value, bool known) {
  combine_warp<Max>(results, index, value, known);
}
template <typename T, int length>
class RowSums : public WaitingRows<Sum, T, length> {
 public:
  __device__ explicit RowSums(std::int64_t count) : WaitingRows<Sum, T, length>(count) {
  }
  __device__ RowSums(std::int64_t count, std::int64_t begin)
      : WaitingRows<Sum, T, length>(count, begin) {
  }
};
template <typename T, int length>
class RowMinima : public WaitingRows<Min, T, length> {
 public:
  __device__ explicit RowMinima(std::int64_t count) : WaitingRows<Min, T, length>(count) {
  }
  __device__ RowMinima(std::int64_t count, std::int64_t begin)
      : WaitingRows<Min, T, length>(count, begin) {
  }
};
template <typename T, int length>
class RowMaxima : public WaitingRows<Max, T, length> {
 public:
  __device__ explicit RowMaxima(std::int64_t count) : WaitingRows<Max, T, length>(count) {
  }
  __device__ RowMaxima(std::int64_t count, std::int64_t begin)
      : WaitingRows<Max, T, length>(count, begin) {
  }
};
template <typename Rows, typename T>
__device__ inline void combine_row_sum(const Rows& rows, T* result, T value, bool known) {
  rows.give(result, value, known);
}
template <typename Rows>
__device__ inline void store_row_sums(const Rows& rows) {
  rows.store();
}
template <typename Rows, typename T>
__device__ inline void combine_row_min(const Rows& rows, T* result, T value, bool known) {
  rows.give(result, value, known);
}
template <typename Rows>
__device__ inline void store_row_mins(const Rows& rows) {
  rows.store();
}
template <typename Rows, typename T>
__device__ inline void combine_row_max(const Rows& rows, T* result, T value, bool known) {
  rows.give(result, value, known);
}
template <typename Rows>
__device__ inline void store_row_maxs(const Rows& rows) {
  rows.store();
}
template <typename T>
int launch_combine_sum(T* result, T* values, std::int64_t count, void* stream) {
  return launch_combine<Sum>(result, values, count, stream);
}
template <typename T>
int launch_combine_min(T* result, T* values, std::int64_t count, void* stream) {
  return launch_combine<Min>(result, values, count, stream);
}
template <typename T>
int launch_combine_max(T* result, T* values, std::int64_t count, void* stream) {
  return launch_combine<Max>(result, values, count, stream);
}

}  // namespace heddle

#endif
