// SPDX-License-Identifier: Apache-2.0
// The validation table at small size, as tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../support/full_speed.hpp"
#include "../../support/messages.hpp"
#include "../../support/test_folder.hpp"
#include "case.hpp"
#include "report/record.hpp"

namespace validation {
namespace {

void expect_close(const std::vector<Case>& cases, const std::vector<Precision>& precisions) {
  for (const Case& one : cases) {
    for (const Run& run : one.runs) {
      if (std::ranges::find(precisions, run.precision) == precisions.end()) continue;
      for (const Quantity& quantity : run.compute(heddle::Memory::host).quantities) {
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
  expect_close({vortex_cases(Size::small).front()}, {Precision::f64, Precision::mixed});
}
TEST(Validation, Cavity) {
  expect_close({cavity_cases(Size::small).front()}, {Precision::f64, Precision::f32});
}
TEST(Validation, CavityOfHigherReynoldsNumber) {
  NEEDS_FULL_SPEED();
  std::vector<Case> cavities = cavity_cases(Size::small);
  cavities.erase(cavities.begin());
  cavities.pop_back(); // that of Re 3200
  expect_close(cavities, {Precision::f64, Precision::f32});
}
TEST(Validation, Spheres) {
  expect_close({sphere_cases(Size::small).front()}, {Precision::f64, Precision::f32});
}
TEST(Validation, Convection) {
  expect_close({convection_cases(Size::small).front()},
               {Precision::f64, Precision::moments, Precision::mixed});
}
TEST(Validation, Equivalences) { // patterns, dense and listed, targets
  expect_close(equivalence_cases(), {Precision::f64, Precision::f32, Precision::f16});
}

TEST(Validation, RecordResumesWhereACallStopped) {
  const auto nothing = [](heddle::Memory) { return Outcome{}; };
  const Case flow{
      "flow", "setting", "source", {{Precision::f64, 1, 1, nothing}, {Precision::f32, 1, 1, nothing}}};
  const Outcome outcome{{{"drag, D = 20", 0.1, 1.0 / 3, 0.01, 0.02}},
                        {{"drag", "x", "y", {{"", {1, 2}, {3, 0.1}, true}}}}};
  const test::Folder folder;
  const auto file = folder / "runs.tsv";
  {
    Record first(file, {flow});
    EXPECT_EQ(first.find(flow, flow.runs[1]), nullptr);
    first.add(flow, flow.runs[1], outcome);
  }
  Record second(file, {flow});
  EXPECT_EQ(second.calls(), 1);
  EXPECT_EQ(second.find(flow, flow.runs[0]), nullptr);
  const Outcome* const found = second.find(flow, flow.runs[1]);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->quantities.size(), 1U);
  EXPECT_EQ(found->quantities[0].name, "drag, D = 20");
  EXPECT_EQ(found->quantities[0].value, 0.1);
  EXPECT_EQ(found->quantities[0].reference, 1.0 / 3);
  EXPECT_EQ(found->quantities[0].allowed(Precision::f32), 0.02);
  ASSERT_EQ(found->graphs.size(), 1U);
  EXPECT_EQ(found->graphs[0].curves.at(0).y, (std::vector<double>{3, 0.1}));
  EXPECT_TRUE(found->graphs[0].curves[0].points);
  second.add(flow, flow.runs[0], outcome);
  EXPECT_EQ(Record(file, {flow}).calls(), 2);

  Case other = flow;
  other.runs[0].seconds = 2;
  EXPECT_TRUE(test::contains(test::error_of([&] { Record(file, {other}); }), "another table"));
}

TEST(Validation, CavityOfMoments) { // with the bulk viscosity of the shear it never becomes steady
  NEEDS_FULL_SPEED();
  const std::vector<Case> cavities = cavity_cases(Size::small);
  const auto found = std::ranges::find(cavities, "Lid-driven cavity, Re 1000", &Case::name);
  ASSERT_NE(found, cavities.end());
  expect_close({*found}, {Precision::mixed});
}
TEST(Validation, CavityOfLargeReynoldsNumber) {
  NEEDS_FULL_SPEED();
  expect_close({cavity_cases(Size::small).back()}, {Precision::f32});
}
TEST(Validation, StrongConvection) {
  NEEDS_FULL_SPEED();
  expect_close({convection_cases(Size::small).back()}, {Precision::f32});
}
TEST(Validation, DissipationOfAVortex) {
  NEEDS_FULL_SPEED();
  expect_close({vortex_cases(Size::small).back()}, {Precision::f32});
}
TEST(Validation, Cylinder) {
  NEEDS_FULL_SPEED();
  expect_close(cylinder_cases(Size::small), {Precision::f32});
}
TEST(Validation, BoundariesOfMoments) { // inlet, outlet and interpolated walls
  NEEDS_FULL_SPEED();
  const std::vector<Case> cylinders = cylinder_cases(Size::small);
  expect_close({cylinders.front()}, {Precision::moments});
  expect_close({cylinders.back()}, {Precision::mixed});
  expect_close({sphere_cases(Size::small).front()}, {Precision::moments});
}
TEST(Validation, SphereInAStream) {
  NEEDS_FULL_SPEED();
  expect_close({sphere_cases(Size::small).back()}, {Precision::f32});
}

} // namespace
} // namespace validation
