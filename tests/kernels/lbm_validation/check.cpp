// SPDX-License-Identifier: Apache-2.0
// The validation table at small size, as tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../../full_speed.hpp"
#include "case.hpp"

namespace validation {
namespace {

void expect_close(const std::vector<Case>& cases, const std::vector<Precision>& precisions) {
  for (const Case& one : cases) {
    for (const Run& run : one.runs) {
      if (std::ranges::find(precisions, run.precision) == precisions.end()) continue;
      for (const Quantity& quantity : run.compute().quantities) {
        const std::string what = one.name + ", " + name_of(run.precision) + ", " + quantity.name;
        testing::Test::RecordProperty(what, std::to_string(quantity.value));
        EXPECT_TRUE(std::isfinite(quantity.value)) << what;
        EXPECT_LE(std::abs(quantity.value - quantity.reference), quantity.allowed(run.precision))
            << what << ": " << quantity.value << " instead of " << quantity.reference;
      }
    }
  }
}

const std::vector<Precision> every{Precision::f64, Precision::f32, Precision::mixed, Precision::f16};

TEST(Validation, Channels) {
  expect_close(channel_cases(Size::small), every);
}
TEST(Validation, Waves) {
  expect_close(wave_cases(Size::small), every);
}
TEST(Validation, Vortex) {
  expect_close(vortex_cases(Size::small), {Precision::f64, Precision::mixed});
}
TEST(Validation, Cavity) {
  expect_close(cavity_cases(Size::small), {Precision::f64, Precision::f32});
}
TEST(Validation, Spheres) {
  expect_close({sphere_cases(Size::small).front()}, {Precision::f64, Precision::f32});
}
TEST(Validation, Convection) {
  expect_close(convection_cases(Size::small), {Precision::f64});
}

TEST(Validation, CavityOfMoments) { // with the bulk viscosity of the shear it never becomes steady
  NEEDS_FULL_SPEED();
  const std::vector<Case> cavities = cavity_cases(Size::small);
  const auto found = std::ranges::find(cavities, "Lid-driven cavity, Re 1000", &Case::name);
  ASSERT_NE(found, cavities.end());
  expect_close({*found}, {Precision::mixed});
}
TEST(Validation, Cylinder) {
  NEEDS_FULL_SPEED();
  expect_close(cylinder_cases(Size::small), {Precision::f32});
}
TEST(Validation, SphereInAStream) {
  NEEDS_FULL_SPEED();
  expect_close({sphere_cases(Size::small).back()}, {Precision::f32});
}

} // namespace
} // namespace validation
