// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_MODE_NUMBERS_HPP
#define HEDDLE_SRC_POISSON_FFT_MODE_NUMBERS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/poisson/plane_transform.hpp"

namespace heddle::fft {

/// The mode at each of n places: of dft in half-complex order (real parts up, imaginary parts down), or of a
/// complex line, which has mode -l in place n - l; of other kinds in their own order.
inline std::vector<std::int64_t> half_complex_modes(TransformKind kind, std::int64_t n) {
  std::vector<std::int64_t> modes;
  modes.reserve(static_cast<std::size_t>(n));
  for (std::int64_t p = 0; p < n; ++p) {
    modes.push_back(kind == TransformKind::dft ? std::min(p, n - p) : p);
  }
  return modes;
}

/// The same with real parts 0 … n/2 first and imaginary parts 1 … behind them.
inline std::vector<std::int64_t> split_modes(std::int64_t n) {
  std::vector<std::int64_t> modes;
  modes.reserve(static_cast<std::size_t>(n));
  for (std::int64_t p = 0; p < n; ++p)
    modes.push_back(p <= n / 2 ? p : p - n / 2);
  return modes;
}

/// The same with real and imaginary parts side by side: the columns of complex numbers of modes 0 … n/2. A
/// column has numbers in both parts even where every line that comes out of a real one is real.
inline std::vector<std::int64_t> interleaved_columns(std::int64_t n) {
  std::vector<std::int64_t> modes;
  for (std::int64_t l = 0; l <= n / 2; ++l)
    modes.insert(modes.end(), 2, l);
  return modes;
}

} // namespace heddle::fft

#endif
