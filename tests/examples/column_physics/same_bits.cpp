// SPDX-License-Identifier: Apache-2.0
// The bits depend neither on blocks and ranks, nor on a stop in between, nor on who calls radiation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "../../support/test_folder.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/ranks.hpp"
#include "heddle/transport/thread_group.hpp"
#include "small_domain.hpp"
#include "solver.hpp"

namespace front {
namespace {

using test::Values;

constexpr std::int64_t steps = 12, halfway = 6;

struct Stretch {
  std::int64_t from = 0, to = steps;
  std::filesystem::path checkpoints{}; // where to begin from step `from`, and to leave the last step
  bool by_hand = false;                // radiation is called before the steps
  std::int64_t at_once = 1;            // steps of a call
};

Values run(Options options, int ranks, const Stretch& how = {}) {
  const Weather weather(options,
                        make_levels(test::moist_air(), static_cast<int>(options.size[2]), options.top));
  const std::int64_t every = options.radiation_every;
  if (how.by_hand) options.radiation_every = 0;
  Values found;
  heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
    heddle::Ranks here(transport);
    Solver solver(options, weather, here, nullptr);
    heddle::Checkpoint checkpoint(how.checkpoints, "front", transport);
    solver.add_to(checkpoint);
    if (how.from > 0) checkpoint.read(how.from);
    for (std::int64_t step = how.from; step < how.to;) {
      if (how.by_hand && step % every == 0) solver.radiate();
      const std::int64_t count = std::min(how.at_once, how.to - step);
      solver.step(step, count);
      step += count;
    }
    if (!how.checkpoints.empty()) checkpoint.write(how.to);
    solver.finish();
    const Values mine = test::result(solver, options.all_tracers());
    if (transport.rank() == 0) found = mine;
  });
  return found;
}

TEST(SameBits, OnAnyBlocksAndRanks) {
  Options options = test::small_options();
  const Values expected = run(options, 1);
  EXPECT_GT(*std::ranges::max_element(expected[2 + Tracer::cloud]), 1e-5F);
  EXPECT_LT(*std::ranges::min_element(expected[1]), 0);
  for (const auto& [blocks, ranks] : {std::pair{std::array{2, 2}, 1},
                                      {std::array{2, 2}, 4},
                                      {std::array{1, 3}, 3},
                                      {std::array{4, 1}, 2}}) {
    options.blocks = blocks;
    EXPECT_EQ(run(options, ranks), expected) << blocks[0] << " x " << blocks[1] << ", " << ranks << " ranks";
  }
}

TEST(SameBits, HoweverManyStepsACallTakes) {
  const Options options = test::small_options();
  const Values expected = run(options, 1);
  for (const std::int64_t count : {std::int64_t{ratio}, std::int64_t{5}, steps})
    EXPECT_EQ(run(options, 2, {.at_once = count}), expected) << count;
}

TEST(SameBits, WithKesslersScheme) {
  Options options = test::small_options();
  options.scheme = Scheme::kessler;
  EXPECT_EQ(run(options, 3), run(options, 1));
}

TEST(SameBits, WithIceSnowAndPassiveTracers) {
  Options options = test::small_options();
  options.scheme = Scheme::wsm5;
  options.tracers = 9; // of a third group one
  const Values expected = run(options, 1);
  options.blocks = {2, 2};
  EXPECT_EQ(run(options, 3, {.at_once = 5}), expected);
  const auto most = [&](int tracer) {
    return *std::ranges::max_element(expected[2 + static_cast<std::size_t>(tracer)]);
  };
  EXPECT_GT(most(Tracer::ice), 1e-9F);
  for (const int tracer : {6, 7, 8}) { // waves between 0 and 1
    EXPECT_GT(most(tracer), 0.9F) << tracer;
    EXPECT_LE(most(tracer), 1.01F) << tracer;
  }
  EXPECT_NE(expected[2 + 6], expected[2 + 7]);
}

TEST(SameBits, PassiveTracersChangeNothing) {
  Options options = test::small_options();
  const Values expected = run(options, 1);
  options.tracers = 5;
  Values found = run(options, 1);
  found.pop_back();
  EXPECT_EQ(found, expected);
}

TEST(SameBits, AfterAResumeOnOtherRanks) {
  const test::Folder folder;
  const Options options = test::small_options();
  (void)run(options, 1, {.to = halfway, .checkpoints = folder / "checkpoint"});
  const Stretch rest{.from = halfway, .checkpoints = folder / "checkpoint"};
  EXPECT_EQ(run(options, 2, rest), run(options, 1));
}

TEST(SameBits, WithTheLimiterInOneKernel) {
  Options options = test::small_options();
  const Values expected = run(options, 1);
  options.limits_at_once = true;
  EXPECT_EQ(run(options, 1), expected);
  for (const auto& [blocks, ranks] : {std::pair{std::array{2, 2}, 4}, {std::array{3, 1}, 2}}) {
    options.blocks = blocks;
    EXPECT_EQ(run(options, ranks), expected) << blocks[0] << " x " << blocks[1] << ", " << ranks << " ranks";
  }
  const test::Folder folder;
  (void)run(options, 2, {.to = halfway, .checkpoints = folder / "checkpoint"});
  options.limits_at_once = false;
  options.blocks = {0, 0};
  EXPECT_EQ(run(options, 1, {.from = halfway, .checkpoints = folder / "checkpoint"}), expected);
}

TEST(SameBits, WithCloudsInThreeKernels) {
  for (const Scheme scheme : {Scheme::wsm3, Scheme::wsm5}) {
    Options options = test::small_options();
    options.scheme = scheme;
    const Values expected = run(options, 1);
    options.cells_apart = true;
    options.blocks = {2, 1};
    EXPECT_TRUE(run(options, 2) == expected) << (scheme == Scheme::wsm3 ? "wsm3" : "wsm5");
    EXPECT_GT(*std::ranges::max_element(expected[2 + Tracer::rain]), 1e-6F);
    EXPECT_GT(*std::ranges::max_element(expected[2 + Tracer::cloud]), 1e-5F);
  }
}

TEST(SameBits, WithoutALagRadiationIsThatOfTheSynchronousRun) {
  Options options = test::small_options();
  options.radiation_lag = 0;
  const Values expected = run(options, 1, {.by_hand = true});
  EXPECT_EQ(run(options, 1), expected);
  options.radiation_lag = 1; // another model: the test above would miss it if it were not
  EXPECT_NE(run(options, 1), expected);
}

} // namespace
} // namespace front
