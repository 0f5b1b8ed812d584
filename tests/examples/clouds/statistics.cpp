// SPDX-License-Identifier: Apache-2.0
// Statistics against what can be said without them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../../support/test_folder.hpp"
#include "constants.hpp"
#include "heddle/core/error.hpp"
#include "output.hpp"
#include "statistics.hpp"

namespace clouds {
namespace {

constexpr std::int64_t nx = 16, ny = 8, nz = 10;

/// A plume: w and theta_l go together, cos x on each level; clouds in a quarter of level 6.
Snapshot plume(const BaseState& base) {
  Snapshot s;
  s.cells = {nx, ny, nz};
  const std::size_t cells = nx * ny * nz;
  s.u.assign(cells, 2);
  s.v.assign(cells, -1);
  s.w.assign(cells, 0);
  s.th.assign(cells, 0);
  s.q.assign(cells, 0.01);
  s.cloud.assign(cells, 0);
  s.viscosity.assign(cells, 1.5);
  for (std::size_t n = 0; n < cells; ++n) {
    const std::size_t x = n % nx, y = n / nx % ny, z = n / (nx * ny);
    const double wave = std::cos(2 * std::numbers::pi * static_cast<double>(x) / nx);
    s.w[n] = z == 0 ? 0 : wave;
    s.th[n] = 0.002 * base.centre[z] + 0.3 * wave;
    if (z == 6 && x < nx / 2 && y < ny / 2) s.cloud[n] = 1e-3;
  }
  return s;
}

TEST(Statistics, OfAPlume) {
  Case what = bomex();
  what.u_frame = -8;
  const BaseState base = make_base_state(what, nz);
  const Sample one = measure(plume(base), what, base, Scheme::second);
  for (std::size_t k = 1; k < nz; ++k) {
    EXPECT_NEAR(one.centres[centre::u][k], -6, 1e-12);
    EXPECT_NEAR(one.centres[centre::v][k], -1, 1e-12);
    EXPECT_NEAR(one.centres[centre::theta_l][k], offset + 0.002 * base.centre[k], 1e-11);
    EXPECT_NEAR(one.centres[centre::theta_variance][k], 0.09 / 2, 1e-12);
    EXPECT_NEAR(one.faces[face::w_variance][k], 0.5, 1e-12);
    EXPECT_NEAR(one.faces[face::theta_l_flux][k], 0.15, 1e-12);
    EXPECT_NEAR(one.faces[face::q_flux][k], 0, 1e-15);
    EXPECT_NEAR(one.faces[face::theta_l_subgrid][k], -3 * 1.5 * 0.002, 1e-12);
    EXPECT_EQ(one.centres[centre::cloud][k], k == 6 ? 0.25 : 0) << k;
  }
  EXPECT_EQ(one.faces[face::theta_l_subgrid][0], what.theta_flux);
  EXPECT_NEAR(one.centres[centre::cloud_q_c][6], 1e-3, 1e-15);
  EXPECT_TRUE(std::isnan(one.centres[centre::cloud_q_c][5]));
  EXPECT_EQ(one.numbers[series::cover], 0.25);
  EXPECT_NEAR(one.numbers[series::liquid_path], 0.25e-3 * base.density[6] * base.height[6], 1e-15);
  EXPECT_EQ(one.numbers[series::cloud_base], base.centre[6]);
  EXPECT_EQ(one.numbers[series::w_largest], 1);
}

TEST(Statistics, AdvectedFluxesOfOrder5AreExactForParabolas) {
  Case what = bomex();
  const BaseState base = make_base_state(what, nz);
  Snapshot s = plume(base);
  for (std::size_t n = 0; n < s.w.size(); ++n) {
    const std::size_t z = n / (nx * ny);
    s.w[n] = z == 0 ? 0 : (n % 2 == 0 ? 1 : -1);
    const double level = static_cast<double>(z), side = n % 2 == 0 ? 1 : -1;
    s.th[n] = side * (level * level + level + 1.0 / 3); // means of t^2 over cells
  }
  const Sample one = measure(s, what, base, Scheme::fifth);
  for (std::size_t k = 3; k + 3 <= nz; ++k) {
    const double face = static_cast<double>(k);
    EXPECT_NEAR(one.faces[face::theta_l_flux][k], face * face, 1e-11) << k;
  }
}

TEST(Statistics, MeansOverTimeWeightCloudsByTheirArea) {
  const Case what = bomex();
  const BaseState base = make_base_state(what, nz);
  Snapshot first = plume(base), second = plume(base);
  first.time = 60;
  second.time = 120;
  for (std::size_t n = 0; n < second.cloud.size(); ++n)
    if (second.cloud[n] > 0) second.cloud[n] = n / nx % ny == 0 ? 3e-3 : 0; // a quarter of the area
  History history;
  history.add(measure(first, what, base, Scheme::second));
  history.add(measure(second, what, base, Scheme::second));
  const Sample mean = history.mean(0, 120);
  EXPECT_NEAR(mean.centres[centre::cloud][6], (0.25 + 0.0625) / 2, 1e-15);
  EXPECT_NEAR(mean.centres[centre::cloud_q_c][6], (0.25 * 1e-3 + 0.0625 * 3e-3) / 0.3125, 1e-12);
  EXPECT_EQ(history.mean(61, 120).centres[centre::cloud][6], 0.0625);
  EXPECT_THROW((void)history.mean(200, 300), heddle::Error);

  Snapshot third = first;
  third.time = 240; // weights of 30, 90 and 60 s
  History uneven = history;
  uneven.add(measure(third, what, base, Scheme::second));
  EXPECT_NEAR(uneven.mean(60, 240).centres[centre::cloud][6], (90 * 0.25 + 90 * 0.0625) / 180, 1e-15);

  const test::Folder folder;
  save_history(history, folder / "samples");
  const History again = read_history(folder / "samples", base);
  ASSERT_EQ(again.samples().size(), 2U);
  EXPECT_EQ(again.samples()[1].time, 120);
  EXPECT_EQ(again.samples()[1].faces, history.samples()[1].faces);
  EXPECT_THROW((void)read_history(folder / "samples", make_base_state(what, nz + 1)), heddle::Error);
}

} // namespace
} // namespace clouds
