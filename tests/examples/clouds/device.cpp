// SPDX-License-Identifier: Apache-2.0
// The device against the host: the same bits where the host solves for the pressure; else the last digits
// differ.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heddle/core/trace.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

struct Result {
  Snapshot air;
  Sample sample;
};

template <class T> Result after(double seconds, const Case& what, Scheme scheme, const Machine& machine) {
  heddle::LocalTransport alone;
  const BaseState base = make_base_state(what, 32);
  Stepper<T> stepper(what, base, {64, 64, 32}, scheme, alone, machine);
  if (stepper.now().r)
    moisten(stepper);
  else
    stepper.start(3);
  make_ready(stepper, 5);
  for (int part = 0; part < 2; ++part)
    EXPECT_GT(stepper.advance(seconds / 2), 2);
  Statistics<T> statistics(what, base, stepper, scheme, alone);
  return {snapshot(stepper, alone, seconds), statistics.measure(seconds)};
}

const std::vector<double> Snapshot::* const all[]{&Snapshot::u,         &Snapshot::v,   &Snapshot::w,
                                                  &Snapshot::th,        &Snapshot::q,   &Snapshot::cloud,
                                                  &Snapshot::viscosity, &Snapshot::rain};

/// Values that differ.
std::size_t differing(const Result& a, const Result& b) {
  std::size_t count = 0;
  const auto add = [&](const auto& one, const auto& other) {
    for (std::size_t n = 0; n < one.size(); ++n)
      count += one[n] != other[n] && !(std::isnan(one[n]) && std::isnan(other[n]));
  };
  for (const auto field : all)
    add(a.air.*field, b.air.*field);
  for (std::size_t n = 0; n < centre::count; ++n)
    add(a.sample.centres[n], b.sample.centres[n]);
  for (std::size_t n = 0; n < face::count; ++n)
    add(a.sample.faces[n], b.sample.faces[n]);
  add(a.sample.numbers, b.sample.numbers);
  return count;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    most = std::max(most, std::abs(a[n] - b[n]));
  return most;
}

/// RICO, which begins with clouds and rain (see `moisten`).
Case rainy() {
  Case what = rico();
  what.rain = RainScheme::seifert_beheng;
  return what;
}

template <class T> class Device : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Device, Precisions);

TYPED_TEST(Device, HasTheBitsOfAHostThatSolvesForThePressure) {
  for (const Case& what : {bomex(), convective_layer(), rainy()})
    for (const Scheme scheme : {Scheme::fifth, Scheme::second}) {
      const Result host = after<TypeParam>(120, what, scheme, {});
      const Result device =
          after<TypeParam>(120, what, scheme, {.memory = heddle::Memory::device, .host_pressure = true});
      EXPECT_EQ(differing(host, device), 0U) << what.name;
      EXPECT_GT(*std::ranges::max_element(host.air.w), 0.01) << what.name;
    }
}

TYPED_TEST(Device, HasTheFlowOfTheHost) {
  const Snapshot host = after<TypeParam>(30, bomex(), Scheme::fifth, {}).air;
  const Snapshot device =
      after<TypeParam>(30, bomex(), Scheme::fifth, {.memory = heddle::Memory::device}).air;
  const double digits = sizeof(TypeParam) == 8 ? 1e-12 : 1e-4;
  EXPECT_LT(largest_difference(host.u, device.u), digits);
  EXPECT_LT(largest_difference(host.w, device.w), digits);
  EXPECT_LT(largest_difference(host.th, device.th), digits);
  EXPECT_GT(largest_difference(host.w, device.v), 1e-2);
}

TYPED_TEST(Device, StepsThatAreRecordedHaveTheBitsOfThoseThatAreNot) {
  heddle::Trace trace;
  const Machine launched{.memory = heddle::Memory::device, .trace = &trace};
  const Result one_by_one = after<TypeParam>(120, bomex(), Scheme::fifth, launched);
  const Result recorded = after<TypeParam>(120, bomex(), Scheme::fifth, {.memory = heddle::Memory::device});
  EXPECT_EQ(differing(one_by_one, recorded), 0U);
  EXPECT_GT(trace.spans().size(), 100U);
}

} // namespace
} // namespace clouds
