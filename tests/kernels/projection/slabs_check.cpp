// SPDX-License-Identifier: Apache-2.0
// Levels on several ranks: the same velocity as on one rank, to the bit where columns are transposed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "flow.hpp"
#include "heddle/fake_network.hpp"
#include "heddle/projection.hpp"
#include "heddle/slab_projection.hpp"

namespace {

using heddle::SideKind;
using heddle::SlabMethod;
using heddle::StaggeredGrid;

constexpr SideKind round_trip = SideKind::periodic;
constexpr SideKind wall = SideKind::no_slip;
constexpr SideKind open = SideKind::open;

std::vector<StaggeredGrid> grids() {
  std::vector<StaggeredGrid> all;
  all.push_back(
      test::make_grid({16, 12, 13}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall}));
  all.push_back(test::make_grid({9, 8, 11}, {wall, wall, open}, {open, wall, wall}));
  test::stretch(all.back());
  all.push_back(test::make_grid({8, 6, 12}, {wall, wall, wall}, {wall, wall, wall}));
  test::stretch(all.back());
  return all;
}

/// u, v, w of all levels, projected on `ranks` ranks.
template <class T>
std::vector<T> projected(const StaggeredGrid& grid, int ranks, SlabMethod method,
                         std::int64_t* sent = nullptr) {
  const auto cells = static_cast<std::size_t>(grid.cells[0] * grid.cells[1] * grid.cells[2]);
  const auto level = static_cast<std::size_t>(grid.cells[0] * grid.cells[1]);
  std::vector<T> all(3 * cells);
  test::Flow<T> whole(grid);
  whole.fill_with_noise();
  heddle::FakeNetwork network(ranks);
  network.run([&](heddle::Transport& transport) {
    heddle::SlabProjection<T> projection(grid, transport, method);
    StaggeredGrid part = grid;
    part.cells[2] = projection.last_level() - projection.first_level();
    const auto first = static_cast<std::size_t>(projection.first_level()) * level;
    const auto count = static_cast<std::size_t>(part.cells[2]) * level;
    test::Flow<T> flow(part);
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<T> values = whole[axis].read();
      flow[axis].write(0, 0, std::span<const T>(values).subspan(first, count));
    }
    if (transport.rank() + 1 == ranks) { // an open top is an unknown of the highest rank
      for (std::int64_t y = 0; y < grid.cells[1]; ++y)
        for (std::int64_t x = 0; x < grid.cells[0]; ++x)
          flow[2].view()(x, y, part.cells[2]) = T(0);
    }
    for (int again = 0; again < 2; ++again)
      projection(flow.velocity(), 0.1);
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<T> values = flow[axis].read();
      std::copy(values.begin(), values.end(),
                all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(axis) * cells + first));
    }
    if (sent != nullptr && transport.rank() == 0) *sent = projection.solver().sent_bytes();
  });
  return all;
}

template <class T> class Slabs : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Slabs, Precisions);

TYPED_TEST(Slabs, GiveWhatOneRankGives) {
  using T = TypeParam;
  for (const StaggeredGrid& grid : grids()) {
    test::Flow<T> flow(grid);
    flow.fill_with_noise();
    heddle::Projection<T> projection(grid);
    for (int again = 0; again < 2; ++again)
      projection(flow.velocity(), 0.1);
    std::vector<T> expected;
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<T> values = flow[axis].read();
      expected.insert(expected.end(), values.begin(), values.end());
    }
    const std::vector<T> one = projected<T>(grid, 1, SlabMethod::transposed);
    const double bound = 30 * static_cast<double>(std::numeric_limits<T>::epsilon()) * flow.largest();
    for (const int ranks : {1, 2, 3, 5, 11}) {
      SCOPED_TRACE(std::to_string(grid.cells[0]) + " on " + std::to_string(ranks));
      EXPECT_EQ(projected<T>(grid, ranks, SlabMethod::transposed), one);
      const std::vector<T> several = projected<T>(grid, ranks, SlabMethod::partitioned);
      double most = 0;
      for (std::size_t i = 0; i < several.size(); ++i) {
        most = std::max({most, std::abs(static_cast<double>(several[i]) - static_cast<double>(expected[i])),
                         std::abs(static_cast<double>(one[i]) - static_cast<double>(expected[i]))});
      }
      EXPECT_LE(most, bound);
    }
  }
}

TEST(SlabPoisson, SendsFourRealsAColumnAndRank) {
  const StaggeredGrid grid =
      test::make_grid({16, 12, 64}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
  std::int64_t partitioned = 0;
  std::int64_t transposed = 0;
  (void)projected<double>(grid, 4, SlabMethod::partitioned, &partitioned);
  (void)projected<double>(grid, 4, SlabMethod::transposed, &transposed);
  EXPECT_LE(partitioned, 4 * 8 * 16 * 12);
  EXPECT_EQ(transposed, 2 * 16 * 8 * 16 * 12 * 3 / 4);
}

TEST(SlabPoisson, ChoosesByTheLevelsOfARank) {
  heddle::LocalTransport transport;
  const auto chosen = [&](std::int64_t levels) {
    const StaggeredGrid grid = test::make_grid({4, 4, levels}, {wall, wall, wall}, {wall, wall, wall});
    return heddle::SlabPoisson<float>(heddle::pressure_problem(grid), transport).method();
  };
  EXPECT_EQ(chosen(3), SlabMethod::transposed);
  EXPECT_EQ(chosen(4), SlabMethod::partitioned);
}

TEST(SlabPoisson, SaysWhatIsWrong) {
  heddle::LocalTransport transport;
  const StaggeredGrid grid = test::make_grid({4, 4, 4}, {wall, wall, round_trip}, {wall, wall, round_trip});
  try {
    heddle::SlabPoisson<float> solver(heddle::pressure_problem(grid), transport);
    FAIL();
  } catch (const heddle::Error& error) {
    EXPECT_STREQ(error.what(),
                 "SlabPoisson: the problem is periodic along z, so that its columns have no ends. Hint: "
                 "turn the axes so that z has walls, or solve on one rank");
  }
  const StaggeredGrid thin = test::make_grid({4, 4, 2}, {wall, wall, wall}, {wall, wall, wall});
  heddle::FakeNetwork network(3);
  EXPECT_THROW(network.run([&](heddle::Transport& rank) {
    heddle::SlabPoisson<float> solver(heddle::pressure_problem(thin), rank);
  }),
               heddle::Error);
}

} // namespace
