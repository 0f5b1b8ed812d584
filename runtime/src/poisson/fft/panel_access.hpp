// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_PANEL_ACCESS_HPP
#define HEDDLE_SRC_POISSON_FFT_PANEL_ACCESS_HPP

#include <algorithm>
#include <cstdint>

#include "line_transform.hpp"
#include "panel.hpp"
#include "transpose.hpp"

namespace heddle::fft {

/// Columns of a plane, 2 * lanes beside each other: value j of a line in row j of the plane.
/// count: how many there are; lanes beyond are not touched in the plane, and 0 in the panel.
template <class Real>
void load_columns(const Real* first, std::int64_t pitch, std::int64_t count, const Placement<Real>& place,
                  Real* panel) {
  constexpr std::int64_t width = Panel<Real>::stride;
  const auto n = static_cast<std::int64_t>(place.row.size());
  for (std::int64_t j = 0; j < n; ++j) {
    const Real* const from = first + j * pitch;
    const Real sign = place.sign[static_cast<std::size_t>(j)];
    Real* const to = panel + place.row[static_cast<std::size_t>(j)] * width;
    if (count == width) {
#pragma omp simd
      for (std::int64_t q = 0; q < width; ++q)
        to[q] = sign * from[q];
    } else {
      for (std::int64_t q = 0; q < count; ++q)
        to[q] = sign * from[q];
      std::fill(to + count, to + width, Real{0});
    }
  }
}

template <class Real>
void store_columns(const Real* panel, const Placement<Real>& place, Real* first, std::int64_t pitch,
                   std::int64_t count) {
  constexpr std::int64_t width = Panel<Real>::stride;
  const auto n = static_cast<std::int64_t>(place.row.size());
  for (std::int64_t j = 0; j < n; ++j) {
    Real* const to = first + j * pitch;
    const Real sign = place.sign[static_cast<std::size_t>(j)];
    const Real* const from = panel + place.row[static_cast<std::size_t>(j)] * width;
    if (count == width) {
#pragma omp simd
      for (std::int64_t q = 0; q < width; ++q)
        to[q] = sign * from[q];
    } else {
      for (std::int64_t q = 0; q < count; ++q)
        to[q] = sign * from[q];
    }
  }
}

/// Rows of a plane, `count` of at most 2 * lanes: value j of a line in column j. Blocks of four rows and
/// columns are transposed in registers, eight columns of all rows at a time, which is a cache line each; what
/// is left beside the blocks goes one by one.
template <class Real>
void load_rows(const Real* first, std::int64_t pitch, std::int64_t count, const Placement<Real>& place,
               Real* panel) {
  constexpr std::int64_t width = Panel<Real>::stride;
  const auto n = static_cast<std::int64_t>(place.row.size());
  const std::int64_t* const row = place.row.data();
  const Real* const sign = place.sign.data();
  const std::int64_t columns = n - n % 4;
  const std::int64_t rows = count - count % 4;
  for (std::int64_t j = 0; j < columns; j += 8) {
    for (std::int64_t q = 0; q < rows; q += 4) {
      for (std::int64_t b = j; b < std::min(j + 8, columns); b += 4) {
        Four<Real> v[4];
        for (std::int64_t i = 0; i < 4; ++i)
          v[i] = load_four(first + (q + i) * pitch + b);
        transpose<Real>(v);
        for (std::int64_t i = 0; i < 4; ++i)
          store_four(panel + row[b + i] * width + q, v[i] * sign[b + i]);
      }
    }
  }
  for (std::int64_t j = count < width ? 0 : columns; j < n; ++j) {
    Real* const to = panel + row[j] * width;
    for (std::int64_t q = j < columns ? rows : 0; q < count; ++q)
      to[q] = sign[j] * first[q * pitch + j];
    std::fill(to + count, to + width, Real{0});
  }
}

template <class Real>
void store_rows(const Real* panel, const Placement<Real>& place, Real* first, std::int64_t pitch,
                std::int64_t count) {
  constexpr std::int64_t width = Panel<Real>::stride;
  const auto n = static_cast<std::int64_t>(place.row.size());
  const std::int64_t* const row = place.row.data();
  const Real* const sign = place.sign.data();
  const std::int64_t columns = n - n % 4;
  const std::int64_t rows = count - count % 4;
  for (std::int64_t j = 0; j < columns; j += 8) {
    for (std::int64_t q = 0; q < rows; q += 4) {
      for (std::int64_t b = j; b < std::min(j + 8, columns); b += 4) {
        Four<Real> v[4];
        for (std::int64_t i = 0; i < 4; ++i)
          v[i] = load_four(panel + row[b + i] * width + q) * sign[b + i];
        transpose<Real>(v);
        for (std::int64_t i = 0; i < 4; ++i)
          store_four(first + (q + i) * pitch + b, v[i]);
      }
    }
  }
  for (std::int64_t j = rows < count ? 0 : columns; j < n; ++j) {
    const Real* const from = panel + row[j] * width;
    for (std::int64_t q = j < columns ? rows : 0; q < count; ++q)
      first[q * pitch + j] = sign[j] * from[q];
  }
}

} // namespace heddle::fft

#endif
