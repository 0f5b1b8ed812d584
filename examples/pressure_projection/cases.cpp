// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "ghia.hpp"
#include "heddle/core/error.hpp"
#include "stepper.hpp"

namespace pressure_projection {
namespace {

using heddle::SideKind;
using heddle::StaggeredGrid;

/// A plane of x and z: one cell along y, which is periodic.
StaggeredGrid plane_grid(std::int64_t nx, std::int64_t nz, double width, double height) {
  StaggeredGrid grid;
  grid.cells = {nx, 1, nz};
  grid.width_x = grid.width_y = width / static_cast<double>(nx);
  grid.heights.assign(static_cast<std::size_t>(nz), height / static_cast<double>(nz));
  return grid;
}

template <class... Numbers> std::string line(const char* format, Numbers... numbers) {
  char text[160];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

PlaneFlow plane_flow(Stepper& stepper, std::int64_t nx, std::int64_t nz, double width, double height) {
  const auto u = stepper.velocity().u, w = stepper.velocity().w;
  return {nx,
          nz,
          width,
          height,
          stepper.plane([&](auto x, auto z) { return (u(x, 0, z) + u(x + 1, 0, z)) / 2; }),
          stepper.plane([&](auto x, auto z) { return (w(x, 0, z) + w(x, 0, z + 1)) / 2; })};
}

/// A component of the velocity on the lower faces of all cells of a plane, x fastest.
class Faces {
public:
  Faces(Stepper& stepper, const heddle::FieldView<double>& component, std::int64_t nx)
      : nx_(nx), values_(stepper.plane([&](auto x, auto z) { return component(x, 0, z); })) {}
  [[nodiscard]] double operator()(std::int64_t x, std::int64_t z) const {
    return values_[static_cast<std::size_t>(x + nx_ * z)];
  }

private:
  std::int64_t nx_;
  std::vector<double> values_;
};

/// Largest error of u against sin x cos z exp(-2 viscosity t) after the vortex has lost three quarters of its
/// energy.
double vortex_error(std::int64_t n, heddle::Transport& transport, Result& result) {
  constexpr double viscosity = 0.1;
  constexpr double end = 3.5;
  const double size = 2 * std::numbers::pi;
  const StaggeredGrid grid = plane_grid(n, n, size, size);
  Stepper stepper(grid, viscosity, transport);
  const double h = grid.width_x;
  const auto middle = [h](std::int64_t i) { return (static_cast<double>(i) + 0.5) * h; };
  const auto face = [h](std::int64_t i) { return static_cast<double>(i) * h; };
  stepper.u().fill([&](auto x, auto, auto z, int) { return std::sin(face(x)) * std::cos(middle(z)); });
  stepper.w().fill([&](auto x, auto, auto z, int) { return -std::cos(middle(x)) * std::sin(face(z)); });
  stepper.start();
  const auto steps = static_cast<int>(std::ceil(end / (0.5 * stepper.longest_step(1))));
  for (int i = 0; i < steps; ++i)
    stepper.step(end / steps);
  const double decay = std::exp(-2 * viscosity * end);
  double error = 0;
  const Faces u(stepper, stepper.velocity().u, n);
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t x = 0; x < n; ++x)
      error = std::max(error, std::abs(u(x, z) - decay * std::sin(face(x)) * std::cos(middle(z))));
  const double divergence = stepper.divergence() * h;
  result.lines.push_back(
      line("  %3d x %3d cells, %4d steps: error %.3e, energy %.6f (exact %.6f), divergence %.1e",
           static_cast<int>(n), static_cast<int>(n), steps, error, stepper.energy(), 0.25 * decay * decay,
           divergence));
  result.good = result.good && divergence < 1e-13;
  result.flow = plane_flow(stepper, n, n, size, size);
  return error;
}

/// Straight between the values around a place; those at the ends are 0 and `last`.
double between(const std::vector<double>& places, const std::vector<double>& values, double at) {
  const auto next = std::upper_bound(places.begin(), places.end(), at);
  if (next == places.end()) return values.back();
  if (next == places.begin()) return values.front();
  const auto i = static_cast<std::size_t>(next - places.begin());
  const double part = (at - places[i - 1]) / (places[i] - places[i - 1]);
  return values[i - 1] + part * (values[i] - values[i - 1]);
}

} // namespace

Result taylor_green(std::int64_t cells, heddle::Transport& transport) {
  Result result;
  result.lines.emplace_back("Taylor-Green vortex in two dimensions, viscosity 0.1, t = 3.5");
  const double coarse = vortex_error(cells, transport, result);
  const double medium = vortex_error(2 * cells, transport, result);
  const double fine = vortex_error(4 * cells, transport, result);
  const double order = std::log2(medium / fine);
  result.lines.push_back(line("  order of convergence %.2f, %.2f", std::log2(coarse / medium), order));
  result.good = result.good && std::abs(order - 2) < 0.1;
  return result;
}

Result cavity(int reynolds, std::int64_t cells, heddle::Transport& transport) {
  const int column = reynolds == 100 ? 0 : reynolds == 400 ? 1 : reynolds == 1000 ? 2 : -1;
  if (column < 0 || cells % 2 != 0) {
    throw heddle::Error("cavity",
                        "there is no table for Re = " + std::to_string(reynolds) + " on " +
                            std::to_string(cells) + " cells",
                        "Re = 100, 400 or 1000, and an even number of cells");
  }
  Result result;
  StaggeredGrid grid = plane_grid(cells, cells, 1, 1);
  for (const std::size_t axis : {0U, 2U}) {
    grid.lower[axis].kind = SideKind::no_slip;
    grid.upper[axis].kind = SideKind::no_slip;
  }
  grid.upper[2].velocity = {1, 0, 0};
  Stepper stepper(grid, 1.0 / reynolds, transport);
  stepper.start();
  const double time_step = stepper.longest_step(1);
  double time = 0;
  double before = 0;
  for (double change = 1; change > 1e-5 && time < 200;) {
    for (double until = time + 1; time < until; time += time_step)
      stepper.step(time_step);
    const double energy = stepper.energy();
    change = std::abs(energy - before) / energy; // in a unit of time
    before = energy;
  }
  std::vector<double> places{0}, u{0}, w{0};
  const Faces along(stepper, stepper.velocity().u, cells), up(stepper, stepper.velocity().w, cells);
  const double h = grid.width_x;
  for (std::int64_t i = 0; i < cells; ++i) {
    places.push_back((static_cast<double>(i) + 0.5) * h);
    u.push_back(along(cells / 2, i));
    w.push_back(up(i, cells / 2));
  }
  places.push_back(1);
  u.push_back(1);
  w.push_back(0);
  double error_of_u = 0;
  double error_of_v = 0;
  for (const ghia::Row& row : ghia::u)
    error_of_u = std::max(error_of_u, std::abs(between(places, u, row.coordinate) - row.value[column]));
  for (const ghia::Row& row : ghia::v) {
    if (row.coordinate == ghia::misprint_at && reynolds == 400) continue;
    error_of_v = std::max(error_of_v, std::abs(between(places, w, row.coordinate) - row.value[column]));
  }
  const double divergence = stepper.divergence() * h;
  result.lines.push_back(line("Lid-driven cavity, Re = %d, %d x %d cells, steady at t = %.0f", reynolds,
                              static_cast<int>(cells), static_cast<int>(cells), time));
  result.lines.push_back(
      line("  largest difference to Ghia et al.: u %.4f, v %.4f (their tables: %.3f, %.3f); divergence %.1e",
           error_of_u, error_of_v, ghia::error_of_u[column], ghia::error_of_v[column], divergence));
  // What the tables are off, and as much again for the cells.
  result.good = error_of_u < 2 * ghia::error_of_u[column] + 0.002 &&
                error_of_v < 2 * ghia::error_of_v[column] + 0.002 && divergence < 1e-13;
  result.flow = plane_flow(stepper, cells, cells, 1, 1);
  return result;
}

Result channel(std::int64_t cells, heddle::Transport& transport) {
  Result result;
  const std::int64_t length = 2 * cells;
  StaggeredGrid grid = plane_grid(length, cells, 2, 1);
  grid.lower[2].kind = SideKind::no_slip;
  grid.upper[2].kind = SideKind::no_slip;
  Stepper stepper(grid, 0.1, transport);
  stepper.u().fill(
      [&](auto x, auto, auto z, int) { return 1 + 0.2 * std::sin(static_cast<double>(x + 2 * z)); });
  stepper.start();
  const double time_step = stepper.longest_step(1.5);
  double time = 0;
  for (; time < 5; time += time_step)
    stepper.step(time_step, 1);
  // The parabola of the difference equations, whose second difference is exact and whose walls lie half a
  // cell beyond the outermost values: z (1 - z) + h^2 / 4, scaled so that the mean is 1.
  const double h = 1 / static_cast<double>(cells);
  const double scale = 1 / (1.0 / 6 + h * h / 3);
  double error = 0;
  double difference = 0;
  const Faces along(stepper, stepper.velocity().u, length);
  for (std::int64_t z = 0; z < cells; ++z) {
    const double height = (static_cast<double>(z) + 0.5) * h;
    for (std::int64_t x = 0; x < length; ++x) {
      const double u = along(x, z);
      error = std::max(error, std::abs(u - scale * (height * (1 - height) + h * h / 4)));
      difference = std::max(difference, std::abs(u - 6 * height * (1 - height)));
    }
  }
  const double divergence = stepper.divergence() * h;
  result.lines.push_back(
      line("Channel, %d x %d cells, t = %.0f", static_cast<int>(length), static_cast<int>(cells), time));
  result.lines.push_back(
      line("  largest difference to 6 z (1 - z): %.1e, to the parabola of the cells: %.1e; divergence %.1e",
           difference, error, divergence));
  result.good = error < 1e-9 && divergence < 1e-12;
  result.flow = plane_flow(stepper, length, cells, 2, 1);
  return result;
}

} // namespace pressure_projection
