// SPDX-License-Identifier: Apache-2.0
// Projection around solid cells: against a dense elimination, to the tolerance that was asked for, in as few
// iterations as the preconditioner promises, and what PALM's single solve leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "city.hpp"
#include "flow.hpp"
#include "heddle/projection/masked_projection.hpp"
#include "heddle/projection/projection.hpp"

namespace {

using heddle::MaskedProjection;
using heddle::SideKind;
using heddle::Solution;
using heddle::StaggeredGrid;
using test::City;
using test::Flow;

constexpr SideKind round_trip = SideKind::periodic;
constexpr SideKind wall = SideKind::no_slip;
constexpr SideKind open = SideKind::open;

StaggeredGrid street_grid(const std::array<std::int64_t, 3>& cells) {
  return test::make_grid(cells, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
}

/// A wind that hits the houses.
template <class T> void blow(Flow<T>& flow) {
  flow[0].fill(T(1));
  flow[1].fill(T(0));
  flow[2].fill(T(0));
}

// --- Against a dense elimination
// ------------------------------------------------------------------------------

/// The least-squares way to the same velocity, with no kernel of ours: unknowns are pressures of fluid cells,
/// equations the divergence of corrected faces, solved by Gauss's elimination with pivoting in long double.
class Dense {
public:
  Dense(const StaggeredGrid& grid, const std::vector<std::uint8_t>& solid) : grid_(grid), solid_(solid) {}

  /// Corrects u, v, w: arrays with the face at the lower end of each cell, x fastest; periodic or walls only.
  void project(std::array<std::vector<long double>, 3>& faces) const {
    const std::int64_t n = count();
    std::vector<std::vector<long double>> rows(static_cast<std::size_t>(n),
                                               std::vector<long double>(static_cast<std::size_t>(n + 1), 0));
    for_faces([&](int axis, std::int64_t low, std::int64_t high) {
      auto& face = faces[static_cast<std::size_t>(axis)][static_cast<std::size_t>(high)];
      if (low < 0 || solid_[static_cast<std::size_t>(low)] != 0 ||
          solid_[static_cast<std::size_t>(high)] != 0) {
        face = 0;
        return;
      }
      const long double weight = flux_weight(axis, high);
      const long double slope = weight / distance(axis, high);
      at(rows, low, low) -= slope;
      at(rows, low, high) += slope;
      at(rows, high, high) -= slope;
      at(rows, high, low) += slope;
      at(rows, low, n) += weight * face;
      at(rows, high, n) -= weight * face;
    });
    for (std::int64_t cell = 0; cell < n; ++cell) {
      if (solid_[static_cast<std::size_t>(cell)] != 0) at(rows, cell, cell) = 1;
    }
    const std::vector<long double> p = eliminate(rows);
    for_faces([&](int axis, std::int64_t low, std::int64_t high) {
      if (low < 0 || solid_[static_cast<std::size_t>(low)] != 0 ||
          solid_[static_cast<std::size_t>(high)] != 0)
        return;
      faces[static_cast<std::size_t>(axis)][static_cast<std::size_t>(high)] -=
          (p[static_cast<std::size_t>(high)] - p[static_cast<std::size_t>(low)]) / distance(axis, high);
    });
  }

private:
  static long double& at(std::vector<std::vector<long double>>& rows, std::int64_t i, std::int64_t j) {
    return rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  [[nodiscard]] std::int64_t count() const { return grid_.cells[0] * grid_.cells[1] * grid_.cells[2]; }

  /// f(axis, cell below or -1 at a wall, cell above) for each lower face.
  template <class F> void for_faces(F&& f) const {
    const auto& n = grid_.cells;
    for (std::int64_t cell = 0; cell < count(); ++cell) {
      const std::array<std::int64_t, 3> c{cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
      const std::array<std::int64_t, 3> stride{1, n[0], n[0] * n[1]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::int64_t low = cell - stride[axis];
        if (c[axis] == 0)
          low = grid_.lower[axis].kind == round_trip ? cell + (n[axis] - 1) * stride[axis] : -1;
        f(static_cast<int>(axis), low, cell);
      }
    }
  }

  [[nodiscard]] std::size_t level(std::int64_t cell) const {
    return static_cast<std::size_t>(cell / grid_.cells[0] / grid_.cells[1]);
  }
  [[nodiscard]] long double height(std::size_t k) const {
    return grid_.heights.empty() ? 1 : grid_.heights[k];
  }
  /// Mass through a face for velocity 1: density times area.
  [[nodiscard]] long double flux_weight(int axis, std::int64_t cell) const {
    const std::size_t k = level(cell);
    const long double rho = grid_.density.empty() ? 1 : axis == 2 ? grid_.face_density[k] : grid_.density[k];
    const long double area = axis == 0   ? grid_.width_y * height(k)
                             : axis == 1 ? grid_.width_x * height(k)
                                         : static_cast<long double>(grid_.width_x * grid_.width_y);
    return rho * area;
  }
  [[nodiscard]] long double distance(int axis, std::int64_t cell) const {
    if (axis < 2) return axis == 0 ? grid_.width_x : grid_.width_y;
    const std::size_t k = level(cell);
    return (height(k) + height(k - 1)) / 2;
  }

  /// Solves rows p = -last column; where a pivot vanishes the unknown is 0 (pressures are known up to
  /// constants).
  static std::vector<long double> eliminate(std::vector<std::vector<long double>>& rows) {
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t best = i;
      for (std::size_t j = i + 1; j < n; ++j) {
        if (std::abs(rows[j][i]) > std::abs(rows[best][i])) best = j;
      }
      std::swap(rows[i], rows[best]);
      if (std::abs(rows[i][i]) < 1e-12L) continue;
      for (std::size_t j = i + 1; j < n; ++j) {
        const long double factor = rows[j][i] / rows[i][i];
        if (factor == 0) continue;
        for (std::size_t c = i; c <= n; ++c)
          rows[j][c] -= factor * rows[i][c];
      }
    }
    std::vector<long double> p(n, 0);
    for (std::size_t i = n; i-- > 0;) {
      if (std::abs(rows[i][i]) < 1e-12L) continue;
      long double sum = rows[i][n];
      for (std::size_t c = i + 1; c < n; ++c)
        sum -= rows[i][c] * p[c];
      p[i] = sum / rows[i][i];
    }
    return p;
  }

  StaggeredGrid grid_;
  std::vector<std::uint8_t> solid_;
};

TEST(Topography, ProjectsAsADenseEliminationDoes) {
  for (const bool stretched : {false, true}) {
    StaggeredGrid grid = test::make_grid({8, 6, 5}, {round_trip, wall, wall}, {round_trip, wall, wall});
    if (stretched) {
      test::stretch(grid);
      grid.width_x = 0.7;
      grid.width_y = 1.9;
    }
    std::vector<std::uint8_t> solid(8 * 6 * 5, 0);
    for (std::size_t i = 0; i < solid.size(); ++i)
      solid[i] = test::noise(static_cast<std::int64_t>(i) + 77) > 0.4 ? 1 : 0;
    Flow<double> flow(grid);
    flow.fill_with_noise();
    std::array<std::vector<long double>, 3> faces;
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<double> values = flow[axis].read();
      faces[static_cast<std::size_t>(axis)].assign(values.begin(), values.end());
    }
    Dense(grid, solid).project(faces);
    MaskedProjection<double> projection(grid, solid, heddle::Memory::host,
                                        {.tolerance = 1e-13, .most_iterations = 200});
    EXPECT_TRUE(projection(flow.velocity(), 0.1).converged());
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<double> values = flow[axis].read();
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], static_cast<double>(faces[static_cast<std::size_t>(axis)][i]), 2e-12)
            << axis << " " << i;
    }
  }
}

// --- Cities
// -----------------------------------------------------------------------------------------------------

struct Row {
  City city;
  bool wind;
  int least, most; // iterations to 1e-6
};

class Cities : public testing::TestWithParam<Row> {};

/// Half the edges of the table in the specification, the same counts.
TEST_P(Cities, TakeAFewIterations) {
  const Row& row = GetParam();
  const StaggeredGrid grid = street_grid({64, 64, 32});
  MaskedProjection<float> projection(grid, row.city.solid(grid.cells));
  Flow<float> flow(grid);
  if (row.wind)
    blow(flow);
  else
    flow.fill_with_noise();
  const Solution solution = projection(flow.velocity(), 0.5);
  EXPECT_TRUE(solution.converged()) << to_string(solution);
  EXPECT_GE(solution.cycles, row.least) << to_string(solution);
  EXPECT_LE(solution.cycles, row.most) << to_string(solution);
  EXPECT_LE(projection.norms(flow.velocity()).largest, 1e-5);
}

constexpr City flat{};
constexpr City loose{4, 2, 16};  // a quarter of the ground
constexpr City close{6, 2, 16};  // 0.56 of the ground
constexpr City dense{6, 16, 24}; // the same, and high
INSTANTIATE_TEST_SUITE_P(Densities, Cities,
                         testing::Values(Row{flat, false, 1, 2}, Row{loose, false, 7, 10},
                                         Row{loose, true, 8, 12}, Row{close, false, 9, 13},
                                         Row{close, true, 11, 15}, Row{dense, false, 10, 15},
                                         Row{dense, true, 11, 15}));

TEST(Topography, IsDivergenceFreeToAnyToleranceInDouble) {
  const StaggeredGrid grid = street_grid({32, 32, 16});
  MaskedProjection<double> projection(grid, loose.solid(grid.cells), heddle::Memory::host,
                                      {.tolerance = 1e-12});
  Flow<double> flow(grid);
  blow(flow);
  EXPECT_TRUE(projection(flow.velocity(), 0.5).converged());
  EXPECT_LE(projection.norms(flow.velocity()).largest, 1e-11);
  // Nothing passes a wall.
  const auto open_faces = projection.topography().open();
  const auto u = flow[0].view();
  for (std::int64_t x = 0; x < 32; ++x) {
    if ((open_faces(x, 0, 0) & 2) == 0) {
      EXPECT_EQ(u(x, 0, 0), 0.0);
    }
  }
}

TEST(Topography, StartsFromThePressureBefore) {
  const StaggeredGrid grid = street_grid({32, 32, 16});
  MaskedProjection<double> projection(grid, loose.solid(grid.cells));
  const auto cycles = [&](double change) {
    Flow<double> flow(grid);
    blow(flow);
    flow[2].view()(3, 4, 5) += change;
    const Solution solution = projection(flow.velocity(), 0.5);
    EXPECT_TRUE(solution.converged());
    EXPECT_LE(projection.norms(flow.velocity()).largest, 1e-4);
    return solution.cycles;
  };
  const auto cold = cycles(0);
  EXPECT_LE(cycles(0), 1);
  EXPECT_LT(cycles(0.001), cold);
}

/// PALM's single solve: each repetition leaves a part of what the one before left.
TEST(Topography, OneSolveLeavesAPartOfTheDivergence) {
  const StaggeredGrid grid = street_grid({64, 64, 32});
  MaskedProjection<double> projection(grid, loose.solid(grid.cells));
  Flow<double> flow(grid);
  blow(flow);
  MaskedProjection<double> closing(grid, loose.solid(grid.cells), heddle::Memory::host,
                                   {.tolerance = 1e30}); // only closes the faces
  closing(flow.velocity());
  const double before = projection.norms(flow.velocity()).total;
  std::vector<double> left;
  for (int i = 0; i < 8; ++i) {
    projection.project_once(flow.velocity());
    left.push_back(projection.norms(flow.velocity()).total / before);
  }
  EXPECT_GT(left[0], 0.1); // the table has 0.17, 0.10, 0.032, 0.0031
  EXPECT_LT(left[0], 0.6);
  EXPECT_GT(left[7], 1e-4);
  EXPECT_LT(left[7], 1e-2);
  EXPECT_TRUE(std::is_sorted(left.rbegin(), left.rend()));
}

TEST(Topography, LetsThroughOpenSides) {
  StaggeredGrid grid = test::make_grid({24, 16, 12}, {wall, round_trip, wall}, {open, round_trip, open});
  grid.lower[0].velocity = {1, 0, 0};
  std::vector<std::uint8_t> solid(24 * 16 * 12, 0);
  for (std::size_t z = 0; z < 5; ++z)
    for (std::size_t y = 4; y < 9; ++y)
      for (std::size_t x = 6; x < 11; ++x)
        solid[x + 24 * (y + 16 * z)] = 1;
  MaskedProjection<double> projection(grid, solid, heddle::Memory::host, {.tolerance = 1e-11});
  Flow<double> flow(grid);
  blow(flow);
  EXPECT_TRUE(projection(flow.velocity(), 0.5).converged());
  EXPECT_LE(projection.norms(flow.velocity()).largest, 1e-10);
  const auto [u, v, w] = flow.velocity();
  double out = 0;
  for (std::int64_t y = 0; y < 16; ++y) {
    for (std::int64_t z = 0; z < 12; ++z)
      out += u(24, y, z);
    for (std::int64_t x = 0; x < 24; ++x)
      out += w(x, y, 12);
  }
  EXPECT_NEAR(out, 16 * 12, 1e-8);
}

/// Pressures of open sides push fluid around a house: without solid cells exactly as Projection does.
TEST(Topography, LetsThePressureOfOpenSidesPush) {
  StaggeredGrid grid = test::make_grid({24, 16, 12}, {open, round_trip, wall}, {open, round_trip, wall});
  grid.lower[0].pressure = 3;
  const std::vector<std::uint8_t> none(24 * 16 * 12, 0);
  MaskedProjection<double> empty(grid, none, heddle::Memory::host, {.tolerance = 1e-12});
  heddle::Projection<double> box(grid);
  Flow<double> flow(grid), once(grid), expected(grid);
  EXPECT_TRUE(empty(flow.velocity(), 0.5).converged());
  empty.project_once(once.velocity(), 0.5);
  box(expected.velocity(), 0.5);
  EXPECT_NEAR(expected.largest(), 0.5 * 3 / 24, 1e-14);
  EXPECT_LE(test::difference(flow, expected), 1e-13);
  EXPECT_LE(test::difference(once, expected), 1e-13);

  std::vector<std::uint8_t> house = none;
  for (std::size_t z = 0; z < 5; ++z)
    for (std::size_t y = 4; y < 9; ++y)
      for (std::size_t x = 6; x < 11; ++x)
        house[x + 24 * (y + 16 * z)] = 1;
  MaskedProjection<double> around(grid, house, heddle::Memory::host, {.tolerance = 1e-12});
  Flow<double> pushed(grid);
  EXPECT_TRUE(around(pushed.velocity(), 0.5).converged());
  EXPECT_LE(around.norms(pushed.velocity()).largest, 1e-11);
  const auto u = pushed.velocity().u;
  double in = 0, out = 0;
  for (std::int64_t y = 0; y < 16; ++y) {
    for (std::int64_t z = 0; z < 12; ++z) {
      in += u(0, y, z);
      out += u(24, y, z);
    }
  }
  EXPECT_NEAR(in, out, 1e-9);
  EXPECT_LT(out, 16 * 12 * 0.5 * 3 / 24); // the house is in the way
  EXPECT_GT(out, 0.7 * 16 * 12 * 0.5 * 3 / 24);
}

/// Nothing to project: the pressure of the step before must not come back.
TEST(Topography, LeavesAFlowWithoutDivergenceAlone) {
  const StaggeredGrid grid = street_grid({32, 32, 16});
  MaskedProjection<double> projection(grid, loose.solid(grid.cells));
  Flow<double> flow(grid), rest(grid);
  blow(flow);
  EXPECT_TRUE(projection(flow.velocity(), 0.5).converged());
  EXPECT_TRUE(projection(rest.velocity(), 0.5).converged());
  EXPECT_EQ(rest.largest(), 0);
}

TEST(Topography, SaysWhatIsWrong) {
  const StaggeredGrid grid = test::make_grid({4, 4, 4}, {wall, wall, wall}, {open, wall, wall});
  const auto message = [&](const std::vector<std::uint8_t>& solid, double tolerance) -> std::string {
    try {
      MaskedProjection<float> projection(grid, solid, heddle::Memory::host, {.tolerance = tolerance});
    } catch (const heddle::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(std::vector<std::uint8_t>(3, 0), 1), "Topography: 3 entries were given for 64 cells");
  EXPECT_EQ(message(std::vector<std::uint8_t>(64, 1), 1),
            "Topography: cell (3, 0, 0) is solid and next to an open side. Hint: end the topography one cell "
            "before the "
            "side, or make the side a wall");
  EXPECT_EQ(message(std::vector<std::uint8_t>(64, 0), 0),
            "MaskedProjection: a tolerance of 0.000000 in 50 iterations is not valid. Hint: use a positive "
            "tolerance and at least 1 iteration");
}

} // namespace
