// SPDX-License-Identifier: Apache-2.0
// Time on a CUDA device, between two events.
#ifndef HEDDLE_BENCHMARKS_CUDA_TIMER_HPP
#define HEDDLE_BENCHMARKS_CUDA_TIMER_HPP

#include <cuda_runtime.h>

#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"

namespace bench {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw heddle::Error("heddle-bench", cudaGetErrorString(error));
  }
}

/// Seconds of one of five calls.
template <typename F> double cuda_seconds(heddle::Stream& stream, F&& work) {
  constexpr int repeats = 5;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  auto* const native = static_cast<cudaStream_t>(stream.native());
  check(cudaEventRecord(begin, native));
  for (int i = 0; i < repeats; ++i) {
    work();
  }
  check(cudaEventRecord(end, native));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return static_cast<double>(milliseconds) * 1e-3 / repeats;
}

} // namespace bench

#endif
