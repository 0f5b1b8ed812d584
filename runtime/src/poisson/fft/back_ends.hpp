// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_BACK_ENDS_HPP
#define HEDDLE_SRC_POISSON_FFT_BACK_ENDS_HPP

#include <memory>

#include "heddle/poisson/plane_transform.hpp"

namespace heddle::fft {

/// Heddle's own transform: lines along x through panels of transposed rows, lines along y where they are,
/// vectors across lines in both. It needs no padding: of a real line of n numbers there are n real numbers
/// that matter.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>> make_generated_transform(const PlaneShape& shape);

/// FFTW's two-dimensional plans, one plane at a time. Throws Error where the library cannot be opened.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>> make_fftw_transform(const PlaneShape& shape);

/// cuFFT on the current device. With CUDA.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>> make_cufft_transform(const PlaneShape& shape);

} // namespace heddle::fft

#endif
