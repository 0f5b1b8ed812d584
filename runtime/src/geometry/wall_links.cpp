// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/wall_links.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "link_crossings.hpp"

namespace heddle::geometry {
namespace {

using Cell = std::array<std::int64_t, 3>;
using Velocity = std::array<int, 3>;

constexpr double none = 2; // a distance that no crossing has
constexpr double halfway = 0.5;

std::string text(const auto& triple) {
  return "(" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) + ", " +
         std::to_string(triple[2]) + ")";
}

/// Which cells are solid, counted from the lower corner of the domain.
class Solid {
public:
  Solid(const Cell& extent, const std::array<bool, 3>& periodic, std::span<const std::uint8_t> flags,
        std::span<const Velocity> velocities)
      : extent_(extent), periodic_(periodic), flags_(flags), velocities_(velocities) {
    for (const Velocity& c : velocities)
      steps_.push_back(index({c[0], c[1], c[2]}));
  }

  /// Brings a cell, at most one outside, into the domain; false where it lies beyond a face.
  [[nodiscard]] bool bring_inside(Cell& cell) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (cell[a] >= 0 && cell[a] < extent_[a]) continue;
      if (!periodic_[a]) return false;
      cell[a] += cell[a] < 0 ? extent_[a] : -extent_[a];
    }
    return true;
  }
  [[nodiscard]] bool operator[](const Cell& inside) const {
    return flags_[static_cast<std::size_t>(index(inside))] != 0;
  }
  /// Bit q for each velocity with which something would come to a cell out of a solid one.
  [[nodiscard]] std::uint32_t beside(const Cell& cell) const {
    bool inner = true;
    for (std::size_t a = 0; a < 3; ++a)
      inner = inner && cell[a] > 0 && cell[a] < extent_[a] - 1;
    const std::uint8_t* const own = flags_.data() + index(cell);
    std::uint32_t mask = 0;
    for (std::size_t q = 0; q < velocities_.size(); ++q) {
      const Velocity& c = velocities_[q];
      Cell from{cell[0] - c[0], cell[1] - c[1], cell[2] - c[2]};
      const bool wall = inner ? *(own - steps_[q]) != 0 : bring_inside(from) && (*this)[from];
      mask |= std::uint32_t{wall} << q;
    }
    return mask;
  }
  [[nodiscard]] const Cell& extent() const { return extent_; }

private:
  [[nodiscard]] std::int64_t index(const Cell& cell) const {
    return cell[0] + extent_[0] * (cell[1] + extent_[1] * cell[2]);
  }

  Cell extent_;
  std::array<bool, 3> periodic_;
  std::span<const std::uint8_t> flags_;
  std::span<const Velocity> velocities_;
  std::vector<std::int64_t> steps_; // from a cell to the flag of the one beside it
};

/// The opposite of each velocity; checks them.
std::vector<std::size_t> opposites(std::span<const Velocity> velocities) {
  const auto refuse = [](const std::string& why) {
    throw Error("wall_links", why, "give the velocities of one lattice, in its order");
  };
  if (velocities.size() > 32)
    refuse("a mask has 32 bits, but the lattice has " + std::to_string(velocities.size()) + " velocities");
  std::vector<std::size_t> opposite(velocities.size());
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    const Velocity& c = velocities[q];
    if (std::ranges::any_of(c, [](int component) { return component < -1 || component > 1; }))
      refuse("velocity " + text(c) + " leads beyond the neighbouring cells");
    if (std::ranges::count(velocities, c) > 1) refuse("velocity " + text(c) + " appears twice");
    const auto found = std::ranges::find(velocities, Velocity{-c[0], -c[1], -c[2]});
    if (found == velocities.end()) refuse("velocity " + text(c) + " has no opposite");
    opposite[q] = static_cast<std::size_t>(found - velocities.begin());
  }
  return opposite;
}

void check(const VoxelGrid& grid, std::span<const std::uint8_t> solid, const IndexList& list) {
  const Cell domain = list.grid().domain().extents();
  if (grid.extent != domain)
    throw Error("wall_links",
                "the grid has " + text(grid.extent) + " cells, but the domain of the list has " +
                    text(domain),
                "pass the grid from which the list's flags were made");
  if (static_cast<std::int64_t>(solid.size()) != list.grid().domain().volume())
    throw Error("wall_links",
                std::to_string(solid.size()) + " flags were given for " +
                    std::to_string(list.grid().domain().volume()) + " cells",
                "give one byte per cell, as voxelise returns them");
  if (!(grid.cell > 0) || !std::isfinite(grid.cell))
    throw Error("wall_links", "the cell size " + std::to_string(grid.cell) + " is not valid",
                "set VoxelGrid::cell to the edge length of a cell");
}

/// Centres of cells at integers.
std::vector<Point> in_cells(const Mesh& mesh, const VoxelGrid& grid) {
  std::vector<Point> corners(mesh.vertices);
  for (Point& corner : corners) {
    for (std::size_t a = 0; a < 3; ++a) {
      corner[a] = (corner[a] - grid.origin[a]) / grid.cell - 0.5;
      if (!std::isfinite(corner[a]))
        throw Error("mesh '" + mesh.source + "'", "a vertex is not finite", "export the mesh again");
    }
  }
  return corners;
}

/// Cells with a mask that is not 0, and that mask.
void find_entries(WallLinks& walls, const Solid& solid, const IndexList& list) {
  struct Entry {
    std::uint32_t cell, mask;
  };
  std::vector<Entry> entries;
  std::mutex joining;
  const Box& box = list.box();
  const Cell& corner = list.grid().domain().lower;
  parallel_ranges(box.extent(1) * box.extent(2), [&](std::int64_t first, std::int64_t last) {
    std::vector<Entry> own;
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t y = box.lower[1] + row % box.extent(1), z = box.lower[2] + row / box.extent(1);
      list.for_row(y, z, [&](std::int64_t n, std::int64_t x) {
        const Cell cell{x - corner[0], y - corner[1], z - corner[2]};
        if (solid[cell])
          throw Error("wall_links", "cell " + text(cell) + " is listed, but solid",
                      "list only cells whose flag is 0");
        const std::uint32_t mask = solid.beside(cell);
        if (mask != 0) own.push_back({static_cast<std::uint32_t>(n), mask});
      });
    }
    const std::lock_guard lock(joining);
    entries.insert(entries.end(), own.begin(), own.end());
  });
  std::ranges::sort(entries, {}, &Entry::cell);
  for (const Entry& entry : entries) {
    walls.cells.push_back(entry.cell);
    walls.mask.push_back(entry.mask);
    walls.links += std::popcount(entry.mask);
  }
}

/// The least of several threads' values: the same in any order.
void lower_to(double& least, double value) {
  const std::atomic_ref<double> shared(least);
  double seen = shared.load(std::memory_order_relaxed);
  while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// Lowers distances to where the surface crosses links. Returns for each entry whether its cell's centre lies
/// on the surface.
std::vector<std::uint8_t> measure(WallLinks& walls, const Mesh& mesh, const std::vector<Point>& corners,
                                  const Solid& solid, const IndexList& list,
                                  std::span<const Velocity> velocities,
                                  const std::vector<std::size_t>& opposite) {
  constexpr std::uint32_t no_entry = 0xFFFFFFFF;
  std::vector<std::uint32_t> entries(static_cast<std::size_t>(list.count()), no_entry);
  for (std::size_t i = 0; i < walls.cells.size(); ++i)
    entries[walls.cells[i]] = static_cast<std::uint32_t>(i);
  const Cell& corner = list.grid().domain().lower;
  const auto entry_of = [&](const Cell& cell) {
    const std::int64_t n = list.cell_of(cell[0] + corner[0], cell[1] + corner[1], cell[2] + corner[2]);
    return n < 0 || n >= list.count() ? no_entry : entries[static_cast<std::size_t>(n)];
  };
  std::vector<std::size_t> lines; // one of two opposite velocities
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    if (velocities[q] > Velocity{}) lines.push_back(q);
  }
  std::vector<std::uint8_t> on_surface(walls.cells.size());
  const auto triangles = static_cast<std::int64_t>(mesh.triangles.size());
  parallel_ranges(triangles * std::ssize(lines), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t item = first; item < last; ++item) {
      const std::size_t along = lines[static_cast<std::size_t>(item / triangles)];
      const Velocity& c = velocities[along];
      const auto& triangle = mesh.triangles[static_cast<std::size_t>(item % triangles)];
      for_crossings({corners[triangle[0]], corners[triangle[1]], corners[triangle[2]]}, c, solid.extent(),
                    [&](Cell from, double fraction) {
                      Cell to{from[0] + c[0], from[1] + c[1], from[2] + c[2]};
                      const bool begins = solid.bring_inside(from), ends = solid.bring_inside(to);
                      if (begins && fraction <= crossing_tolerance) {
                        if (const std::uint32_t entry = entry_of(from); entry != no_entry)
                          std::atomic_ref(on_surface[entry]).store(1, std::memory_order_relaxed);
                      }
                      if (!begins || !ends || solid[from] == solid[to]) return;
                      const bool leaves = solid[to];
                      const std::uint32_t entry = entry_of(leaves ? from : to);
                      if (entry == no_entry) return;
                      lower_to(walls.distance[leaves ? along : opposite[along]][entry],
                               std::clamp(leaves ? fraction : 1 - fraction, crossing_tolerance, 1.0));
                    });
    }
  });
  return on_surface;
}

/// What has no crossing: a cell whose centre lies on the surface has the wall there for links along the
/// surface, too; another link gets one half-way.
void complete(WallLinks& walls, const std::vector<std::uint8_t>& on_surface,
              const std::vector<std::size_t>& opposite) {
  for (std::size_t p = 0; p < walls.distance.size(); ++p) {
    for (std::size_t i = 0; i < walls.cells.size(); ++i) {
      double& distance = walls.distance[p][i];
      if (distance != none) continue;
      const bool wall = ((walls.mask[i] >> opposite[p]) & 1U) != 0;
      distance = wall && on_surface[i] != 0 ? crossing_tolerance : halfway;
      if (wall && on_surface[i] == 0) ++walls.assumed;
    }
  }
}

} // namespace

WallLinks wall_links(const Mesh& mesh, const VoxelGrid& grid, std::span<const std::uint8_t> flags,
                     const IndexList& list, std::span<const Velocity> velocities,
                     const std::array<bool, 3>& periodic) {
  check(grid, flags, list);
  const std::vector<std::size_t> opposite = opposites(velocities);
  const std::vector<Point> corners = in_cells(mesh, grid);
  const Solid solid(grid.extent, periodic, flags, velocities);
  WallLinks walls;
  find_entries(walls, solid, list);
  walls.distance.assign(velocities.size(), std::vector<double>(walls.cells.size(), none));
  const std::vector<std::uint8_t> on_surface =
      measure(walls, mesh, corners, solid, list, velocities, opposite);
  complete(walls, on_surface, opposite);
  return walls;
}

std::array<std::vector<double>, 3> arms(const WallLinks& walls, const VoxelGrid& grid, const IndexList& list,
                                        const Point& about) {
  std::array<std::vector<double>, 3> result;
  for (const std::uint32_t n : walls.cells) {
    const Cell cell = list.position(n);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto inside = static_cast<double>(cell[a] - list.grid().domain().lower[a]);
      result[a].push_back(inside + 0.5 - (about[a] - grid.origin[a]) / grid.cell);
    }
  }
  return result;
}

} // namespace heddle::geometry
