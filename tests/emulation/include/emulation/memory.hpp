// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_MEMORY_HPP
#define HEDDLE_EMULATION_MEMORY_HPP

#include "error.hpp"
#include "stream.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

// One device, whose memory is the host's. New device memory is filled with ones (NaN, -1): its content is
// arbitrary.

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

template <class T> cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  using heddle::emulation::remember;
  if (pointer == nullptr) return remember(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  void* memory = nullptr;
  if (posix_memalign(&memory, 256, bytes) != 0) return remember(cudaErrorMemoryAllocation);
  std::memset(memory, 0xff, bytes);
  *pointer = static_cast<T*>(memory);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
template <class T> cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned = 0u) {
  return cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFreeHost(void* pointer) {
  return cudaFree(pointer);
}
template <class T> cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  return cudaFree(pointer);
}

inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  using heddle::emulation::remember;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return remember(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return remember(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (bytes != 0) std::memset(pointer, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t = nullptr) {
  return cudaMemset(pointer, value, bytes);
}

inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  return heddle::emulation::remember(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

#endif
