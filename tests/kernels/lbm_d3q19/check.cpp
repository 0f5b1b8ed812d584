// SPDX-License-Identifier: Apache-2.0
// D3Q19 in a periodic box: every target against the reference, patterns against each other, conservation.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "d3q19_box.hpp"
#include "lbm_d3q19.h"

namespace {

using test::bind;
using test::Cell;
using test::Method;
using test::omega;
using test::Pattern;
using test::PeriodicBox;
using test::Simulation;
using test::Targets;

#define HEDDLE_TARGETS(kernel, precision)                                                                    \
  {#kernel, bind(lbm_d3q19_##kernel##_##precision##_reference), bind(lbm_d3q19_##kernel##_##precision),      \
   bind(lbm_d3q19_##kernel##_##precision##_unit), bind(lbm_d3q19_##kernel##_##precision##_cuda)}

template <class T> struct Methods {
  Method<T> pull_bgk, aa_bgk, twist_bgk, pull_trt, aa_trt, aa_turbulent;
};

#define HEDDLE_METHODS(precision)                                                                            \
  {                                                                                                          \
    {Pattern::pull, {HEDDLE_TARGETS(pull_bgk, precision)}},                                                  \
        {Pattern::aa, {HEDDLE_TARGETS(aa_bgk_even, precision), HEDDLE_TARGETS(aa_bgk_odd, precision)}},      \
        {Pattern::twist,                                                                                     \
         {HEDDLE_TARGETS(twist_bgk_even, precision), HEDDLE_TARGETS(twist_bgk_odd, precision)}},             \
        {Pattern::pull, {HEDDLE_TARGETS(pull_trt, precision)}},                                              \
        {Pattern::aa, {HEDDLE_TARGETS(aa_trt_even, precision), HEDDLE_TARGETS(aa_trt_odd, precision)}}, {    \
      Pattern::aa, {                                                                                         \
        HEDDLE_TARGETS(aa_turbulent_even, precision), HEDDLE_TARGETS(aa_turbulent_odd, precision)            \
      }                                                                                                      \
    }                                                                                                        \
  }

template <class T> Methods<T> methods();
template <> Methods<double> methods() {
  return HEDDLE_METHODS(f64);
}
template <> Methods<float> methods() {
  return HEDDLE_METHODS(f32);
}
template <> Methods<std::uint16_t> methods() {
  return HEDDLE_METHODS(f16);
}

template <class T> class D3Q19 : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(D3Q19, Precisions);

constexpr Cell extents[] = {{1, 1, 1}, {2, 1, 3}, {7, 3, 2}, {37, 4, 3}, {257, 2, 1}};

TYPED_TEST(D3Q19, EveryTargetEqualsTheReferenceBitForBit) {
  using T = TypeParam;
  const Methods<T> all = methods<T>();
  for (const auto& method :
       {all.pull_bgk, all.aa_bgk, all.twist_bgk, all.pull_trt, all.aa_trt, all.aa_turbulent}) {
    for (const Cell& extent : extents) {
      Simulation<T> reference(method, &Targets<T>::reference, extent);
      reference.run(4);
      for (const auto target : {&Targets<T>::general, &Targets<T>::unit, &Targets<T>::cuda}) {
        Simulation<T> other(method, target, extent);
        other.run(4);
        ASSERT_EQ(other.f().values(), reference.f().values()) << method.steps[0].name << " " << extent[0];
      }
    }
  }
}

TYPED_TEST(D3Q19, StridedFieldsGiveTheSameNumbers) {
  using T = TypeParam;
  const Methods<T> all = methods<T>();
  for (const auto& method : {all.pull_trt, all.aa_trt}) {
    for (const auto target : {&Targets<T>::general, &Targets<T>::cuda}) {
      Simulation<T> contiguous(method, &Targets<T>::reference, {7, 3, 2});
      Simulation<T> stepped(method, target, {7, 3, 2}, 3);
      contiguous.run(2);
      stepped.run(2);
      contiguous.f().for_cells([&](const Cell& cell) {
        for (int q = 0; q < 19; ++q)
          ASSERT_EQ(stepped.at(cell, q), contiguous.at(cell, q));
      });
    }
  }
}

TYPED_TEST(D3Q19, PatternsAgreeBitForBit) {
  using T = TypeParam;
  const Methods<T> all = methods<T>();
  for (const int steps : {1, 2, 5}) {
    const auto compare = [&](const Method<T>& one, const Method<T>& two) {
      Simulation<T> a(one, &Targets<T>::unit, {9, 5, 4});
      Simulation<T> b(two, &Targets<T>::unit, {9, 5, 4});
      a.run(steps);
      b.run(steps);
      int differing = 0;
      a.f().for_cells([&](const Cell& cell) {
        for (int q = 0; q < 19; ++q)
          differing += a.at(cell, q) != b.at(cell, q);
      });
      EXPECT_EQ(differing, 0) << one.steps[0].name << " and " << two.steps[0].name << " after " << steps;
    };
    compare(all.pull_bgk, all.aa_bgk);
    compare(all.pull_bgk, all.twist_bgk);
    compare(all.pull_trt, all.aa_trt);
  }
}

TYPED_TEST(D3Q19, MassAndMomentumAreConserved) {
  using T = TypeParam;
  // The rounding of one population: half a unit in the last place of 2^-7. Many of them add like a random
  // walk.
  const double rounding = std::is_same_v<T, double> ? 0x1p-60 : std::is_same_v<T, float> ? 0x1p-31 : 0x1p-18;
  const Methods<T> all = methods<T>();
  for (const auto& method : {all.pull_bgk, all.aa_trt, all.twist_bgk, all.aa_turbulent}) {
    Simulation<T> simulation(method, &Targets<T>::unit, {12, 10, 8});
    const std::array<double, 4> before = simulation.totals();
    simulation.run(100);
    const std::array<double, 4> after = simulation.totals();
    const double cells = 12 * 10 * 8;
    const double walk = 10 * std::sqrt(cells * 19 * 100) * rounding;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(after[i], before[i], walk) << method.steps[0].name << " moment " << i;
    }
  }
}

TEST(D3Q19Preconditions, AreReportedByCode) {
  PeriodicBox<double> f({4, 3, 2}, 19);
  PeriodicBox<double> f_next({4, 3, 2}, 19);
  PeriodicBox<double> stepped({4, 3, 2}, 19, 3, 2);
  PeriodicBox<double> smaller({4, 2, 2}, 19);
  const auto pull = [](PeriodicBox<double>& a, PeriodicBox<double>& b, auto entry) {
    return entry(a.data(), a.extents(), a.strides(), b.data(), b.extents(), b.strides(), omega);
  };
  EXPECT_EQ(pull(f, f_next, lbm_d3q19_pull_bgk_f64), 0);
  EXPECT_EQ(pull(f, smaller, lbm_d3q19_pull_bgk_f64), -2);
  EXPECT_EQ(pull(f, stepped, lbm_d3q19_pull_bgk_f64), 0);
  EXPECT_EQ(pull(f, stepped, lbm_d3q19_pull_bgk_f64_unit), -3);
  EXPECT_EQ(pull(f, f, lbm_d3q19_pull_bgk_f64), -4);
  EXPECT_EQ(lbm_d3q19_aa_bgk_even_f64(nullptr, f.extents(), f.strides(), omega), -1);
}

} // namespace
