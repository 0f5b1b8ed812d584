// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_MATH_HPP
#define HEDDLE_EMULATION_MATH_HPP

#include <math.h> // with libstdc++ the C++ overloads, in the global namespace, as CUDA has them

#include <cmath>

// CUDA's mathematics. What IEEE 754 fixes (+ - * / sqrt fma, min, max, rounding) is the same, bit for bit;
// exp, log, pow and their kind are the host library's and may differ from the device's in the last places.

#define HEDDLE_EMULATION_ROUNDED(T, prefix)                                                                  \
  inline T __##prefix##add_rn(T a, T b) {                                                                    \
    return a + b;                                                                                            \
  }                                                                                                          \
  inline T __##prefix##sub_rn(T a, T b) {                                                                    \
    return a - b;                                                                                            \
  }                                                                                                          \
  inline T __##prefix##mul_rn(T a, T b) {                                                                    \
    return a * b;                                                                                            \
  }                                                                                                          \
  inline T __##prefix##div_rn(T a, T b) {                                                                    \
    return a / b;                                                                                            \
  }                                                                                                          \
  inline T __##prefix##sqrt_rn(T a) {                                                                        \
    return std::sqrt(a);                                                                                     \
  }                                                                                                          \
  inline T __##prefix##rcp_rn(T a) {                                                                         \
    return T(1) / a;                                                                                         \
  }
HEDDLE_EMULATION_ROUNDED(float, f)
HEDDLE_EMULATION_ROUNDED(double, d)
#undef HEDDLE_EMULATION_ROUNDED
inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}

inline float rsqrtf(float x) {
  return 1.0f / std::sqrt(x);
}
inline float rsqrt(float x) {
  return 1.0f / std::sqrt(x);
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}

#define HEDDLE_EMULATION_MIN_MAX(T)                                                                          \
  constexpr T min(T a, T b) {                                                                                \
    return b < a ? b : a;                                                                                    \
  }                                                                                                          \
  constexpr T max(T a, T b) {                                                                                \
    return a < b ? b : a;                                                                                    \
  }
HEDDLE_EMULATION_MIN_MAX(int)
HEDDLE_EMULATION_MIN_MAX(unsigned)
HEDDLE_EMULATION_MIN_MAX(long)
HEDDLE_EMULATION_MIN_MAX(unsigned long)
HEDDLE_EMULATION_MIN_MAX(long long)
HEDDLE_EMULATION_MIN_MAX(unsigned long long)
#undef HEDDLE_EMULATION_MIN_MAX
inline float min(float a, float b) {
  return std::fmin(a, b);
}
inline float max(float a, float b) {
  return std::fmax(a, b);
}
inline double min(double a, double b) {
  return std::fmin(a, b);
}
inline double max(double a, double b) {
  return std::fmax(a, b);
}

#endif
