// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_BOUNDARY_LINKS_HPP
#define HEDDLE_SPARSE_BOUNDARY_LINKS_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "heddle/sparse/index_list.hpp"

namespace heddle {

/// The entries of a boundary sweep over a list: cells, and which of their populations come in.
struct BoundaryLinks {
  std::vector<std::uint32_t> cells; ///< [entries]: numbers in the list, ascending
  std::vector<std::uint32_t> mask;  ///< [entries]: bit q where f_q comes in
};

/// The links through one flat side of the domain, such as an inlet or an outlet: of the list's own cells,
/// those by which a population comes in across that side and across no other. Links through the edges and
/// corners of the domain belong to the walls beside it: they stay with the neighbour table of the list.
/// `side`: the outward normal, (-1, 0, 0) for west. `velocities`: in the order of the lattice, components -1,
/// 0 or 1. `periodic`: of the domain. Throws Error for a side that is no direction of an axis or that is
/// periodic, and for more velocities than the 32 that a mask has bits for.
///
///     const BoundaryLinks inlet = links_through_side(list, {-1, 0, 0}, velocities, periodic);
///     const Buffer<std::uint32_t> cells{std::span(inlet.cells)}, mask{std::span(inlet.mask)};
[[nodiscard]] BoundaryLinks links_through_side(const IndexList& list, const std::array<int, 3>& side,
                                               std::span<const std::array<int, 3>> velocities,
                                               const std::array<bool, 3>& periodic);

namespace detail {

/// Calls row(y, z, found) for the rows of a list's box, from several threads, and sorts what they append to
/// `found`: numbers of cells, and masks, of which it clears the bit of the velocity 0. Throws Error for more
/// than 32 velocities.
[[nodiscard]] BoundaryLinks
links_of_rows(const IndexList& list, std::span<const std::array<int, 3>> velocities,
              const std::function<void(std::int64_t, std::int64_t,
                                       std::vector<std::pair<std::uint32_t, std::uint32_t>>&)>& row);

} // namespace detail

/// The links to the cells for which `outside` holds: f_q comes in where it holds of the cell at -c_q, in
/// coordinates of the domain, beyond its faces too (no axis is taken around). For openings that are not a
/// whole side. outside(cell), of a std::array<std::int64_t, 3>, is called from several threads. Throws Error
/// for more than 32 velocities.
///
///     const BoundaryLinks window = links_to(list, velocities, [&](const auto& cell) {
///       return cell[0] < 0 && cell[2] >= sill && cell[2] < lintel;
///     });
template <class F>
[[nodiscard]] BoundaryLinks links_to(const IndexList& list, std::span<const std::array<int, 3>> velocities,
                                     const F& outside) {
  return detail::links_of_rows(list, velocities, [&](std::int64_t y, std::int64_t z, auto& found) {
    list.for_row(y, z, [&](std::int64_t n, std::int64_t x) {
      std::uint32_t mask = 0, bit = 1;
      for (const auto& [c_x, c_y, c_z] : velocities) {
        if (outside(std::array{x - c_x, y - c_y, z - c_z})) mask |= bit;
        bit <<= 1U;
      }
      if (mask != 0) found.emplace_back(static_cast<std::uint32_t>(n), mask);
    });
  });
}

/// [axis][entries]: the centres of cells of a list, in cells of the domain: 1/2 for the first one. The fields
/// `centre_x`, `centre_y`, `centre_z` of a wall velocity that is a function of the place.
[[nodiscard]] std::array<std::vector<double>, 3> cell_centres(const IndexList& list,
                                                              std::span<const std::uint32_t> cells);

/// [velocities][entries]: c.u with the velocity u of the wall where the link along c meets it: the fields
/// `u_e`, `u_w` and so on of lbm::PerLink("u"); 0 for links that `mask` does not name. `centres`: as from
/// cell_centres, or of the cells of geometry::BodyLinks. `mask`: bit q where f_q comes in, against c_q.
/// `distance`: [velocities][entries], as of geometry::WallLinks; empty: walls half-way on each link. `wall`:
/// the velocity at a place. Throws Error where sizes differ, or a velocity has no opposite.
///
///     const auto turning = [&](const std::array<double, 3>& at) {
///       return std::array{-rate * (at[1] - centre[1]), rate * (at[0] - centre[0]), 0.0};
///     };
///     const auto speeds = link_velocities(cell_centres(list, walls.cells), walls.mask, walls.distance,
///                                         velocities, turning);
///     const Buffer<float> west = geometry::entry_values<float>(speeds[2]); // u_w
[[nodiscard]] std::vector<std::vector<double>>
link_velocities(const std::array<std::vector<double>, 3>& centres, std::span<const std::uint32_t> mask,
                std::span<const std::vector<double>> distance, std::span<const std::array<int, 3>> velocities,
                const std::function<std::array<double, 3>(const std::array<double, 3>&)>& wall);

} // namespace heddle

#endif
