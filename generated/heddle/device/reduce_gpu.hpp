// SPDX-License-Identifier: MIT-0
// The reductions of reduce.hpp with a thread for each value, in the same order, so with the same
// bits.
#ifndef HEDDLE_DEVICE_REDUCE_GPU_HPP
#define HEDDLE_DEVICE_REDUCE_GPU_HPP

#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/launch.hpp"
#include "heddle/device/reduce.hpp"

namespace heddle {

namespace detail {

/// In lane 0: what the values of all lanes become.
template <typename Operation, typename T>
__device__ inline T fold_tree(T value) {
  for (unsigned half = tile / 2; half > 0; half /= 2) {
    value = Operation::combine(value, shuffle_down<tile>(value, half));
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

/// All threads of a block give a value of one row, those beyond its end (not `known`) a neutral
/// one. The first thread stores what they become: each warp its part by halves, then these in
/// order. In blocks of 32 threads along x, each warp has a row of its own, and waits for nobody.
template <typename Operation, typename T>
__device__ inline void combine_row(T* result, T value, bool known) {
  __shared__ T of_warp[tile];
  value = detail::fold_warp<Operation>(known ? value : Operation::template neutral<T>());
  if (blockDim.x == tile) {
    if (threadIdx.x == 0) {
      *result = value;
    }
    return;
  }
  if (threadIdx.x % tile == 0) {
    of_warp[threadIdx.x / tile] = value;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    T whole = of_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / tile; ++warp) {
      whole = Operation::combine(whole, of_warp[warp]);
    }
    *result = whole;
  }
  __syncthreads();  // before the next values come
}

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
template <typename T>
__device__ inline void combine_row_sum(T* result, T value, bool known) {
  combine_row<Sum>(result, value, known);
}
template <typename T>
__device__ inline void combine_row_min(T* result, T value, bool known) {
  combine_row<Min>(result, value, known);
}
template <typename T>
__device__ inline void combine_row_max(T* result, T value, bool known) {
  combine_row<Max>(result, value, known);
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
