// SPDX-License-Identifier: MIT-0
// Kernels whose blocks get their amount of shared memory at launch; asynchronous copies into shared
// memory, which a thread starts now and waits for later, without registers in between.
#ifndef HEDDLE_DEVICE_SHARED_HPP
#define HEDDLE_DEVICE_SHARED_HPP

#include <cstddef>
#include <cstring>

#include "heddle/device/gpu.hpp"
#include "heddle/device/preconditions.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HEDDLE_UNROLL _Pragma("unroll")          // before a loop whose arrays shall be registers
#define HEDDLE_UNROLL_PAIRS _Pragma("unroll 2")  // so that fewer values move between registers
#else
#define HEDDLE_UNROLL
#define HEDDLE_UNROLL_PAIRS
#endif

namespace heddle {

/// All threads of the block meet here, and then see what the others wrote to shared memory before.
__device__ inline void barrier() {
  __syncthreads();
}

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

/// Starts to copy one value of 4, 8 or 16 bytes, to which both pointers must be aligned. The copy
/// belongs to the group that end_of_copies() closes.
template <typename T>
__device__ inline void copy_ahead(T* shared, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (sizeof(T) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(T))
                 : "memory");
  }
#else
  std::memcpy(shared, from, sizeof(T));
#endif
}

/// Ends a group of copies, which may be empty.
__device__ inline void end_of_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most the last `groups` groups of this thread are in flight. The thread may then
/// read what it copied itself; other threads may after a barrier.
template <int groups>
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

}  // namespace heddle

#endif
