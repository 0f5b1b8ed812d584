// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of the device side, global and in std. They stand beside those of the host,
// whichever <cmath> those come from.
#ifndef HEDDLE_SHIM_MATHEMATICS_HPP
#define HEDDLE_SHIM_MATHEMATICS_HPP
#pragma GCC system_header

#include "../detail/functions.h"
#include "../detail/promotion.h"

#define HEDDLE_SHIM_DECLARE(name)                                                                            \
  __device__ double name(double x) noexcept;                                                                 \
  __device__ float name##f(float x) noexcept;
HEDDLE_SHIM_UNARY(HEDDLE_SHIM_DECLARE)
#undef HEDDLE_SHIM_DECLARE
#define HEDDLE_SHIM_DECLARE(name)                                                                            \
  __device__ double name(double x, double y) noexcept;                                                       \
  __device__ float name##f(float x, float y) noexcept;
HEDDLE_SHIM_BINARY(HEDDLE_SHIM_DECLARE)
#undef HEDDLE_SHIM_DECLARE
__device__ double fma(double x, double y, double z) noexcept;
__device__ float fmaf(float x, float y, float z) noexcept;
__device__ double ldexp(double x, int exponent) noexcept;
__device__ float ldexpf(float x, int exponent) noexcept;
__device__ int abs(int n) noexcept;
#define HEDDLE_SHIM_SIDE __device__
#include "../detail/overloads.h"
#undef HEDDLE_SHIM_SIDE

namespace std {
#define HEDDLE_SHIM_USE(name) using ::name;
HEDDLE_SHIM_UNARY(HEDDLE_SHIM_USE)
HEDDLE_SHIM_BINARY(HEDDLE_SHIM_USE)
HEDDLE_SHIM_USE(fma)
HEDDLE_SHIM_USE(ldexp)
HEDDLE_SHIM_USE(abs)
HEDDLE_SHIM_USE(isfinite)
HEDDLE_SHIM_USE(isinf)
HEDDLE_SHIM_USE(isnan)
HEDDLE_SHIM_USE(signbit)
#undef HEDDLE_SHIM_USE
} // namespace std

__device__ float rsqrtf(float x);
__device__ double rsqrt(double x);
__device__ float rsqrt(float x);

#endif
