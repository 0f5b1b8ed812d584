// SPDX-License-Identifier: MIT-0
// One spelling for CUDA and HIP: the header of the run time, launches, shuffles.
#ifndef HEDDLE_DEVICE_GPU_HPP
#define HEDDLE_DEVICE_GPU_HPP

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#include <cstddef>

namespace heddle {

/// Launches a kernel in a stream, with `shared` bytes of dynamic shared memory per block beside its
/// static shared memory; returns whether the launch succeeded.
template <typename... Parameters>
bool launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared,
                   void* stream, Parameters... arguments) {
#if defined(__HIP__)
  void* addresses[] = {&arguments...};
  return hipLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, addresses, shared,
                         static_cast<hipStream_t>(stream)) == hipSuccess;
#else
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = grid;
  configuration.blockDim = block;
  configuration.dynamicSmemBytes = shared;
  configuration.stream = static_cast<cudaStream_t>(stream);
  return cudaLaunchKernelEx(&configuration, kernel, arguments...) == cudaSuccess;
#endif
}

/// Allows blocks of a kernel this number of bytes of dynamic shared memory; returns whether that is
/// possible.
template <typename... Parameters>
bool allow_shared([[maybe_unused]] void (*kernel)(Parameters...),
                  [[maybe_unused]] std::size_t bytes) {
#if defined(__HIP__)
  return hipFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             hipFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)) == hipSuccess;
#elif defined(HEDDLE_CUDA_EMULATION)
  return true;
#else
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes)) == cudaSuccess;
#endif
}

/// The value of the lane `distance` further on, among `lanes` that begin at a multiple of it; all
/// of these take part. A wave of 64 lanes does it for each of its halves at once.
template <int lanes, typename T>
__device__ inline T shuffle_down(T value, unsigned distance) {
  static_assert(lanes <= 32, "a warp of CUDA has 32 lanes");
#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
  return __shfl_down(value, distance, lanes);
#else
  return __shfl_down_sync(0xffffffffU, value, distance, lanes);
#endif
}

/// Waits for the other threads of a warp, and makes this thread's writes visible to them.
__device__ inline void wait_for_warp() {
#if defined(__HIP__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
  __syncwarp();
#endif
}

}  // namespace heddle

#endif
