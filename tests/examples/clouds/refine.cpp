// SPDX-License-Identifier: Apache-2.0
// A start from a coarser run: what is kept, where points lie, and that it goes on.
#include "refine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>
#include <sstream>
#include <string>

#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"
#include "constants.hpp"
#include "heddle/transport/thread_group.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

/// Means of the levels of a whole domain.
std::vector<double> level_means(const std::vector<double>& values, std::size_t levels) {
  const std::size_t n = values.size() / levels;
  std::vector<double> means;
  for (std::size_t k = 0; k < levels; ++k)
    means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(n * k),
                                    values.begin() + static_cast<std::ptrdiff_t>(n * (k + 1)), 0.0) /
                    static_cast<double>(n));
  return means;
}

/// Values are rounded, by half of `epsilon` of the largest one, and so are their sums in double precision,
/// each time one is added.
void expect_means(const std::vector<double>& coarse, const std::vector<double>& fine, std::size_t levels,
                  double epsilon, const char* what) {
  const std::vector<double> a = level_means(coarse, levels), b = level_means(fine, levels);
  const double cells = static_cast<double>(fine.size() / levels);
  EXPECT_GT(largest(coarse), 0) << what;
  for (std::size_t k = 0; k < levels; ++k)
    EXPECT_NEAR(a[k], b[k], (epsilon + 1.1e-16 * cells) * largest(coarse)) << what << " " << k;
}

/// A stirred flow with noise of clouds, temperature and rain.
template <class T> void expect_kept(double epsilon, double divergence) {
  Case what = rico();
  what.size = {1600, 1200, 3000};
  what.sponge_above = 2500;
  Simulation<T> coarse(what, {16, 12, 20}), fine(what, {32, 24, 20});
  coarse.stepper.start(3);
  coarse.stir();
  coarse.stepper.now().r->fill([](auto x, auto y, auto k, int) {
    return k > 3 && k < 7 ? std::max(0.0, 1e-4 * test::noise(x + 30 * y + 900 * k)) : 0.0;
  });
  coarse.stepper.fallen()->fill([](auto x, auto y, auto, int) { return 0.1 * static_cast<double>(x + y); });
  refine_state(coarse.stepper, coarse.base, fine.stepper, fine.base, fine.alone);
  const Snapshot a = coarse.look(), b = fine.look();
  const std::size_t n = coarse.base.levels();
  expect_means(a.u, b.u, n, epsilon, "u");
  expect_means(a.v, b.v, n, epsilon, "v");
  expect_means(a.th, b.th, n, epsilon, "th");
  expect_means(a.q, b.q, n, epsilon, "q");
  expect_means(a.rain, b.rain, n, epsilon, "r");
  EXPECT_GE(*std::ranges::min_element(b.rain), 0);
  EXPECT_DOUBLE_EQ(coarse.lowest().fallen, fine.lowest().fallen);
  EXPECT_LT(fine.stepper.divergence(), divergence * largest(b.u));
  for (const double mean : level_means(b.w, n))
    EXPECT_LT(std::abs(mean), divergence * largest(b.u));
  // No more than the coarse values, but for what keeps the means.
  EXPECT_LT(largest(b.th), 1.05 * largest(a.th));
  EXPECT_GT(largest(b.u), 0.5 * largest(a.u));
  fine.run(3, 2); // it goes on
  EXPECT_LT(fine.stepper.divergence(), divergence * largest(b.u));
  EXPECT_TRUE(std::isfinite(largest(fine.look().w)));
}

TEST(Refine, KeepsMeansAndHasNoDivergence) {
  expect_kept<double>(2.3e-16, 1e-13);
}

TEST(Refine, KeepsThemInSinglePrecision) {
  expect_kept<float>(1.2e-7, 5e-5);
}

TEST(Refine, PointsLieWhereTheyShould) {
  Case what = quiet();
  what.size = {1600, 1600, 2005};
  Simulation<double> coarse(what, {16, 16, 12}, stretched), fine(what, {32, 32, 12}, stretched);
  const double k = 2 * std::numbers::pi / 1600;
  // A flow without divergence, on the faces of the coarse cells, and theta_l in their middles.
  const auto u = [&](double x, double y) { return std::sin(k * x) * std::cos(k * y); };
  State<double>& s = coarse.stepper.now();
  s.u.fill([&](auto x, auto y, auto, int) {
    return u(100.0 * static_cast<double>(x), 100 * static_cast<double>(y) + 50);
  });
  s.v.fill([&](auto x, auto y, auto, int) {
    return -u(100.0 * static_cast<double>(y), 100 * static_cast<double>(x) + 50);
  });
  s.th.fill([&](auto x, auto y, auto, int) {
    return u(100.0 * static_cast<double>(x) + 50, 100 * static_cast<double>(y) + 50);
  });
  coarse.stepper.project();
  refine_state(coarse.stepper, coarse.base, fine.stepper, fine.base, fine.alone);
  const Snapshot now = fine.look();
  double in_u = 0, in_v = 0, in_th = 0;
  for (std::size_t n = 0; n < fine.level_cells(); ++n) {
    const double x = 50 * static_cast<double>(n % 32), y = 50 * static_cast<double>(n / 32);
    in_u = std::max(in_u, std::abs(now.u[n] - u(x, y + 25)));
    in_v = std::max(in_v, std::abs(now.v[n] + u(y, x + 25)));
    in_th = std::max(in_th, std::abs(now.th[n] - u(x + 25, y + 25)));
  }
  // The limiter cuts crests by 2 %; half a fine cell beside the place would be 10 %.
  EXPECT_LT(in_u, 0.04);
  EXPECT_LT(in_v, 0.04);
  EXPECT_LT(in_th, 0.04);
}

TEST(Refine, RanksHaveTheSameBits) {
  const Case what = bomex();
  const BaseState base = make_base_state(what, 12);
  const auto run = [&](int ranks) {
    Snapshot result;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      Stepper<float> coarse(what, base, {6, 8, 12}, Scheme::fifth, transport);
      Stepper<float> fine(what, base, {12, 16, 12}, Scheme::fifth, transport);
      coarse.start(5);
      refine_state(coarse, base, fine, base, transport);
      (void)fine.survey();
      fine.step(2);
      const Snapshot all = snapshot(fine, transport, 0);
      if (transport.rank() == 0) result = all;
    });
    return result;
  };
  const Snapshot one = run(1), two = run(2);
  EXPECT_EQ(one.u, two.u);
  EXPECT_EQ(one.w, two.w);
  EXPECT_EQ(one.q, two.q);
}

/// Levels of which two are one of these.
std::vector<double> halved(const std::vector<double>& heights) {
  std::vector<double> result;
  for (const double h : heights) {
    result.push_back(0.4 * h);
    result.push_back(0.6 * h);
  }
  return result;
}

/// Means by mass of each two levels.
std::vector<double> of_pairs(const BaseState& base, const std::vector<double>& values) {
  const std::vector<double> means = level_means(values, base.levels());
  std::vector<double> result;
  for (std::size_t k = 0; k < means.size(); k += 2) {
    const double lower = base.density[k] * base.height[k], upper = base.density[k + 1] * base.height[k + 1];
    result.push_back((lower * means[k] + upper * means[k + 1]) / (lower + upper));
  }
  return result;
}

TEST(Refine, TwoLevelsHaveTheMeanOfOne) {
  Case what = rico();
  what.size = {1200, 1000, 2005};
  what.sponge_above = 1800;
  Simulation<double> coarse(what, {12, 10, 12}, stretched), fine(what, {24, 20, 24}, halved(stretched));
  coarse.stepper.start(3);
  coarse.stir();
  coarse.stepper.now().r->fill([](auto x, auto y, auto k, int) {
    return k < 7 ? std::max(0.0, 1e-4 * test::noise(x + 30 * y + 900 * k)) : 0.0;
  });
  refine_state(coarse.stepper, coarse.base, fine.stepper, fine.base, fine.alone);
  const Snapshot a = coarse.look(), b = fine.look();
  const auto expect_same = [&](const std::vector<double>& one, const std::vector<double>& two) {
    const std::vector<double> means = level_means(one, 12), pairs = of_pairs(fine.base, two);
    for (std::size_t k = 0; k < 12; ++k)
      EXPECT_NEAR(means[k], pairs[k], 1e-13 * largest(one)) << k;
  };
  expect_same(a.u, b.u);
  expect_same(a.v, b.v);
  expect_same(a.th, b.th);
  expect_same(a.q, b.q);
  expect_same(a.rain, b.rain);
  EXPECT_GE(*std::ranges::min_element(b.rain), 0);
  EXPECT_LT(fine.stepper.divergence(), 1e-13 * largest(b.u));
  fine.run(3, 2);
  EXPECT_TRUE(std::isfinite(largest(fine.look().w)));
}

TEST(Refine, LinesThroughTheCentresOfLevelsStayLines) {
  Case what = quiet();
  Simulation<double> coarse(what, {12, 10, 12}, stretched), fine(what, {24, 20, 24}, halved(stretched));
  coarse.stepper.now().th.fill(
      [&](auto, auto, auto k, int) { return 1e-3 * coarse.base.centre[static_cast<std::size_t>(k)]; });
  refine_state(coarse.stepper, coarse.base, fine.stepper, fine.base, fine.alone);
  const std::vector<double> th = level_means(fine.look().th, 24);
  for (std::size_t k = 0; k < 24; ++k) // but for the mean by mass, whose centre lies a little lower
    EXPECT_NEAR(th[k], 1e-3 * fine.base.centre[k], 1e-3 * fine.base.height[k] / 50) << k;
}

TEST(Refine, RanksHaveTheSameBitsOnFinerLevelsToo) {
  const Case what = bomex();
  const BaseState base = make_base_state(what, 13), finer = make_base_state(what, 26);
  const auto run = [&](int ranks) {
    Snapshot result;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      Stepper<float> coarse(what, base, {6, 8, 13}, Scheme::fifth, transport); // shares differ
      Stepper<float> fine(what, finer, {12, 16, 26}, Scheme::fifth, transport);
      coarse.start(5);
      refine_state(coarse, base, fine, finer, transport);
      (void)fine.survey();
      fine.step(2);
      const Snapshot all = snapshot(fine, transport, 0);
      if (transport.rank() == 0) result = all;
    });
    return result;
  };
  const Snapshot one = run(1), two = run(2);
  EXPECT_GT(largest(one.w), 0);
  EXPECT_EQ(one.u, two.u);
  EXPECT_EQ(one.w, two.w);
  EXPECT_EQ(one.q, two.q);
}

TEST(Refine, ProgramBeginsWhereACoarseRunEnded) {
  const test::Folder folder;
  const auto run = [&](const std::string& more) {
    return ::test::run_program("'" CLOUDS_PROGRAM "' --threads 1 --precision f32 --no-picture " + more);
  };
  const auto at = [&](const char* name) { return "'" + (folder / name).string() + "' "; };
  const std::string fine = "bomex --cells 24x24x20 --spacing 100 --sample-every 20 --refine ";
  ASSERT_EQ(run("bomex --cells 12x12x20 --spacing 200 --sample-every 100 --checkpoint-every 100 --hours 0.06 "
                "--out " +
                at("coarse"))
                .code,
            0);
  const auto outcome =
      run(fine + at("coarse") + "--hours 0.065 --scheme 2 --checkpoint-every 20 --out " + at("fine"));
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("refined   at 200 s"), std::string::npos) << outcome.text;
  std::ifstream series(folder / "fine" / "series.csv");
  std::string head, first;
  std::getline(series, head);
  std::getline(series, first);
  EXPECT_TRUE(first.starts_with("200,")) << first;
  const std::string early = (folder / "coarse" / "checkpoint").string();
  std::string manifest; // of the earlier one of two
  for (const auto& entry : std::filesystem::directory_iterator(early))
    if (entry.path().extension() == ".checkpoint" && (manifest.empty() || entry.path().string() < manifest))
      manifest = entry.path().string();
  EXPECT_NE(
      run(fine + "'" + manifest + "' --hours 0.03 --out " + at("earlier")).text.find("refined   at 100 s"),
      std::string::npos);
  const auto refusal = [&](const std::string& more, const char* part) {
    const auto result = run(more + " --out " + at("refused"));
    EXPECT_EQ(result.code, 1) << more;
    EXPECT_NE(result.text.find(part), std::string::npos) << result.text;
  };
  const auto halves =
      run("bomex --cells 24x24x40 --spacing 100 --sample-every 20 --hours 0.06 --refine-levels "
          "--refine " +
          at("coarse") + "--out " + at("levels"));
  EXPECT_NE(halves.text.find("refined   at 200 s"), std::string::npos) << halves.text;
  refusal(fine + at("coarse") + "--refine-levels", "sum of the squares of heights");
  refusal("bomex --cells 24x24x21 --spacing 100 --refine-levels --refine " + at("coarse"), "even number");
  refusal("bomex --refine-levels", "no coarser run");
  refusal(fine + at("coarse") + "--hours 0.05", "give more --hours");
  refusal(fine + at("coarse") + "--resume", "a checkpoint of its own");
  refusal(fine + at("coarse") + "--seeds 2", "has no noise");
  refusal(fine + at("none"), "there is no checkpoint");
  refusal(fine + at("coarse") + "--spacing 50", "width of the domain");
  refusal(fine + at("coarse") + "--cells 25x24x20", "even number");
  refusal("cbl --cells 24x24x20 --spacing 100 --refine " + at("coarse"), "number of the case");
}

} // namespace
} // namespace clouds
