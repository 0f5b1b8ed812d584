// SPDX-License-Identifier: MIT-0
// Asynchronous copies from global to shared memory: a thread starts them now and waits for them
// later, without registers in between.
#ifndef HEDDLE_DEVICE_COPY_AHEAD_HPP
#define HEDDLE_DEVICE_COPY_AHEAD_HPP

#include <cstring>

#include "heddle/device/gpu.hpp"

namespace heddle {

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
