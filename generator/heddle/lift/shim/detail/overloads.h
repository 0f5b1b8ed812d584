// SPDX-License-Identifier: Apache-2.0
// The overloads that C++ adds: of float and long double, and of integers, which count as double. Included in
// namespace std, and for CUDA's device side there and in the global one; so no include guard.
// HEDDLE_SHIM_SIDE: the side.

#define HEDDLE_SHIM_OVERLOAD(name)                                                                           \
  HEDDLE_SHIM_SIDE float name(float x) noexcept;                                                             \
  HEDDLE_SHIM_SIDE long double name(long double x) noexcept;                                                 \
  template <typename T> HEDDLE_SHIM_SIDE typename heddle_shim::Promoted<T>::type name(T x) noexcept;
HEDDLE_SHIM_UNARY(HEDDLE_SHIM_OVERLOAD)
#undef HEDDLE_SHIM_OVERLOAD
#define HEDDLE_SHIM_OVERLOAD(name)                                                                           \
  HEDDLE_SHIM_SIDE float name(float x, float y) noexcept;                                                    \
  HEDDLE_SHIM_SIDE long double name(long double x, long double y) noexcept;                                  \
  template <typename T, typename U>                                                                          \
  HEDDLE_SHIM_SIDE typename heddle_shim::Common<T, U>::type name(T x, U y) noexcept;
HEDDLE_SHIM_BINARY(HEDDLE_SHIM_OVERLOAD)
#undef HEDDLE_SHIM_OVERLOAD
HEDDLE_SHIM_SIDE float fma(float x, float y, float z) noexcept;
HEDDLE_SHIM_SIDE long double fma(long double x, long double y, long double z) noexcept;
template <typename T, typename U, typename V>
HEDDLE_SHIM_SIDE typename heddle_shim::Common<typename heddle_shim::Common<T, U>::type, V>::type
fma(T x, U y, V z) noexcept;
HEDDLE_SHIM_SIDE float ldexp(float x, int exponent) noexcept;
HEDDLE_SHIM_SIDE long abs(long n) noexcept;
HEDDLE_SHIM_SIDE long long abs(long long n) noexcept;
HEDDLE_SHIM_SIDE float abs(float x) noexcept;
HEDDLE_SHIM_SIDE double abs(double x) noexcept;
HEDDLE_SHIM_SIDE long double abs(long double x) noexcept;
HEDDLE_SHIM_SIDE bool isfinite(float x) noexcept;
HEDDLE_SHIM_SIDE bool isfinite(double x) noexcept;
HEDDLE_SHIM_SIDE bool isinf(float x) noexcept;
HEDDLE_SHIM_SIDE bool isinf(double x) noexcept;
HEDDLE_SHIM_SIDE bool isnan(float x) noexcept;
HEDDLE_SHIM_SIDE bool isnan(double x) noexcept;
HEDDLE_SHIM_SIDE bool signbit(float x) noexcept;
HEDDLE_SHIM_SIDE bool signbit(double x) noexcept;
