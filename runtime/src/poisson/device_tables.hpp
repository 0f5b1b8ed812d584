// SPDX-License-Identifier: Apache-2.0
// Tables of the solver on the device.
#ifndef HEDDLE_SRC_POISSON_DEVICE_TABLES_HPP
#define HEDDLE_SRC_POISSON_DEVICE_TABLES_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/poisson/poisson_problem.hpp"

namespace heddle {

/// Every `step`th value.
template <class Real> Buffer<Real> on_device(const std::vector<double>& values, std::size_t step = 1) {
  std::vector<Real> rounded;
  for (std::size_t i = 0; i < values.size(); i += step)
    rounded.push_back(static_cast<Real>(values[i]));
  return Buffer<Real>(std::span<const Real>(rounded), Memory::device);
}

/// lower, upper, density, excess of each level.
template <class Real> Buffer<Real> level_table(const ColumnCoefficients& rows) {
  std::vector<double> table;
  for (std::size_t k = 0; k < rows.lower.size(); ++k)
    for (const auto* profile : {&rows.lower, &rows.upper, &rows.density, &rows.excess})
      table.push_back((*profile)[k]);
  return on_device<Real>(table);
}

/// exp(-2 pi i k / n) for k < n, as pairs.
template <class Real> Buffer<Real> wave_table(std::int64_t n) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * (static_cast<double>(k) / static_cast<double>(n));
    values.push_back(std::cos(angle));
    values.push_back(-std::sin(angle));
  }
  return on_device<Real>(values);
}

} // namespace heddle

#endif
