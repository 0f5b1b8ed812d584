// SPDX-License-Identifier: Apache-2.0
// CUDA kernels that change th, q and r at once, run on the CPU, give the bits of the CPU's kernels for one of
// them after the other.
#include "device_text.hpp"

#include "clouds_sweeps.hpp"
#include "rain_sweeps.hpp"

namespace clouds::at_once {
namespace {

template <class T> class DeviceTextAtOnce : public SameAir<T> {};
TYPED_TEST_SUITE(DeviceTextAtOnce, Precisions);

constexpr auto changed = [](auto& air, const auto& change) { change(air); };

constexpr auto scalar = [](const auto&... x) { ::rain::scalar(x...); };
constexpr auto sources = [](const auto&... x) { ::rain::sources(x...); };
constexpr auto sea_air = [](const auto&... x) { ::rain::sea_air(x...); };
constexpr auto allowance = [](const auto&... x) { ::rain::allowance(x...); };

TYPED_TEST(DeviceTextAtOnce, OfAStage) {
  using A = Air<TypeParam>;
  this->expect_same(
      "stage_with_rain", changed,
      [](A& a) {
        scalars_of(a, 0, [](const auto&... x) { scalars(x...); });
        sea_air_of(a, a.next.q, 0.5, sea_air);
        scalar_of(a, rain_of(a), 0.5, scalar);
        buoyancy_of(a, a.next, [](const auto&... x) { ::rain::buoyancy_with_rain(x...); }, a.next.r->view());
      },
      [](A& a) {
        const auto& c = a.column;
        ::rain::stage_with_rain_cuda(
            a.now.u.view(), a.now.v.view(), a.now.w.view(), a.next.r->view(), a.next.th.view(),
            a.next.q.view(), a.old.th.view(), a.old.q.view(), a.old.r->view(), a.K.view(), a.b.view(),
            a.theta_flux.view(), a.water_flux.view(), a.now.th.view(), a.now.q.view(), a.now.r->view(),
            a.level(c.rho_face), a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z),
            a.level(c.pressure), a.level(c.exner), a.level(c.tv0), a.level(c.lift), a.level(c.w_ls),
            a.level(c.sponge), a.level(c.th0), a.level(c.q0), a.level(c.heating), a.level(c.moistening),
            &a.length, 0.5, given::per_prandtl, given::heat_flux, given::water_flux, given::heat_slope,
            given::water_slope, given::per_x, given::per_y, nullptr);
      });
}

TYPED_TEST(DeviceTextAtOnce, OfRatesOfTheLastStage) {
  using A = Air<TypeParam>;
  this->expect_same(
      "last_rates", changed,
      [](A& a) {
        scalar_of(a, heat_of(a), 1, scalar);
        sources_of(a, water_of(a), a.mid, sources);
        sea_air_of(a, a.mid, 1, sea_air);
        sources_of(a, rain_of(a), a.mid_of_rain, sources);
      },
      [](A& a) {
        const auto& c = a.column;
        ::rain::last_rates_cuda(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.next.th.view(),
                                a.old.th.view(), a.old.q.view(), a.old.r->view(), a.K.view(),
                                a.theta_flux.view(), a.water_flux.view(), a.now.th.view(), a.mid.view(),
                                a.mid_of_rain.view(), a.level(c.rho_face), a.level(c.per_distance),
                                a.level(c.per_mass), a.level(c.order_z), a.level(c.w_ls), a.level(c.sponge),
                                a.level(c.th0), a.level(c.q0), a.level(c.heating), a.level(c.moistening),
                                &a.length, 1, given::per_prandtl, given::heat_flux, given::water_flux,
                                given::heat_slope, given::water_slope, given::per_x, given::per_y, nullptr);
      });
}

TYPED_TEST(DeviceTextAtOnce, OfTheLimiter) {
  using A = Air<TypeParam>;
  this->expect_same(
      "both_allowances", changed,
      [](A& a) {
        allowance_of(a, a.now.q, a.mid, a.keep, allowance);
        allowance_of(a, *a.now.r, a.mid_of_rain, a.keep_of_rain, allowance);
      },
      [](A& a) {
        const auto& c = a.column;
        ::rain::both_allowances_cuda(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.now.q.view(),
                                     a.mid.view(), a.keep.view(), a.now.r->view(), a.mid_of_rain.view(),
                                     a.keep_of_rain.view(), a.level(c.rho_face), a.level(c.per_mass),
                                     a.level(c.order_z), &a.length, given::per_x, given::per_y, nullptr);
      });
}

} // namespace
} // namespace clouds::at_once
