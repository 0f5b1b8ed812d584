// SPDX-License-Identifier: MIT-0
// Memory of a GPU for what reductions give to Python.
#ifndef HEDDLE_DEVICE_PYTHON_GPU_HPP
#define HEDDLE_DEVICE_PYTHON_GPU_HPP

#include <cuda_runtime.h>

#include "heddle/device/python/call.hpp"

namespace heddle::python {

inline const Device* gpu() {
  static const Device device{
      [](int wanted, int* before) {
        if (cudaGetDevice(before) != cudaSuccess) {
          return 1;
        }
        return *before == wanted || cudaSetDevice(wanted) == cudaSuccess ? 0 : 1;
      },
      [](int before) { static_cast<void>(cudaSetDevice(before)); },
      [](std::size_t bytes, void* stream) {
        void* memory = nullptr;
        const cudaError_t error =
            cudaMallocAsync(&memory, bytes, static_cast<cudaStream_t>(stream));
        return error == cudaSuccess ? memory : nullptr;
      },
      [](void* to, const void* from, std::size_t bytes, void* stream) {
        auto* const own = static_cast<cudaStream_t>(stream);
        const bool done =
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, own) == cudaSuccess &&
            cudaStreamSynchronize(own) == cudaSuccess;
        return done ? 0 : 1;
      },
      [](void* memory, void* stream) {
        static_cast<void>(cudaFreeAsync(memory, static_cast<cudaStream_t>(stream)));
      }};
  return &device;
}

}  // namespace heddle::python

#endif
