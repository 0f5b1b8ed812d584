// SPDX-License-Identifier: Apache-2.0
// Mean and spread over seeds: against numbers by hand, and against the runs one by one.
#include "ensemble.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"
#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace clouds {
namespace {

/// Six hours of BOMEX in which nothing changes: cover, and clouds of an area with water in them at all
/// heights.
History steady(const BaseState& base, double cover, double area, double water) {
  History history;
  for (int n = 0; n <= 12; ++n) {
    Sample sample;
    sample.time = n * hour / 2;
    for (auto& row : sample.centres)
      row.assign(base.levels(), 0);
    for (auto& row : sample.faces)
      row.assign(base.levels() + 1, 0);
    sample.numbers[series::cover] = cover;
    sample.centres[centre::cloud].assign(base.levels(), area);
    sample.centres[centre::cloud_q_c].assign(base.levels(),
                                             area > 0 ? water : std::numeric_limits<double>::quiet_NaN());
    history.add(std::move(sample));
  }
  return history;
}

TEST(Ensemble, DeviationsHaveOneLessBelow) {
  EXPECT_DOUBLE_EQ(deviation({1, 2, 6}), std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(deviation({1, std::nan(""), 3}), std::sqrt(2.0));
  EXPECT_TRUE(std::isnan(deviation({1, std::nan("")})));
}

TEST(Ensemble, DemandsAreThoseOfTheMean) {
  const Case what = bomex();
  const BaseState base = make_base_state(what, 75);
  // Two of three covers lie outside 8 to 17 %.
  const Ensemble three(
      {steady(base, 0.05, 0.1, 1e-3), steady(base, 0.20, 0.3, 2e-3), steady(base, 0.11, 0, 0)});
  const Sample& mean = three.mean().samples()[4];
  EXPECT_EQ(mean.time, 2 * hour);
  EXPECT_NEAR(mean.numbers[series::cover], 0.12, 1e-15);
  EXPECT_NEAR(mean.centres[centre::cloud][7], 0.4 / 3, 1e-15);
  EXPECT_NEAR(mean.centres[centre::cloud_q_c][7], (0.1 * 1e-3 + 0.3 * 2e-3) / 0.4, 1e-15);
  const Sample& spread = three.spread()[4];
  EXPECT_NEAR(spread.numbers[series::cover], std::sqrt((49 + 64 + 1) / 2.0) / 100, 1e-15);
  EXPECT_NEAR(spread.centres[centre::cloud_q_c][7], 1e-3 / std::sqrt(2), 1e-15); // one has no clouds
  int found = 0;
  for (const auto& [check, deviation] : three.demands(what, base, false)) {
    if (check.what != "cover, hours 3 to 6, %") continue;
    ++found;
    EXPECT_NEAR(check.value, 12, 1e-12);
    EXPECT_TRUE(check.good());
    EXPECT_NEAR(deviation, std::sqrt(57.0), 1e-12);
  }
  EXPECT_EQ(found, 1);
  const test::Folder folder;
  three.write(what, base, 5 * hour, 6 * hour, folder.path());
  std::ostringstream text;
  text << std::ifstream(folder / "comparison.csv").rdbuf();
  EXPECT_NE(text.str().find("\"cover, hours 3 to 6\",,%,12,8,17,\"Siebesma et al. (2003)\",7.54983444\n"),
            std::string::npos)
      << text.str();
}

TEST(Ensemble, RunsOfOtherTimesOrOneRunAreRefused) {
  const BaseState base = make_base_state(bomex(), 75), coarse = make_base_state(bomex(), 30);
  EXPECT_THROW(Ensemble({steady(base, 0, 0, 0)}), heddle::Error);
  EXPECT_THROW(Ensemble({steady(base, 0, 0, 0), steady(coarse, 0, 0, 0)}), heddle::Error);
  EXPECT_THROW(Ensemble({steady(base, 0, 0, 0), History()}), heddle::Error);
}

/// The last line of a table, by the names of its columns.
std::map<std::string, double> last_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string head, line, next;
  std::getline(stream, head);
  while (std::getline(stream, next))
    line = next;
  std::map<std::string, double> row;
  std::istringstream names(head), values(line);
  for (std::string name, value; std::getline(names, name, ',') && std::getline(values, value, ',');)
    if (!value.empty()) row[name] = std::stod(value); // nothing: means over clouds where there are none
  return row;
}

TEST(Ensemble, OfTheProgramIsThatOfItsRuns) {
  const test::Folder folder;
  const auto run = [&](const std::string& more) {
    return ::test::run_program("'" CLOUDS_PROGRAM "' cbl --threads 1 --cells 12x12x16 --hours 0.1 "
                               "--sample-every 120 --no-picture " +
                               more);
  };
  const std::string out = (folder / "all").string(), one = (folder / "one").string();
  const ::test::Outcome outcome = run("--seed 4 --seeds 2 --out '" + out + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("mean      heat budget of 20 minutes"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("spread"), std::string::npos) << outcome.text;
  ASSERT_EQ(run("--seed 5 --out '" + one + "'").code, 0);
  const auto a = last_line(folder / "all" / "seed_4" / "series.csv");
  const auto b = last_line(folder / "one" / "series.csv");
  const auto both = last_line(folder / "all" / "series.csv");
  EXPECT_EQ(b, last_line(folder / "all" / "seed_5" / "series.csv"));
  EXPECT_NE(a.at("kinetic_energy"), b.at("kinetic_energy"));
  for (const char* const name : {"kinetic_energy", "w_largest"}) {
    EXPECT_NEAR(both.at(name), (a.at(name) + b.at(name)) / 2, 1e-8 * a.at(name)) << name;
    EXPECT_NEAR(both.at(name + std::string("_spread")), std::abs(a.at(name) - b.at(name)) / std::sqrt(2),
                1e-8 * a.at(name))
        << name;
  }
  EXPECT_GT(last_line(folder / "all" / "profiles.csv").count("theta_l_variance_spread"), 0U);
}

TEST(Ensemble, RefusesWhatBelongsToOneRun) {
  const test::Folder folder;
  const auto refusal = [&](const std::string& more) {
    const auto outcome =
        ::test::run_program("'" CLOUDS_PROGRAM "' --out '" + (folder / "x").string() + "' --seeds " + more);
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    return outcome.text;
  };
  EXPECT_NE(refusal("2 --resume").find("checkpoints belong to one run"), std::string::npos);
  EXPECT_NE(refusal("2 --checkpoint-every 60").find("checkpoints belong to one run"), std::string::npos);
  EXPECT_NE(refusal("2 --trace t.json").find("--trace writes one file"), std::string::npos);
  EXPECT_NE(refusal("2 wave").find("wave starts without noise"), std::string::npos);
  EXPECT_NE(refusal("1").find("--seeds"), std::string::npos);
}

} // namespace
} // namespace clouds
