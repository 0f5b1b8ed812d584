// SPDX-License-Identifier: Apache-2.0
// Levels on several ranks: the same velocity as on one rank, around topography too, with as many iterations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "city.hpp"
#include "heddle/projection/masked_projection.hpp"
#include "heddle/projection/projection.hpp"
#include "heddle/projection/slab_projection.hpp"
#include "slabs.hpp"

namespace {

using heddle::Memory;
using heddle::Rim;
using heddle::SideKind;
using heddle::SlabMethod;
using heddle::StaggeredGrid;
using heddle::Stream;
using heddle::Transport;
using test::Flow;

constexpr SideKind round_trip = SideKind::periodic;
constexpr SideKind wall = SideKind::no_slip;
constexpr SideKind open = SideKind::open;

std::vector<StaggeredGrid> grids() {
  std::vector<StaggeredGrid> all;
  all.push_back(
      test::make_grid({16, 12, 13}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall}));
  all.push_back(test::make_grid({9, 8, 11}, {wall, wall, open}, {open, wall, wall}));
  test::stretch(all.back());
  all.back().lower[2].pressure = 0.5;
  all.back().upper[0].pressure = -2;
  all.push_back(test::make_grid({8, 6, 12}, {wall, wall, wall}, {wall, wall, wall}));
  test::stretch(all.back());
  all.push_back(test::make_grid({8, 6, 11}, {round_trip, wall, round_trip}, {round_trip, wall, round_trip}));
  all.back().heights = {1, 1.2, 1.4, 1.2, 1, 0.8, 0.7, 0.7, 0.8, 0.9, 1};
  all.push_back(test::make_grid({7, 6, 11}, {wall, round_trip, wall}, {open, round_trip, open}));
  all.back().lower[0].velocity = {1, 0, 0};
  all.back().upper[2].pressure = 1.5;
  return all;
}

template <class First, class Second> struct Types {
  using T = First;
  using P = Second;
};
template <class Pair> class Slabs : public testing::Test {};
using Precisions = testing::Types<Types<double, double>, Types<float, float>, Types<double, float>>;
TYPED_TEST_SUITE(Slabs, Precisions);

template <class T, class P>
std::vector<T> projected(const StaggeredGrid& grid, int ranks, SlabMethod method) {
  return test::on_ranks<T>(grid, ranks, [&](Transport& transport, std::int64_t& first) {
    heddle::SlabProjection<T, P> projection(grid, transport, Memory::host, method);
    first = projection.first_level();
    Flow<T> flow = test::slab_of_noise<T>(grid, first, projection.last_level());
    for (int again = 0; again < 2; ++again)
      projection(flow.velocity(), 0.1);
    return flow;
  });
}

TYPED_TEST(Slabs, GiveWhatOneRankGives) {
  using T = typename TypeParam::T;
  using P = typename TypeParam::P;
  for (const StaggeredGrid& grid : grids()) {
    Flow<T> flow = test::slab_of_noise<T>(grid, 0, grid.cells[2]);
    heddle::Projection<T, P> projection(grid);
    for (int again = 0; again < 2; ++again)
      projection(flow.velocity(), 0.1);
    const std::vector<T> expected = test::values_of(flow);
    const std::vector<T> one = projected<T, P>(grid, 1, SlabMethod::automatic);
    const double bound = 60 * static_cast<double>(std::numeric_limits<T>::epsilon()) * flow.largest();
    EXPECT_LE(test::largest_difference(one, expected), bound);
    for (const int ranks : {2, 3, 5, 8}) {
      SCOPED_TRACE(std::to_string(grid.cells[0]) + " x " + std::to_string(grid.cells[2]) + " on " +
                   std::to_string(ranks));
      EXPECT_EQ((projected<T, P>(grid, ranks, SlabMethod::transposed)), one);
      const auto partitioned = projected<T, P>(grid, ranks, SlabMethod::partitioned);
      EXPECT_LE(test::largest_difference(partitioned, one), bound);
      EXPECT_EQ((projected<T, P>(grid, ranks, SlabMethod::partitioned)), partitioned); // no luck in it
    }
  }
}

/// Every ghost cell that advection reads, edges and corners included; norms and means of all levels.
TEST(SlabProjection, FillsRimsAndSumsAsOneRankDoes) {
  for (const StaggeredGrid& grid : grids()) {
    Flow<double> whole = test::slab_of_noise<double>(grid, 0, grid.cells[2]);
    heddle::FlowOperators<double> operators(grid);
    Stream stream;
    operators.fill(whole.velocity(), Rim::ghosts, stream);
    const heddle::DivergenceNorms norms = operators.norms(whole.velocity(), stream);
    const double mean = operators.mean(whole.velocity().u, 0, stream);
    const auto& n = grid.cells;
    for (const int ranks : {2, 3, 11}) {
      heddle::ThreadGroup network(ranks);
      network.run([&](Transport& transport) {
        heddle::SlabProjection<double> projection(grid, transport);
        const std::int64_t first = projection.first_level(), last = projection.last_level();
        Flow<double> flow = test::slab_of_noise<double>(grid, first, last);
        Stream own;
        projection.fill(flow.velocity(), Rim::ghosts, own);
        for (int axis = 0; axis < 3; ++axis)
          for (std::int64_t z = first - 1; z <= last; ++z)
            for (std::int64_t y = -1; y <= n[1]; ++y)
              for (std::int64_t x = -1; x <= n[0]; ++x)
                ASSERT_EQ(flow.velocity()[axis](x, y, z - first), whole.velocity()[axis](x, y, z))
                    << axis << ": " << x << " " << y << " " << z << " on " << ranks;
        EXPECT_EQ(projection.norms(flow.velocity(), own).largest, norms.largest);
        EXPECT_NEAR(projection.norms(flow.velocity(), own).total, norms.total, 1e-12 * norms.total);
        EXPECT_NEAR(projection.mean(flow.velocity().u, 0, own), mean, 1e-14);
      });
    }
  }
}

/// Houses on levels of several ranks: tolerance met, iterations and velocity those of one rank.
template <class T> void project_city(const StaggeredGrid& grid, double tolerance, double bound) {
  const std::vector<std::uint8_t> solid = test::City{4, 2, 9}.solid(grid.cells);
  heddle::MaskedOptions options{.tolerance = tolerance};
  heddle::MaskedProjection<T> projection(grid, solid, Memory::host, options);
  Flow<T> flow = test::slab_of_noise<T>(grid, 0, grid.cells[2]);
  const heddle::Solution solution = projection(flow.velocity(), 0.5);
  EXPECT_TRUE(solution.converged());
  const auto norms = projection.norms(flow.velocity());
  const std::vector<T> expected = test::values_of(flow);
  projection.project_once(flow.velocity(), 0.5);
  const std::vector<T> expected_once = test::values_of(flow);
  for (const int ranks : {2, 3, 8}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    std::vector<T> once(expected.size());
    const std::vector<T> found =
        test::on_ranks<T>(grid, ranks, [&](Transport& transport, std::int64_t& first) {
          heddle::MaskedProjection<T> part(grid, solid, transport, Memory::host, options);
          first = part.first_level();
          Flow<T> own = test::slab_of_noise<T>(grid, first, part.last_level());
          const heddle::Solution result = part(own.velocity(), 0.5);
          EXPECT_TRUE(result.converged()) << to_string(result);
          EXPECT_EQ(result.cycles, solution.cycles);
          EXPECT_LE(part.norms(own.velocity()).total, 1.5 * norms.total);
          return own;
        });
    EXPECT_LE(test::largest_difference(found, expected), bound);
    const std::vector<T> repeated =
        test::on_ranks<T>(grid, ranks, [&](Transport& transport, std::int64_t& first) {
          heddle::MaskedProjection<T> part(grid, solid, transport, Memory::host, options);
          first = part.first_level();
          Flow<T> own = test::slab_of_noise<T>(grid, first, part.last_level());
          (void)part(own.velocity(), 0.5);
          part.project_once(own.velocity(), 0.5);
          return own;
        });
    EXPECT_LE(test::largest_difference(repeated, expected_once), bound);
  }
}

TEST(SlabTopography, TakesTheIterationsOfOneRank) {
  StaggeredGrid street =
      test::make_grid({24, 16, 16}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
  project_city<double>(street, 1e-12, 1e-11);
  project_city<float>(street, 1e-5, 1e-4);
  test::stretch(street);
  project_city<double>(street, 1e-12, 1e-10);
  StaggeredGrid round = // levels of the last rank lie below those of the first
      test::make_grid({24, 16, 16}, {round_trip, round_trip, round_trip},
                      {round_trip, round_trip, round_trip});
  project_city<double>(round, 1e-12, 1e-11);
  StaggeredGrid pushed = test::make_grid({22, 16, 16}, {wall, round_trip, wall}, {open, round_trip, open});
  pushed.lower[0].velocity = {1, 0, 0};
  pushed.upper[2].pressure = 0.25;
  project_city<double>(pushed, 1e-12, 1e-11);
}

} // namespace
