// SPDX-License-Identifier: Apache-2.0
#ifndef CLOUDS_DEVICE_TEXT_HPP
#define CLOUDS_DEVICE_TEXT_HPP

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "../../support/noise.hpp"
#include "case.hpp"
#include "flow.hpp"

namespace clouds {

/// Levels of BOMEX with a state of noise, ghosts too: saturated in part, with winds of both signs.
template <class T> class Air {
public:
  explicit Air(const Place& place)
      : what_(bomex()), base_(make_base_state(what_, place.blocks.domain().extent(2))),
        column(place, what_, base_, 5), now(place, "", true), old(place, "_old", true),
        next(place, "_next", true), K(place.field<T>("K")), cloud(place.field<T>("cloud")),
        b(place.field<T>("b")), drag(place.field<T>("drag")), rise_u(place.field<T>("rise_u")),
        rise_v(place.field<T>("rise_v")), mid(place.field<T>("mid")), keep(place.field<T>("keep")),
        mid_of_rain(place.field<T>("mid_of_rain")), keep_of_rain(place.field<T>("keep_of_rain")),
        theta_flux(place.field<T>("theta_flux")), water_flux(place.field<T>("water_flux")),
        fallen(place.field<double>("fallen")), drag_table(4096),
        zeros(static_cast<std::size_t>(place.blocks.domain().extent(2) + 2)) {
    for (State<T>* state : {&now, &old}) {
      for (heddle::Field<T>* wind : {&state->u, &state->v, &state->w})
        scatter(*wind, 0, 4);
      scatter(state->th, 0, 2);
      scatter(state->q, 17e-3, 4e-3);
      scatter(*state->r, 1e-3, 1e-3);
    }
    scatter(K, 10, 10);
    scatter(b, 0, 0.1);
    for (heddle::Field<T>* field : {&drag, &rise_u, &rise_v, &mid, &mid_of_rain, &theta_flux, &water_flux})
      scatter(*field, 0.01, 0.01);
    scatter(keep, 0.5, 0.5);
    scatter(keep_of_rain, 0.5, 0.5);
    for (std::size_t n = 0; n < drag_table.size(); ++n)
      drag_table[n] = static_cast<T>(0.03 + 0.01 * test::noise(n));
  }

  [[nodiscard]] const T* level(const heddle::Profile<T>& profile) const {
    return profile.first(now.u.grid().domain());
  }
  /// Everything that kernels write.
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> values{advection, diffusion, length, rest, allowed};
    for (const auto* field : std::initializer_list<const heddle::Field<T>*>{
             &next.u,     &next.v,      &next.w,       &next.th,    &next.q,    next.r.get(), &now.th, &now.q,
             now.r.get(), &K,           &cloud,        &b,          &drag,      &rise_u,      &rise_v, &mid,
             &keep,       &mid_of_rain, &keep_of_rain, &theta_flux, &water_flux})
      for (const T value : field->read())
        values.push_back(value);
    for (const double value : fallen.read())
      values.push_back(static_cast<T>(value));
    return values;
  }

private:
  void scatter(heddle::Field<T>& field, double mean, double by) {
    const auto view = field.view();
    for (std::int64_t z = -reach; z < view.extent(2) + reach; ++z)
      for (std::int64_t y = -reach; y < view.extent(1) + reach; ++y)
        for (std::int64_t x = -reach; x < view.extent(0) + reach; ++x)
          view(x, y, z) = static_cast<T>(mean + by * test::noise(++drawn_));
  }

  Case what_;
  BaseState base_;
  std::int64_t drawn_ = 0;

public:
  Column<T> column;
  State<T> now, old, next;
  heddle::Field<T> K, cloud, b, drag, rise_u, rise_v, mid, keep, mid_of_rain, keep_of_rain, theta_flux,
      water_flux;
  heddle::Field<double> fallen;
  std::vector<T> drag_table, zeros, work = std::vector<T>(20000);
  T advection = 0, diffusion = 0, length = 6, rest = 9, allowed = 4;
};

/// Numbers that kernels are called with.
namespace given {
inline constexpr double per_x = 0.01, per_y = 0.011, per_prandtl = 3, heat_flux = 8e-3, water_flux = 5.2e-5,
                        heat_slope = 3e-3, water_slope = -1e-6;
}

/// What kernels of one scalar take beside winds and grid.
template <class T> struct Scalar {
  heddle::Field<T>&old, &next, &now;
  const T *w_ls, *at_rest, *source, *sponge;
  double ground_flux, lid_slope;
};
template <class T> Scalar<T> heat_of(Air<T>& a) {
  const auto& c = a.column;
  return {a.old.th,           a.next.th,         a.now.th,         a.level(c.w_ls),  a.level(c.th0),
          a.level(c.heating), a.level(c.sponge), given::heat_flux, given::heat_slope};
}
template <class T> Scalar<T> water_of(Air<T>& a) {
  const auto& c = a.column;
  return {a.old.q,           a.next.q,          a.now.q,
          a.level(c.w_ls),   a.level(c.q0),     a.level(c.moistening),
          a.level(c.sponge), given::water_flux, given::water_slope};
}
/// Rain has neither sources nor a flux at the ground.
template <class T> Scalar<T> rain_of(Air<T>& a) {
  const T* const none = a.zeros.data();
  return {*a.old.r, *a.next.r, *a.now.r, none, none, none, none, 0, 0};
}

// Calls of a kernel with the arguments of the one that the function is called after.

template <class T> void scalar_of(Air<T>& a, const Scalar<T>& s, double share, const auto& kernel) {
  const auto& c = a.column;
  kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), s.old.view(), s.next.view(), a.K.view(),
         s.now.view(), a.level(c.rho_face), a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z),
         s.w_ls, s.at_rest, s.source, s.sponge, &a.length, share, given::per_prandtl, s.ground_flux,
         s.lid_slope, given::per_x, given::per_y);
}
template <class T> void sources_of(Air<T>& a, const Scalar<T>& s, heddle::Field<T>& mid, const auto& kernel) {
  const auto& c = a.column;
  kernel(a.K.view(), s.old.view(), mid.view(), a.level(c.rho_face), a.level(c.per_distance),
         a.level(c.per_mass), a.level(c.order_z), s.w_ls, s.at_rest, s.source, s.sponge, &a.length,
         given::per_prandtl, s.ground_flux, s.lid_slope, given::per_x, given::per_y);
}
template <class T>
void allowance_of(Air<T>& a, heddle::Field<T>& now, heddle::Field<T>& mid, heddle::Field<T>& keep,
                  const auto& kernel) {
  const auto& c = a.column;
  kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), now.view(), mid.view(), keep.view(),
         a.level(c.rho_face), a.level(c.per_mass), a.level(c.order_z), &a.length, given::per_x, given::per_y);
}
template <class T> void scalars_of(Air<T>& a, double blend, const auto& kernel) {
  const auto& c = a.column;
  kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.old.th.view(), a.old.q.view(), a.next.th.view(),
         a.next.q.view(), a.K.view(), a.now.th.view(), a.now.q.view(), a.level(c.rho_face),
         a.level(c.per_distance), a.level(c.per_mass), a.level(c.order_z), a.level(c.w_ls), a.level(c.th0),
         a.level(c.q0), a.level(c.heating), a.level(c.moistening), a.level(c.sponge), &a.length, 0.5, blend,
         given::per_prandtl, given::heat_flux, given::water_flux, given::heat_slope, given::water_slope,
         given::per_x, given::per_y);
}
template <class T> void sea_air_of(Air<T>& a, heddle::Field<T>& water, double share, const auto& kernel) {
  const auto& c = a.column;
  kernel(a.next.th.view(), water.view(), a.theta_flux.view(), a.water_flux.view(), a.level(c.rho_face),
         a.level(c.per_mass), a.level(c.order_z), &a.length, share);
}
/// rain: views, for a kernel that takes it.
template <class T> void buoyancy_of(Air<T>& a, State<T>& state, const auto& kernel, const auto&... rain) {
  const auto& c = a.column;
  kernel(a.b.view(), state.th.view(), state.q.view(), rain..., a.level(c.pressure), a.level(c.exner),
         a.level(c.tv0), a.level(c.lift));
}
template <class T> void eddies_of(Air<T>& a, const auto& kernel, const auto&... rain) {
  const auto& c = a.column;
  kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.K.view(), a.cloud.view(), a.b.view(),
         a.rise_u.view(), a.rise_v.view(), a.now.th.view(), a.now.q.view(), rain..., a.level(c.per_height),
         a.level(c.per_distance), a.level(c.per_span), a.level(c.order_z), a.level(c.pressure),
         a.level(c.exner), a.level(c.tv0), a.level(c.lift), a.level(c.length2), &a.advection, a.work.data(),
         &a.diffusion, a.work.data() + a.work.size() / 2, 0.5, 3.0, given::per_x, given::per_y);
}

/// What a test compares. host and device change the same air in the same way.
template <class T> class SameAir : public testing::Test {
protected:
  static void expect_same(const char* kernel, const auto& run, const auto& host, const auto& device) {
    const Place place{.blocks = heddle::BlockGrid({{0, 0, 0}, {38, 6, 11}}), .width_x = 100, .width_y = 90};
    Air<T> one(place), other(place);
    const std::vector<T> before = one.all();
    run(one, host);
    run(other, device);
    EXPECT_EQ(one.all(), other.all()) << kernel;
    EXPECT_NE(one.all(), before) << kernel;
    for (const T value : one.all())
      ASSERT_TRUE(std::isfinite(value)) << kernel;
  }
};
using Precisions = testing::Types<double, float>;

} // namespace clouds

#endif
