// SPDX-License-Identifier: MIT-0
// Functions that the host and kernels of a GPU share.
#ifndef HEDDLE_DEVICE_QUALIFIERS_HPP
#define HEDDLE_DEVICE_QUALIFIERS_HPP

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HEDDLE_HOST_DEVICE __host__ __device__
#else
#define HEDDLE_HOST_DEVICE
#endif

// For long functions that belong into the loop that calls them: a loop with calls has no vectors.
#if defined(__GNUC__)
#define HEDDLE_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define HEDDLE_ALWAYS_INLINE inline
#endif

#endif
