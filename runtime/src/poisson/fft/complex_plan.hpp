// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_COMPLEX_PLAN_HPP
#define HEDDLE_SRC_POISSON_FFT_COMPLEX_PLAN_HPP

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "butterflies.hpp"

namespace heddle::fft {

/// exp(-2 pi i k / n), rounded once; k may be any number.
template <class Real> [[nodiscard]] std::complex<Real> root_of_unity(std::int64_t k, std::int64_t n);

/// The discrete Fourier transform Z_k = sum_j z_j exp(-2 pi i j k / n), without a factor, of `lanes` lines.
///
/// n with prime factors up to 13: Stockham's passes, in natural order and out of place. Any other n:
/// Bluestein's convolution (IEEE Trans. Audio Electroacoust. 18, 1970) with transforms of a length that has
/// such factors only.
template <class Real> class ComplexPlan {
public:
  /// n >= 1.
  explicit ComplexPlan(std::int64_t n);

  [[nodiscard]] std::int64_t size() const { return n_; }
  /// The radices of the passes, in their order; for Bluestein's transform those of the convolution.
  [[nodiscard]] const std::vector<int>& radices() const;
  /// Whether n has butterflies of its own.
  [[nodiscard]] bool direct() const { return !long_; }
  /// Numbers of scratch that run needs, 64-byte aligned.
  [[nodiscard]] std::int64_t work() const;
  /// out = transform of in; both may be the same. The values of in may be lost.
  void run(Lines<Real> in, Lines<Real> out, Real* work) const;

private:
  struct Pass {
    int radix;
    std::int64_t groups;
    std::int64_t beside;
    std::vector<Real> twiddles; // empty in the last pass
  };

  void passes(Lines<Real> in, Lines<Real> out, Real* work) const;
  void convolve(Lines<Real> in, Lines<Real> out, Real* work) const;

  std::int64_t n_;
  std::vector<int> radices_;
  std::vector<Pass> passes_;
  std::unique_ptr<ComplexPlan> long_;         // Bluestein's
  std::vector<std::complex<Real>> chirp_;     // exp(-i pi j^2 / n)
  std::vector<std::complex<Real>> convolved_; // transform of its conjugate, over the length
};

} // namespace heddle::fft

#endif
