// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_BUTTERFLIES_HPP
#define HEDDLE_SRC_POISSON_FFT_BUTTERFLIES_HPP

#include <array>
#include <cstdint>

namespace heddle::fft {

/// Lines that are transformed together, one a vector lane.
inline constexpr std::int64_t lanes = 8;

/// Complex values of `lanes` lines: value j of line q is re[j * stride + q] + i im[j * stride + q].
template <class Real> struct Lines {
  Real* re;
  Real* im;
  std::int64_t stride;

  /// The same values times i, conjugated: a forward transform of these, read in the same way, is the inverse
  /// transform.
  [[nodiscard]] Lines exchanged() const { return {im, re, stride}; }
};

/// The radices there are butterflies for, those that plans like best first.
inline constexpr std::array<int, 9> radices = {16, 8, 4, 13, 11, 7, 5, 3, 2};

/// One pass (see generator/heddle/fft/kernels.py) of `radix` over `groups` = m times `beside` = s transforms.
/// twiddles: 2 (radix - 1) tables of `groups` numbers, of w1 the imaginary part, the real part, of w2 …; null
/// in the last pass, where m is 1. in and out share nothing.
template <class Real>
void butterflies(int radix, std::int64_t groups, std::int64_t beside, Lines<const Real> in, Lines<Real> out,
                 const Real* twiddles);

} // namespace heddle::fft

#endif
