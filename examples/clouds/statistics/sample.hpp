// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_SAMPLE_HPP
#define HEDDLE_CLOUDS_SAMPLE_HPP

#include <array>
#include <vector>

namespace clouds {

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
  subgrid_energy,
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
  q_c_subgrid,
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
