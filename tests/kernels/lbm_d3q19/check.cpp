// SPDX-License-Identifier: Apache-2.0
// D3Q19 in a periodic box: every target against the reference, patterns against each other, conservation.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lbm_d3q19.h"
#include "periodic_box.hpp"

namespace {

using test::d3q19;
using test::opposite;
using test::PeriodicBox;
using Cell = std::array<std::int64_t, 3>;

/// A kernel with its scalars bound. In-place kernels ignore the second box.
template <class T> using Kernel = std::function<int(PeriodicBox<T>& f, PeriodicBox<T>& f_next)>;

constexpr double omega = 1.7;

template <class T, class A> Kernel<T> bind(int (*entry)(T*, const std::int64_t*, const std::int64_t*, A)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>&) {
    return entry(f.data(), f.extents(), f.strides(), static_cast<A>(omega));
  };
}

template <class T, class A>
Kernel<T> bind(int (*entry)(const T*, const std::int64_t*, const std::int64_t*, T*, const std::int64_t*,
                            const std::int64_t*, A)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>& f_next) {
    return entry(f.data(), f.extents(), f.strides(), f_next.data(), f_next.extents(), f_next.strides(),
                 static_cast<A>(omega));
  };
}

/// A box's memory on the device while this lives; it is copied back at the end.
template <class T> class OnDevice {
public:
  explicit OnDevice(PeriodicBox<T>& box) : box_(&box), bytes_(box.values().size() * sizeof(T)) {
    check(cudaMalloc(&memory_, bytes_));
    check(cudaMemcpy(memory_, box.values().data(), bytes_, cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(box_->values().data(), memory_, bytes_, cudaMemcpyDeviceToHost));
    check(cudaFree(memory_));
  }
  T* data() const { return memory_ + (box_->data() - box_->values().data()); }

private:
  static void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess); }
  PeriodicBox<T>* box_;
  std::size_t bytes_;
  T* memory_ = nullptr;
};

template <class T, class A>
Kernel<T> bind(int (*entry)(T*, const std::int64_t*, const std::int64_t*, A, void*)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>&) {
    const OnDevice<T> device(f);
    return entry(device.data(), f.extents(), f.strides(), static_cast<A>(omega), nullptr);
  };
}

template <class T, class A>
Kernel<T> bind(int (*entry)(const T*, const std::int64_t*, const std::int64_t*, T*, const std::int64_t*,
                            const std::int64_t*, A, void*)) {
  return [entry](PeriodicBox<T>& f, PeriodicBox<T>& f_next) {
    const OnDevice<T> source(f);
    const OnDevice<T> destination(f_next);
    return entry(source.data(), f.extents(), f.strides(), destination.data(), f_next.extents(),
                 f_next.strides(), static_cast<A>(omega), nullptr);
  };
}

/// One kernel on every target; the reference first.
template <class T> struct Targets {
  std::string name;
  Kernel<T> reference, general, unit, cuda;
};

#define HEDDLE_TARGETS(kernel, precision)                                                                    \
  {#kernel, bind(lbm_d3q19_##kernel##_##precision##_reference), bind(lbm_d3q19_##kernel##_##precision),      \
   bind(lbm_d3q19_##kernel##_##precision##_unit), bind(lbm_d3q19_##kernel##_##precision##_cuda)}

enum class Pattern { pull, aa, twist };

/// The steps of one method, to be taken in turn.
template <class T> struct Method {
  Pattern pattern;
  std::vector<Targets<T>> steps;
};

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

/// A multiple of 2^-17 below 2^-6, which every precision holds exactly.
template <class T> T exactly(int multiple) {
  return static_cast<T>(std::ldexp(multiple, -17));
}
template <> std::uint16_t exactly(int multiple) {
  const auto sign = static_cast<std::uint16_t>(multiple < 0 ? 0x8000 : 0);
  const int magnitude = std::abs(multiple);
  if (magnitude == 0) return sign;
  int exponent = 0;
  while ((magnitude >> (exponent + 1)) != 0)
    ++exponent;
  if (exponent <= 2) return static_cast<std::uint16_t>(sign | (magnitude << 7)); // subnormal
  const int fraction = (magnitude << (10 - exponent)) & 0x3FF;                   // magnitude < 2^11
  return static_cast<std::uint16_t>(sign | ((exponent - 17 + 15) << 10) | fraction);
}

double number(double value) {
  return value;
}
double number(float value) {
  return static_cast<double>(value);
}
double number(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 0x3FF;
  const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -value : value;
}

// Where the patterns read population q before a step: as published, not as the generator says.
int slot_before(Pattern pattern, bool odd, int q) {
  return pattern != Pattern::pull && odd ? opposite(q) : q;
}

test::Velocity offset_before(Pattern pattern, bool odd, int q) {
  const test::Velocity& c = d3q19[static_cast<std::size_t>(q)];
  test::Velocity offset{};
  for (std::size_t d = 0; d < 3; ++d) {
    switch (pattern) {
    case Pattern::pull:
      offset[d] = -c[d];
      break;
    case Pattern::aa:
      offset[d] = odd ? -c[d] : 0;
      break;
    case Pattern::twist:
      offset[d] = c[d] < 0 ? 1 : 0;
      break;
    }
  }
  return offset;
}

template <class T> T& arrived(PeriodicBox<T>& f, Pattern pattern, bool odd, Cell cell, int q) {
  const test::Velocity offset = offset_before(pattern, odd, q);
  for (std::size_t d = 0; d < 3; ++d) {
    cell[d] += offset[d];
  }
  return f.at(f.image(cell), slot_before(pattern, odd, q));
}

/// A simulation of a periodic box by one target of a method.
template <class T> class Simulation {
public:
  Simulation(const Method<T>& method, Kernel<T> Targets<T>::* target, Cell extent, std::int64_t x_step = 1)
      : method_(method), target_(target), f_(extent, 19, 3, x_step), f_next_(extent, 19, 3, x_step) {
    test::Random random(7);
    f_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q) {
        arrived(f_, method_.pattern, false, cell, q) = exactly<T>(random.below(1601) - 800);
      }
    });
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s, ++time_) {
      const bool odd = time_ % 2 == 1;
      const Targets<T>& step = method_.steps[method_.steps.size() == 2 && odd ? 1 : 0];
      f_.fill_ghosts();
      ASSERT_EQ((step.*target_)(f_, f_next_), 0) << step.name;
      if (method_.pattern == Pattern::pull) {
        std::swap(f_, f_next_);
        continue;
      }
      for (int q = 1; q < 19; ++q) { // what the step wrote lies where the next step of its neighbour reads
        const test::Velocity& c = d3q19[static_cast<std::size_t>(q)];
        test::Velocity offset = offset_before(method_.pattern, !odd, q);
        for (std::size_t d = 0; d < 3; ++d)
          offset[d] += c[d];
        f_.return_ghosts(slot_before(method_.pattern, !odd, q), offset);
      }
    }
  }

  T at(const Cell& cell, int q) { return arrived(f_, method_.pattern, time_ % 2 == 1, cell, q); }
  const PeriodicBox<T>& f() const { return f_; }

  /// The sums over the box of 1, c_x, c_y, c_z times the populations.
  std::array<double, 4> totals() {
    std::array<double, 4> sum{};
    f_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q) {
        const double value = number(at(cell, q));
        const test::Velocity& c = d3q19[static_cast<std::size_t>(q)];
        sum[0] += value;
        for (std::size_t d = 0; d < 3; ++d)
          sum[d + 1] += c[d] * value;
      }
    });
    return sum;
  }

private:
  Method<T> method_;
  Kernel<T> Targets<T>::* target_;
  PeriodicBox<T> f_, f_next_;
  int time_ = 0;
};

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
