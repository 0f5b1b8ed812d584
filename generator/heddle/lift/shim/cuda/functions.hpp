// SPDX-License-Identifier: Apache-2.0
// What kernels call: barriers, shuffles, votes, atomics, and mathematics, which CUDA also has outside of std.
#ifndef HEDDLE_SHIM_FUNCTIONS_HPP
#define HEDDLE_SHIM_FUNCTIONS_HPP
#pragma GCC system_header

__device__ void __syncthreads();
__device__ int __syncthreads_count(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_or(int predicate);
__device__ void __syncwarp(unsigned mask = 0xffffffffU);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();

template <typename T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <typename T> __device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <typename T> __device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <typename T> __device__ T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32);
__device__ int __all_sync(unsigned mask, int predicate);
__device__ int __any_sync(unsigned mask, int predicate);
__device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ unsigned __activemask();

#define HEDDLE_SHIM_ATOMIC(T)                                                                                \
  __device__ T atomicAdd(T* address, T value);                                                               \
  __device__ T atomicSub(T* address, T value);                                                               \
  __device__ T atomicExch(T* address, T value);                                                              \
  __device__ T atomicMin(T* address, T value);                                                               \
  __device__ T atomicMax(T* address, T value);                                                               \
  __device__ T atomicAnd(T* address, T value);                                                               \
  __device__ T atomicOr(T* address, T value);                                                                \
  __device__ T atomicXor(T* address, T value);                                                               \
  __device__ T atomicCAS(T* address, T compare, T value);
HEDDLE_SHIM_ATOMIC(int)
HEDDLE_SHIM_ATOMIC(unsigned int)
HEDDLE_SHIM_ATOMIC(long long)
HEDDLE_SHIM_ATOMIC(unsigned long long)
#undef HEDDLE_SHIM_ATOMIC
__device__ float atomicAdd(float* address, float value);
__device__ double atomicAdd(double* address, double value);
__device__ float atomicExch(float* address, float value);

template <typename T> __device__ T __ldg(const T* address);
template <typename T> __device__ T __ldcs(const T* address);
template <typename T> __device__ void __stcs(T* address, T value);

__device__ int __float_as_int(float value);
__device__ float __int_as_float(int bits);
__device__ unsigned __float_as_uint(float value);
__device__ float __uint_as_float(unsigned bits);
__device__ long long __double_as_longlong(double value);
__device__ double __longlong_as_double(long long bits);
__device__ int __popc(unsigned bits);
__device__ int __ffs(int bits);
__device__ int __clz(int bits);

// Operations with a stated rounding, and fast approximations.
#define HEDDLE_SHIM_ROUNDED(mode)                                                                            \
  __device__ float __fadd_##mode(float x, float y);                                                          \
  __device__ float __fsub_##mode(float x, float y);                                                          \
  __device__ float __fmul_##mode(float x, float y);                                                          \
  __device__ float __fdiv_##mode(float x, float y);                                                          \
  __device__ float __fmaf_##mode(float x, float y, float z);                                                 \
  __device__ float __fsqrt_##mode(float x);                                                                  \
  __device__ float __frcp_##mode(float x);                                                                   \
  __device__ double __dadd_##mode(double x, double y);                                                       \
  __device__ double __dsub_##mode(double x, double y);                                                       \
  __device__ double __dmul_##mode(double x, double y);                                                       \
  __device__ double __ddiv_##mode(double x, double y);                                                       \
  __device__ double __fma_##mode(double x, double y, double z);                                              \
  __device__ double __dsqrt_##mode(double x);                                                                \
  __device__ double __drcp_##mode(double x);
HEDDLE_SHIM_ROUNDED(rn)
HEDDLE_SHIM_ROUNDED(rz)
HEDDLE_SHIM_ROUNDED(ru)
HEDDLE_SHIM_ROUNDED(rd)
#undef HEDDLE_SHIM_ROUNDED
__device__ float __expf(float x);
__device__ float __logf(float x);
__device__ float __sinf(float x);
__device__ float __cosf(float x);
__device__ float __powf(float x, float y);
__device__ float __fdividef(float x, float y);

// min and max of each arithmetic type, as the guide lists them.
#define HEDDLE_SHIM_EXTREMES(T)                                                                              \
  __host__ __device__ T min(T a, T b);                                                                       \
  __host__ __device__ T max(T a, T b);
HEDDLE_SHIM_EXTREMES(int)
HEDDLE_SHIM_EXTREMES(unsigned int)
HEDDLE_SHIM_EXTREMES(long)
HEDDLE_SHIM_EXTREMES(unsigned long)
HEDDLE_SHIM_EXTREMES(long long)
HEDDLE_SHIM_EXTREMES(unsigned long long)
HEDDLE_SHIM_EXTREMES(float)
HEDDLE_SHIM_EXTREMES(double)
#undef HEDDLE_SHIM_EXTREMES

#endif
