// SPDX-License-Identifier: Apache-2.0
// The CUDA text of the kernels, run on the CPU by tests/emulation, gives the bits of the CPU's text.
#include "device_text.hpp"

#include "clouds.hpp"

namespace clouds {
namespace {

template <class T> class DeviceText : public SameAir<T> {};
TYPED_TEST_SUITE(DeviceText, Precisions);

TYPED_TEST(DeviceText, OfBuoyancyAndGround) {
  using A = Air<TypeParam>;
  this->expect_same(
      "buoyancy", [](A& a, const auto& kernel) { buoyancy_of(a, a.now, kernel); },
      [](const auto&... x) { buoyancy(x...); }, [](const auto&... x) { buoyancy_cuda(x..., nullptr); });
  for (const double u_star : {0.28, 0.0})
    this->expect_same(
        "ground",
        [&](A& a, const auto& kernel) {
          const auto& c = a.column;
          kernel(a.now.u.view(), a.now.v.view(), a.drag.view(), a.rise_u.view(), a.rise_v.view(),
                 a.level(c.order_z), a.level(c.lift), a.drag_table.data(), -8.0, -4.0, 0.0176, u_star, 20.0,
                 1.7, 0.3);
        },
        [](const auto&... x) { ground(x...); }, [](const auto&... x) { ground_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceText, OfEddies) {
  using A = Air<TypeParam>;
  this->expect_same(
      "eddies", [](A& a, const auto& kernel) { eddies_of(a, kernel); },
      [](const auto&... x) { eddies(x...); }, [](const auto&... x) { eddies_cuda(x..., nullptr); });
  this->expect_same(
      "eddies_in_rain", [](A& a, const auto& kernel) { eddies_of(a, kernel, a.now.r->view()); },
      [](const auto&... x) { eddies_in_rain(x...); },
      [](const auto&... x) { eddies_in_rain_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceText, OfTheNextStep) {
  using A = Air<TypeParam>;
  const auto one = [](TypeParam& number) {
    return heddle::FieldView<TypeParam>(&number, {1, 1, 1, 1}, {1, 1, 1, 1});
  };
  for (const double rate : {0.1, 0.3, 1.0})
    this->expect_same(
        "next_step",
        [&](A& a, const auto& kernel) {
          a.advection = static_cast<TypeParam>(rate);
          kernel(one(a.length), one(a.rest), one(a.allowed), &a.advection, &a.diffusion, 10.0);
        },
        [](const auto&... x) { next_step(x...); }, [](const auto&... x) { next_step_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceText, OfMomentum) {
  using A = Air<TypeParam>;
  this->expect_same(
      "momentum",
      [](A& a, const auto& kernel) {
        const auto& c = a.column;
        kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.old.u.view(), a.old.v.view(), a.old.w.view(),
               a.next.u.view(), a.next.v.view(), a.next.w.view(), a.K.view(), a.b.view(), a.drag.view(),
               a.level(c.rho), a.level(c.rho_face), a.level(c.per_height), a.level(c.per_distance),
               a.level(c.mass), a.level(c.per_mass), a.level(c.per_face_mass), a.level(c.order_z),
               a.level(c.w_ls_wind), a.level(c.u_geostrophic), a.level(c.v_geostrophic), a.level(c.u0),
               a.level(c.v0), a.level(c.sponge), a.level(c.face_sponge), &a.length, 0.5, -0.5625, 0.376e-4,
               -8.0, -4.0, given::per_x, given::per_y);
      },
      [](const auto&... x) { momentum(x...); }, [](const auto&... x) { momentum_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceText, OfScalars) {
  using A = Air<TypeParam>;
  const auto run = [](A& a, const auto& kernel) { scalars_of(a, -0.5625, kernel); };
  const auto host = [](const auto&... x) { scalars(x...); };
  this->expect_same("scalars", run, host, [](const auto&... x) { scalars_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceText, OfScalarsThatFindTheBuoyancy) {
  using A = Air<TypeParam>;
  const auto apply = [](A& a, const auto& change) { change(a); };
  const auto host = [](A& a) {
    scalars_of(a, -0.5625, [](const auto&... x) { scalars(x...); });
    buoyancy_of(a, a.next, [](const auto&... x) { buoyancy(x...); });
  };
  const auto device = [](const auto& kernel) {
    return [kernel](A& a) {
      const auto& c = a.column;
      kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.old.th.view(), a.old.q.view(),
             a.next.th.view(), a.next.q.view(), a.K.view(), a.b.view(), a.now.th.view(), a.now.q.view(),
             a.level(c.rho_face), a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z),
             a.level(c.pressure), a.level(c.exner), a.level(c.tv0), a.level(c.lift), a.level(c.w_ls),
             a.level(c.th0), a.level(c.q0), a.level(c.heating), a.level(c.moistening), a.level(c.sponge),
             &a.length, 0.5, -0.5625, given::per_prandtl, given::heat_flux, given::water_flux,
             given::heat_slope, given::water_slope, given::per_x, given::per_y, nullptr);
    };
  };
  this->expect_same("scalars_and_buoyancy", apply, host,
                    device([](const auto&... x) { scalars_and_buoyancy_cuda(x...); }));
}

} // namespace
} // namespace clouds
