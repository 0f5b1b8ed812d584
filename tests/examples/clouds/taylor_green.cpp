// SPDX-License-Identifier: Apache-2.0
// Vortices of Taylor and Green in the planes of two axes, with constant viscosity, against their solution:
//
//     u_a = sin(k a) cos(k b) exp(-2 nu k^2 t),   u_b = -cos(k a) sin(k b) exp(-2 nu k^2 t)
//
// At ground and lid they have no stress, as walls of free slip.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "heddle/core/parallel.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

constexpr double length = 1200, viscosity = 20, seconds = 240;
constexpr double k = 2 * std::numbers::pi / length;

using Axes = std::array<std::size_t, 2>;

/// Velocity along an axis of the vortex, n cells wide, after a time.
double solution(const Axes& axes, std::size_t axis, std::int64_t n, const std::array<std::int64_t, 3>& cell,
                double time) {
  const auto phase = [&](std::size_t of) {
    return k * length / static_cast<double>(n) * (static_cast<double>(cell[of]) + (of == axis ? 0 : 0.5));
  };
  const double a = phase(axes[0]), b = phase(axes[1]), size = std::exp(-2 * viscosity * k * k * time);
  return axis == axes[0]   ? size * std::sin(a) * std::cos(b)
         : axis == axes[1] ? -size * std::cos(a) * std::sin(b)
                           : 0;
}

/// u, v and w at the end.
std::array<std::vector<double>, 3> vortex(const Axes& axes, std::int64_t n, double step, Scheme scheme,
                                          RungeKutta stages = RungeKutta::wicker_skamarock) {
  const heddle::ThreadLimit one(1); // so few cells
  Case what = quiet();
  what.boussinesq = true;
  what.viscosity = viscosity;
  std::array<std::int64_t, 3> cells{6, 6, 6};
  for (const std::size_t axis : axes)
    cells[axis] = n;
  for (std::size_t axis = 0; axis < 3; ++axis)
    what.size[axis] = length / static_cast<double>(n) * static_cast<double>(cells[axis]);
  Simulation<double> s(
      what, cells, std::vector<double>(static_cast<std::size_t>(cells[2]), length / static_cast<double>(n)),
      scheme, stages);
  State<double>& now = s.stepper.now();
  const std::array<heddle::Field<double>*, 3> wind{&now.u, &now.v, &now.w};
  for (std::size_t axis = 0; axis < 3; ++axis)
    wind[axis]->fill([&](auto x, auto y, auto z, int) { return solution(axes, axis, n, {x, y, z}, 0); });
  s.run(static_cast<int>(std::lround(seconds / step)), step);
  const Snapshot end = s.look();
  return {end.u, end.v, end.w};
}

double difference(const std::array<std::vector<double>, 3>& a, const std::array<std::vector<double>, 3>& b) {
  double most = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t n = 0; n < a[axis].size(); ++n)
      most = std::max(most, std::abs(a[axis][n] - b[axis][n]));
  return most;
}

/// The largest error against the solution.
double error(const Axes& axes, std::int64_t n, Scheme scheme) {
  const auto found = vortex(axes, n, 10, scheme);
  auto exact = found;
  std::array<std::int64_t, 3> cells{6, 6, 6};
  for (const std::size_t axis : axes)
    cells[axis] = n;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::int64_t z = 0, cell = 0; z < cells[2]; ++z)
      for (std::int64_t y = 0; y < cells[1]; ++y)
        for (std::int64_t x = 0; x < cells[0]; ++x)
          exact[axis][static_cast<std::size_t>(cell++)] = solution(axes, axis, n, {x, y, z}, seconds);
  return difference(found, exact);
}

TEST(TaylorGreen, ErrorsInSpaceAreOfSecondOrder) {
  for (const Axes& axes : {Axes{0, 1}, Axes{0, 2}, Axes{1, 2}})
    for (const Scheme scheme : {Scheme::second, Scheme::fifth}) {
      const double coarse = error(axes, 16, scheme), fine = error(axes, 32, scheme);
      EXPECT_LT(coarse, 0.05) << axes[0] << axes[1];
      EXPECT_GT(std::log2(coarse / fine), 1.9) << axes[0] << axes[1] << ": " << coarse << ", " << fine;
    }
}

TEST(TaylorGreen, ErrorsInTimeFallAsTheStagesPromise) {
  for (const Axes& axes : {Axes{0, 1}, Axes{0, 2}, Axes{1, 2}})
    for (const RungeKutta stages : {RungeKutta::wicker_skamarock, RungeKutta::williamson}) {
      const double promised = stages == RungeKutta::williamson ? 3 : 2;
      const auto at = [&](double step) { return vortex(axes, 12, step, Scheme::second, stages); };
      const auto reference = at(60.0 / 8);
      const double coarse = difference(at(60), reference), fine = difference(at(30), reference);
      EXPECT_LT(coarse, 1e-2);
      EXPECT_GT(std::log2(coarse / fine), promised - 0.1)
          << axes[0] << axes[1] << ": " << coarse << ", " << fine;
    }
}

} // namespace
} // namespace clouds
