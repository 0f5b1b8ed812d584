// SPDX-License-Identifier: Apache-2.0
// Levels of a device on several ranks of one process: the velocity of one rank on the host, around topography
// with as many iterations.
#include <gtest/gtest.h>

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
using heddle::SideKind;
using heddle::SlabMethod;
using heddle::StaggeredGrid;
using heddle::Transport;
using test::Flow;

constexpr SideKind round_trip = SideKind::periodic;
constexpr SideKind wall = SideKind::no_slip;
constexpr SideKind open = SideKind::open;

std::vector<StaggeredGrid> grids() {
  std::vector<StaggeredGrid> all;
  all.push_back(
      test::make_grid({64, 64, 40}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall}));
  test::stretch(all.back());
  all.push_back(
      test::make_grid({30, 24, 27}, {wall, round_trip, round_trip}, {open, round_trip, round_trip}));
  all.push_back(test::make_grid({33, 20, 16}, {wall, wall, open}, {open, wall, wall}));
  all.back().lower[2].pressure = 0.5;
  all.back().upper[0].pressure = -2;
  return all;
}

template <class T> class SlabsOfADevice : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(SlabsOfADevice, Precisions);

TYPED_TEST(SlabsOfADevice, GiveWhatOneRankGives) {
  using T = TypeParam;
  for (const StaggeredGrid& grid : grids()) {
    Flow<T> flow = test::slab_of_noise<T>(grid, 0, grid.cells[2]);
    heddle::Projection<T> on_host(grid);
    for (int again = 0; again < 2; ++again)
      on_host(flow.velocity(), 0.1);
    const std::vector<T> expected = test::values_of(flow);
    const double bound = 100 * static_cast<double>(std::numeric_limits<T>::epsilon()) * flow.largest();
    for (const int ranks : {1, 2, 4}) {
      for (const SlabMethod method : {SlabMethod::partitioned, SlabMethod::transposed}) {
        SCOPED_TRACE(std::to_string(grid.cells[0]) + " on " + std::to_string(ranks));
        const std::vector<T> found =
            test::on_ranks<T>(grid, ranks, [&](Transport& transport, std::int64_t& first) {
              heddle::SlabProjection<T> projection(grid, transport, Memory::device, method);
              first = projection.first_level();
              Flow<T> own = test::slab_of_noise<T>(grid, first, projection.last_level(), Memory::device);
              heddle::Stream stream(Memory::device);
              for (int again = 0; again < 2; ++again)
                projection(own.velocity(), 0.1, stream);
              stream.synchronise();
              return own;
            });
        EXPECT_LE(test::largest_difference(found, expected), bound);
      }
    }
  }
}

TEST(SlabTopographyOfADevice, TakesTheIterationsOfOneRank) {
  const StaggeredGrid grid =
      test::make_grid({48, 32, 24}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
  const std::vector<std::uint8_t> solid = test::City{4, 2, 12}.solid(grid.cells);
  const heddle::MaskedOptions options{.tolerance = 1e-12};
  heddle::MaskedProjection<double> on_host(grid, solid, Memory::host, options);
  Flow<double> flow = test::slab_of_noise<double>(grid, 0, grid.cells[2]);
  const heddle::Solution solution = on_host(flow.velocity(), 0.5);
  for (const int ranks : {1, 3}) {
    const std::vector<double> found =
        test::on_ranks<double>(grid, ranks, [&](Transport& transport, std::int64_t& first) {
          heddle::MaskedProjection<double> part(grid, solid, transport, Memory::device, options);
          first = part.first_level();
          Flow<double> own = test::slab_of_noise<double>(grid, first, part.last_level(), Memory::device);
          heddle::Stream stream(Memory::device);
          const heddle::Solution result = part(own.velocity(), 0.5, stream);
          EXPECT_TRUE(result.converged()) << to_string(result);
          EXPECT_EQ(result.cycles, solution.cycles);
          return own;
        });
    EXPECT_LE(test::largest_difference(found, test::values_of(flow)), 1e-11);
  }
}

} // namespace
