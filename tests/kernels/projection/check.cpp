// SPDX-License-Identifier: Apache-2.0
// Projections: no divergence is left, a projected velocity stays as it is, gradients vanish, and what walls
// and open sides prescribe holds; in double, float and mixed precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "flow.hpp"
#include "heddle/projection/projection.hpp"

namespace {

using heddle::Projection;
using heddle::Rim;
using heddle::SideKind;
using heddle::StaggeredGrid;
using heddle::Stream;
using test::Flow;

constexpr SideKind round_trip = SideKind::periodic;
constexpr SideKind wall = SideKind::no_slip;
constexpr SideKind open = SideKind::open;

template <class T> constexpr double epsilon = std::numeric_limits<T>::epsilon();

template <class First, class Second> struct Types {
  using T = First;
  using P = Second;
};
template <class Pair> class Projections : public testing::Test {};
using Precisions = testing::Types<Types<double, double>, Types<float, float>, Types<double, float>>;
TYPED_TEST_SUITE(Projections, Precisions);

std::vector<StaggeredGrid> grids() {
  std::vector<StaggeredGrid> all;
  all.push_back(
      test::make_grid({16, 12, 10}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall}));
  all.push_back(test::make_grid({13, 7, 9}, {wall, wall, wall}, {wall, wall, wall}));
  all.push_back(test::make_grid({12, 9, 8}, {wall, round_trip, wall}, {open, round_trip, open}));
  all.push_back(test::make_grid({9, 8, 7}, {open, open, open}, {wall, open, wall}));
  all.push_back(test::make_grid({8, 6, 5}, {round_trip, wall, round_trip}, {round_trip, wall, round_trip}));
  all.push_back(test::make_grid({11, 1, 6}, {round_trip, round_trip, open}, {round_trip, round_trip, wall}));
  const std::size_t uniform = all.size();
  for (std::size_t i = 0; i < uniform; ++i) {
    if (all[i].lower[2].kind == round_trip) continue; // rho would jump from one end to the other
    StaggeredGrid stretched = all[i];
    test::stretch(stretched);
    stretched.width_x = 0.7;
    stretched.width_y = 1.9;
    all.push_back(stretched);
  }
  return all;
}

/// What is left, as a velocity over the width of a cell, in units of the rounding of the largest velocity.
template <class T, class P> double left(const Projection<T, P>& projection, Flow<T>& flow) {
  Stream stream;
  const auto& grid = projection.operators().grid();
  double per = std::max(1 / grid.width_x, 1 / grid.width_y);
  for (const double height : grid.heights)
    per = std::max(per, 1 / height);
  const double density = grid.face_density.empty() ? 1 : grid.face_density[0];
  const double unit = epsilon<T> * flow.largest() * per * density;
  return projection.operators().norms(flow.velocity(), stream).largest / unit;
}

TYPED_TEST(Projections, LeaveNoDivergenceAndChangeNothingTheSecondTime) {
  using T = typename TypeParam::T;
  for (const StaggeredGrid& grid : grids()) {
    SCOPED_TRACE(std::to_string(grid.cells[0]) + " " + std::to_string(grid.heights.size()));
    Projection<T, typename TypeParam::P> projection(grid);
    Flow<T> flow(grid);
    flow.fill_with_noise();
    Stream stream;
    projection.operators().fill(flow.velocity(), Rim::faces, stream);
    EXPECT_GT(left(projection, flow), 1e5);
    projection(flow.velocity(), 0.01);
    EXPECT_LE(left(projection, flow), 50);
    Flow<T> again(grid);
    for (int axis = 0; axis < 3; ++axis)
      again[axis].copy_from(flow[axis]);
    projection(again.velocity(), 0.3);
    EXPECT_LE(left(projection, again), 50);
    EXPECT_LE(test::difference(flow, again), 50 * epsilon<T> * flow.largest());
  }
}

TYPED_TEST(Projections, TakeAwayAllOfAGradient) {
  using T = typename TypeParam::T;
  const StaggeredGrid grid =
      test::make_grid({16, 12, 10}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
  Flow<T> flow(grid);
  const auto potential = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return test::noise((x + 16) % 16 + 16 * ((y + 12) % 12 + 12 * z));
  };
  for (int axis = 0; axis < 3; ++axis) {
    flow[axis].fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
      if (axis == 2 && z == 0) return 0.0;
      return potential(x, y, z) - potential(x - (axis == 0), y - (axis == 1), z - (axis == 2));
    });
  }
  Projection<T, typename TypeParam::P> projection(grid);
  projection(flow.velocity(), 0.1);
  EXPECT_LE(flow.largest(), 100 * epsilon<T>);
}

/// What comes in at one side leaves through the open one; walls let nothing through.
TYPED_TEST(Projections, KeepWhatSidesPrescribe) {
  using T = typename TypeParam::T;
  StaggeredGrid grid = test::make_grid({12, 7, 8}, {wall, wall, wall}, {open, wall, wall});
  grid.lower[0].velocity = {1.5, 0, 0};
  Flow<T> flow(grid);
  flow.fill_with_noise();
  Projection<T, typename TypeParam::P> projection(grid);
  projection(flow.velocity(), 0.1);
  const auto u = flow[0].view();
  const auto v = flow[1].view();
  double out = 0;
  for (std::int64_t z = 0; z < 8; ++z) {
    for (std::int64_t y = 0; y < 7; ++y) {
      EXPECT_EQ(u(0, y, z), T(1.5));
      out += static_cast<double>(u(12, y, z));
    }
    for (std::int64_t x = 0; x < 12; ++x) {
      EXPECT_EQ(v(x, 0, z), T(0));
      EXPECT_EQ(v(x, 7, z), T(0));
    }
  }
  EXPECT_NEAR(out, 1.5 * 7 * 8, 2000 * epsilon<T>);
}

/// A duct with 2 at one end and -1 at the other accelerates what fills it as a whole, each time anew.
TYPED_TEST(Projections, LetThePressureOfOpenSidesPush) {
  using T = typename TypeParam::T;
  StaggeredGrid grid = test::make_grid({10, 6, 7}, {open, round_trip, wall}, {open, round_trip, wall});
  test::stretch(grid);
  grid.width_x = 0.5;
  grid.lower[0].pressure = 2;
  grid.upper[0].pressure = -1;
  Flow<T> flow(grid);
  Projection<T, typename TypeParam::P> projection(grid);
  const double step = 0.25;
  for (const int times : {1, 2}) {
    projection(flow.velocity(), step);
    const auto [u, v, w] = flow.velocity();
    const double expected = times * step * (2 - -1) / (10 * 0.5);
    for (std::int64_t z = 0; z < 7; ++z) {
      for (std::int64_t y = 0; y < 6; ++y) {
        for (std::int64_t x = 0; x <= 10; ++x)
          ASSERT_NEAR(static_cast<double>(u(x, y, z)), expected, 20 * epsilon<T>) << x;
        for (std::int64_t x = 0; x < 10; ++x) {
          ASSERT_NEAR(static_cast<double>(v(x, y, z)), 0, 20 * epsilon<T>);
          ASSERT_NEAR(static_cast<double>(w(x, y, z)), 0, 20 * epsilon<T>);
        }
      }
    }
  }
}

/// The gradient of a potential that has the values of the sides: all of it is taken away, and the pressure is
/// the potential, but for an error of second order. Along z the potential has no slope at the walls; across x
/// it is 1 and 3 at the open sides.
double error_of_pressure(std::int64_t n) {
  StaggeredGrid grid = test::make_grid({n, 1, n}, {open, round_trip, wall}, {open, round_trip, wall});
  const double h = 1 / static_cast<double>(n), pi = std::numbers::pi;
  grid.width_x = grid.width_y = h;
  grid.heights.assign(static_cast<std::size_t>(n), h);
  grid.lower[0].pressure = 1;
  grid.upper[0].pressure = 3;
  const auto face = [&](std::int64_t i) { return static_cast<double>(i) * h; };
  const auto middle = [&](std::int64_t i) { return (static_cast<double>(i) + 0.5) * h; };
  Flow<double> flow(grid);
  const auto [u, v, w] = flow.velocity();
  const double step = 0.2;
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t x = 0; x <= n; ++x)
      u(x, 0, z) = step * (2 + pi * std::cos(pi * face(x)) * std::cos(pi * middle(z)));
    for (std::int64_t x = 0; x < n; ++x)
      w(x, 0, z) = -step * pi * std::sin(pi * middle(x)) * std::sin(pi * face(z));
  }
  Projection<double> projection(grid);
  projection(flow.velocity(), step);
  double squares = 0;
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t x = 0; x < n; ++x) {
      const double potential = 1 + 2 * middle(x) + std::sin(pi * middle(x)) * std::cos(pi * middle(z));
      squares += std::pow(projection.pressure()(x, 0, z) - potential, 2) + std::pow(u(x, 0, z), 2) +
                 std::pow(w(x, 0, z), 2);
    }
  }
  return std::sqrt(squares) * h;
}

TEST(Pressure, OfOpenSidesIsOfSecondOrder) {
  const double coarse = error_of_pressure(12), medium = error_of_pressure(24), fine = error_of_pressure(48);
  EXPECT_LE(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / medium), 2, 0.2);
  EXPECT_NEAR(std::log2(medium / fine), 2, 0.1);
}

TYPED_TEST(Projections, KeepTheMeanFlow) {
  using T = typename TypeParam::T;
  StaggeredGrid grid =
      test::make_grid({16, 6, 9}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
  test::stretch(grid);
  Flow<T> flow(grid);
  flow.fill_with_noise(5);
  Projection<T, typename TypeParam::P> projection(grid);
  Stream stream;
  const double mean = projection.operators().mean(flow.velocity().u, 0, stream);
  projection(flow.velocity(), 0.2);
  EXPECT_NEAR(projection.operators().mean(flow.velocity().u, 0, stream), mean, 20 * epsilon<T>);
  projection.operators().add(flow.velocity().u, 3 - mean, stream);
  EXPECT_NEAR(projection.operators().mean(flow.velocity().u, 0, stream), 3, 20 * epsilon<T>);
  EXPECT_LE(std::abs(projection.operators().mean(flow.velocity().w, 2, stream)), 20 * epsilon<T>);

  // Levels count by their mass.
  flow[0].fill([](auto, auto, std::int64_t z, int) { return static_cast<double>(z); });
  double sum = 0;
  double weight = 0;
  for (std::size_t k = 0; k < 9; ++k) {
    sum += grid.density[k] * grid.heights[k] * static_cast<double>(k);
    weight += grid.density[k] * grid.heights[k];
  }
  EXPECT_NEAR(projection.operators().mean(flow.velocity().u, 0, stream), sum / weight, 20 * epsilon<T>);
}

/// Ghost cells of every kind of side, edges and corners included, against the definition.
TEST(Rims, HoldWhatLiesBeyondTheSides) {
  StaggeredGrid grid =
      test::make_grid({5, 4, 3}, {round_trip, wall, open}, {round_trip, SideKind::free_slip, open});
  grid.lower[1].velocity = {0.5, 0.25, -2};
  heddle::FlowOperators<double> operators(grid);
  Flow<double> flow(grid);
  flow.fill_with_noise();
  for (int axis = 0; axis < 3; ++axis)
    flow[axis].fill_ghosts(std::numeric_limits<double>::quiet_NaN());
  Stream stream;
  const auto [u, v, w] = flow.velocity();
  for (std::int64_t y = 0; y < 4; ++y)
    for (std::int64_t x = 0; x < 5; ++x)
      w(x, y, 3) = 7; // the open face
  operators.fill(flow.velocity(), Rim::ghosts, stream);
  for (std::int64_t z = -1; z <= 3; ++z) {
    for (std::int64_t y = -1; y <= 4; ++y) {
      for (std::int64_t x = -1; x <= 5; ++x) {
        const std::int64_t px = (x + 5) % 5;
        const std::int64_t pz = std::min<std::int64_t>(std::max<std::int64_t>(z, 0), 2);
        const std::int64_t py = std::min<std::int64_t>(std::max<std::int64_t>(y, 0), 3);
        EXPECT_EQ(u(x, y, z), y < 0 ? 1.0 - u(px, 0, pz) : u(px, py, pz));
        const std::int64_t fz = std::max<std::int64_t>(z, 0);
        EXPECT_EQ(w(x, y, z), y < 0 ? -4.0 - w(px, 0, fz) : w(px, py, fz));
        if (z == 3 && y >= 0 && y < 4) {
          EXPECT_EQ(w(x, y, z), 7);
        }
        EXPECT_EQ(v(x, y, z), y <= 0 ? 0.25 : y == 4 ? 0.0 : v(px, y, pz));
      }
    }
  }
}

/// Divergence and correction plane by plane, within the transforms: the same bits as one after the other.
TYPED_TEST(Projections, AreTheSameFusedAndApart) {
  using T = typename TypeParam::T;
  for (const StaggeredGrid& grid : grids()) {
    SCOPED_TRACE(std::to_string(grid.cells[0]) + " " + std::to_string(grid.heights.size()));
    Projection<T, typename TypeParam::P> fused(grid, heddle::Memory::host, nullptr, 1), apart(grid);
    Flow<T> flow(grid), expected(grid);
    flow.fill_with_noise();
    expected.fill_with_noise();
    fused(flow.velocity(), 0.5);
    Stream stream;
    const auto& operators = apart.operators();
    operators.fill(expected.velocity(), Rim::faces, stream);
    operators.divergence(expected.velocity(), apart.array(), 2, stream);
    apart.solver().solve(apart.array().data());
    operators.correct(apart.array(), expected.velocity(), 0.5, false, stream);
    operators.fill(expected.velocity(), Rim::faces, stream);
    EXPECT_EQ(test::difference(flow, expected), 0);
  }
}

TEST(Refusals, SayWhatIsWrong) {
  const auto message = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const heddle::Error& error) {
      return error.what();
    }
    return "";
  };
  StaggeredGrid grid = test::make_grid({4, 4, 4}, {wall, wall, wall}, {wall, wall, wall});
  EXPECT_EQ(message([&] { Projection<double> p(grid, heddle::Memory::host, nullptr, -1); }),
            "Projection: -1 rounds are not valid. Hint: use at least 1");
  grid.heights = {1, 2};
  EXPECT_EQ(message([&] { (void)heddle::pressure_problem(grid); }),
            "StaggeredGrid: 2 values were given for heights, but 4 are needed");
  grid.heights.clear();
  grid.lower[1].pressure = 1;
  EXPECT_EQ(message([&] { (void)heddle::pressure_problem(grid); }),
            "StaggeredGrid: a pressure is given at a side that is not open. Hint: use SideKind::open, or "
            "leave the pressure 0");
  grid.cells[1] = 0;
  EXPECT_EQ(message([&] { (void)heddle::pressure_problem(grid); }),
            "StaggeredGrid: the grid has 0 cells along axis 1. Hint: use at least 1");
}

} // namespace
