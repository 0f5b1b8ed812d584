// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_PANEL_HPP
#define HEDDLE_SRC_POISSON_FFT_PANEL_HPP

#include <algorithm>
#include <complex>
#include <cstdint>

#include "butterflies.hpp"
#include "heddle/core/buffer.hpp"

namespace heddle::fft {

/// Scratch for 2 * lanes real lines of n values, pairs of which are the complex lines that a plan transforms.
/// The lines lie beside each other: value j of all of them is one row.
template <class Real> class Panel {
public:
  static constexpr std::int64_t stride = 2 * lanes;

  explicit Panel(std::int64_t n) : buffer_(n * stride, Memory::host, Buffer<Real>::Contents::undefined) {}

  [[nodiscard]] Real* data() { return buffer_.data(); }
  [[nodiscard]] Lines<Real> lines() { return {data(), data() + lanes, stride}; }
  void clear() { std::fill(data(), data() + buffer_.size(), Real{0}); }

private:
  Buffer<Real> buffer_;
};

/// The first n values of all lines; in and out may be the same.
template <class Real> void copy(Lines<Real> in, Lines<Real> out, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real re = in.re[j * in.stride + q];
      const Real im = in.im[j * in.stride + q];
      out.re[j * out.stride + q] = re;
      out.im[j * out.stride + q] = im;
    }
  }
}

/// out_j = in_j factor_j; in and out may be the same.
template <class Real>
void multiply(Lines<Real> in, Lines<Real> out, const std::complex<Real>* factor, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    const Real c = factor[j].real();
    const Real s = factor[j].imag();
    const Real* const in_re = in.re + j * in.stride;
    const Real* const in_im = in.im + j * in.stride;
    Real* const out_re = out.re + j * out.stride;
    Real* const out_im = out.im + j * out.stride;
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real re = in_re[q] * c - in_im[q] * s;
      const Real im = in_re[q] * s + in_im[q] * c;
      out_re[q] = re;
      out_im[q] = im;
    }
  }
}

} // namespace heddle::fft

#endif
