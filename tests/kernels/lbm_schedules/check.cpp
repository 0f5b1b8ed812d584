// SPDX-License-Identifier: Apache-2.0
// Schedules change how a kernel runs, not what it computes; fused multiply-adds alone round differently.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "d3q19_box.hpp"
#include "lbm_schedules.h"

namespace {

using test::bind;
using test::Cell;
using test::Method;
using test::Pattern;
using test::Simulation;
using test::Targets;

#define HEDDLE_TARGETS(kernel, precision)                                                                    \
  {#kernel, bind(lbm_schedules_##kernel##_##precision##_reference),                                          \
   bind(lbm_schedules_##kernel##_##precision), bind(lbm_schedules_##kernel##_##precision##_unit),            \
   bind(lbm_schedules_##kernel##_##precision##_cuda)}

template <class T> struct Schedules {
  Method<T> serial, streamed, prefetched, fused, fused_streamed;
};

#define HEDDLE_SCHEDULES(precision)                                                                          \
  {                                                                                                          \
    {Pattern::pull, {HEDDLE_TARGETS(serial, precision)}},                                                    \
        {Pattern::pull, {HEDDLE_TARGETS(streamed, precision)}},                                              \
        {Pattern::aa,                                                                                        \
         {HEDDLE_TARGETS(prefetched_even, precision), HEDDLE_TARGETS(prefetched_odd, precision)}},           \
        {Pattern::aa, {HEDDLE_TARGETS(fused_even, precision), HEDDLE_TARGETS(fused_odd, precision)}}, {      \
      Pattern::pull, {                                                                                       \
        HEDDLE_TARGETS(fused_streamed, precision)                                                            \
      }                                                                                                      \
    }                                                                                                        \
  }

template <class T> Schedules<T> schedules();
template <> Schedules<double> schedules() {
  return HEDDLE_SCHEDULES(f64);
}
template <> Schedules<float> schedules() {
  return HEDDLE_SCHEDULES(f32);
}

template <class T> class Schedule : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Schedule, Precisions);

// Around chunks of 32, 48 and 64 cells and vectors of 2 to 16.
constexpr Cell extents[] = {{1, 1, 1},  {2, 3, 1},  {31, 2, 1}, {32, 1, 2}, {33, 2, 2},
                            {48, 1, 1}, {63, 2, 1}, {64, 2, 1}, {97, 2, 2}, {131, 1, 1}};

TYPED_TEST(Schedule, EveryTargetEqualsTheReferenceBitForBit) {
  using T = TypeParam;
  const Schedules<T> all = schedules<T>();
  for (const auto& method : {all.serial, all.streamed, all.prefetched, all.fused, all.fused_streamed}) {
    for (const Cell& extent : extents) {
      Simulation<T> reference(method, &Targets<T>::reference, extent);
      reference.run(2);
      for (const auto target : {&Targets<T>::general, &Targets<T>::unit, &Targets<T>::cuda}) {
        Simulation<T> other(method, target, extent);
        other.run(2);
        ASSERT_EQ(other.f().values(), reference.f().values()) << method.steps[0].name << " " << extent[0];
      }
    }
  }
}

template <class T> double largest_difference(const Method<T>& one, const Method<T>& two) {
  const Cell extent{37, 5, 4};
  Simulation<T> a(one, &Targets<T>::unit, extent);
  Simulation<T> b(two, &Targets<T>::unit, extent);
  a.run(4);
  b.run(4);
  double largest = 0;
  a.f().for_cells([&](const Cell& cell) {
    for (int q = 0; q < 19; ++q) {
      largest = std::max(largest, std::abs(test::number(a.at(cell, q)) - test::number(b.at(cell, q))));
    }
  });
  return largest;
}

TYPED_TEST(Schedule, OnlyFusingChangesTheRounding) {
  using T = TypeParam;
  const Schedules<T> all = schedules<T>();
  EXPECT_EQ(largest_difference<T>(all.serial, all.streamed), 0);
  EXPECT_EQ(largest_difference<T>(all.serial, all.prefetched), 0);
  EXPECT_EQ(largest_difference<T>(all.fused, all.fused_streamed), 0);
  const double fused = largest_difference<T>(all.serial, all.fused);
  EXPECT_GT(fused, 0);
  EXPECT_LT(fused, (std::is_same_v<T, double> ? 1e-16 : 1e-7));
}

} // namespace
