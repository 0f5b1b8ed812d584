// SPDX-License-Identifier: Apache-2.0
// Longwave radiation: laws of fluxes, what a cloud does, when the heating is used.
#include "longwave.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"
#include "constants.hpp"
#include "heddle/core/error.hpp"
#include "heddle/transport/thread_group.hpp"
#include "rows.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

constexpr double stefan_boltzmann = 5.670374419e-8; // W m-2 K-4

Case radiating(int lag) {
  Case what = bomex();
  what.heating = 0;
  what.longwave = lag;
  return what;
}

/// A simulation that radiates, and beside it another Longwave of the same state, which is called by hand.
template <class T> struct Radiating : Simulation<T> {
  explicit Radiating(const Case& what_)
      : Simulation<T>(what_, {12, 10, 30}), column(this->stepper.place(), this->what, this->base, 5),
        by_hand(this->what, this->base, this->stepper.place(), column, this->stepper.now().th,
                this->stepper.now().q, this->stepper.cloud(), 0, this->alone) {}

  Column<T> column;
  Longwave<T> by_hand;
};

template <class T> std::vector<T> values(const heddle::Field<T>& field) {
  return field.read(0);
}

TEST(Longwave, WhatFluxesLoseHeatsTheColumn) {
  Radiating<double> s(radiating(0));
  s.stepper.start(1);
  (void)s.stepper.survey();
  s.by_hand.run();
  const auto [up, down] = s.by_hand.column(11, 9);
  const std::vector<double> heating = values(s.by_hand.heating());
  double gained = 0, mean = 0;
  for (std::size_t k = 0; k < s.base.levels(); ++k) {
    const double rate = heating[(k + 1) * s.level_cells() - 1];
    gained += heat_dry * s.base.density[k] * s.base.height[k] * s.base.exner[k] * rate;
    if (s.base.centre[k] < 1500) mean += rate * 86400 / 15;
  }
  const std::size_t top = s.base.levels();
  EXPECT_NEAR(gained, up[0] - down[0] - (up[top] - down[top]), 1e-9);                  // W m-2, of some ten
  EXPECT_NEAR(up[0], stefan_boltzmann * std::pow(298.7 * s.base.face_exner[0], 4), 1); // 10 to 3000 cm-1
  EXPECT_GT(mean, -4); // K a day; the case gives -2
  EXPECT_LT(mean, -1);
}

TEST(Longwave, AirAsWarmAsTheGroundRadiatesAsTheGround) {
  Radiating<float> s(radiating(0));
  s.stepper.start(1);
  const double kelvin = 298.7 * s.base.face_exner[0];
  s.stepper.now().th.fill(
      [&](auto, auto, auto k, int) { return kelvin / s.base.exner[static_cast<std::size_t>(k)] - offset; });
  s.stepper.now().q.fill([](auto, auto, auto, int) { return 5e-3; }); // without clouds
  (void)s.stepper.survey();
  s.by_hand.run();
  for (const double up : s.by_hand.column(11, 9).up)
    EXPECT_NEAR(up / (stefan_boltzmann * std::pow(kelvin, 4)), 1, 2e-3);
}

TEST(Longwave, CloudsCoolAtTheirTopsAndWarmAtTheirBases) {
  Radiating<double> s(radiating(0));
  s.stepper.start(1);
  s.stepper.now().q.fill([&](auto x, auto, auto k, int) { // from 900 to 1200 m, in half the columns
    return x < 6 && k >= 9 && k < 12 ? 20e-3 : 8e-3;
  });
  (void)s.stepper.survey();
  s.by_hand.run();
  const std::vector<double> heating = values(s.by_hand.heating());
  const auto at = [&](std::size_t x, std::size_t k) { return 86400 * heating[x + k * s.level_cells()]; };
  EXPECT_LT(at(2, 11), at(8, 11) - 10); // K a day
  EXPECT_GT(at(2, 9), at(8, 9) + 2);
  EXPECT_NEAR(at(2, 5), at(5, 5), 0.2); // columns know nothing of each other; noise differs
}

TEST(Longwave, HeatsAirAtRestAsItSays) {
  for (const auto steps : {RungeKutta::wicker_skamarock, RungeKutta::williamson}) {
    Case what = quiet();
    what.theta = {{0, 300}, {2005, 305}};
    what.longwave = 0;
    Simulation<double> s(what, {12, 10, 12}, stretched, Scheme::fifth, steps);
    s.stepper.start(1);
    const std::vector<double> before = values(s.stepper.now().th);
    (void)s.stepper.survey();
    s.stepper.radiate();
    const std::vector<double> heating = values(*s.stepper.heating());
    s.run(3, 40);
    const std::vector<double> after = values(s.stepper.now().th);
    for (std::size_t n = 0; n < before.size(); ++n) {
      ASSERT_NEAR(after[n], before[n] + 120 * heating[n], 1e-12);
      ASSERT_GT(std::abs(heating[n]), 1e-7);
    }
  }
}

TEST(Longwave, WithALagHasTheHeatingOfTheCallBefore) {
  for (const int lag : {0, 1}) {
    Radiating<float> s(radiating(lag));
    begin(s.stepper, 2, 5);
    std::vector<std::vector<float>> found;
    for (std::size_t call = 0; call < 4; ++call) {
      s.stepper.radiate();
      s.by_hand.run(); // of the same state, at once
      found.push_back(values(s.by_hand.heating()));
      const std::size_t used = lag == 1 && call > 0 ? call - 1 : call;
      EXPECT_EQ(values(*s.stepper.heating()), found[used]) << lag << ", " << call;
      if (call > 0) {
        EXPECT_NE(found[call], found[call - 1]);
      }
      s.stepper.advance(call == 1 ? 15 : 30); // an odd number of steps, too
    }
    s.stepper.finish();
  }
}

TEST(Longwave, OfColumnsThatRanksShareHasTheBitsOfOneRank) {
  for (const int lag : {0, 1}) {
    const Case what = radiating(lag);
    const BaseState base = make_base_state(what, 20);
    const auto run = [&](int ranks) {
      std::vector<Snapshot> found;
      heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
        Stepper<float> stepper(what, base, {8, 7, 20}, Scheme::fifth, transport); // shares differ
        begin(stepper, 3, 5);
        for (int call = 0; call < 3; ++call) {
          stepper.radiate();
          Snapshot all = snapshot(stepper, transport, 0);
          if (transport.rank() == 0) found.push_back(std::move(all));
          stepper.advance(30);
        }
        stepper.finish();
      });
      return found;
    };
    const std::vector<Snapshot> one = run(1), three = run(3);
    for (std::size_t call = 0; call < one.size(); ++call) {
      EXPECT_EQ(three[call].heating, one[call].heating) << lag << ", " << call;
      EXPECT_EQ(three[call].th, one[call].th) << lag << ", " << call;
    }
    EXPECT_NE(one[2].heating, one[0].heating);
  }
}

TEST(Longwave, RedistributionBringsEachCellToItsPlace) {
  heddle::ThreadGroup(3).run([&](heddle::Transport& transport) {
    const Place levels{.blocks =
                           heddle::BlockGrid({{0, 0, 0}, {5, 7, 20}}, {1, 1, 3}, {true, true, false}, 3),
                       .rank = transport.rank()};
    const Place rows = shared_rows(levels);
    const auto number = [](auto x, auto y, auto z, int) { return static_cast<double>(x + 10 * y + 100 * z); };
    heddle::Field<double> from = levels.field<double>("from"), there = rows.field<double>("there"),
                          back = levels.field<double>("back"), wanted = rows.field<double>("wanted");
    from.fill(number);
    wanted.fill(number);
    back.fill(-1);
    Redistribution<double> go(transport, "go"), come(transport, "come");
    go(from, there);
    EXPECT_EQ(there.box(0).extent(2), 20);
    EXPECT_EQ(there.read(), wanted.read());
    come(there, back);
    EXPECT_EQ(back.read(), from.read());
  });
}

TEST(Longwave, NeedsARowOfColumnsPerRank) {
  const Place levels{.blocks = heddle::BlockGrid({{0, 0, 0}, {8, 6, 42}}, {1, 1, 7}, {true, true, false}, 7)};
  try {
    (void)shared_rows(levels);
    FAIL();
  } catch (const heddle::Error& error) {
    EXPECT_NE(std::string(error.what()).find("7 ranks share 6 rows"), std::string::npos) << error.what();
  }
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Longwave, IsResumedFromACheckpointWithTheSameBits) {
  const test::Folder folder;
  const auto run = [&](const char* out, const std::string& more, const char* before = "") {
    return ::test::run_program(std::string(before) +
                               "'" CLOUDS_PROGRAM "' bomex --threads 1 --precision f32 --cells 8x8x12 "
                               "--spacing 200 --sample-every 100 --no-picture --longwave 1.5 "
                               "--checkpoint-every 100 --out '" +
                               (folder / out).string() + "' " + more);
  };
  ASSERT_EQ(run("whole", "--hours 0.1").code, 0);
  const auto begun =
      run("parts", "--hours 0.06", "HEDDLE_TIMEOUT=20 HEDDLE_TRANSPORT=threads HEDDLE_RANKS=2 ");
  ASSERT_EQ(begun.code, 0) << begun.text;
  const auto rest = run("parts", "--hours 0.1 --resume"); // on another number of ranks
  ASSERT_EQ(rest.code, 0) << rest.text;
  for (const char* const file : {"series.csv", "profiles.csv"})
    EXPECT_EQ(text_of(folder / "parts" / file), text_of(folder / "whole" / file)) << file;
  ASSERT_EQ(run("sooner", "--hours 0.1 --lag 0").code, 0);
  EXPECT_NE(text_of(folder / "sooner" / "profiles.csv"), text_of(folder / "whole" / "profiles.csv"));
  EXPECT_NE(run("none", "--resume --lag 1 --hours 0.1").code, 0);
}

TEST(Longwave, LagNeedsIt) {
  const auto outcome = ::test::run_program("'" CLOUDS_PROGRAM "' bomex --lag 0");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.text.find("no longwave radiation is computed"), std::string::npos) << outcome.text;
}

} // namespace
} // namespace clouds
