// SPDX-License-Identifier: Apache-2.0
// The CUDA text of the kernels of rain.py, run on the CPU by tests/emulation, gives the bits of the CPU's
// text.
#include "device_text.hpp"

#include "rain_sweeps.hpp"

namespace clouds {
namespace {

template <class T> class DeviceTextOfRain : public SameAir<T> {};
TYPED_TEST_SUITE(DeviceTextOfRain, Precisions);

TYPED_TEST(DeviceTextOfRain, OfBuoyancyAndSea) {
  using A = Air<TypeParam>;
  this->expect_same(
      "buoyancy_with_rain", [](A& a, const auto& kernel) { buoyancy_of(a, a.now, kernel, a.now.r->view()); },
      [](const auto&... x) { ::rain::buoyancy_with_rain(x...); },
      [](const auto&... x) { ::rain::buoyancy_with_rain_cuda(x..., nullptr); });
  this->expect_same(
      "sea",
      [](A& a, const auto& kernel) {
        const auto& c = a.column;
        kernel(a.now.u.view(), a.now.v.view(), a.drag.view(), a.rise_u.view(), a.rise_v.view(),
               a.theta_flux.view(), a.water_flux.view(), a.now.th.view(), a.now.q.view(), a.level(c.order_z),
               a.level(c.lift), -5.0, -4.0, 20.0, 0.035, 1.1e-3, 1.1e-3, 298.5, 21.66e-3);
      },
      [](const auto&... x) { ::rain::sea(x...); }, [](const auto&... x) { ::rain::sea_cuda(x..., nullptr); });
  this->expect_same(
      "sea_air", [](A& a, const auto& kernel) { sea_air_of(a, a.next.q, 0.5, kernel); },
      [](const auto&... x) { ::rain::sea_air(x...); },
      [](const auto&... x) { ::rain::sea_air_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceTextOfRain, OfScalarsAndTheLimiter) {
  using A = Air<TypeParam>;
  this->expect_same(
      "scalar", [](A& a, const auto& kernel) { scalar_of(a, water_of(a), 0.5, kernel); },
      [](const auto&... x) { ::rain::scalar(x...); },
      [](const auto&... x) { ::rain::scalar_cuda(x..., nullptr); });
  this->expect_same(
      "sources", [](A& a, const auto& kernel) { sources_of(a, water_of(a), a.mid, kernel); },
      [](const auto&... x) { ::rain::sources(x...); },
      [](const auto&... x) { ::rain::sources_cuda(x..., nullptr); });
  this->expect_same(
      "allowance", [](A& a, const auto& kernel) { allowance_of(a, a.now.q, a.mid, a.keep, kernel); },
      [](const auto&... x) { ::rain::allowance(x...); },
      [](const auto&... x) { ::rain::allowance_cuda(x..., nullptr); });
  this->expect_same(
      "limited",
      [](A& a, const auto& kernel) {
        const auto& c = a.column;
        kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.next.q.view(), a.now.q.view(), a.mid.view(),
               a.keep.view(), a.level(c.rho_face), a.level(c.per_mass), a.level(c.order_z), &a.length,
               given::per_x, given::per_y);
      },
      [](const auto&... x) { ::rain::limited(x...); },
      [](const auto&... x) { ::rain::limited_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceTextOfRain, OfFallAndConversion) {
  using A = Air<TypeParam>;
  this->expect_same(
      "fall_speed",
      [](A& a, const auto& kernel) { kernel(a.now.r->view(), a.keep.view(), a.level(a.column.rho), 1.15); },
      [](const auto&... x) { ::rain::fall_speed(x...); },
      [](const auto&... x) { ::rain::fall_speed_cuda(x..., nullptr); });
  this->expect_same(
      "fall",
      [](A& a, const auto& kernel) {
        const auto& c = a.column;
        kernel(a.next.r->view(), a.fallen.view(), a.now.r->view(), a.keep.view(), a.level(c.per_height),
               a.level(c.mass), a.level(c.per_mass), a.level(c.order_z), &a.length);
      },
      [](const auto&... x) { ::rain::fall(x...); },
      [](const auto&... x) { ::rain::fall_cuda(x..., nullptr); });
  const auto conversion_of = [](auto... parameters) {
    return [=](A& a, const auto& kernel) {
      const auto& c = a.column;
      kernel(a.next.r->view(), a.now.th.view(), a.now.q.view(), a.now.r->view(), a.level(c.rho),
             a.level(c.pressure), a.level(c.exner), &a.length, parameters..., 0.5);
    };
  };
  this->expect_same(
      "kessler", conversion_of(5e-4), [](const auto&... x) { ::rain::kessler(x...); },
      [](const auto&... x) { ::rain::kessler_cuda(x..., nullptr); });
  this->expect_same(
      "seifert_beheng", conversion_of(70e6, 4.44e9), [](const auto&... x) { ::rain::seifert_beheng(x...); },
      [](const auto&... x) { ::rain::seifert_beheng_cuda(x..., nullptr); });
}

} // namespace
} // namespace clouds
