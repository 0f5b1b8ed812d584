// SPDX-License-Identifier: Apache-2.0
#include "wind.hpp"

#include <algorithm>
#include <cmath>

#include "consistency_sweeps.hpp"
#include "first_guess_sweeps.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/solvers/relaxation.hpp"
#include "launch.hpp"

namespace city_wind {
namespace {

using heddle::FieldView;

constexpr int along_y = 1; // of levels
constexpr int along_z = 2; // of columns

double thickness(const Grid& grid, std::int64_t k) {
  return grid.thickness[static_cast<std::size_t>(std::clamp<std::int64_t>(k, 0, grid.nz - 1))];
}

/// Of the centre of a level; below the lowest and above the highest lie levels like them.
double height(const Grid& grid, std::int64_t k) {
  if (k < 0) return grid.height.front() + static_cast<double>(k) * grid.thickness.front();
  if (k < grid.nz) return grid.height[static_cast<std::size_t>(k)];
  return grid.height.back() + static_cast<double>(k - grid.nz + 1) * grid.thickness.back();
}

/// The cells with an equation: all but the outermost ones beside and above.
heddle::BlockGrid inner_cells(const Grid& grid) {
  return heddle::BlockGrid(heddle::Box{{0, 0, 0}, {grid.nx - 2, grid.ny - 2, grid.nz - 1}});
}

/// A value for each level with inner cells, and for one more on both sides.
template <class T, class F>
heddle::Profile<T> levels(const heddle::BlockGrid& cells, heddle::Memory memory, F&& value) {
  std::vector<T> values;
  for (std::int64_t k = -1; k <= cells.domain().extent(2); ++k)
    values.push_back(static_cast<T>(value(k)));
  return heddle::Profile<T>(cells.domain(), 2, 1, values, memory);
}

} // namespace

template <class T>
Wind<T>::Wind(const Grid& grid, const Ground& ground, const std::vector<Building>& buildings,
              heddle::Memory memory)
    : u(heddle::BlockGrid(grid.box()), {.memory = memory, .name = "u"}),
      v(u.grid(), {.memory = memory, .name = "v"}), w(u.grid(), {.memory = memory, .name = "w"}),
      u_free(u.grid(), {.memory = memory, .name = "u_free"}),
      v_free(u.grid(), {.memory = memory, .name = "v_free"}),
      icell(u.grid(), {.memory = memory, .name = "icell"}),
      phi(inner_cells(grid), {.memory = memory, .name = "phi"}),
      right(phi.grid(), {.memory = memory, .name = "right"}),
      open(phi.grid(), {.memory = memory, .name = "open"}), grid_(grid), c_x_(1 / (grid.dx * grid.dx)),
      c_y_(1 / (grid.dy * grid.dy)),
      height_(u.grid(), {.memory = memory, .name = "height", .same_along = along_y}),
      thickness_(levels<T>(phi.grid(), memory, [&](std::int64_t k) { return thickness(grid, k); })),
      below_(levels<T>(phi.grid(), memory,
                       [&](std::int64_t k) { return 1 / (height(grid, k) - height(grid, k - 1)); })),
      ground_(u.grid(), {.memory = memory, .name = "ground", .same_along = along_z}),
      roof_(u.grid(), {.memory = memory, .name = "roof", .same_along = along_z}),
      total_(u.grid(), {.memory = memory, .name = "total", .same_along = along_z}),
      inside_(u.grid(), {.memory = memory, .name = "inside", .same_along = along_z}),
      owner_(u.grid(), {.memory = memory, .name = "owner", .same_along = along_z}), largest_(1, memory),
      entering_(1, memory), work_(heddle::reduction_work(u, {0, 1, 2}), memory), memory_(memory),
      stream_(memory) {
  height_.edit(0, [&](FieldView<T> view) {
    for (std::int64_t k = -1; k <= grid.nz + 1; ++k)
      for (std::int64_t i = -1; i <= grid.nx + 1; ++i)
        view(i, 0, k) = static_cast<T>(height(grid, k));
  });
  icell.fill(std::uint8_t{1}); // ghosts beside the box are air
  mark(ground, buildings);
}

template <class T>
template <class U>
FieldView<U> Wind<T>::inner(heddle::Field<U>& field, std::int64_t more) const {
  return part(field, {{1, 1, 0}, {grid_.nx - 1 + more, grid_.ny - 1 + more, grid_.nz - 1 + more}});
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
      call(
          stream_, [](auto... p) { first_guess::cross_edge(p...); },
          [](auto... p) { first_guess::cross_edge_cuda(p...); }, plane(inside_), cells.first[0],
          cells.first[1], grid_.dx, grid_.dy, a.x, a.y, b.x, b.y);
    }
    call(
        stream_, [](auto... p) { first_guess::claim(p...); },
        [](auto... p) { first_guess::claim_cuda(p...); }, plane(inside_), plane(owner_), plane(roof_), number,
        top);
  }
  stream_.synchronise();
}

template <class T> void Wind<T>::blow(const Inflow& undisturbed) {
  run(first_guess::Calm<T>(u_free, v_free));
  for (const Inflow::Pass& pass : undisturbed.passes()) {
    std::int32_t before = 0;
    for (const Contribution& c : pass.weights)
      run(first_guess::AddWeight<T>(total_, {.x_first = 0,
                                             .y_first = 0,
                                             .dx = grid_.dx,
                                             .dy = grid_.dy,
                                             .sensor_x = c.at.x,
                                             .sensor_y = c.at.y,
                                             .per_area = c.per_area,
                                             .before = before++}));
    for (const Contribution& c : pass.profiles)
      run(first_guess::AddProfile<T>(u_free, v_free, height_, ground_, total_,
                                     {.x_first = 0,
                                      .y_first = 0,
                                      .dx = grid_.dx,
                                      .dy = grid_.dy,
                                      .sensor_x = c.at.x,
                                      .sensor_y = c.at.y,
                                      .per_area = c.per_area,
                                      .share = c.share,
                                      .scale_u = c.scale_u,
                                      .scale_v = c.scale_v,
                                      .shape = c.shape,
                                      .profile = static_cast<std::int32_t>(c.profile)}));
  }
}

template <class T> void Wind<T>::guess(const Inflow& undisturbed, const std::vector<Zone>& zones) {
  blow(undisturbed);
  run(first_guess::Start<T>(u, v, w, u_free, v_free, icell, height_, ground_, roof_, owner_));
  const typename Launch<T>::Fields fields{&icell, &height_, &u_free, &v_free, &u, &v, &w, &owner_};
  for (const Zone& zone : zones)
    std::visit(Launch<T>(fields, zone.cells, stream_), zone.what);
  run(consistency::Close<T>(icell, u, v, w));
  call(
      stream_, [](auto... a) { consistency::find_open_faces(a...); },
      [](auto... a) { consistency::find_open_faces_cuda(a...); }, inner(icell), open.view());
  call(
      stream_, [](auto... a) { consistency::source(a...); },
      [](auto... a) { consistency::source_cuda(a...); }, open.view(), inner(u), inner(v), inner(w),
      right.view(), thickness_.first(phi.grid().domain()), grid_.dx, grid_.dy);
  stream_.synchronise();
  if (!(entering() > 0))
    throw heddle::Error("domain", "no wind enters the domain: buildings or the ground close its sides",
                        "leave air between the buildings and the domain's sides");
}

template <class T> double Wind<T>::best_omega() const {
  const double level = grid_.top() / static_cast<double>(grid_.nz);
  return heddle::optimal_omega(heddle::jacobi_radius(
             {{{grid_.nx - 2, grid_.dx, 2}, {grid_.ny - 2, grid_.dy, 2}, {grid_.nz - 1, level, 1}}})) -
         0.005;
}

template <class T> void Wind<T>::relax(std::int64_t sweeps, double omega) {
  const consistency::Relax<T> sweep(open, phi, right, thickness_, below_,
                                    {.c_x = c_x_, .c_y = c_y_, .omega = omega});
  for (std::int64_t n = 0; n < sweeps; ++n)
    run(sweep);
  stream_.synchronise();
}

template <class T> heddle::Solution Wind<T>::solve(double tolerance, std::int64_t most_sweeps, double omega) {
  heddle::TaskGraph cycle({.name = "cycle", .memory = memory_});
  for (std::int64_t n = 0; n < sweeps_a_cycle; ++n)
    cycle.add(consistency::Relax<T>(open, phi, right, thickness_, below_,
                                    {.c_x = c_x_, .c_y = c_y_, .omega = omega}));
  cycle.add(
      consistency::Remaining<T>(open, phi, right, thickness_, below_, largest_, {.c_x = c_x_, .c_y = c_y_}));
  return heddle::solve(cycle, largest_,
                       {.tolerance = tolerance,
                        .most_cycles = std::max<std::int64_t>(1, most_sweeps / sweeps_a_cycle),
                        .patience = 30});
}

template <class T>
heddle::Solution Wind<T>::solve_with_multigrid(double tolerance, std::int64_t most_iterations) {
  if (!gradients_) {
    heddle::MultigridOptions options;
    options.centres[0] = heddle::even_centres(grid_.nx - 2, grid_.dx);
    options.centres[1] = heddle::even_centres(grid_.ny - 2, grid_.dy);
    for (std::int64_t k = -1; k < grid_.nz; ++k)
      options.centres[2].push_back(height(grid_, k));
    gradients_.emplace(typename Gradients::Matrix{&open, {c_x_, c_y_}, {&thickness_, &below_}}, phi, right,
                       options);
  }
  const heddle::Descent descent =
      gradients_->solve({.residual = tolerance, .most_iterations = most_iterations});
  heddle::Solution solution = descent.solution; // which knows parts of the tolerance
  solution.measure *= tolerance;
  solution.least *= tolerance;
  return solution;
}

template <class T> void Wind<T>::correct() {
  call(
      stream_, [](auto... a) { consistency::correct(a...); },
      [](auto... a) { consistency::correct_cuda(a...); }, inner(icell, 1),
      part(phi, {{0, 0, 0}, {grid_.nx - 1, grid_.ny - 1, grid_.nz}}), inner(u, 1), inner(v, 1), inner(w, 1),
      below_.first(phi.grid().domain()), grid_.dx, grid_.dy);
  stream_.synchronise();
}

template <class T> double Wind<T>::largest_divergence() {
  call(
      stream_, [](auto... a) { consistency::largest_divergence(a...); },
      [](auto... a) { consistency::largest_divergence_cuda(a...); }, open.view(), inner(u), inner(v),
      inner(w), thickness_.first(phi.grid().domain()), largest_.data(), work_.data(), grid_.dx, grid_.dy);
  stream_.synchronise();
  return static_cast<double>(largest_.to_host()[0]);
}

template <class T> double Wind<T>::entering() {
  const CellBox faces{{0, 0, 0}, {grid_.nx + 1, grid_.ny + 1, grid_.nz}};
  call(
      stream_, [](auto... a) { consistency::inflow(a...); },
      [](auto... a) { consistency::inflow_cuda(a...); }, part(u, faces), part(v, faces),
      thickness_.first(phi.grid().domain()), entering_.data(), work_.data(), grid_.dx, grid_.dy);
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
