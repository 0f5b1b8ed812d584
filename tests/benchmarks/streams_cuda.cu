// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "heddle/device/half.hpp"
#include "streams.hpp"

namespace {

template <typename Vector, typename T>
__global__ void __launch_bounds__(256) update(Vector* f, std::int64_t stride, std::int64_t count, T factor) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  Vector value[19];
#pragma unroll
  for (int q = 0; q < 19; ++q) {
    value[q] = f[q * stride + i];
  }
#pragma unroll
  for (int q = 0; q < 19; ++q) {
    T* const lanes = reinterpret_cast<T*>(&value[q]);
    for (unsigned lane = 0; lane < sizeof(Vector) / sizeof(T); ++lane) {
      lanes[lane] *= factor;
    }
    f[q * stride + i] = value[q];
  }
}

template <typename Vector, typename T>
void launch(T* f, std::int64_t stride, std::int64_t count, T factor, void* stream) {
  constexpr std::int64_t lanes = sizeof(Vector) / sizeof(T);
  const std::int64_t vectors = count / lanes;
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>((vectors + 255) / 256));
  configuration.blockDim = dim3(256);
  configuration.stream = static_cast<cudaStream_t>(stream);
  cudaLaunchKernelEx(&configuration, update<Vector, T>, reinterpret_cast<Vector*>(f), stride / lanes, vectors,
                     factor);
}

template <typename T> __global__ void __launch_bounds__(256) disturb(T* f, std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    std::uint64_t state = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U;
    state ^= state >> 31U;
    state *= 0x94D049BB133111EBU;
    state ^= state >> 29U;
    const float value = 0.02F * (static_cast<float>(state >> 40U) * 0x1p-24F - 0.5F);
    if constexpr (sizeof(T) == 2) {
      f[i] = heddle::to_half(value * 0x1p15F);
    } else {
      f[i] = static_cast<T>(value);
    }
  }
}

template <typename T> void launch_disturb(T* f, std::int64_t count, void* stream) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(4096);
  configuration.blockDim = dim3(256);
  configuration.stream = static_cast<cudaStream_t>(stream);
  cudaLaunchKernelEx(&configuration, disturb<T>, f, count);
}

template <typename Vector, typename T>
__global__ void __launch_bounds__(256)
    relax_vectors(Vector* own, const Vector* other, const Vector* right, std::int64_t count, T factor) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  Vector value = own[i];
  Vector a = other[i];
  Vector b = right[i];
  for (unsigned lane = 0; lane < sizeof(Vector) / sizeof(T); ++lane) {
    reinterpret_cast<T*>(&value)[lane] +=
        factor * (reinterpret_cast<T*>(&a)[lane] - reinterpret_cast<T*>(&b)[lane]);
  }
  own[i] = value;
}

template <typename Vector, typename T>
void launch_relax(T* own, const T* other, const T* right, std::int64_t count, T factor, void* stream) {
  const std::int64_t vectors = count / static_cast<std::int64_t>(sizeof(Vector) / sizeof(T));
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>((vectors + 255) / 256));
  configuration.blockDim = dim3(256);
  configuration.stream = static_cast<cudaStream_t>(stream);
  cudaLaunchKernelEx(&configuration, relax_vectors<Vector, T>, reinterpret_cast<Vector*>(own),
                     reinterpret_cast<const Vector*>(other), reinterpret_cast<const Vector*>(right), vectors,
                     factor);
}

} // namespace

void streams::update19_cuda(float* f, std::int64_t stride, std::int64_t count, float factor, void* stream) {
  launch<float4>(f, stride, count, factor, stream);
}
void streams::update19_cuda(double* f, std::int64_t stride, std::int64_t count, double factor, void* stream) {
  launch<double2>(f, stride, count, factor, stream);
}
void streams::disturb_cuda(double* f, std::int64_t count, void* stream) {
  launch_disturb(f, count, stream);
}
void streams::disturb_cuda(float* f, std::int64_t count, void* stream) {
  launch_disturb(f, count, stream);
}
void streams::disturb_cuda(std::uint16_t* f, std::int64_t count, void* stream) {
  launch_disturb(f, count, stream);
}
void streams::relax_cuda(float* own, const float* other, const float* right, std::int64_t count, float factor,
                         void* stream) {
  launch_relax<float4>(own, other, right, count, factor, stream);
}
void streams::relax_cuda(double* own, const double* other, const double* right, std::int64_t count,
                         double factor, void* stream) {
  launch_relax<double2>(own, other, right, count, factor, stream);
}
