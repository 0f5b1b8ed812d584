// SPDX-License-Identifier: Apache-2.0
// The C library's part of <cmath>: functions of double, those of float with an f, and the macros.
#ifndef HEDDLE_SHIM_MATH_H
#define HEDDLE_SHIM_MATH_H
#pragma GCC system_header

#include "../detail/functions.h"

#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

typedef float float_t;
typedef double double_t;

extern "C" {
#define HEDDLE_SHIM_DECLARE(name)                                                                            \
  double name(double x) noexcept;                                                                            \
  float name##f(float x) noexcept;
HEDDLE_SHIM_UNARY(HEDDLE_SHIM_DECLARE)
#undef HEDDLE_SHIM_DECLARE
#define HEDDLE_SHIM_DECLARE(name)                                                                            \
  double name(double x, double y) noexcept;                                                                  \
  float name##f(float x, float y) noexcept;
HEDDLE_SHIM_BINARY(HEDDLE_SHIM_DECLARE)
#undef HEDDLE_SHIM_DECLARE
double fma(double x, double y, double z) noexcept;
float fmaf(float x, float y, float z) noexcept;
double ldexp(double x, int exponent) noexcept;
float ldexpf(float x, int exponent) noexcept;
int abs(int n) noexcept;
long labs(long n) noexcept;
long long llabs(long long n) noexcept;
}

#endif
