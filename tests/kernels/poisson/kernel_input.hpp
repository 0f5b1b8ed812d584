// SPDX-License-Identifier: Apache-2.0
// What the tests of the solver's CUDA kernels start from.
#ifndef HEDDLE_TESTS_POISSON_KERNEL_INPUT_HPP
#define HEDDLE_TESTS_POISSON_KERNEL_INPUT_HPP

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "../../support/noise.hpp"

namespace test {

/// Numbers without pattern; others for another seed.
template <class Real> std::vector<Real> noisy(std::int64_t count, std::int64_t seed = 0) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<Real>(noise(i + seed)));
  return values;
}

/// Real and imaginary parts of exp(-2 pi i k / n).
template <class Real> std::vector<Real> waves(std::int64_t n) {
  std::vector<Real> values;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double angle =
        -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    values.push_back(static_cast<Real>(std::cos(angle)));
    values.push_back(static_cast<Real>(std::sin(angle)));
  }
  return values;
}

} // namespace test

#endif
