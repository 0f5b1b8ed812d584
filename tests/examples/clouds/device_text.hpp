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
        fallen(place.field<double>("fallen")), drag_table(4096) {
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
  std::vector<T> drag_table, work = std::vector<T>(20000);
  T advection = 0, diffusion = 0, length = 6, rest = 9, allowed = 4;
};

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
