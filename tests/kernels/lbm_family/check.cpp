// SPDX-License-Identifier: Apache-2.0
// Parts of the family that no other kernel has: on every target, and against closed forms or plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "d2q9.hpp"
#include "grid.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "lbm_family.hpp"
#include "lbm_family_curved.hpp"
#include "lbm_family_single.hpp"
#include "lbm_family_sweeps.hpp"

namespace {

using family::Cell;
using family::Grid;
using family::moved;
using family::Target;
using test::d2q9;
using test::Velocity;
using Matrix = std::array<std::array<double, 3>, 3>;

constexpr auto carreau = HEDDLE_FAMILY_KERNEL(carreau);
constexpr auto strain = HEDDLE_FAMILY_KERNEL(strain);
constexpr auto bingham = HEDDLE_FAMILY_KERNEL(bingham);
constexpr auto state = HEDDLE_FAMILY_KERNEL(state);
constexpr auto start = HEDDLE_FAMILY_KERNEL(start);
constexpr auto wale = HEDDLE_FAMILY_KERNEL(wale);
constexpr auto curl = HEDDLE_FAMILY_KERNEL(curl);
constexpr auto vreman = HEDDLE_FAMILY_KERNEL(vreman);
constexpr auto q_of = HEDDLE_FAMILY_KERNEL(q);
constexpr auto heat = HEDDLE_FAMILY_KERNEL(heat);
constexpr auto warm = HEDDLE_FAMILY_KERNEL(warm);
constexpr auto flux = HEDDLE_FAMILY_KERNEL(flux);

/// D3Q15: the axes, then the corners.
constexpr std::array<Velocity, 15> d3q15{{{0, 0, 0},
                                          {1, 0, 0},
                                          {-1, 0, 0},
                                          {0, 1, 0},
                                          {0, -1, 0},
                                          {0, 0, 1},
                                          {0, 0, -1},
                                          {1, 1, 1},
                                          {-1, -1, -1},
                                          {1, 1, -1},
                                          {-1, -1, 1},
                                          {1, -1, 1},
                                          {-1, 1, -1},
                                          {1, -1, -1},
                                          {-1, 1, 1}}};

constexpr std::size_t opposite(std::size_t q) {
  return q == 0 ? 0 : (q % 2 == 1 ? q + 1 : q - 1);
}

// ---------------------------------------------------------------- one state, every target

/// Runs a kernel for both targets on the same random fields. tolerance: 0 where no function of a library is
/// called, whose last bit may differ.
template <class Kernel, std::size_t count, class... Scalars>
void expect_same(const char* name, const Kernel& kernel, std::array<Grid, count> grids, double tolerance,
                 std::int64_t layers, Scalars... scalars) {
  std::uint32_t seed = 5;
  for (Grid& grid : grids)
    grid.randomise(seed++, 1e-2);
  std::array<Grid, count> on_cpu = grids;
  std::array<Grid, count> on_cuda = grids;
  const auto all = [](std::array<Grid, count>& of) {
    std::array<Grid*, count> result;
    std::transform(of.begin(), of.end(), result.begin(), [](Grid& grid) { return &grid; });
    return result;
  };
  run(Target::cpu, kernel, all(on_cpu), layers, scalars...);
  run(Target::cuda, kernel, all(on_cuda), layers, scalars...);
  double largest = 0;
  bool changed = false;
  for (std::size_t i = 0; i < count; ++i) {
    changed = changed || on_cpu[i].values() != grids[i].values();
    for (std::size_t k = 0; k < grids[i].values().size(); ++k)
      largest = std::max(largest, std::abs(on_cpu[i].values()[k] - on_cuda[i].values()[k]));
  }
  EXPECT_TRUE(changed) << name;
  EXPECT_LE(largest, tolerance) << name;
}

TEST(Family, TargetsAgree) {
  const Cell plane{7, 5, 1};
  const Cell box{5, 3, 4};
  const auto flat = [&](std::int64_t components) { return Grid(plane, components, 2); };
  const auto solid = [&](std::int64_t components) { return Grid(box, components, 3); };
  const double rounding = 1e-15;
  expect_same("carreau", carreau, std::array{flat(9), flat(9)}, rounding, 0, 1e-3, 0.4, 0.5, 0.01, 50.0);
  expect_same("strain", strain, std::array{flat(9), flat(3)}, rounding, 0, 0.4, 0.5, 0.01, 50.0);
  expect_same("bingham", bingham, std::array{flat(9), flat(9)}, rounding, 0, 0.1, 1e-3, 2.0, 1e-3, 1e3, 1e-3);
  expect_same("state", state, std::array{flat(9), flat(0), flat(2), flat(0)}, 0, 0, 1e-3);
  expect_same("start", start, std::array{flat(9), flat(9), flat(2)}, 0, 0, 1.3);
  expect_same("vreman", vreman, std::array{solid(27), solid(27), solid(3)}, 0, 0, 0.3, 1.8);
  expect_same("q", q_of, std::array{solid(3), solid(0)}, 0, 0);
  expect_same("heat", heat, std::array{solid(7), solid(7), solid(3)}, 0, 0, 1.2);
  expect_same("warm", warm, std::array{solid(7), solid(7), solid(3)}, 0, 0, 1.2);
  expect_same("flux", flux, std::array{solid(7)}, 0, 1, 0.1);
}

// ---------------------------------------------------------------- generalised Newtonian fluids

/// Walls below and above a channel in the plane: half-way bounce-back.
void walls(Grid& f, std::int64_t height) {
  for (std::size_t q = 1; q < 9; ++q) {
    const Velocity& c = d2q9[q];
    if (c[1] == 0) continue;
    const Cell from{0, c[1] < 0 ? 0 : height - 1, 0};
    for (std::int64_t x = -1; x <= 1; ++x) // one cell along the channel: all are the same
      f.at({x, from[1] + c[1], 0}, opposite(q)) = f.at(from, q);
  }
}

/// Steps of a channel that is one cell long.
template <class Step> Grid channel(std::int64_t height, int steps, const Step& step) {
  Grid f({1, height, 1}, 9, 2);
  Grid next = f;
  for (int t = 0; t < steps; ++t) {
    f.wrap();
    walls(f, height);
    step(f, next);
    std::swap(f, next);
  }
  f.wrap();
  walls(f, height);
  return f;
}

// In a steady channel the stress 2 nu S is F (h - y), whatever the law of the viscosity.
TEST(Family, StrainRateOfACarreauFluidCarriesTheForce) {
  constexpr std::int64_t height = 12;
  constexpr double force = 8e-5, time = 2000, n = 0.4, at_rest = 0.5, at_infinity = 0.005;
  Grid f = channel(height, 6000, [&](Grid& from, Grid& to) {
    run(Target::cpu, carreau, std::array{&from, &to}, 0, force, n, at_rest, at_infinity, time);
  });
  Grid rate({1, height, 1}, 3, 2);
  run(Target::cpu, strain, std::array{&f, &rate}, 0, n, at_rest, at_infinity, time);
  double least = 1;
  for (std::int64_t y = 0; y < height; ++y) {
    const double shear = 2 * rate.at({0, y, 0}, 2);
    const double nu =
        at_infinity + (at_rest - at_infinity) * std::pow(1 + time * time * shear * shear, (n - 1) / 2);
    least = std::min(least, nu);
    EXPECT_NEAR(nu * shear, force * (height / 2.0 - static_cast<double>(y) - 0.5), 1e-3 * force * height);
    EXPECT_NEAR(rate.at({0, y, 0}, 0), 0, 1e-2 * std::abs(shear) + 5e-6); // of second order in the shear
    EXPECT_NEAR(rate.at({0, y, 0}, 1), 0, 1e-2 * std::abs(shear) + 5e-6);
  }
  EXPECT_LT(least, at_rest / 2);
}

// u = F / (2 K) (h^2 - y^2) - tau_y / K (h - |y|), constant where F |y| < tau_y.
TEST(Family, BinghamPlugFlow) {
  constexpr std::int64_t height = 16;
  constexpr double h = height / 2.0, force = 2.5e-4, K = 0.1, plug = h / 2, tau_y = force * plug;
  constexpr double growth = 5e3, low = 1e-2, high = 5; // so the plug creeps with tau_y m = 5
  Grid f = channel(height, 10000, [&](Grid& from, Grid& to) {
    run(Target::cpu, bingham, std::array{&from, &to}, 0, K, force, high, low, growth, tau_y);
  });
  Grid rho({1, height, 1}, 0, 2);
  Grid u({1, height, 1}, 2, 2);
  Grid p = rho;
  run(Target::cpu, state, std::array{&f, &rho, &u, &p}, 0, force);
  double difference = 0;
  double whole = 0;
  for (std::int64_t y = 0; y < height; ++y) {
    const double r = std::max(std::abs(static_cast<double>(y) + 0.5 - h), plug);
    const double exact = force / (2 * K) * (h * h - r * r) - tau_y / K * (h - r);
    difference += std::pow(u.at({0, y, 0}, 0) - exact, 2);
    whole += exact * exact;
    EXPECT_NEAR(u.at({0, y, 0}, 1), 0, 1e-12);
  }
  RecordProperty("bingham", std::to_string(std::sqrt(difference / whole)));
  EXPECT_LT(std::sqrt(difference / whole), 0.04);

  std::vector<float> single(9 * (height + 2) * 3), next = single; // the same in single precision
  const std::array<std::int64_t, 3> extents{1, height, 9}, strides{1, 3, 3 * (height + 2)};
  const auto at = [&](std::int64_t x, std::int64_t y, std::size_t q) -> float& {
    return single[static_cast<std::size_t>(x + 1 + (y + 1) * 3) + q * 3 * (height + 2)];
  };
  for (int t = 0; t < 10000; ++t) {
    for (std::size_t q = 0; q < 9; ++q) {
      const std::int64_t up = d2q9[q][1];
      const std::int64_t wall = up < 0 ? 0 : height - 1;
      for (std::int64_t x = -1; x <= 1; ++x)
        for (std::int64_t y = 0; y < height; ++y)
          at(x, y, q) = at(0, y, q);
      for (std::int64_t x = -1; x <= 1 && up != 0; ++x)
        at(x, wall + up, opposite(q)) = at(0, wall, q);
    }
    ASSERT_EQ(lbm_family_single_step_f32(
                  single.data() + 4, extents.data(), strides.data(), next.data() + 4, extents.data(),
                  strides.data(), static_cast<float>(K), static_cast<float>(force), static_cast<float>(high),
                  static_cast<float>(low), static_cast<float>(growth), static_cast<float>(tau_y)),
              0);
    std::swap(single, next);
  }
  for (std::int64_t y = 0; y < height; ++y) {
    double j = -force / 2; // after the collision: the whole force is in the momentum
    for (std::size_t q = 0; q < 9; ++q)
      j += static_cast<double>(at(0, y, q)) * d2q9[q][0];
    EXPECT_NEAR(j, u.at({0, y, 0}, 0), 1e-4 * force / (2 * K) * plug * plug);
  }
}

// rho = 1 + sum f, u = sum c f + F / 2, p = sum f / 3: incompressible, of zero-centred populations.
TEST(Family, StateIsThatOfTheSums) {
  const Cell extent{4, 3, 1};
  Grid f(extent, 9, 2);
  f.randomise(3, 1e-2);
  Grid rho(extent, 0, 2);
  Grid u(extent, 2, 2);
  Grid p = rho;
  run(Target::cpu, state, std::array{&f, &rho, &u, &p}, 0, 1e-3);
  f.for_cells([&](const Cell& cell) {
    double sum = 0, x = 5e-4, y = 0;
    for (std::size_t q = 0; q < 9; ++q) {
      const double arrived = f.at(moved(cell, d2q9[q], -1), q);
      sum += arrived;
      x += arrived * d2q9[q][0];
      y += arrived * d2q9[q][1];
    }
    EXPECT_NEAR(rho.at(cell, 0), 1 + sum, 1e-15);
    EXPECT_NEAR(u.at(cell, 0), x, 1e-15);
    EXPECT_NEAR(u.at(cell, 1), y, 1e-15);
    EXPECT_NEAR(p.at(cell, 0), sum / 3, 1e-15);
  });
}

// Vortices (-cos x sin y, sin x cos y) U have the density 1 - 3/4 U^2 (cos 2x + cos 2y).
TEST(Family, StartFindsThePressure) {
  constexpr std::int64_t n = 16;
  constexpr double speed = 0.02, k = 2 * std::numbers::pi / n;
  Grid f({n, n, 1}, 9, 2);
  Grid next = f;
  Grid u({n, n, 1}, 2, 2);
  const auto phase = [](std::int64_t i) { return k * static_cast<double>(i); };
  u.for_cells([&](const Cell& c) {
    u.at(c, 0) = -speed * std::cos(phase(c[0])) * std::sin(phase(c[1]));
    u.at(c, 1) = speed * std::sin(phase(c[0])) * std::cos(phase(c[1]));
  });
  for (int t = 0; t < 600; ++t) {
    f.wrap();
    run(Target::cpu, start, std::array{&f, &next, &u}, 0, 1.2);
    std::swap(f, next);
  }
  double largest = 0;
  f.for_cells([&](const Cell& c) {
    double deviation = 0;
    for (std::size_t q = 0; q < 9; ++q)
      deviation += f.at(c, q);
    const double exact = -0.75 * speed * speed * (std::cos(2 * phase(c[0])) + std::cos(2 * phase(c[1])));
    largest = std::max(largest, std::abs(deviation - exact));
  });
  EXPECT_LT(largest, 0.15 * speed * speed); // a tenth of its range; (k cell)^2 / 6 is 3 %
}

// ---------------------------------------------------------------- velocity gradients

/// Nicoud and Ducros 1999. g: d_b u_a.
double wale_viscosity(const Matrix& g, double constant) {
  Matrix square{};
  double trace = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t m = 0; m < 3; ++m)
        square[a][b] += g[a][m] * g[m][b];
    trace += square[a][a];
  }
  double twist = 0, strain_squared = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      twist += std::pow((square[a][b] + square[b][a]) / 2 - (a == b ? trace / 3 : 0), 2);
      strain_squared += std::pow((g[a][b] + g[b][a]) / 2, 2);
    }
  }
  return constant * constant * std::pow(twist, 1.5) / (std::pow(strain_squared, 2.5) + std::pow(twist, 1.25));
}

/// Vreman 2004. g: d_b u_a.
double vreman_viscosity(const Matrix& g, double constant) {
  Matrix beta{};
  double squares = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t m = 0; m < 3; ++m)
        beta[a][b] += g[a][m] * g[b][m];
  double minors = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    squares += beta[a][a];
    for (std::size_t b = 0; b < a; ++b)
      minors += beta[a][a] * beta[b][b] - beta[a][b] * beta[a][b];
  }
  return constant * std::sqrt(minors / squares);
}

/// A velocity in a periodic box with solid cells, and its gradient.
struct Flow {
  static constexpr Cell extent{6, 5, 7};
  Grid u{extent, 3, 3};
  std::vector<std::uint8_t> flags;

  explicit Flow(bool porous) {
    u.randomise(21, 0.1);
    test::Random random(4);
    u.for_cells([&](const Cell&) { flags.push_back(porous && random.below(5) == 0 ? 0 : 1); });
  }
  bool fluid(Cell cell) const {
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] = (cell[d] + extent[d]) % extent[d];
    return flags[static_cast<std::size_t>(cell[0] + extent[0] * (cell[1] + extent[1] * cell[2]))] != 0;
  }
  /// Central; beside a solid cell with the wall at rest half a cell away (a parabola), or one-sided.
  Matrix gradient(const Cell& cell, bool one_sided = false) {
    Matrix g{};
    for (std::size_t b = 0; b < 3; ++b) {
      Velocity way{};
      way[b] = 1;
      const Cell up = moved(cell, way), down = moved(cell, way, -1);
      for (std::size_t a = 0; a < 3; ++a) {
        const double here = u.at(cell, a);
        if (fluid(up) && fluid(down))
          g[a][b] = (u.at(up, a) - u.at(down, a)) / 2;
        else if (fluid(up))
          g[a][b] = one_sided ? u.at(up, a) - here : u.at(up, a) / 3 + here;
        else if (fluid(down))
          g[a][b] = one_sided ? here - u.at(down, a) : -u.at(down, a) / 3 - here;
      }
    }
    return g;
  }
};

constexpr double constant = 0.3, omega = 1.8;
double local_rate(double viscosity) {
  return 1 / (1 / omega + 3 * viscosity);
}

/// Populations whose equilibrium is 0: a collision leaves 1 - omega of them, in directions 1 to 4.
double stressed(std::size_t q) {
  return q == 1 || q == 2 ? 1e-3 : q == 3 || q == 4 ? -1e-3 : 0;
}

TEST(Family, VremanOnALatticeOfOnesOwn) {
  Flow flow(false);
  Grid f(Flow::extent, 27, 3);
  Grid next = f;
  f.for_cells([&](const Cell& cell) {
    for (std::size_t q = 0; q < 27; ++q)
      f.at(cell, q) = stressed(q);
  });
  f.wrap();
  run(Target::cpu, vreman, std::array{&f, &next, &flow.u}, 0, constant, omega);
  Grid q(Flow::extent, 0, 3);
  run(Target::cpu, q_of, std::array{&flow.u, &q}, 0);
  f.for_cells([&](const Cell& cell) {
    const Matrix g = flow.gradient(cell);
    const double rate = local_rate(vreman_viscosity(g, constant));
    ASSERT_LT(rate, 0.99 * omega);
    EXPECT_NEAR(next.at(cell, 1), (1 - rate) * stressed(1), 1e-15);
    EXPECT_NEAR(next.at(cell, 4), (1 - rate) * stressed(4), 1e-15);
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        sum += g[a][b] * g[b][a];
    EXPECT_NEAR(q.at(cell, 0), -sum / 2, 1e-15);
  });
}

class Listed : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Family, Listed, testing::Values(Target::cpu, Target::cuda),
                         [](const auto& chosen) { return chosen.param == Target::cpu ? "cpu" : "cuda"; });

// WALE and vorticity among solid cells, in chunks, on the compressed table where there is a GPU.
TEST_P(Listed, GradientsFollowLinks) {
  const Target target = GetParam();
  const heddle::Memory memory = family::memory_of(target);
  Flow flow(true);
  const heddle::IndexList list({{0, 0, 0}, Flow::extent}, flow.flags, {true, true, true}, lbm_family::links,
                               memory);
  heddle::SparseField<double> f(list, 15, memory), next(list, 15, memory), u(list, 3, memory),
      w(list, 3, memory);
  f.fill(
      [](std::int64_t, std::int64_t, std::int64_t, int q) { return stressed(static_cast<std::size_t>(q)); });
  u.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    return flow.u.at({x, y, z}, static_cast<std::size_t>(c));
  });
  const auto populations = std::as_const(f).view();
  const auto velocity = std::as_const(u).view();
  wale(target, populations, next.view(), velocity, list.neighbour(), list.neighbour_stride(),
       list.neighbour_run(), list.neighbour_chunk(), std::int64_t{0}, list.count(), constant, omega);
  curl(target, populations, velocity, w.view(), list.neighbour(), list.neighbour_stride(), std::int64_t{0},
       list.count());
  const std::array<std::vector<double>, 3> found{w.read(0), w.read(1), w.read(2)};
  const std::vector<double> east = next.read(1);
  for (std::int64_t n = 0; n < list.count(); ++n) {
    const Cell cell = list.position(n);
    const auto at = static_cast<std::size_t>(n);
    const double rate = local_rate(wale_viscosity(flow.gradient(cell), constant));
    EXPECT_NEAR(east[at], (1 - rate) * stressed(1), 1e-15);
    const Matrix g = flow.gradient(cell, true);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      EXPECT_NEAR(found[a][at], g[c][b] - g[b][c], 1e-15);
    }
  }
}

// ---------------------------------------------------------------- a heat flux

/// A column of fluid at rest, heated from below with j and insulated above: after a while the temperature is
/// a parabola that rises as a whole, alpha T'' = j / H.
template <class Step, class Below> void expect_parabola(double cs2, const Step& step, const Below& below) {
  constexpr std::int64_t height = 6;
  constexpr double j = 1e-3, rate = 1.2;
  constexpr int steps = 2000;
  const Cell extent{1, 1, height};
  Grid g(extent, 7, 3);
  Grid next = g;
  Grid u(extent, 3, 3);
  for (int t = 0; t < steps; ++t) {
    g.wrap();
    g.at({0, 0, height}, 6) = g.at({0, 0, height - 1}, 5);
    below(g, j);
    run(Target::cpu, step, std::array{&g, &next, &u}, 0, rate);
    std::swap(g, next);
  }
  std::array<double, height> T{};
  double whole = 0;
  g.for_cells([&](const Cell& c) {
    for (std::size_t q = 0; q < 7; ++q)
      T[static_cast<std::size_t>(c[2])] += g.at(c, q);
    whole += T[static_cast<std::size_t>(c[2])];
  });
  EXPECT_NEAR(whole, j * steps, 1e-11);
  const double bend = j / (height * cs2 * (1 / rate - 0.5));
  for (std::size_t z = 1; z + 1 < height; ++z)
    EXPECT_NEAR((T[z - 1] - 2 * T[z] + T[z + 1]) / bend, 1, 1e-6);
}

TEST(Family, HeatFluxThroughAWall) {
  expect_parabola(0.25, heat, [](Grid& g, double j) { run(Target::cpu, flux, std::array{&g}, 1, j); });
  expect_parabola(0.3, warm, [](Grid& g, double j) { g.at({0, 0, -1}, 5) = g.at({0, 0, 0}, 6) + j; });
}

// ---------------------------------------------------------------- a curved wall in space

TEST(Family, QuadraticWallInSpace) {
  constexpr double arm = -2.5;
  for (const double d : {0.2, 0.8}) {
    Grid f({4, 5, 3}, 15, 3);
    f.randomise(9, 1e-2);
    Grid after = f;
    std::array<double, 6> sums{};
    std::array<std::array<double, 64>, 6> room{};
    const auto sweep = [&](Target, const Grid::View& view) {
      lbm_family_curved::step(view, &sums[0], room[0].data(), &sums[1], room[1].data(), &sums[2],
                              room[2].data(), &sums[3], room[3].data(), &sums[4], room[4].data(), &sums[5],
                              room[5].data(), d, arm);
    };
    run(Target::cpu, sweep, std::array{&after}, 1);
    std::array<double, 6> expected{};
    f.for_cells([&](const Cell& cell) {
      for (std::size_t q = 1; q < 15 && cell[2] == 0; ++q) {
        const Velocity& c = d3q15[q];
        if (c[2] <= 0) continue;
        const std::size_t p = opposite(q);
        const double left = f.at(cell, p), further = f.at(moved(cell, c), p);
        const double value = d < 0.5 ? d * (1 + 2 * d) * left + (1 - 4 * d * d) * further -
                                           d * (1 - 2 * d) * f.at(moved(cell, c, 2), p)
                                     : left / (d * (2 * d + 1)) + (2 * d - 1) / d * f.at(cell, q) -
                                           (2 * d - 1) / (2 * d + 1) * f.at(moved(cell, c), q);
        EXPECT_NEAR(after.at(moved(cell, c, -1), q), value, 1e-16);
        std::array<double, 3> push{};
        for (std::size_t a = 0; a < 3; ++a)
          push[a] = -c[a] * (left + value);
        const std::array<double, 3> from{static_cast<double>(cell[0]), static_cast<double>(cell[1]), arm};
        for (std::size_t a = 0; a < 3; ++a) {
          const std::size_t b = (a + 1) % 3, e = (a + 2) % 3;
          expected[a] += push[a];
          expected[3 + a] += from[b] * push[e] - from[e] * push[b];
        }
      }
    });
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(sums[i], expected[i], 1e-14) << "sum " << i << ", d = " << d;
  }
}

} // namespace
