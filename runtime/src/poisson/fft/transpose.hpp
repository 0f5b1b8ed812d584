// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_TRANSPOSE_HPP
#define HEDDLE_SRC_POISSON_FFT_TRANSPOSE_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle::fft {

/// Four numbers in a vector register.
template <class Real> struct FourOf;
template <> struct FourOf<float> {
  using Type = float __attribute__((vector_size(16)));
};
template <> struct FourOf<double> {
  using Type = double __attribute__((vector_size(32)));
};
template <class Real> using Four = typename FourOf<Real>::Type;

template <class Real> Four<Real> load_four(const Real* from) {
  Four<Real> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Real> void store_four(Real* to, Four<Real> value) {
  std::memcpy(to, &value, sizeof value);
}

/// v[i][j] becomes v[j][i].
template <class Real> void transpose(Four<Real> (&v)[4]) {
  const Four<Real> ab_even = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
  const Four<Real> ab_odd = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const Four<Real> cd_even = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
  const Four<Real> cd_odd = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  v[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  v[2] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  v[3] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

} // namespace heddle::fft

#endif
