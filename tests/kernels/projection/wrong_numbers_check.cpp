// SPDX-License-Identifier: Apache-2.0
// Numbers that no projection can use: a NaN in the velocity is never "no divergence" or "converged", and a
// time step, height or density that would destroy the velocity is refused before it is touched.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "flow.hpp"
#include "heddle/core/error.hpp"
#include "heddle/projection/masked_projection.hpp"
#include "heddle/projection/projection.h"
#include "heddle/projection/projection.hpp"
#include "heddle/projection/slab_projection.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::SideKind;
using heddle::StaggeredGrid;
using test::Flow;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

StaggeredGrid room() {
  return test::make_grid({40, 6, 5}, {SideKind::periodic, SideKind::no_slip, SideKind::no_slip},
                         {SideKind::periodic, SideKind::no_slip, SideKind::no_slip});
}

/// Where a NaN stands: at the ends and inside of a row of 40, which is one tile of 32 values and a part.
constexpr std::array<std::array<std::int64_t, 3>, 5> places{
    {{0, 0, 0}, {17, 2, 3}, {31, 5, 4}, {32, 0, 0}, {39, 5, 3}}};

template <class T> class WrongNumbers : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(WrongNumbers, Reals);

TYPED_TEST(WrongNumbers, ANaNIsADivergence) {
  using T = TypeParam;
  heddle::Projection<T> projection(room());
  heddle::Stream stream;
  for (const double sign : {1.0, -1.0}) {
    for (const auto& [x, y, z] : places) {
      Flow<T> flow(room());
      flow[0].view()(x, y, z) = static_cast<T>(std::copysign(nan, sign));
      const heddle::DivergenceNorms norms = projection.operators().norms(flow.velocity(), stream);
      EXPECT_TRUE(std::isnan(norms.largest)) << x << " " << y << " " << z;
      EXPECT_TRUE(std::isnan(norms.total));
    }
  }
}

TYPED_TEST(WrongNumbers, ANaNOfOneRankIsADivergenceOnAll) {
  using T = TypeParam;
  for (int rank = 0; rank < 3; ++rank) {
    heddle::ThreadGroup network(3);
    network.run([&](heddle::Transport& transport) {
      heddle::SlabProjection<T> projection(room(), transport);
      StaggeredGrid own = room();
      own.cells[2] = projection.last_level() - projection.first_level();
      Flow<T> flow(own);
      if (transport.rank() == rank) flow[0].view()(33, 1, 0) = static_cast<T>(nan);
      heddle::Stream stream;
      EXPECT_TRUE(std::isnan(projection.norms(flow.velocity(), stream).largest)) << rank;
    });
  }
}

TYPED_TEST(WrongNumbers, ASolveWithANaNDiverges) {
  using T = TypeParam;
  const StaggeredGrid grid = room();
  const std::vector<std::uint8_t> open(static_cast<std::size_t>(40 * 6 * 5), 0);
  heddle::MaskedProjection<T> projection(grid, open);
  for (const auto& [x, y, z] : places) {
    Flow<T> flow(grid);
    flow.fill_with_noise();
    flow[0].view()(x, y, z) = static_cast<T>(nan);
    const heddle::Solution solution = projection(flow.velocity(), 0.5);
    EXPECT_EQ(solution.outcome, heddle::Outcome::diverged) << to_string(solution);
    EXPECT_TRUE(std::isnan(projection.norms(flow.velocity()).largest));
  }
}

TYPED_TEST(WrongNumbers, StepsAreRefusedBeforeTheVelocityIsTouched) {
  using T = TypeParam;
  const StaggeredGrid grid = room();
  heddle::Projection<T> projection(grid);
  Flow<T> flow(grid);
  flow.fill_with_noise();
  const T before = flow[0].view()(3, 2, 1);
  const double tiny = static_cast<double>(std::numeric_limits<T>::denorm_min());
  for (const double step : {0.0, -0.0, nan, infinity, -infinity, tiny, 1 / tiny}) {
    try {
      projection(flow.velocity(), step);
      ADD_FAILURE() << "accepts a step of " << step;
    } catch (const heddle::Error& error) {
      EXPECT_NE(std::string(error.what()).find("a time step of"), std::string::npos) << error.what();
    }
    EXPECT_EQ(flow[0].view()(3, 2, 1), before);
  }
  projection(flow.velocity(), -0.5); // backwards is a step
}

TEST(WrongNumbersInC, AreFoundAndNamed) {
  const std::array<std::int64_t, 3> cells{40, 6, 5};
  const std::array<std::int32_t, 6> sides{heddle_periodic, heddle_periodic, heddle_wall,
                                          heddle_wall,     heddle_wall,     heddle_wall};
  Flow<double> flow(room());
  const auto data = [&](int axis) { return flow[axis].view().data(); };
  heddle_projection_f64* projection =
      heddle_projection_create_f64(cells.data(), 1, 1, nullptr, nullptr, nullptr, sides.data());
  ASSERT_NE(projection, nullptr);
  const auto view = flow[0].view();
  const std::array<std::int64_t, 3> own{view.stride(0), view.stride(1), view.stride(2)};
  EXPECT_EQ(heddle_divergence_f64(projection, data(0), data(1), data(2), own.data()), 0);
  for (const double step : {0.0, nan, infinity, 1e-320}) {
    EXPECT_LT(heddle_projection_apply_f64(projection, data(0), data(1), data(2), own.data(), step), 0);
    EXPECT_NE(std::string(heddle_projection_error()).find("a time step of"), std::string::npos);
  }
  view(0, 0, 0) = nan;
  EXPECT_LT(heddle_divergence_f64(projection, data(0), data(1), data(2), own.data()), 0);
  EXPECT_NE(std::string(heddle_projection_error()).find("it has a NaN"), std::string::npos);
  heddle_projection_destroy_f64(projection);

  for (const double wrong : {nan, infinity, 0.0}) {
    std::vector<double> values(6, 1);
    values[2] = wrong;
    for (int which = 0; which < 3; ++which) {
      const auto given = [&](int number) { return which == number ? values.data() : nullptr; };
      EXPECT_EQ(heddle_projection_create_f64(cells.data(), 1, 1, given(0), given(1), given(2), sides.data()),
                nullptr)
          << which << " " << wrong;
      EXPECT_NE(std::string(heddle_projection_error()).find("not positive and finite"), std::string::npos)
          << heddle_projection_error();
    }
  }
}

} // namespace
