// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_GPU_CHECK_HPP
#define HEDDLE_CORE_GPU_CHECK_HPP

#if defined(__HIP_PLATFORM_AMD__)
#include "heddle/core/gpu/hip_names.hpp"
#else
#include <cuda_runtime.h>
#endif

#include "heddle/core/error.hpp"

namespace heddle::gpu {

/// Throws Error with the run time's own words unless `result` is success.
inline void check(cudaError_t result, const char* where, const char* hint = "") {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError(); // so that the next call does not report this failure again
  throw Error(where, cudaGetErrorString(result), hint);
}

} // namespace heddle::gpu

#endif
