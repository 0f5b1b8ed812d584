// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_DEVICE_LAUNCH_HPP
#define HEDDLE_SRC_POISSON_DEVICE_LAUNCH_HPP

#include <cstdint>

#include "heddle/poisson/periodic_flow.hpp"

/// The hand-written kernels of the solver: each call puts one into a stream and returns heddle::ok or
/// heddle::launch_failed.
namespace heddle::device {

/// Columns in memory. Lengths in reals.
template <class Real> struct ColumnArguments {
  Real* field;
  std::int64_t places, rows, row_pitch, plane_pitch; // places: of a row
  int levels;
  bool periodic;
  bool paired; // places 2i and 2i + 1 have one lambda; then places, the pitches and the field are even
  const Real* lambda_x;
  const Real* lambda_y;
  const Real* levels_table; // lower, upper, density, excess of each level
  Real* lowest = nullptr;   // if not null: the field stays as it is, and only the lowest and the highest
  Real* highest = nullptr; // unknowns of columns that are not periodic are stored, in planes like the field's
};

/// The most levels that fit into registers.
inline constexpr int most_levels = 512;
template <class Real> int solve_columns(const ColumnArguments<Real>& arguments, void* stream);

/// Planes of the periodic transform in memory: rows of nx reals, or nx / 2 + 1 pairs. Lengths in reals,
/// pitches even.
template <class Real> struct PlaneArguments {
  Real* field;
  std::int64_t nx, ny, planes, row_pitch, plane_pitch;
  const Real* wave_x; // pairs exp(-2 pi i k / nx)
  const Real* wave_y;
  Real scale; // of the inverse
};

/// Whether there are kernels for a direction of n.
[[nodiscard]] bool transforms(std::int64_t n);
template <class Real> int transform_x(bool inverse, const PlaneArguments<Real>& arguments, void* stream);
template <class Real> int transform_y(bool inverse, const PlaneArguments<Real>& arguments, void* stream);

/// transform_x of the divergence over the step, forward, and back with the correction of the velocity, which
/// leaves the waves in the field.
template <class Real>
int divergence_x(const PlaneArguments<Real>& arguments, const PeriodicFlow<Real>& flow, void* stream);
template <class Real>
int correction_x(const PlaneArguments<Real>& arguments, const PeriodicFlow<Real>& flow, void* stream);

} // namespace heddle::device

#endif
