// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_GPU_CUDA_CHECK_HPP
#define HEDDLE_CORE_GPU_CUDA_CHECK_HPP

#include <cuda_runtime.h>

#include "heddle/core/error.hpp"

namespace heddle::cuda {

/// Throws Error with CUDA's own words unless `result` is success.
inline void check(cudaError_t result, const char* where, const char* hint = "") {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError(); // so that the next call does not report this failure again
  throw Error(where, cudaGetErrorString(result), hint);
}

} // namespace heddle::cuda

#endif
