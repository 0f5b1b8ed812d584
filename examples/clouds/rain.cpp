// SPDX-License-Identifier: Apache-2.0
#include "rain.hpp"

#include <algorithm>
#include <cmath>

#include "rain_sweeps.hpp"

namespace clouds {
namespace {

/// Of fall speeds and of cells that rain passes in a step, as kernels have them.
constexpr double fastest = 10, reach_of_fall = 3;

/// By which coefficients for the wind at 20 m are multiplied for another height.
double to_height(double z, double roughness) {
  const double ratio = std::log(20 / roughness) / std::log(z / roughness);
  return ratio * ratio;
}

} // namespace

double longest_fall(const Case& what, const BaseState& base) {
  if (what.rain == RainScheme::none) return what.longest_step;
  return std::min(what.longest_step, reach_of_fall * *std::ranges::min_element(base.height) / fastest);
}

template <class T> bool Rain<T>::needed(const Case& what) {
  return what.rain != RainScheme::none || what.sea || what.positive;
}

template <class T>
Rain<T>::Rain(const Case& what, const BaseState& base, const Place& place, const Column<T>& column,
              Scheme scheme, heddle::Field<T>& viscosity, const heddle::Buffer<T>& length)
    : what_(&what), base_(&base), place_(&place), column_(&column), scheme_(scheme), viscosity_(&viscosity),
      length_(&length), mid_(place.field<T>("mid")), keep_(place.field<T>("keep")),
      theta_flux_(place.field<T>("theta_flux")), water_flux_(place.field<T>("water_flux")),
      fallen_(place.field<double>("fallen")), none_(place.profile<T>(std::vector<double>(base.levels(), 0))) {
}

template <class T>
void Rain<T>::add_sea(Tasks& tasks, State<T>& now, heddle::Field<T>& drag, heddle::Field<T>& rise_u,
                      heddle::Field<T>& rise_v) {
  if (!what_->sea) return;
  const Sea& sea = *what_->sea;
  const double height = base_->centre[0], factor = to_height(height, what_->roughness);
  tasks.add(::rain::Sea<T>(now.u, now.v, drag, rise_u, rise_v, theta_flux_, water_flux_, now.th, now.q,
                           column_->order_z, column_->lift,
                           ::rain::SeaParameters{.u_frame = what_->u_frame,
                                                 .v_frame = what_->v_frame,
                                                 .first_height = height,
                                                 .drag_ratio = std::sqrt(sea.drag * factor),
                                                 .heat_exchange = sea.heat * factor,
                                                 .water_exchange = sea.water * factor,
                                                 .sea_theta = sea.theta,
                                                 .sea_water = sea.humidity}));
}

template <class T>
void Rain<T>::add_sea_air(Tasks& tasks, heddle::Field<T>& th, heddle::Field<T>& q, double share) {
  if (!what_->sea) return;
  tasks.add(::rain::SeaAir<T>(th, q, theta_flux_, water_flux_, column_->rho_face, column_->per_mass,
                              column_->order_z, *length_, ::rain::SeaAirParameters{.share = share}));
}

template <class T> void Rain<T>::add_buoyancy(Tasks& tasks, State<T>& now, heddle::Field<T>& b) {
  const Column<T>& c = *column_;
  tasks.add(::rain::BuoyancyWithRain<T>(b, now.th, now.q, *now.r, c.pressure, c.exner, c.tv0, c.lift));
}

template <class T>
typename Rain<T>::Scalar Rain<T>::heat(State<T>& old, State<T>& now, State<T>& next) const {
  return {.old = old.th,
          .now = now.th,
          .next = next.th,
          .w_ls = column_->w_ls,
          .at_rest = column_->th0,
          .source = column_->heating,
          .sponge = column_->sponge,
          .ground_flux = what_->theta_flux,
          .lid_slope = slope_at_lid(what_->theta, *base_)};
}

template <class T>
typename Rain<T>::Scalar Rain<T>::water(State<T>& old, State<T>& now, State<T>& next) const {
  return {.old = old.q,
          .now = now.q,
          .next = next.q,
          .w_ls = column_->w_ls,
          .at_rest = column_->q0,
          .source = column_->moistening,
          .sponge = column_->sponge,
          .ground_flux = what_->water_flux,
          .lid_slope = slope_at_lid(what_->water, *base_)};
}

template <class T>
typename Rain<T>::Scalar Rain<T>::rain(State<T>& old, State<T>& now, State<T>& next) const {
  return {.old = *old.r,
          .now = *now.r,
          .next = *next.r,
          .w_ls = none_,
          .at_rest = none_,
          .source = none_,
          .sponge = none_,
          .ground_flux = 0,
          .lid_slope = 0};
}

template <class T> void Rain<T>::add_scalar(Tasks& tasks, State<T>& wind, const Scalar& s, double share) {
  const Column<T>& c = *column_;
  const auto add = [&]<class Sweep, class Parameters>() {
    tasks.add(Sweep(wind.u, wind.v, wind.w, s.old, s.next, *viscosity_, s.now, c.rho_face, c.per_distance,
                    c.per_mass, c.order_z, s.w_ls, s.at_rest, s.source, s.sponge, *length_,
                    Parameters{.share = share,
                               .per_prandtl = what_->per_prandtl,
                               .ground_flux = s.ground_flux,
                               .lid_slope = s.lid_slope,
                               .per_x = 1 / place_->width_x,
                               .per_y = 1 / place_->width_y}));
  };
  if (scheme_ == Scheme::fifth)
    add.template operator()<::rain::Scalar<T>, ::rain::ScalarParameters>();
  else
    add.template operator()<::rain::ScalarCentred<T>, ::rain::ScalarCentredParameters>();
}

template <class T> void Rain<T>::add_sources(Tasks& tasks, const Scalar& s) {
  const Column<T>& c = *column_;
  tasks.add(::rain::Sources<T>(*viscosity_, s.old, mid_, c.rho_face, c.per_distance, c.per_mass, c.order_z,
                               s.w_ls, s.at_rest, s.source, s.sponge, *length_,
                               ::rain::SourcesParameters{.per_prandtl = what_->per_prandtl,
                                                         .ground_flux = s.ground_flux,
                                                         .lid_slope = s.lid_slope,
                                                         .per_x = 1 / place_->width_x,
                                                         .per_y = 1 / place_->width_y}));
}

template <class T> void Rain<T>::add_limited(Tasks& tasks, State<T>& wind, const Scalar& s) {
  const Column<T>& c = *column_;
  const auto add = [&]<class Share, class Parameters>() {
    tasks.add(Share(wind.u, wind.v, wind.w, s.now, mid_, keep_, c.rho_face, c.per_mass, c.order_z, *length_,
                    Parameters{.per_x = 1 / place_->width_x, .per_y = 1 / place_->width_y}));
  };
  if (scheme_ == Scheme::fifth)
    add.template operator()<::rain::Allowance<T>, ::rain::AllowanceParameters>();
  else
    add.template operator()<::rain::AllowanceCentred<T>, ::rain::AllowanceCentredParameters>();
  add_shares(tasks, wind, s, mid_, keep_);
}

template <class T>
void Rain<T>::add_to_stage(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next, double share) {
  add_sea_air(tasks, next.th, next.q, share);
  if (now.r) add_scalar(tasks, now, rain(old, now, next), share);
}

template <class T>
void Rain<T>::add_last_stage(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next,
                             Sinking<T>* sinking) {
  add_scalar(tasks, now, heat(old, now, next), 1);
  const Scalar q = water(old, now, next);
  add_sources(tasks, q);
  add_sea_air(tasks, next.th, mid_, 1);
  if (sinking != nullptr) sinking->add_to_stage(tasks, now, next, mid_, 1);
  add_limited(tasks, now, q);
  if (!now.r) return;
  const Scalar r = rain(old, now, next);
  add_sources(tasks, r);
  add_limited(tasks, now, r);
}

template <class T>
void Rain<T>::add_stage(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next, heddle::Field<T>& b,
                        double share) {
  const Column<T>& c = *column_;
  const auto add = [&]<class Sweep, class Parameters>() {
    tasks.add(Sweep(now.u, now.v, now.w, *next.r, next.th, next.q, old.th, old.q, *old.r, *viscosity_, b,
                    theta_flux_, water_flux_, now.th, now.q, *now.r, c.rho_face, c.per_distance, c.per_mass,
                    c.order_z, c.pressure, c.exner, c.tv0, c.lift, c.w_ls, c.sponge, c.th0, c.q0, c.heating,
                    c.moistening, *length_, at_ground_and_lid<Parameters>(share)));
  };
  if (scheme_ == Scheme::fifth)
    add.template operator()<::rain::StageWithRain<T>, ::rain::StageWithRainParameters>();
  else
    add.template operator()<::rain::StageWithRainCentred<T>, ::rain::StageWithRainCentredParameters>();
}

template <class T>
void Rain<T>::add_last_stage_at_once(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next) {
  const Column<T>& c = *column_;
  if (!mid_of_rain_) {
    mid_of_rain_ = std::make_unique<heddle::Field<T>>(place_->field<T>("mid_of_rain"));
    keep_of_rain_ = std::make_unique<heddle::Field<T>>(place_->field<T>("keep_of_rain"));
  }
  heddle::Field<T>&mid = *mid_of_rain_, &keep = *keep_of_rain_;
  const auto add = [&]<class Rates, class RatesParameters, class Shares, class SharesParameters>() {
    tasks.add(Rates(now.u, now.v, now.w, next.th, old.th, old.q, *old.r, *viscosity_, theta_flux_,
                    water_flux_, now.th, mid_, mid, c.rho_face, c.per_distance, c.per_mass, c.order_z, c.w_ls,
                    c.sponge, c.th0, c.q0, c.heating, c.moistening, *length_,
                    at_ground_and_lid<RatesParameters>(1)));
    tasks.add(Shares(now.u, now.v, now.w, now.q, mid_, keep_, *now.r, mid, keep, c.rho_face, c.per_mass,
                     c.order_z, *length_,
                     SharesParameters{.per_x = 1 / place_->width_x, .per_y = 1 / place_->width_y}));
  };
  if (scheme_ == Scheme::fifth)
    add.template operator()<::rain::LastRates<T>, ::rain::LastRatesParameters, ::rain::BothAllowances<T>,
                            ::rain::BothAllowancesParameters>();
  else
    add.template operator()<::rain::LastRatesCentred<T>, ::rain::LastRatesCentredParameters,
                            ::rain::BothAllowancesCentred<T>, ::rain::BothAllowancesCentredParameters>();
  add_shares(tasks, now, water(old, now, next), mid_, keep_);
  add_shares(tasks, now, rain(old, now, next), mid, keep);
}

/// What the limiter lets the wind bring, of the share that each cell may give away.
template <class T>
void Rain<T>::add_shares(Tasks& tasks, State<T>& wind, const Scalar& s, heddle::Field<T>& mid,
                         heddle::Field<T>& keep) {
  const Column<T>& c = *column_;
  const auto add = [&]<class Limited, class Parameters>() {
    tasks.add(Limited(wind.u, wind.v, wind.w, s.next, s.now, mid, keep, c.rho_face, c.per_mass, c.order_z,
                      *length_, Parameters{.per_x = 1 / place_->width_x, .per_y = 1 / place_->width_y}));
  };
  if (scheme_ == Scheme::fifth)
    add.template operator()<::rain::Limited<T>, ::rain::LimitedParameters>();
  else
    add.template operator()<::rain::LimitedCentred<T>, ::rain::LimitedCentredParameters>();
}

template <class T> template <class Parameters> Parameters Rain<T>::at_ground_and_lid(double share) const {
  return {.share = share,
          .per_prandtl = what_->per_prandtl,
          .th_flux = what_->theta_flux,
          .q_flux = what_->water_flux,
          .th_slope = slope_at_lid(what_->theta, *base_),
          .q_slope = slope_at_lid(what_->water, *base_),
          .per_x = 1 / place_->width_x,
          .per_y = 1 / place_->width_y};
}

template <class T> void Rain<T>::add_fall(Tasks& tasks, State<T>& now, State<T>& spare) {
  if (!now.r) return;
  const Column<T>& c = *column_;
  tasks.add(::rain::FallSpeed<T>(*now.r, keep_, c.rho,
                                 ::rain::FallSpeedParameters{.rho_ground = base_->density[0]}));
  tasks.add(::rain::Fall<T>(*spare.r, fallen_, *now.r, keep_, c.per_height, c.mass, c.per_mass, c.order_z,
                            *length_));
  const auto add = [&]<class Sweep>(const auto& parameters) {
    tasks.add(Sweep(*now.r, now.th, now.q, *spare.r, c.rho, c.pressure, c.exner, *length_, parameters));
  };
  if (what_->rain == RainScheme::kessler)
    add.template operator()<::rain::Kessler<T>>(
        ::rain::KesslerParameters{.threshold = what_->rain_threshold, .drying = what_->evaporation});
  else
    add.template operator()<::rain::SeifertBeheng<T>>(::rain::SeifertBehengParameters{
        .droplets = what_->droplets, .collisions = what_->collisions, .drying = what_->evaporation});
}

#ifdef CLOUDS_F64
template class Rain<double>;
#endif
#ifdef CLOUDS_F32
template class Rain<float>;
#endif

} // namespace clouds
