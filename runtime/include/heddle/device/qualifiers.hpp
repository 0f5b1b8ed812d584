// SPDX-License-Identifier: MIT-0
// Functions that the host and kernels of a GPU share.
#ifndef HEDDLE_DEVICE_QUALIFIERS_HPP
#define HEDDLE_DEVICE_QUALIFIERS_HPP

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HEDDLE_HOST_DEVICE __host__ __device__
#else
#define HEDDLE_HOST_DEVICE
#endif

#endif
