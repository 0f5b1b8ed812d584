// SPDX-License-Identifier: MIT-0
// Shared memory whose size is known at the launch, beyond the 48 KB that a kernel has by itself.
#ifndef HEDDLE_DEVICE_SHARED_HPP
#define HEDDLE_DEVICE_SHARED_HPP

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "heddle/device/preconditions.hpp"

namespace heddle {

/// The shared memory that the launch asked for, 16-byte aligned.
template <typename T>
__device__ inline T* shared_memory() {
#if defined(HEDDLE_CUDA_EMULATION)
  return emulation::dynamic_shared<T>();
#else
  extern __shared__ uint4 heddle_shared[];
  return reinterpret_cast<T*>(heddle_shared);
#endif
}

/// Launch a kernel with `bytes` of shared memory; never waits, never allocates. Returns ok or launch_failed.
template <typename... Parameters, typename... Arguments>
int launch_shared(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t bytes, void* stream,
                  Arguments... arguments) {
#if !defined(HEDDLE_CUDA_EMULATION)
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) != cudaSuccess) {
    return launch_failed;
  }
#endif
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = grid;
  configuration.blockDim = block;
  configuration.dynamicSmemBytes = bytes;
  configuration.stream = static_cast<cudaStream_t>(stream);
  const cudaError_t error = cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...);
  return error == cudaSuccess ? ok : launch_failed;
}

}  // namespace heddle

#endif
