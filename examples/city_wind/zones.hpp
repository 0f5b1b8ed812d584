// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_ZONES_HPP
#define HEDDLE_CITY_WIND_ZONES_HPP

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "buildings.hpp"
#include "first_guess_sweeps.hpp"
#include "grid.hpp"
#include "sensors.hpp"

namespace city_wind {

/// Cells of the kernels' box, first <= cell < last.
struct CellBox {
  std::array<std::int64_t, 3> first{}, last{};
  [[nodiscard]] bool empty() const {
    return first[0] >= last[0] || first[1] >= last[1] || first[2] >= last[2];
  }
};

/// Which of the parameterisations are used.
struct Parameterisations {
  bool upwind = true, wake = true, canyon = true, sidewall = true, rooftop = true;
};

/// One run of a kernel of first_guess.py: what, and over which cells.
struct Zone {
  std::variant<first_guess::UpwindParameters, first_guess::WakeParameters, first_guess::CanyonParameters,
               first_guess::SidewallParameters, first_guess::RooftopParameters>
      what;
  CellBox cells;
};

/// What the buildings do to the wind, in the order in which the kernels are run: upwind zones, wakes,
/// canyons, side walls, roofs; within each the lower buildings first. `roughness`: of walls and roofs, m. The
/// number of a building in the kernels is its place in `buildings`, from 1.
[[nodiscard]] std::vector<Zone> make_zones(const Grid& grid, const Ground& ground,
                                           const std::vector<Building>& buildings, const Inflow& inflow,
                                           const Parameterisations& chosen, double roughness);

/// The columns whose centres an outline can hold.
[[nodiscard]] CellBox columns_of(const Grid& grid, const std::vector<Vec2>& outline);

} // namespace city_wind

#endif
