// SPDX-License-Identifier: MIT-0
// What a step on moments may have around its cells and in them: walls at sides of the box, a force,
// a rate of the trace.
#ifndef HEDDLE_DEVICE_MOMENT_BOX_HPP
#define HEDDLE_DEVICE_MOMENT_BOX_HPP

#include <cstdint>

namespace heddle {

/// No walls: the ghost layer holds what arrives from outside the box.
struct NoWalls {};

/// Half-way no-slip walls at sides of the box: the sum of 1 west, 2 east, 4 south, 8 north, 16
/// bottom, 32 top, as kernels with Dense(walls=...) take it. The ghost layer behind a wall is not
/// read. lid_x, lid_y: velocity of the top, if there is a wall, in cells per step; links that lead
/// through a wall at a side as well come from there, at rest.
struct BoxWalls {
  std::uint32_t sides = 0;
  float lid_x = 0;
  float lid_y = 0;
};

/// No force, and one rate for the whole stress.
struct Undriven {};

/// A force on each cell, per volume, by Guo's scheme, and the rate of the trace of the stress, as
/// lbm.Regularised takes them.
struct Driven {
  float force_x = 0;
  float force_y = 0;
  float force_z = 0;
  float omega_bulk = 1;
};

namespace detail {

/// What a step takes of a Driven, in the unit of the stress: F / 2, (1 - omega / 2) F and (omega -
/// omega_bulk) / 3.
struct Push {
  float half_x, half_y, half_z;
  float guo_x, guo_y, guo_z;
  float gap;
};
inline Push push(const Driven& drive, float omega, float unit) {
  const float guo = (1.0F - 0.5F * omega) * unit;
  const float half = 0.5F * unit;
  return {half * drive.force_x,
          half * drive.force_y,
          half * drive.force_z,
          guo * drive.force_x,
          guo * drive.force_y,
          guo * drive.force_z,
          (omega - drive.omega_bulk) / 3.0F};
}
inline Undriven push(Undriven none, float, float) {
  return none;
}

}  // namespace detail

}  // namespace heddle

#endif
