// SPDX-License-Identifier: Apache-2.0
// Statistics against what can be said without them, and against loops over cells.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "../../support/test_folder.hpp"
#include "constants.hpp"
#include "heddle/core/error.hpp"
#include "output.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

constexpr std::int64_t nx = 16, ny = 8, nz = 10;

/// A plume: w and theta_l go together, cos x on each level; clouds in a quarter of level 6.
template <class T> void plume(Simulation<T>& s) {
  const auto wave = [](auto x) { return std::cos(2 * std::numbers::pi * static_cast<double>(x) / nx); };
  s.stepper.now().u.fill([](auto, auto, auto, int) { return 2; });
  s.stepper.now().v.fill([](auto, auto, auto, int) { return -1; });
  s.stepper.now().w.fill([&](auto x, auto, auto z, int) { return z == 0 ? 0 : wave(x); });
  s.stepper.now().th.fill([&](auto x, auto, auto z, int) {
    return 0.002 * s.base.centre[static_cast<std::size_t>(z)] + 0.3 * wave(x);
  });
  s.stepper.now().q.fill([](auto, auto, auto, int) { return 0.01; });
  s.stepper.cloud().fill(
      [](auto x, auto y, auto z, int) { return z == 6 && x < nx / 2 && y < ny / 2 ? 1e-3 : 0; });
  s.stepper.viscosity().fill([](auto, auto, auto, int) { return 1.5; });
}

TEST(Statistics, OfAPlume) {
  const Case what = bomex();
  Simulation<double> s(what, {nx, ny, nz}, Scheme::second);
  plume(s);
  const Sample one = s.measure();
  for (std::size_t k = 1; k < nz; ++k) {
    EXPECT_NEAR(one.centres[centre::u][k], -6, 1e-12);
    EXPECT_NEAR(one.centres[centre::v][k], -1, 1e-12);
    EXPECT_NEAR(one.centres[centre::theta_l][k], offset + 0.002 * s.base.centre[k], 1e-11);
    EXPECT_NEAR(one.centres[centre::theta_variance][k], 0.09 / 2, 1e-12);
    EXPECT_NEAR(one.faces[face::w_variance][k], 0.5, 1e-12);
    EXPECT_NEAR(one.faces[face::theta_l_flux][k], 0.15, 1e-12);
    EXPECT_NEAR(one.faces[face::q_flux][k], 0, 1e-15);
    EXPECT_NEAR(one.faces[face::theta_l_subgrid][k], -3 * 1.5 * 0.002, 1e-12);
    EXPECT_NEAR(one.faces[face::u_flux][k], 0, 1e-13);
    const double length2 = squared_lengths(s.base, 400, 800, what.roughness)[k];
    EXPECT_NEAR(one.centres[centre::subgrid_energy][k], 1.5 * 1.5 / (0.01 * length2), 1e-12);
    EXPECT_EQ(one.centres[centre::cloud][k], k == 6 ? 0.25 : 0) << k;
    const double rise = k == 6 ? 0.25e-3 : k == 7 ? -0.25e-3 : 0;
    EXPECT_NEAR(one.faces[face::q_c_subgrid][k], -3 * 1.5 * rise / s.base.distance[k], 1e-15) << k;
  }
  EXPECT_EQ(one.faces[face::theta_l_subgrid][0], what.theta_flux);
  EXPECT_NEAR(one.centres[centre::cloud_q_c][6], 1e-3, 1e-15);
  EXPECT_TRUE(std::isnan(one.centres[centre::cloud_q_c][5]));
  EXPECT_EQ(one.numbers[series::cover], 0.25);
  EXPECT_NEAR(one.numbers[series::liquid_path], 0.25e-3 * s.base.density[6] * s.base.height[6], 1e-15);
  EXPECT_EQ(one.numbers[series::cloud_base], s.base.centre[6]);
  EXPECT_EQ(one.numbers[series::w_largest], 1);
}

TEST(Statistics, AdvectedFluxesOfOrder5AreExactForParabolas) {
  Simulation<double> s(bomex(), {nx, ny, nz});
  plume(s);
  const auto side = [](auto x) { return x % 2 == 0 ? 1 : -1; };
  s.stepper.now().w.fill([&](auto x, auto, auto z, int) { return z == 0 ? 0 : side(x); });
  const auto parabola = [&](auto x, auto, auto z, int) {
    const double level = static_cast<double>(z);
    return side(x) * (level * level + level + 1.0 / 3); // means of t^2 over cells
  };
  s.stepper.now().th.fill(parabola);
  const auto along = [&](auto x, auto y, auto z, int) { return parabola(y, x, z, 0); };
  s.stepper.now().v.fill(along);
  const Sample one = s.measure();
  for (std::size_t k = 3; k + 3 <= nz; ++k) {
    const double face = static_cast<double>(k);
    EXPECT_NEAR(one.faces[face::theta_l_flux][k], face * face, 1e-11) << k;
    EXPECT_NEAR(one.faces[face::v_flux][k], 0, 1e-11) << k; // w does not go with v
  }
  s.stepper.now().w.fill([&](auto, auto y, auto z, int) { return z == 0 ? 0 : y / 2 % 2 == 0 ? 1 : -1; });
  s.stepper.now().v.fill([&](auto, auto y, auto z, int) { // on faces, between cells y - 1 and y
    return y % 2 == 0 ? 0 : parabola(y / 2, 0, z, 0);
  });
  const Sample other = s.measure();
  for (std::size_t k = 3; k + 3 <= nz; ++k) {
    const double face = static_cast<double>(k);
    EXPECT_NEAR(other.faces[face::v_flux][k], face * face / 2, 1e-11) << k;
  }
}

/// The mean of f(x, y) over a level.
double level_mean(const std::function<double(std::int64_t, std::int64_t)>& f) {
  double sum = 0;
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x)
      sum += f(x, y);
  return sum / static_cast<double>(nx * ny);
}

/// Statistics of noisy moist air with rain, beside loops in double precision.
template <class T> void expect_loops(double digits) {
  Case what = rico();
  what.size = {1600, 720, 4000};
  Simulation<T> s(what, {nx, ny, nz}, {200, 250, 300, 350, 400, 450, 500, 500, 500, 550});
  s.stepper.start(3);
  s.stir();
  s.stepper.now().r->fill([](auto x, auto y, auto k, int) { return 1e-4 * static_cast<double>(x + y + k); });
  s.stepper.now().q.fill(
      [](auto x, auto y, auto k, int) { return 14e-3 + 9e-3 * test::noise(x + 70 * y + 900 * k); });
  const Snapshot air = s.look();
  const Sample found = s.measure();
  const auto at = [&](const std::vector<double>& phi, std::int64_t x, std::int64_t y, std::int64_t z) {
    return phi[static_cast<std::size_t>((x + nx) % nx + nx * ((y + ny) % ny + ny * z))];
  };
  const auto theta = [&](auto x, auto y, auto z) {
    return offset + at(air.th, x, y, z) +
           vaporisation / heat_dry / static_cast<double>(T(s.base.exner[static_cast<std::size_t>(z)])) *
               at(air.cloud, x, y, z);
  };
  const auto tv = [&](auto x, auto y, auto z) {
    return theta(x, y, z) * (1 + lightness * at(air.q, x, y, z) - (1 + lightness) * at(air.cloud, x, y, z) -
                             at(air.rain, x, y, z));
  };
  const auto near = [&](double value, double expected, double scale, const char* name, std::int64_t z) {
    EXPECT_NEAR(value, expected, digits * scale) << name << ", level " << z;
  };
  double dense = 0;
  for (std::int64_t z = 1; z + 1 < nz; ++z) {
    const auto k = static_cast<std::size_t>(z);
    const auto u = [&](auto x, auto y) { return (at(air.u, x, y, z) + at(air.u, x + 1, y, z)) / 2; };
    const double mean_u = level_mean(u);
    near(found.centres[centre::u][k], mean_u + what.u_frame, 1, "u", z);
    near(found.centres[centre::u_variance][k],
         level_mean([&](auto x, auto y) { return std::pow(u(x, y) - mean_u, 2); }), 1, "variance of u", z);
    const double mean_tv = level_mean([&](auto x, auto y) { return tv(x, y, z); });
    near(found.centres[centre::tv][k], mean_tv, 300, "tv", z);
    const auto core = [&](auto x, auto y) { return at(air.cloud, x, y, z) > 1e-5 && tv(x, y, z) > mean_tv; };
    const double area = level_mean([&](auto x, auto y) { return core(x, y) ? 1.0 : 0.0; });
    dense = std::max(dense, area);
    EXPECT_EQ(found.centres[centre::core][k], area) << z;
    if (area > 0)
      near(found.centres[centre::core_q_c][k],
           level_mean([&](auto x, auto y) { return core(x, y) ? at(air.cloud, x, y, z) : 0.0; }) / area, 1e-2,
           "cloud water of cores", z);
    const auto w = [&](auto x, auto y) { return at(air.w, x, y, z); };
    const double mean_w = level_mean(w);
    near(found.faces[face::w_skewness][k],
         level_mean([&](auto x, auto y) { return std::pow(w(x, y) - mean_w, 3); }), 8, "third moment", z);
    const double d = s.base.distance[k];
    near(found.faces[face::tv_flux][k],
         level_mean([&](auto x, auto y) { return (w(x, y) - mean_w) * (tv(x, y, z) + tv(x, y, z - 1)) / 2; }),
         300, "flux of tv", z);
    near(found.faces[face::tv_subgrid][k], level_mean([&](auto x, auto y) {
           const double K = (at(air.viscosity, x, y, z) + at(air.viscosity, x, y, z - 1)) / 2;
           return -3 * K * (tv(x, y, z) - tv(x, y, z - 1)) / d;
         }),
         300, "subgrid flux of tv", z);
    near(found.faces[face::u_subgrid][k], level_mean([&](auto x, auto y) {
           double K = 0;
           for (const int i : {-1, 0})
             for (const int j : {-1, 0})
               K += at(air.viscosity, x + i, y, z + j) / 4;
           return -K * ((at(air.u, x, y, z) - at(air.u, x, y, z - 1)) / d + (w(x, y) - w(x - 1, y)) / 100);
         }),
         100, "subgrid flux of u", z);
    if (z < 3 || z + 3 > nz) continue;
    near(found.faces[face::u_flux][k], level_mean([&](auto x, auto y) {
           const double carrier = (w(x, y) + w(x - 1, y)) / 2, sign = carrier < 0 ? -1 : 1;
           const auto pair = [&](int n, int side) {
             return at(air.u, x, y, z + n) + side * at(air.u, x, y, z - 1 - n);
           };
           const double value = (37 * pair(0, 1) - 8 * pair(1, 1) + pair(2, 1) -
                                 sign * (10 * pair(0, -1) - 5 * pair(1, -1) + pair(2, -1))) /
                                60;
           return (carrier - mean_w) * value;
         }),
         4, "flux of u", z);
  }
  EXPECT_GT(dense, 0.02);
  EXPECT_NEAR(found.numbers[series::w_largest], *std::ranges::max_element(air.w), 0);
}

TEST(Statistics, AreThoseOfLoopsOverCells) {
  expect_loops<double>(1e-13);
}

TEST(Statistics, AreInDoublePrecisionForFieldsInSingle) {
  expect_loops<float>(3e-7); // profiles of levels are in single precision
}

TEST(Statistics, MeansOverTimeWeightCloudsByTheirArea) {
  Simulation<double> s(bomex(), {nx, ny, nz}, Scheme::second);
  plume(s);
  const Sample first = s.measure(60);
  s.stepper.cloud().fill([](auto x, auto y, auto z, int) { // a quarter of the area
    return z == 6 && x < nx / 2 && y == 0 ? 3e-3 : 0;
  });
  History history;
  history.add(first);
  history.add(s.measure(120));
  const Sample mean = history.mean(0, 120);
  EXPECT_NEAR(mean.centres[centre::cloud][6], (0.25 + 0.0625) / 2, 1e-15);
  EXPECT_NEAR(mean.centres[centre::cloud_q_c][6], (0.25 * 1e-3 + 0.0625 * 3e-3) / 0.3125, 1e-12);
  EXPECT_EQ(history.mean(61, 120).centres[centre::cloud][6], 0.0625);
  EXPECT_THROW((void)history.mean(200, 300), heddle::Error);

  Sample third = first;
  third.time = 240; // weights of 30, 90 and 60 s
  History uneven = history;
  uneven.add(third);
  EXPECT_NEAR(uneven.mean(60, 240).centres[centre::cloud][6], (90 * 0.25 + 90 * 0.0625) / 180, 1e-15);

  const test::Folder folder;
  save_history(history, folder / "samples");
  const History again = read_history(folder / "samples", s.base);
  ASSERT_EQ(again.samples().size(), 2U);
  EXPECT_EQ(again.samples()[1].time, 120);
  EXPECT_EQ(again.samples()[1].faces, history.samples()[1].faces);
  EXPECT_THROW((void)read_history(folder / "samples", make_base_state(bomex(), nz + 1)), heddle::Error);
}

} // namespace
} // namespace clouds
