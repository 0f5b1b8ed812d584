// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_FIELDS_HPP
#define HEDDLE_COLUMN_PHYSICS_FIELDS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "air.hpp"
#include "constants.hpp"
#include "heddle/graph/transfers.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "options.hpp"
#include "weather.hpp"

namespace front {

/// Where the cells of a domain lie, and what is along its axes.
struct Place {
  const heddle::BlockGrid& grid;
  int rank;
  heddle::Memory memory;
  double spacing; // m

  /// A field per cell; per column (same_along 2); per level (same_along 1).
  template <class T = float>
  [[nodiscard]] heddle::Field<T> field(const char* name, int components, heddle::GhostLayers ghosts,
                                       int same_along = -1) const {
    return heddle::Field<T>(grid, {.components = components,
                                   .ghost_layers = ghosts,
                                   .memory = memory,
                                   .name = name,
                                   .rank = rank,
                                   .same_along = same_along});
  }
  /// value(n) along an axis, for the cells and a few more before and behind.
  template <class F> [[nodiscard]] heddle::Profile<float> profile(int axis, F value) const {
    std::vector<float> values;
    for (std::int64_t n = -ghost_entries; n < grid.domain().extent(axis) + ghost_entries; ++n)
      values.push_back(static_cast<float>(value(n)));
    return {grid.domain(), axis, ghost_entries, values, memory};
  }
  /// Of values per level; 0 beyond.
  [[nodiscard]] heddle::Profile<float> levels(const std::vector<double>& values) const {
    return profile(2, [&](std::int64_t k) {
      return k < 0 || k >= static_cast<std::int64_t>(values.size()) ? 0 : values[static_cast<std::size_t>(k)];
    });
  }
};

/// The order of the value on the lower face of cell n of so many, as heddle.atmosphere.advection.face_orders
/// has it: 0 on the boundary, then 2, 3, 5 up to `most`.
[[nodiscard]] double face_order(std::int64_t n, std::int64_t cells, int most);

/// Tracers that are moved together.
struct Tracers {
  Tracers(const Place& place, const std::string& suffix);
  Tracers(const Tracers&) = delete;
  Tracers& operator=(const Tracers&) = delete;

  heddle::Field<float> q;                           // at the beginning of a step
  heddle::Field<float> q_a, q_b;                    // in its stages
  heddle::HostCopy<heddle::Field<float>> q_here{q}; // for checks
};

/// The air of one rank: tracers, winds, and what the levels are made of.
struct Air : Tracers {
  /// groups: of tracers, this one and more.
  Air(const Place& place, const Weather& weather, int groups);

  [[nodiscard]] std::size_t groups() const { return 1 + more.size(); }
  [[nodiscard]] Tracers& group(std::size_t n) {
    if (n == 0) return *this;
    return *more[n - 1];
  }
  [[nodiscard]] const Tracers& group(std::size_t n) const {
    if (n == 0) return *this;
    return *more[n - 1];
  }

  std::vector<std::unique_ptr<Tracers>> more;
  heddle::Field<float> ru, rv, om, w; // mass fluxes on lower faces; upward speed, m/s
  heddle::HostCopy<heddle::Field<float>> ru_here{ru}, rv_here{rv}, om_here{om}; // for checks
  heddle::Field<float> mu;                                                      // mass of columns, Pa
  heddle::Field<float> rho, exner, pressure, height, thickness;                 // per level
  heddle::Field<float> heating;                  // by radiation, K/s of potential temperature
  heddle::Field<float> rain_fallen, snow_fallen; // mm, since the start
  heddle::Field<float> clipped; // values below 0 that the scheme of clouds has set to 0, since the start
  heddle::Field<float> scratch_1, scratch_2, scratch_3, scratch_4, scratch_5, scratch_plane;
  heddle::Field<float> freezing, melting; // what a column hands to its cells, and at which levels
  heddle::Field<std::int64_t> freezing_level, melting_level;
  double column_mass = 0;                                           // as pressure, Pa: the same everywhere
  std::vector<double> rdnw_values;                                  // 1 / thickness of levels in eta
  heddle::Profile<float> rdnw, one, zero, own_weight, below_weight; // along z
  heddle::Profile<float> order_x, order_y, order_z;
  heddle::Profile<float> u, v, ascent, mass, x_face, x_front, strength;
};

} // namespace front

#endif
