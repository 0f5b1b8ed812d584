// SPDX-License-Identifier: MIT-0
// Kernels whose blocks take as much shared memory as they are given at the launch.
#ifndef HEDDLE_DEVICE_SHARED_HPP
#define HEDDLE_DEVICE_SHARED_HPP

#include <cuda_runtime.h>

#include <cstddef>

#include "heddle/device/preconditions.hpp"

#if defined(__CUDACC__)
#define HEDDLE_UNROLL _Pragma("unroll")  // before a loop whose arrays shall be registers
#else
#define HEDDLE_UNROLL
#endif

namespace heddle {

/// The shared memory of the block, `bytes` of launch_with_shared.
template <typename T>
__device__ inline T* dynamic_shared() {
#if defined(HEDDLE_CUDA_EMULATION)
  return emulation::dynamic_shared<T>();
#else
  extern __shared__ __align__(16) unsigned char heddle_shared_memory[];
  return reinterpret_cast<T*>(heddle_shared_memory);
#endif
}

/// Puts a kernel into a stream; returns ok, or launch_failed where CUDA refuses.
template <typename... Parameters, typename... Arguments>
int launch_with_shared(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t bytes,
                       void* stream, Arguments... arguments) {
#if !defined(HEDDLE_CUDA_EMULATION)
  if (bytes > 48 * 1024 && cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(bytes)) != cudaSuccess) {
    return launch_failed;
  }
#endif
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = grid;
  configuration.blockDim = block;
  configuration.dynamicSmemBytes = bytes;
  configuration.stream = static_cast<cudaStream_t>(stream);
  const cudaError_t error =
      cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...);
  return error == cudaSuccess ? ok : launch_failed;
}

}  // namespace heddle

#endif
