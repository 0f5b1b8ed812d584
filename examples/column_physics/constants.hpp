// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_CONSTANTS_HPP
#define HEDDLE_COLUMN_PHYSICS_CONSTANTS_HPP

namespace front {

/// As in generator/heddle/atmosphere/constants.py: m s-2, J kg-1 K-1.
inline constexpr double gravity = 9.81, gas_dry = 287, heat_dry = 1004.5;
/// Of air that the formulas are for: K; water of one kind, kg/kg.
inline constexpr double coldest = 100, warmest = 400, most_water = 0.1;
/// Nest cells per cell of the coarser domain, along x and y: that of model.py. Steps per step of it, too.
inline constexpr int ratio = 3;
/// Cells of the zone along each lateral boundary: the first is set, the others are drawn towards the coarser
/// domain.
inline constexpr int zone = 5;
/// Numbers of the tracers. The last two are those of WSM5 only.
struct Tracer {
  static constexpr int theta = 0, vapour = 1, cloud = 2, rain = 3, ice = 4, snow = 5;
};
/// That a call of a kernel moves: tracer n is component n % tracers of group n / tracers.
inline constexpr int tracers = 4;
/// Ghost layers of what the limiter in one kernel reads cell by cell, and of planes and profiles.
inline constexpr int ghost_cells = 4, ghost_entries = 2;

} // namespace front

#endif
