// SPDX-License-Identifier: MIT-0
// Functions that host and CUDA kernels share.
#ifndef HEDDLE_DEVICE_QUALIFIERS_HPP
#define HEDDLE_DEVICE_QUALIFIERS_HPP

#if defined(__CUDACC__)
#define HEDDLE_HOST_DEVICE __host__ __device__
#else
#define HEDDLE_HOST_DEVICE
#endif

#endif
