// SPDX-License-Identifier: MIT-0
// Kernels whose blocks get their amount of shared memory at launch.
#ifndef HEDDLE_DEVICE_SHARED_HPP
#define HEDDLE_DEVICE_SHARED_HPP

#include <cstddef>

#include "heddle/device/gpu.hpp"
#include "heddle/device/preconditions.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
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

/// Puts a kernel into a stream; returns ok, or launch_failed where the launch is refused.
template <typename... Parameters, typename... Arguments>
int launch_with_shared(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t bytes,
                       void* stream, Arguments... arguments) {
  if (bytes > 48 * 1024 && !allow_shared(kernel, bytes)) {
    return launch_failed;
  }
  const bool launched = launch_kernel<Parameters...>(kernel, grid, block, bytes, stream,
                                                     static_cast<Parameters>(arguments)...);
  return launched ? ok : launch_failed;
}

}  // namespace heddle

#endif
