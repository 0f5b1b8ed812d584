// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_RAIN_HPP
#define HEDDLE_CLOUDS_RAIN_HPP

#include <memory>

#include "base_state.hpp"
#include "case.hpp"
#include "clock.hpp"
#include "flow.hpp"
#include "heddle/core/buffer.hpp"
#include "sinking.hpp"

namespace clouds {

/// What a case with rain, or with a sea that exchanges heat and water by bulk coefficients, has beside the
/// rest; water is not negative in it.
template <class T> class Rain {
public:
  /// Whether a case needs this.
  [[nodiscard]] static bool needed(const Case& what);
  /// length: of the step, s, in its first entry. All arguments must outlive this.
  Rain(const Case& what, const BaseState& base, const Place& place, const Column<T>& column, Scheme scheme,
       heddle::Field<T>& viscosity, const heddle::Buffer<T>& length);

  /// Stress and fluxes at the sea, in a case with one. now: with ghost cells of the wind.
  void add_sea(Tasks& tasks, State<T>& now, heddle::Field<T>& drag, heddle::Field<T>& rise_u,
               heddle::Field<T>& rise_v);
  void add_buoyancy(Tasks& tasks, State<T>& now, heddle::Field<T>& b);
  /// After th and q of a stage that is not the last: what the sea gives, and rain.
  void add_to_stage(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next, double share);
  /// th, q and rain of the last stage: water is not negative. sinking: may be null.
  void add_last_stage(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next, Sinking<T>* sinking);
  /// The same two of all scalars at once, on a device, for a case with rain that no sweep changes further.
  /// Stages but the last store the buoyancy b that they lead to.
  void add_stage(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next, heddle::Field<T>& b,
                 double share);
  void add_last_stage_at_once(Tasks& tasks, State<T>& old, State<T>& now, State<T>& next);
  /// After a step: rain falls, forms and evaporates. spare: a state whose rain may be overwritten.
  void add_fall(Tasks& tasks, State<T>& now, State<T>& spare);

  [[nodiscard]] heddle::Field<double>& fallen() { return fallen_; } ///< kg/m2 since the start, lowest level
  /// Upward fluxes of theta_l (0) and water (1) that the sea gives, K m/s and m/s, lowest level.
  [[nodiscard]] heddle::Field<T>& sea_flux(int which) { return which == 0 ? theta_flux_ : water_flux_; }

private:
  /// What a scalar has beside advection, and its values.
  struct Scalar {
    heddle::Field<T>&old, &now, &next;
    const heddle::Profile<T>&w_ls, &at_rest, &source, &sponge;
    double ground_flux, lid_slope;
  };
  [[nodiscard]] Scalar heat(State<T>& old, State<T>& now, State<T>& next) const;
  [[nodiscard]] Scalar water(State<T>& old, State<T>& now, State<T>& next) const;
  [[nodiscard]] Scalar rain(State<T>& old, State<T>& now, State<T>& next) const;
  template <class Parameters> [[nodiscard]] Parameters at_ground_and_lid(double share) const;
  void add_scalar(Tasks& tasks, State<T>& wind, const Scalar& s, double share);
  void add_sources(Tasks& tasks, const Scalar& s);
  void add_limited(Tasks& tasks, State<T>& wind, const Scalar& s);
  void add_shares(Tasks& tasks, State<T>& wind, const Scalar& s, heddle::Field<T>& mid,
                  heddle::Field<T>& keep);
  void add_sea_air(Tasks& tasks, heddle::Field<T>& th, heddle::Field<T>& q, double share);

  const Case* what_;
  const BaseState* base_;
  const Place* place_;
  const Column<T>* column_;
  Scheme scheme_;
  heddle::Field<T>* viscosity_;
  const heddle::Buffer<T>* length_;
  heddle::Field<T> mid_, keep_, theta_flux_, water_flux_;
  std::unique_ptr<heddle::Field<T>> mid_of_rain_, keep_of_rain_; // of add_last_stage_at_once
  heddle::Field<double> fallen_;
  heddle::Profile<T> none_;
};

/// The longest step in which no rain falls further than its kernel follows it, s.
[[nodiscard]] double longest_fall(const Case& what, const BaseState& base);

} // namespace clouds

#endif
