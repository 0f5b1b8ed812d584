// SPDX-License-Identifier: Apache-2.0
// CUDA's language as declarations, enough for Clang to parse kernels and their launches without the toolkit.
// Written from the programming guide. Nothing here has a body: heddle-lift writes calls of these by name.
#ifndef HEDDLE_SHIM_CUDA_HPP
#define HEDDLE_SHIM_CUDA_HPP
#pragma GCC system_header

#define __CUDACC__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__

#include "vectors.hpp"

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

#include "functions.hpp"
#include "launch.hpp"
#include "mathematics.hpp"

#endif
