// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

namespace front {

Part::Sweep Part::stage(heddle::Field<float>& q, heddle::Field<float>& next, double share) {
  Air& a = air_;
  return {q,
          next,
          a.ru,
          a.rv,
          a.om,
          a.mu,
          a.mu,
          a.q,
          a.rdnw,
          a.one,
          a.zero,
          a.own_weight,
          a.below_weight,
          a.order_x,
          a.order_y,
          a.order_z,
          {.dt = share * time_step_, .rdx = per_spacing_, .rdy = per_spacing_}};
}

Part::Part(const Options& options, const Place& place, const Weather& weather, heddle::Transport& transport)
    : time_step_(options.time_step), per_spacing_(1 / options.spacing), scheme_(options.scheme),
      clock_(options.time_step, weather.speed(), place.memory), air_(place, weather),
      nest_(place, weather, clock_, air_, options.time_step), radiation_(place, weather, air_),
      wind_(air_.ru, air_.rv, air_.om, air_.w, air_.rho, air_.mu, air_.u, air_.v, air_.rdnw, air_.ascent,
            air_.x_face, air_.x_front, air_.strength, clock_.moved(),
            {.width = weather.width(), .rdx = per_spacing_}),
      first_(stage(air_.q, air_.q_a, 1.0 / 3)), second_(stage(air_.q_a, air_.q_b, 1.0 / 2)),
      scale_(air_.q_b, air_.ru, air_.rv, air_.om, air_.mu, air_.q, air_.keep, air_.rdnw, air_.one, air_.zero,
             air_.own_weight, air_.below_weight, air_.order_x, air_.order_y, air_.order_z,
             {.dt = time_step_, .rdx = per_spacing_, .rdy = per_spacing_}),
      limited_(air_.q_b, air_.q_a, air_.ru, air_.rv, air_.om, air_.mu, air_.mu, air_.q, air_.keep, air_.rdnw,
               air_.one, air_.zero, air_.own_weight, air_.below_weight, air_.order_x, air_.order_y,
               air_.order_z, {.dt = time_step_, .rdx = per_spacing_, .rdy = per_spacing_}),
      before_first_(first_.before(), transport), before_second_(second_.before(), transport),
      before_scale_(scale_.before(), transport), before_limited_(limited_.before(), transport) {}

void Part::add_wind(heddle::TaskGraph& graph) {
  graph.add(clock_);
  graph.add(wind_);
}

void Part::add_advection(heddle::TaskGraph& graph) {
  graph.add(before_first_);
  graph.add(first_);
  graph.add(before_second_);
  graph.add(second_);
  graph.add(before_scale_);
  graph.add(scale_);
  graph.add(before_limited_);
  graph.add(limited_);
}

void Part::add_microphysics(heddle::TaskGraph& graph) {
  Air& a = air_;
  if (scheme_ == Scheme::kessler)
    graph.add(column_physics::Kessler<float>(a.q_a, a.rho, a.exner, a.height, a.thickness, a.scratch_1,
                                             a.scratch_2, a.rain_fallen, a.scratch_plane,
                                             {.dt = time_step_}));
  else
    graph.add(column_physics::Wsm3<float>(a.q_a, a.w, a.rho, a.exner, a.pressure, a.thickness, a.scratch_1,
                                          a.scratch_2, a.scratch_3, a.scratch_4, a.rain_fallen, a.snow_fallen,
                                          a.scratch_plane, {.dt = time_step_}));
}

void Part::add_to(heddle::Checkpoint& checkpoint) {
  checkpoint.add(air_.q);
  checkpoint.add(air_.rain_fallen);
  checkpoint.add(air_.snow_fallen);
  checkpoint.add(air_.heating);
}

} // namespace front
