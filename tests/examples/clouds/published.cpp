// SPDX-License-Identifier: Apache-2.0
// What others published beside a run, and the balance of mean fluxes and mean profiles.
#include "published.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "../../support/test_folder.hpp"
#include "check.hpp"
#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace clouds {
namespace {

/// The same values on all levels.
Sample uniform(const BaseState& base, double time) {
  Sample sample;
  sample.time = time;
  for (auto& row : sample.centres)
    row.assign(base.levels(), 0);
  for (auto& row : sample.faces)
    row.assign(base.levels() + 1, 0);
  return sample;
}

/// What the models have at 1020 m, everywhere.
Sample as_at_1020_m(const BaseState& base, double time) {
  Sample sample = uniform(base, time);
  sample.centres[centre::theta_l].assign(base.levels(), 300.55);
  sample.centres[centre::q].assign(base.levels(), 13.25e-3);
  sample.centres[centre::cloud].assign(base.levels(), 1.7e-2);
  sample.numbers[series::cover] = 0.13;
  sample.numbers[series::liquid_path] = 7e-3;
  sample.numbers[series::cloud_base] = time < 4.5 * hour ? 500 : 600;
  return sample;
}

TEST(Published, RainOfTheLastFourHoursOfRico) {
  const Case what = rico();
  const BaseState base = make_base_state(what, 20);
  History history;
  for (int n = 0; n <= 24; ++n) {
    Sample sample = uniform(base, n * hour);
    sample.numbers[series::cover] = n < 20 ? 0 : 0.15;
    sample.numbers[series::rain_fallen] = n < 19 ? 0 : (n - 19) * 0.5 / 24; // mm
    history.add(std::move(sample));
  }
  EXPECT_EQ(history.samples()[10].numbers[series::rain_rate], 0);
  EXPECT_NEAR(history.samples()[24].numbers[series::rain_heat], 0.5 * 2.5e6 / 86400, 1e-10);
  const std::vector<Comparison> numbers = published_numbers(what, base, history);
  ASSERT_EQ(numbers.size(), 3U);
  EXPECT_TRUE(numbers[0].inside());
  EXPECT_FALSE(numbers[1].inside()); // no cloud water
  EXPECT_NEAR(numbers[2].value, 0.5, 1e-12);
}

TEST(Published, ProfilesOfModels) {
  const Case what = bomex();
  const BaseState base = make_base_state(what, 75);
  History history;
  for (int n = 2; n <= 12; ++n)
    history.add(as_at_1020_m(base, n * hour / 2));
  const std::vector<Comparison> rows = published_profiles(what, base, history);
  ASSERT_EQ(rows.size(), 22U);
  for (const Comparison& row : rows) {
    // 580 m has clouds of 4.6 % with a standard deviation of 2.4 %.
    const bool area_at_580 = row.units == "%" && row.height == 580;
    EXPECT_EQ(row.inside(), row.height == 1020 || area_at_580) << row.quantity << row.height;
    EXPECT_EQ(row.near(), row.height == 1020) << row.quantity << row.height;
  }
  const std::vector<Comparison> numbers = published_numbers(what, base, history);
  ASSERT_GE(numbers.size(), 3U);
  EXPECT_NEAR(numbers[0].value, 13, 1e-12);
  EXPECT_NEAR(numbers[1].value, 7, 1e-12);
  EXPECT_NEAR(numbers[2].value, (1.25 * 500 + 1.75 * 600) / 3, 1e-9); // trapezoids from 3 h to 6 h
  const test::Folder folder;
  write_comparison(rows, folder / "comparison.csv");
  std::ostringstream text;
  text << std::ifstream(folder / "comparison.csv").rdbuf();
  EXPECT_NE(text.str().find("\"theta_l, hours 5 to 6\",1020,K,300.55,300.25,300.85,"), std::string::npos)
      << text.str();
  EXPECT_TRUE(published_profiles(convective_layer(), base, history).empty());
  EXPECT_THROW(write_comparison(rows, folder / "none" / "comparison.csv"), heddle::Error);
}

TEST(Published, TheHeatFluxIsLeastBelowTheSteepestGradient) {
  Case what = convective_layer();
  const BaseState base = make_base_state(what, 32); // of 100 m
  History history;
  for (const double hours : {2.75, 3.0}) {
    Sample sample = uniform(base, hours * hour);
    for (std::size_t k = 0; k < 10; ++k)
      sample.faces[face::theta_l_flux][k] = 0.1 - 0.012 * static_cast<double>(k);
    sample.faces[face::theta_l_flux][10] = 0.02;
    sample.faces[face::theta_l_subgrid][10] = -0.04; // both together: -0.02
    sample.numbers[series::inversion] = 1100;
    history.add(std::move(sample));
  }
  EXPECT_EQ(least_flux_height(base, history.samples()[0]), 1000);
  const std::vector<Check> all = checks(what, base, history, {}, {}, false);
  const auto band = std::ranges::find(all, "height of the least heat flux, m", &Check::what);
  ASSERT_NE(band, all.end());
  EXPECT_EQ(band->value, 1000);
  EXPECT_TRUE(band->good());
}

TEST(Published, FluxesFitProfilesThatSinkAndCool) {
  Case what;
  what.name = "column";
  what.size = {1000, 1000, 1500};
  what.boussinesq = true;
  what.theta = {{0, 300}, {1e5, 300 + 0.003 * 1e5}};
  what.subsidence = -0.005;
  what.heating = -3e-5;
  what.theta_flux = 0.02;
  const BaseState base = make_base_state(what, {60, 80, 100, 100, 120, 150, 200, 250, 220, 220});
  const double trend = 2e-6; // K/s
  // dF/dz = -w dtheta/dz + heating - dtheta/dt
  const double slope = 0.005 * 0.003 - 3e-5 - trend;
  const auto history = [&](double at_face_6) {
    History result;
    for (int n = 0; n <= 10; ++n) {
      Sample sample = uniform(base, 100 * n);
      for (std::size_t k = 0; k < base.levels(); ++k) {
        sample.centres[centre::theta_l][k] = 300 + 0.003 * base.centre[k] + trend * sample.time;
        const double whole = 0.02 + slope * base.face[k];
        sample.faces[face::theta_l_flux][k] = 0.8 * whole + (k == 6 ? at_face_6 : 0);
        sample.faces[face::theta_l_subgrid][k] = 0.2 * whole;
      }
      result.add(sample);
    }
    return result;
  };
  EXPECT_LT(flux_imbalance(what, base, history(0), 200, 1000).theta_l, 1e-9);
  EXPECT_NEAR(flux_imbalance(what, base, history(0.001), 200, 1000).theta_l, 0.05, 1e-9);
  EXPECT_EQ(flux_imbalance(what, base, history(0.001), 200, 1000).water, 0);
  EXPECT_THROW((void)flux_imbalance(what, base, history(0), -100, 1000), heddle::Error);
}

} // namespace
} // namespace clouds
