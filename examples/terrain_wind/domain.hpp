// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_DOMAIN_HPP
#define HEDDLE_DOMAIN_HPP

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

/// Cells at the open faces, with the populations that come in there.
struct BoundaryCells {
  std::vector<std::int64_t> cell;        ///< position in `Domain::fluid`
  std::vector<std::uint32_t> directions; ///< bit q: population q comes in
};

struct Boundaries {
  BoundaryCells inlet; ///< the wind is prescribed
  BoundaryCells open;  ///< outlet and top: the pressure is prescribed, air may come and go
};

/// Sorts the incoming populations of the open faces; `velocities` are the lattice's directions. A direction
/// that comes out of the ground beyond a face is a wall, not an opening.
[[nodiscard]] Boundaries find_boundaries(const Domain& domain,
                                         const std::vector<std::array<int, 3>>& velocities);

} // namespace terrain_wind

#endif
