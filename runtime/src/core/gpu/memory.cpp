// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/gpu/check.hpp"

#include <string>

namespace heddle::gpu {

void* allocate(std::size_t bytes, Memory memory) {
  void* pointer = nullptr;
  const cudaError_t result = memory == Memory::device ? cudaMalloc(&pointer, bytes)
                                                      : cudaHostAlloc(&pointer, bytes, cudaHostAllocDefault);
  if (result != cudaSuccess) {
    (void)cudaGetLastError();
    throw Error("allocate",
                "cannot allocate " + std::to_string(bytes) + " bytes of " + to_string(memory) +
                    " memory: " + cudaGetErrorString(result),
                "nvidia-smi or rocm-smi shows the devices and their free memory");
  }
  return pointer;
}

void release(void* pointer, Memory memory) noexcept {
  // A failure here can only repeat one that was reported before, or come from a driver that is shutting down.
  (void)(memory == Memory::device ? cudaFree(pointer) : cudaFreeHost(pointer));
}

void zero(void* pointer, std::size_t bytes) {
  count_wait();
  check(cudaMemset(pointer, 0, bytes), "zero");
  check(cudaDeviceSynchronize(), "zero");
}

void copy(void* to, const void* from, std::size_t bytes) {
  // Streams of ours do not wait for the default stream, so wait for them before and for the copy after.
  count_wait();
  check(cudaDeviceSynchronize(), "copy_bytes");
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy_bytes");
  check(cudaDeviceSynchronize(), "copy_bytes");
}

void copy_later(void* to, const void* from, std::size_t bytes, void* stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)), "copy_later");
}

} // namespace heddle::gpu
