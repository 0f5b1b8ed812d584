// SPDX-License-Identifier: Apache-2.0
// In which type <cmath> calculates: integers count as double, mixed arguments as the largest.
#ifndef HEDDLE_SHIM_PROMOTION_H
#define HEDDLE_SHIM_PROMOTION_H
#pragma GCC system_header

namespace heddle_shim {

// Only integers; the types of floats have their own overloads.
template <typename T> struct Promoted {};
#define HEDDLE_SHIM_INTEGER(T)                                                                               \
  template <> struct Promoted<T> {                                                                           \
    using type = double;                                                                                     \
  };
HEDDLE_SHIM_INTEGER(bool)
HEDDLE_SHIM_INTEGER(char)
HEDDLE_SHIM_INTEGER(signed char)
HEDDLE_SHIM_INTEGER(unsigned char)
HEDDLE_SHIM_INTEGER(short)
HEDDLE_SHIM_INTEGER(unsigned short)
HEDDLE_SHIM_INTEGER(int)
HEDDLE_SHIM_INTEGER(unsigned)
HEDDLE_SHIM_INTEGER(long)
HEDDLE_SHIM_INTEGER(unsigned long)
HEDDLE_SHIM_INTEGER(long long)
HEDDLE_SHIM_INTEGER(unsigned long long)
#undef HEDDLE_SHIM_INTEGER

template <typename T> struct Floating : Promoted<T> {};
template <> struct Floating<float> {
  using type = float;
};
template <> struct Floating<double> {
  using type = double;
};
template <> struct Floating<long double> {
  using type = long double;
};

template <typename T, typename U> struct Common {
  using type = decltype(typename Floating<T>::type() + typename Floating<U>::type());
};

} // namespace heddle_shim

#endif
