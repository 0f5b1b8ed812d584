// SPDX-License-Identifier: Apache-2.0
// The functions of <cmath> by the number of their arguments.
#ifndef HEDDLE_SHIM_MATH_FUNCTIONS_H
#define HEDDLE_SHIM_MATH_FUNCTIONS_H
#pragma GCC system_header

// clang-format off: it does not lay out such lists twice in the same way
#define HEDDLE_SHIM_UNARY(APPLY)                                                                             \
  APPLY(acos) APPLY(acosh) APPLY(asin) APPLY(asinh) APPLY(atan) APPLY(atanh) APPLY(cbrt) APPLY(ceil)         \
  APPLY(cos) APPLY(cosh) APPLY(erf) APPLY(erfc) APPLY(exp) APPLY(exp2) APPLY(expm1) APPLY(fabs) APPLY(floor) \
  APPLY(lgamma) APPLY(log) APPLY(log10) APPLY(log1p) APPLY(log2) APPLY(logb) APPLY(nearbyint) APPLY(rint)    \
  APPLY(round) APPLY(sin) APPLY(sinh) APPLY(sqrt) APPLY(tan) APPLY(tanh) APPLY(tgamma) APPLY(trunc)
#define HEDDLE_SHIM_BINARY(APPLY)                                                                            \
  APPLY(atan2) APPLY(copysign) APPLY(fdim) APPLY(fmax) APPLY(fmin) APPLY(fmod) APPLY(hypot) APPLY(nextafter) \
  APPLY(pow) APPLY(remainder)
// clang-format on

#endif
