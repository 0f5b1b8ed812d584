// SPDX-License-Identifier: Apache-2.0
#include "wind.hpp"

#include <algorithm>
#include <cmath>

#include "consistency_sweeps.hpp"
#include "first_guess_sweeps.hpp"
#include "heddle/error.hpp"
#include "heddle/relaxation.hpp"
#include "heddle/task_graph.hpp"
#include "launch.hpp"

namespace city_wind {
namespace {

using heddle::FieldView;

constexpr int along_y = 1; // of levels
constexpr int along_z = 2; // of columns

/// A level's value for k from -1 to nz + 1: below the lowest and above the highest level lie levels like
/// them.
template <class T, class F> void fill_levels(heddle::Field<T>& field, const Grid& grid, F&& value) {
  field.edit(0, [&](FieldView<T> view) {
    for (std::int64_t k = -1; k <= grid.nz + 1; ++k)
      for (std::int64_t i = -1; i <= grid.nx + 1; ++i)
        view(i, 0, k) = static_cast<T>(value(k));
  });
}

double thickness(const Grid& grid, std::int64_t k) {
  return grid.thickness[static_cast<std::size_t>(std::clamp<std::int64_t>(k, 0, grid.nz - 1))];
}

double height(const Grid& grid, std::int64_t k) {
  if (k < 0) return -grid.thickness.front() / 2;
  if (k < grid.nz) return grid.height[static_cast<std::size_t>(k)];
  return grid.top() + (static_cast<double>(k - grid.nz) + 0.5) * grid.thickness.back();
}

} // namespace

template <class T>
Wind<T>::Wind(const Grid& grid, const Ground& ground, const std::vector<Building>& buildings,
              heddle::Memory memory)
    : u(heddle::BlockGrid(grid.box()), {.memory = memory, .name = "u"}),
      v(u.grid(), {.memory = memory, .name = "v"}), w(u.grid(), {.memory = memory, .name = "w"}),
      u_free(u.grid(), {.memory = memory, .name = "u_free"}),
      v_free(u.grid(), {.memory = memory, .name = "v_free"}),
      phi(u.grid(), {.memory = memory, .name = "phi"}), right(u.grid(), {.memory = memory, .name = "right"}),
      icell(u.grid(), {.memory = memory, .name = "icell"}),
      open(u.grid(), {.memory = memory, .name = "open"}), grid_(grid),
      height_(u.grid(), {.memory = memory, .name = "height", .same_along = along_y}),
      thickness_(u.grid(), {.memory = memory, .name = "thickness", .same_along = along_y}),
      lower_(u.grid(), {.memory = memory, .name = "lower", .same_along = along_y}),
      upper_(u.grid(), {.memory = memory, .name = "upper", .same_along = along_y}),
      ground_(u.grid(), {.memory = memory, .name = "ground", .same_along = along_z}),
      roof_(u.grid(), {.memory = memory, .name = "roof", .same_along = along_z}),
      total_(u.grid(), {.memory = memory, .name = "total", .same_along = along_z}),
      inside_(u.grid(), {.memory = memory, .name = "inside", .same_along = along_z}),
      owner_(u.grid(), {.memory = memory, .name = "owner", .same_along = along_z}), largest_(1, memory),
      entering_(1, memory), memory_(memory), stream_(memory) {
  fill_levels(height_, grid, [&](std::int64_t k) { return height(grid, k); });
  fill_levels(thickness_, grid, [&](std::int64_t k) { return thickness(grid, k); });
  const auto weight = [&](std::int64_t k, std::int64_t other) {
    return 1 / (thickness(grid, k) * std::abs(height(grid, other) - height(grid, k)));
  };
  fill_levels(lower_, grid, [&](std::int64_t k) { return weight(k, k - 1); });
  fill_levels(upper_, grid, [&](std::int64_t k) { return weight(k, k + 1); });
  icell.fill(std::uint8_t{1}); // ghosts beside the box are air
  mark(ground, buildings);
}

template <class T> void Wind<T>::mark(const Ground& ground, const std::vector<Building>& buildings) {
  ground_.fill([&](std::int64_t i, std::int64_t j, std::int64_t, int) {
    return ground.column(std::min(i, grid_.nx - 1), std::min(j, grid_.ny - 1));
  });
  std::int32_t number = 0;
  for (const Building& building : buildings) {
    const Vec2 middle = centroid(building.outline);
    const CellBox cells = columns_of(grid_, building.outline);
    const auto plane = [&](auto& field) { return part(field, cells).plane(); };
    const double top = ground.at(middle.x, middle.y) + building.height;
    ++number;
    for (std::size_t n = 0; n < building.outline.size(); ++n) {
      const Vec2& a = building.outline[n];
      const Vec2& b = building.outline[(n + 1) % building.outline.size()];
      if constexpr (heddle::with_cuda) {
        if (stream_.device()) {
          first_guess::cross_edge_cuda(plane(inside_), grid_.dx, cells.first[0], grid_.dy, cells.first[1],
                                       a.y, b.y, a.x, b.x, stream_.native());
          continue;
        }
      }
      first_guess::cross_edge(plane(inside_), grid_.dx, cells.first[0], grid_.dy, cells.first[1], a.y, b.y,
                              a.x, b.x);
    }
    if constexpr (heddle::with_cuda) {
      if (stream_.device()) {
        first_guess::claim_cuda(plane(inside_), plane(owner_), plane(roof_), number, top, stream_.native());
        continue;
      }
    }
    first_guess::claim(plane(inside_), plane(owner_), plane(roof_), number, top);
  }
  stream_.synchronise();
}

template <class T> void Wind<T>::blow(const Inflow& undisturbed) {
  run(first_guess::Calm<T>(u_free, v_free));
  for (const Inflow::Pass& pass : undisturbed.passes()) {
    run(first_guess::NoWeight<T>(total_));
    for (const Contribution& c : pass.weights)
      run(first_guess::AddWeight<T>(
          total_,
          {.dx = grid_.dx, .dy = grid_.dy, .per_area = c.per_area, .sensor_x = c.at.x, .sensor_y = c.at.y}));
    for (const Contribution& c : pass.profiles)
      run(first_guess::AddProfile<T>(ground_, height_, total_, u_free, v_free,
                                     {.dx = grid_.dx,
                                      .dy = grid_.dy,
                                      .profile = static_cast<std::int32_t>(c.profile),
                                      .shape = c.shape,
                                      .per_area = c.per_area,
                                      .sensor_x = c.at.x,
                                      .sensor_y = c.at.y,
                                      .share = c.share,
                                      .scale_u = c.scale_u,
                                      .scale_v = c.scale_v}));
  }
}

template <class T> void Wind<T>::guess(const Inflow& undisturbed, const std::vector<Zone>& zones) {
  blow(undisturbed);
  run(first_guess::Start<T>(ground_, height_, owner_, roof_, icell, u_free, u, v_free, v, w));
  const typename Launch<T>::Fields fields{&icell, &height_, &u_free, &v_free, &u, &v, &w, &owner_};
  for (const Zone& zone : zones)
    std::visit(Launch<T>(fields, zone.cells, stream_), zone.what);
  run(consistency::Close<T>(icell, open, u, v, w));
  run(consistency::Source<T>(thickness_, u, v, w, open, right, {.dx = grid_.dx, .dy = grid_.dy}));
  stream_.synchronise();
  if (!(entering() > 0))
    throw heddle::Error("domain", "no wind enters it: its sides are closed by buildings or the ground",
                        "leave air between the buildings and the domain's sides");
}

template <class T> double Wind<T>::best_omega() const {
  const double level = grid_.top() / static_cast<double>(grid_.nz);
  return heddle::optimal_omega(heddle::jacobi_radius(
             {{{grid_.nx - 2, grid_.dx, 2}, {grid_.ny - 2, grid_.dy, 2}, {grid_.nz - 1, level, 1}}})) -
         0.005;
}

template <class T> void Wind<T>::relax(std::int64_t sweeps, double omega) {
  const consistency::Relax<T> sweep(
      open, upper_, lower_, phi, right,
      {.c_x = 1 / (grid_.dx * grid_.dx), .c_y = 1 / (grid_.dy * grid_.dy), .omega = omega});
  for (std::int64_t n = 0; n < sweeps; ++n)
    run(sweep);
  stream_.synchronise();
}

template <class T> heddle::Solution Wind<T>::solve(double tolerance, std::int64_t most_sweeps, double omega) {
  const double c_x = 1 / (grid_.dx * grid_.dx);
  const double c_y = 1 / (grid_.dy * grid_.dy);
  heddle::TaskGraph cycle({.name = "cycle", .memory = memory_});
  for (std::int64_t n = 0; n < sweeps_a_cycle; ++n)
    cycle.add(
        consistency::Relax<T>(open, upper_, lower_, phi, right, {.c_x = c_x, .c_y = c_y, .omega = omega}));
  cycle.add(consistency::Remaining<T>(open, upper_, lower_, phi, right, largest_, {.c_x = c_x, .c_y = c_y}));
  return heddle::solve(cycle, largest_,
                       {.tolerance = tolerance,
                        .most_cycles = std::max<std::int64_t>(1, most_sweeps / sweeps_a_cycle),
                        .patience = 30});
}

template <class T> void Wind<T>::correct() {
  run(consistency::Correct<T>(icell, phi, u, v, thickness_, w, {.dx = grid_.dx, .dy = grid_.dy}));
  stream_.synchronise();
}

template <class T> double Wind<T>::largest_divergence() {
  run(consistency::LargestDivergence<T>(thickness_, u, v, w, open, largest_,
                                        {.dx = grid_.dx, .dy = grid_.dy}));
  stream_.synchronise();
  return static_cast<double>(largest_.to_host()[0]);
}

template <class T> double Wind<T>::entering() {
  run(consistency::Inflow<T>(thickness_, u, v, entering_, {.dx = grid_.dx, .dy = grid_.dy}));
  stream_.synchronise();
  return static_cast<double>(entering_.to_host()[0]);
}

template <class T> CellWind Wind<T>::at_centres() const {
  CellWind cells;
  const auto count = static_cast<std::size_t>(grid_.nx * grid_.ny * grid_.nz);
  const auto centre = [&](const heddle::Field<T>& field, std::array<std::int64_t, 3> to_next) {
    std::vector<float> values(count);
    field.inspect(0, [&](FieldView<const T> face) {
      auto value = values.begin();
      for (std::int64_t k = 0; k < grid_.nz; ++k)
        for (std::int64_t j = 0; j < grid_.ny; ++j)
          for (std::int64_t i = 0; i < grid_.nx; ++i)
            *value++ = static_cast<float>(
                (face(i, j, k) + face(i + to_next[0], j + to_next[1], k + to_next[2])) / 2);
    });
    return values;
  };
  cells.u = centre(u, {1, 0, 0});
  cells.v = centre(v, {0, 1, 0});
  cells.w = centre(w, {0, 0, 1});
  cells.icell.resize(count);
  icell.inspect(0, [&](FieldView<const std::uint8_t> flag) {
    auto value = cells.icell.begin();
    for (std::int64_t k = 0; k < grid_.nz; ++k)
      for (std::int64_t j = 0; j < grid_.ny; ++j)
        for (std::int64_t i = 0; i < grid_.nx; ++i)
          *value++ = flag(i, j, k);
  });
  return cells;
}

template class Wind<float>;
template class Wind<double>;

} // namespace city_wind
