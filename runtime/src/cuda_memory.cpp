// SPDX-License-Identifier: Apache-2.0
#include "cuda.hpp"
#include "cuda_check.hpp"

#include <string>

namespace heddle::cuda {

void* allocate(std::size_t bytes, Memory memory) {
  void* pointer = nullptr;
  const cudaError_t result =
      memory == Memory::device ? cudaMalloc(&pointer, bytes) : cudaMallocHost(&pointer, bytes);
  if (result != cudaSuccess) {
    (void)cudaGetLastError();
    throw Error("allocate",
                "no " + std::to_string(bytes) + " bytes of " + to_string(memory) +
                    " memory: " + cudaGetErrorString(result),
                "nvidia-smi shows which devices there are and what they hold");
  }
  return pointer;
}

void release(void* pointer, Memory memory) noexcept {
  // A failure here can only repeat one that was reported before, or come from a driver that is shutting down.
  (void)(memory == Memory::device ? cudaFree(pointer) : cudaFreeHost(pointer));
}

void zero(void* pointer, std::size_t bytes) {
  check(cudaMemset(pointer, 0, bytes), "zero");
  check(cudaDeviceSynchronize(), "zero");
}

void copy(void* to, const void* from, std::size_t bytes) {
  // Streams of ours do not wait for the default stream, so wait for them before and for the copy after.
  check(cudaDeviceSynchronize(), "copy_bytes");
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy_bytes");
  check(cudaDeviceSynchronize(), "copy_bytes");
}

void copy_box(const BoxCopy& copy, void* stream) {
  const auto [nx, ny, nz] = copy.extent;
  if (nx <= 0 || ny <= 0 || nz <= 0) return;
  const std::size_t width = static_cast<std::size_t>(nx) * copy.element;
  // One call for all planes needs planes of whole rows, which FieldLayout gives.
  if (copy.to_stride[1] % copy.to_stride[0] != 0 || copy.from_stride[1] % copy.from_stride[0] != 0) {
    throw Error("copy_box", "a plane is not a whole number of rows");
  }
  const auto pitched = [&](const void* pointer, const std::array<std::int64_t, 2>& stride) {
    return make_cudaPitchedPtr(const_cast<void*>(pointer), static_cast<std::size_t>(stride[0]), width,
                               static_cast<std::size_t>(stride[1] / stride[0]));
  };
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = pitched(copy.from, copy.from_stride);
  parameters.dstPtr = pitched(copy.to, copy.to_stride);
  parameters.extent = make_cudaExtent(width, static_cast<std::size_t>(ny), static_cast<std::size_t>(nz));
  parameters.kind = cudaMemcpyDeviceToDevice;
  check(cudaMemcpy3DAsync(&parameters, static_cast<cudaStream_t>(stream)), "copy_box");
}

} // namespace heddle::cuda
