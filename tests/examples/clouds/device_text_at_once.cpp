// SPDX-License-Identifier: Apache-2.0
// CUDA kernels that change th, q and r at once, run on the CPU, give the bits of the CPU's kernels for one of
// them after the other.
#include "device_text.hpp"

#include "clouds_sweeps.hpp"
#include "rain_sweeps.hpp"

namespace clouds::at_once {
namespace {

constexpr double per_x = 0.01, per_y = 0.011, per_prandtl = 3, heat_flux = 8e-3, water_flux = 5.2e-5,
                 heat_slope = 3e-3, water_slope = -1e-6;

template <class T> class DeviceTextAtOnce : public SameAir<T> {};
TYPED_TEST_SUITE(DeviceTextAtOnce, Precisions);

constexpr auto changed = [](auto& air, const auto& change) { change(air); };

template <class T> std::vector<T> nothing(const Air<T>& a) {
  return std::vector<T>(static_cast<std::size_t>(a.now.u.grid().domain().extent(2) + 2));
}

/// Rain has neither sources nor a flux at the ground.
template <class T> void stage_of_rain(Air<T>& a, double share) {
  const auto& c = a.column;
  const auto zeros = nothing(a);
  const T* none = zeros.data();
  ::rain::scalar(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.old.r->view(), a.next.r->view(),
                 a.K.view(), a.now.r->view(), a.level(c.rho_face), a.level(c.per_distance),
                 a.level(c.per_mass), a.level(c.order_z), none, none, none, none, &a.length, share,
                 per_prandtl, 0, 0, per_x, per_y);
}

TYPED_TEST(DeviceTextAtOnce, OfAStage) {
  using A = Air<TypeParam>;
  this->expect_same(
      "stage_with_rain", changed,
      [](A& a) {
        const auto& c = a.column;
        scalars(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.old.th.view(), a.old.q.view(),
                a.next.th.view(), a.next.q.view(), a.K.view(), a.now.th.view(), a.now.q.view(),
                a.level(c.rho_face), a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z),
                a.level(c.w_ls), a.level(c.th0), a.level(c.q0), a.level(c.heating), a.level(c.moistening),
                a.level(c.sponge), &a.length, 0.5, 0, per_prandtl, heat_flux, water_flux, heat_slope,
                water_slope, per_x, per_y);
        ::rain::sea_air(a.next.th.view(), a.next.q.view(), a.theta_flux.view(), a.water_flux.view(),
                        a.level(c.rho_face), a.level(c.per_mass), a.level(c.order_z), &a.length, 0.5);
        stage_of_rain(a, 0.5);
        ::rain::buoyancy_with_rain(a.b.view(), a.next.th.view(), a.next.q.view(), a.next.r->view(),
                                   a.level(c.pressure), a.level(c.exner), a.level(c.tv0), a.level(c.lift));
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
            &a.length, 0.5, per_prandtl, heat_flux, water_flux, heat_slope, water_slope, per_x, per_y,
            nullptr);
      });
}

TYPED_TEST(DeviceTextAtOnce, OfRatesOfTheLastStage) {
  using A = Air<TypeParam>;
  this->expect_same(
      "last_rates", changed,
      [](A& a) {
        const auto& c = a.column;
        const auto zeros = nothing(a);
        const TypeParam* none = zeros.data();
        ::rain::scalar(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.old.th.view(), a.next.th.view(),
                       a.K.view(), a.now.th.view(), a.level(c.rho_face), a.level(c.per_distance),
                       a.level(c.per_mass), a.level(c.order_z), a.level(c.w_ls), a.level(c.th0),
                       a.level(c.heating), a.level(c.sponge), &a.length, 1, per_prandtl, heat_flux,
                       heat_slope, per_x, per_y);
        ::rain::sources(a.K.view(), a.old.q.view(), a.mid.view(), a.level(c.rho_face),
                        a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z), a.level(c.w_ls),
                        a.level(c.q0), a.level(c.moistening), a.level(c.sponge), &a.length, per_prandtl,
                        water_flux, water_slope, per_x, per_y);
        ::rain::sea_air(a.next.th.view(), a.mid.view(), a.theta_flux.view(), a.water_flux.view(),
                        a.level(c.rho_face), a.level(c.per_mass), a.level(c.order_z), &a.length, 1);
        ::rain::sources(a.K.view(), a.old.r->view(), a.mid_of_rain.view(), a.level(c.rho_face),
                        a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z), none, none, none,
                        none, &a.length, per_prandtl, 0, 0, per_x, per_y);
      },
      [](A& a) {
        const auto& c = a.column;
        ::rain::last_rates_cuda(
            a.now.u.view(), a.now.v.view(), a.now.w.view(), a.next.th.view(), a.old.th.view(), a.old.q.view(),
            a.old.r->view(), a.K.view(), a.theta_flux.view(), a.water_flux.view(), a.now.th.view(),
            a.mid.view(), a.mid_of_rain.view(), a.level(c.rho_face), a.level(c.per_distance),
            a.level(c.per_mass), a.level(c.order_z), a.level(c.w_ls), a.level(c.sponge), a.level(c.th0),
            a.level(c.q0), a.level(c.heating), a.level(c.moistening), &a.length, 1, per_prandtl, heat_flux,
            water_flux, heat_slope, water_slope, per_x, per_y, nullptr);
      });
}

TYPED_TEST(DeviceTextAtOnce, OfTheLimiter) {
  using A = Air<TypeParam>;
  this->expect_same(
      "both_allowances", changed,
      [](A& a) {
        const auto& c = a.column;
        const auto one = [&](auto& now, auto& mid, auto& keep) {
          ::rain::allowance(a.now.u.view(), a.now.v.view(), a.now.w.view(), now.view(), mid.view(),
                            keep.view(), a.level(c.rho_face), a.level(c.per_mass), a.level(c.order_z),
                            &a.length, per_x, per_y);
        };
        one(a.now.q, a.mid, a.keep);
        one(*a.now.r, a.mid_of_rain, a.keep_of_rain);
      },
      [](A& a) {
        const auto& c = a.column;
        ::rain::both_allowances_cuda(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.now.q.view(),
                                     a.mid.view(), a.keep.view(), a.now.r->view(), a.mid_of_rain.view(),
                                     a.keep_of_rain.view(), a.level(c.rho_face), a.level(c.per_mass),
                                     a.level(c.order_z), &a.length, per_x, per_y, nullptr);
      });
}

} // namespace
} // namespace clouds::at_once
