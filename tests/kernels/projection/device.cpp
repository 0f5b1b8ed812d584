// SPDX-License-Identifier: Apache-2.0
// Projections on the device against those on the host: both precisions and mixed, recorded graphs and new
// steps.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "flow.hpp"
#include "heddle/projection/projection.hpp"

namespace {

using heddle::Memory;
using heddle::SideKind;
constexpr SideKind round_trip = SideKind::periodic, wall = SideKind::no_slip, open_side = SideKind::open;

template <class T> class OnDevice : public testing::Test {};
using Precisions =
    testing::Types<std::pair<double, double>, std::pair<float, float>, std::pair<double, float>>;
TYPED_TEST_SUITE(OnDevice, Precisions);

TYPED_TEST(OnDevice, ProjectsAsTheHost) {
  using T = typename TypeParam::first_type;
  using P = typename TypeParam::second_type;
  for (const heddle::StaggeredGrid& grid :
       {test::make_grid({64, 128, 24}, {round_trip, round_trip, wall}, {round_trip, round_trip, wall}),
        test::make_grid({48, 30, 17}, {wall, round_trip, wall}, {open_side, round_trip, wall})}) {
    heddle::Projection<T, P> projection(grid, Memory::device), on_host(grid);
    test::Flow<T> flow(grid, Memory::device), expected(grid);
    heddle::Stream stream(Memory::device);
    for (const double step :
         {0.5, 0.5, 0.5, 0.25, 0.25}) { // the third is a recorded graph, the fourth is not
      flow.fill_with_noise();
      expected.fill_with_noise();
      projection(flow.velocity(), step, stream);
      stream.synchronise();
      on_host(expected.velocity(), step);
      constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
      EXPECT_LE(test::difference(flow, expected), 100 * epsilon);
      EXPECT_LE(projection.operators().norms(flow.velocity(), stream).largest * grid.width_x, 50 * epsilon);
    }
  }
}

} // namespace
