// SPDX-License-Identifier: Apache-2.0
#include "flow.hpp"

#include <cmath>
#include <memory>

#include "inputs.hpp"

namespace terrain_wind {
namespace {

/// Flat ground at 100 m, u = 2 m/s per 100 m of height above it, v = 1, w = 0.
class Shear : public testing::Test {
protected:
  void SetUp() override {
    Options options;
    options.input = folder_.write("flat.asc", test::flat_grid(40, 30, 50, 100));
    options.whole = true;
    options.height = 1000;
    options.cell = 40; // the ground at 100 m lies inside a cell, two layers are rock
    domain_ = make_domain(options);
    std::array<std::vector<float>, 3> u;
    for (std::int64_t k = 0; k < domain_.nz; ++k)
      for (std::int64_t n = 0; n < domain_.nx * domain_.ny; ++n) {
        u[0].push_back(static_cast<float>(0.02 * (domain_.centre(k) - 100)));
        u[1].push_back(1);
        u[2].push_back(0);
      }
    flow_ = std::make_unique<Flow>(domain_, std::move(u));
  }

  const test::Folder folder_;
  Domain domain_;
  std::unique_ptr<Flow> flow_;
};

TEST_F(Shear, IsSampledLinearly) {
  for (const double above : {25.0, 60.0, 333.0})
    EXPECT_NEAR(flow_->at(500, 400, 100 + above)[0], 0.02 * above, 1e-4);
  EXPECT_EQ(flow_->at(500, 400, 100 - 20)[0], 0);
  const heddle::plot::Plane u = flow_->above_ground(0, 200);
  EXPECT_NEAR(u.at(3, 3), 4, 1e-4);
  EXPECT_NEAR(flow_->above_ground(3, 200).at(3, 3), std::hypot(4, 1), 1e-4);
}

TEST_F(Shear, ASectionHasItsComponentAlongThePlane) {
  const auto across = flow_->section(0, {500, 100}, {500, 900});
  EXPECT_NEAR(across.linear(300, 400), 1, 1e-5);
  const auto along = flow_->section(0, {100, 500}, {900, 500});
  EXPECT_NEAR(along.linear(300, 400), 6, 1e-4);
  EXPECT_TRUE(std::isnan(along.at(3, 0)));
}

TEST_F(Shear, APathFollowsTheFlow) {
  const auto path = flow_->path({10, 100, 350}, 20); // u = 5, v = 1
  ASSERT_GT(path.size(), 20U);
  const Vec3& last = path.back();
  EXPECT_NEAR((last[1] - 100) / (last[0] - 10), 0.2, 1e-4);
  EXPECT_NEAR(last[2], 350, 1e-6);
  EXPECT_GT(last[0], flow_->length() - 40);
}

} // namespace
} // namespace terrain_wind
