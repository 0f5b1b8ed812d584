// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_DOMAIN_HPP
#define HEDDLE_DOMAIN_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/geometry/elevation.hpp"
#include "options.hpp"
#include "units.hpp"

namespace terrain_wind {

/// The box of air: x along the wind, y to its left, z upwards; cell (i, j, k) is byte i + nx (j + ny k) of
/// `fluid`. Around the window lie margins in which the ground is drawn to one height, so that the inflow is
/// well posed and the sides can be periodic.
struct Domain {
  std::int64_t nx = 0, ny = 0, nz = 0;
  double cell = 0;
  double bottom = 0;                  ///< height of the lower face, m
  double base = 0;                    ///< height of the ground at the edges, m
  double angle = 0;                   ///< of the x axis from east, radians
  heddle::geometry::Margins margins;  ///< m
  heddle::geometry::HeightMap ground; ///< height of the ground (or of the top of the bodies), m
  std::vector<std::uint8_t> fluid;    ///< 1 air, 0 ground
  std::string title;

  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i + nx * (j + ny * k));
  }
  [[nodiscard]] bool is_fluid(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return fluid[index(i, j, k)] != 0;
  }
  /// Height of the centre of layer k, m.
  [[nodiscard]] double centre(std::int64_t k) const { return bottom + (static_cast<double>(k) + 0.5) * cell; }
  [[nodiscard]] double top() const { return bottom + static_cast<double>(nz) * cell; }
  [[nodiscard]] std::int64_t fluid_cells() const;
};

/// Reads the input and lays the grid. Throws heddle::Error: bad input, no fluid cell, too many cells.
[[nodiscard]] Domain make_domain(const Options& options);

/// First guess of the wind at a cell, m/s: the inflow on sheets that follow the ground, sigma = (z - h) /
/// (top - h), with each sheet's flux kept. It is free of divergence, and tangential to the ground and the
/// top.
[[nodiscard]] std::array<double, 3> first_guess(const Domain& domain, const LogProfile& wind, std::int64_t i,
                                                std::int64_t j, std::int64_t k);

/// What a cell beside the box of air is to a population that comes in from there.
enum class Opening {
  none,  ///< ground, or no cell beside the box
  inlet, ///< the wind is prescribed
  open,  ///< outlet and top: the pressure is prescribed, air may come and go
};

/// What lies at (x, y, z), at most one cell beside the box; the sides are periodic. Beyond a face the ground
/// goes on as it is there.
[[nodiscard]] inline Opening opening_at(const Domain& domain, const std::array<std::int64_t, 3>& cell) {
  const auto& [x, y, z] = cell;
  if (z < 0 || (x >= 0 && x < domain.nx && z < domain.nz)) return Opening::none;
  const std::int64_t i = std::clamp<std::int64_t>(x, 0, domain.nx - 1);
  const std::int64_t j = (y + domain.ny) % domain.ny;
  if (!domain.is_fluid(i, j, std::min(z, domain.nz - 1))) return Opening::none;
  return x < 0 ? Opening::inlet : Opening::open;
}

} // namespace terrain_wind

#endif
