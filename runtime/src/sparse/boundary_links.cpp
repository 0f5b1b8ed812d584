// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/boundary_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"

namespace heddle {
namespace {

using Cell = std::array<std::int64_t, 3>;
using Velocity = std::array<int, 3>;

void check_count(std::span<const Velocity> velocities, const char* where) {
  if (velocities.size() > 32)
    throw Error(
        where, "a mask has 32 bits, but the lattice has " + std::to_string(velocities.size()) + " velocities",
        "give the velocities of one lattice, in its order");
}

/// The axis of an outward normal. Throws Error for what is none, and for a periodic axis.
std::size_t axis_of(const Velocity& side, const std::array<bool, 3>& periodic) {
  const std::string text =
      "(" + std::to_string(side[0]) + ", " + std::to_string(side[1]) + ", " + std::to_string(side[2]) + ")";
  if (std::abs(side[0]) + std::abs(side[1]) + std::abs(side[2]) != 1)
    throw Error("links_through_side", text + " is not the outward normal of a side",
                "give one of -1 and 1 for one axis and 0 for the others, (-1, 0, 0) for west");
  const auto axis =
      static_cast<std::size_t>(std::ranges::find_if(side, [](int d) { return d != 0; }) - side.begin());
  if (periodic[axis])
    throw Error("links_through_side", "the domain is periodic across the side " + text,
                "leave out the boundary, or make that axis not periodic");
  return axis;
}

/// The number of the velocity against one of them. Throws Error where there is none.
std::size_t opposite(std::span<const Velocity> velocities, std::size_t q) {
  const Velocity& c = velocities[q];
  const auto found = std::ranges::find(velocities, Velocity{-c[0], -c[1], -c[2]});
  if (found == velocities.end())
    throw Error("link_velocities", "velocity " + std::to_string(q) + " has no opposite",
                "give the velocities of one lattice, in its order");
  return static_cast<std::size_t>(found - velocities.begin());
}

} // namespace

BoundaryLinks
detail::links_of_rows(const IndexList& list, std::span<const Velocity> velocities,
                      const std::function<void(std::int64_t, std::int64_t,
                                               std::vector<std::pair<std::uint32_t, std::uint32_t>>&)>& row) {
  check_count(velocities, "links_to");
  const Box& box = list.box();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  std::mutex mutex;
  parallel_ranges(box.extent(1) * box.extent(2), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> here;
    for (std::int64_t r = first; r < last; ++r)
      row(box.lower[1] + r % box.extent(1), box.lower[2] + r / box.extent(1), here);
    const std::scoped_lock lock(mutex);
    found.insert(found.end(), here.begin(), here.end());
  });
  std::ranges::sort(found); // whichever thread came first
  std::uint32_t moving = 0;
  for (std::size_t q = 0; q < velocities.size(); ++q)
    if (velocities[q] != Velocity{0, 0, 0}) moving |= std::uint32_t{1} << q;
  BoundaryLinks links;
  for (const auto& [cell, mask] : found) {
    if ((mask & moving) == 0) continue;
    links.cells.push_back(cell);
    links.mask.push_back(mask & moving);
  }
  return links;
}

BoundaryLinks links_through_side(const IndexList& list, const Velocity& side,
                                 std::span<const Velocity> velocities, const std::array<bool, 3>& periodic) {
  const std::size_t axis = axis_of(side, periodic);
  const Box& domain = list.grid().domain();
  return links_to(list, velocities, [&](const Cell& cell) {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool below = cell[a] < domain.lower[a], above = cell[a] >= domain.upper[a];
      if (a == axis ? !(side[a] < 0 ? below : above) : (below || above) && !periodic[a]) return false;
    }
    return true;
  });
}

std::array<std::vector<double>, 3> cell_centres(const IndexList& list, std::span<const std::uint32_t> cells) {
  std::array<std::vector<double>, 3> centres;
  const Cell& first = list.grid().domain().lower;
  for (const std::uint32_t n : cells) {
    const Cell cell = list.position(n);
    for (std::size_t a = 0; a < 3; ++a)
      centres[a].push_back(static_cast<double>(cell[a] - first[a]) + 0.5);
  }
  return centres;
}

std::vector<std::vector<double>>
link_velocities(const std::array<std::vector<double>, 3>& centres, std::span<const std::uint32_t> mask,
                std::span<const std::vector<double>> distance, std::span<const Velocity> velocities,
                const std::function<std::array<double, 3>(const std::array<double, 3>&)>& wall) {
  check_count(velocities, "link_velocities");
  const auto differs = [&](const std::vector<double>& values) { return values.size() != mask.size(); };
  if (std::ranges::any_of(centres, differs) || std::ranges::any_of(distance, differs) ||
      (!distance.empty() && distance.size() != velocities.size()))
    throw Error("link_velocities", "centres, mask and distances are not of the same entries and velocities",
                "give one centre and one mask per entry, and one distance per velocity and entry, or none");
  std::vector<std::vector<double>> found(velocities.size(), std::vector<double>(mask.size()));
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    const std::size_t p = opposite(velocities, q);
    const Velocity& c = velocities[p]; // leads to the wall
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if ((mask[i] >> q & 1U) == 0) continue;
      const double d = distance.empty() ? 0.5 : distance[p][i];
      const std::array<double, 3> u =
          wall({centres[0][i] + d * c[0], centres[1][i] + d * c[1], centres[2][i] + d * c[2]});
      found[p][i] = c[0] * u[0] + c[1] * u[1] + c[2] * u[2];
    }
  }
  return found;
}

} // namespace heddle
