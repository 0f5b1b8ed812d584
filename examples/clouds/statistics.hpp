// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_STATISTICS_HPP
#define HEDDLE_CLOUDS_STATISTICS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "stepper.hpp"

namespace clouds {

/// The whole domain at a time, x fastest, in double precision; on rank 0, elsewhere all vectors are empty.
struct Snapshot {
  double time = 0; // s
  std::array<std::int64_t, 3> cells{};
  std::vector<double> u, v, w;       // on lower faces, in the frame of the case
  std::vector<double> th, q;         // theta_l - 300 K; kg/kg
  std::vector<double> cloud;         // kg/kg
  std::vector<double> rain;          // kg/kg; empty in a case without
  std::vector<double> viscosity;     // K_m
  std::vector<double> heating;       // by longwave radiation, K s-1; empty in a case without
  double stress_u = 0, stress_v = 0; // mean flux of momentum at the ground, m2 s-2
  LowestLevel ground;                // with a sea or rain
};

/// After Stepper::survey(). All ranks together.
template <class T>
[[nodiscard]] Snapshot snapshot(Stepper<T>& stepper, heddle::Transport& transport, double time);

/// A value per level or face.
struct Row {
  const char* name;
  const char* units;
  const char* about;
};

/// Profiles at the centres of levels, and on their lower faces (one more: the lid).
namespace centre {
enum Name {
  u,
  v,
  theta_l,
  q,
  q_c,
  rain,
  theta,
  tv,
  longwave,
  u_variance,
  v_variance,
  theta_variance,
  q_variance,
  cloud,
  cloud_theta_l,
  cloud_q,
  cloud_q_c,
  cloud_w,
  core,
  core_theta_l,
  core_q,
  core_q_c,
  core_w,
  count
};
extern const std::array<Row, count> rows;
} // namespace centre
namespace face {
enum Name {
  w,
  w_variance,
  w_skewness,
  theta_l_flux,
  q_flux,
  q_c_flux,
  tv_flux,
  u_flux,
  v_flux,
  theta_l_subgrid,
  q_subgrid,
  tv_subgrid,
  u_subgrid,
  v_subgrid,
  count
};
extern const std::array<Row, count> rows;
} // namespace face
/// Numbers of a time.
namespace series {
enum Name {
  cover,
  liquid_path,
  kinetic_energy,
  inversion,
  cloud_base,
  cloud_top,
  w_largest,
  rain_path,
  rain_fallen,
  rain_rate,
  rain_heat,
  count
};
extern const std::array<Row, count> rows;
} // namespace series

/// Statistics of a time, or their means over a period.
struct Sample {
  double time = 0; // s
  std::array<double, series::count> numbers{};
  std::array<std::vector<double>, centre::count> centres; // conditional means are NaN where there is none
  std::array<std::vector<double>, face::count> faces;
};

/// Sums in double precision and in one order. Fluxes of theta_l and q are those that the scheme advects.
[[nodiscard]] Sample measure(const Snapshot& s, const Case& what, const BaseState& base, Scheme scheme);

/// Means over samples with weights. Conditional means are weighted by their area, too.
[[nodiscard]] Sample weighted_mean(const std::vector<const Sample*>& samples,
                                   const std::vector<double>& weights);

/// The samples of a run.
class History {
public:
  /// The rate of rain at the ground is that since the sample before.
  void add(Sample sample);
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
  /// Means over time from `from` to `to` (s), by the trapezoidal rule through the samples within. Conditional
  /// means are weighted by their area. Throws heddle::Error where there is no sample.
  [[nodiscard]] Sample mean(double from, double to) const;

private:
  std::vector<Sample> samples_;
};

} // namespace clouds

#endif
