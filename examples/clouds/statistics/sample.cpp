// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <algorithm>
#include <string>

#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace clouds {

const std::array<Row, centre::count> centre::rows{{
    {"u", "m s-1", "velocity along x"},
    {"v", "m s-1", "velocity along y"},
    {"theta_l", "K", "liquid water potential temperature"},
    {"q", "1", "total water"},
    {"q_c", "1", "cloud water"},
    {"rain", "1", "rain, which total water does not contain"},
    {"theta", "K", "potential temperature"},
    {"tv", "K", "virtual potential temperature"},
    {"longwave", "K s-1", "heating of theta_l by longwave radiation that is computed"},
    {"subgrid_energy", "m2 s-2", "kinetic energy of eddies that are not resolved, (K / (0.1 l))^2"},
    {"u_variance", "m2 s-2", "resolved variance of u"},
    {"v_variance", "m2 s-2", "resolved variance of v"},
    {"theta_l_variance", "K2", "resolved variance of theta_l"},
    {"q_variance", "1", "resolved variance of q"},
    {"cloud", "1", "share of the area with cloud water"},
    {"cloud_theta_l", "K", "theta_l in clouds"},
    {"cloud_q", "1", "total water in clouds"},
    {"cloud_q_c", "1", "cloud water in clouds"},
    {"cloud_w", "m s-1", "upward velocity in clouds"},
    {"core", "1", "share of the area with cloud water and buoyancy"},
    {"core_theta_l", "K", "theta_l in cores"},
    {"core_q", "1", "total water in cores"},
    {"core_q_c", "1", "cloud water in cores"},
    {"core_w", "m s-1", "upward velocity in cores"},
}};

const std::array<Row, face::count> face::rows{{
    {"w", "m s-1", "upward velocity"},
    {"w_variance", "m2 s-2", "resolved variance of w"},
    {"w_third", "m3 s-3", "third moment of w"},
    {"theta_l_flux", "K m s-1", "resolved upward flux of theta_l"},
    {"q_flux", "m s-1", "resolved upward flux of total water"},
    {"q_c_flux", "m s-1", "resolved upward flux of cloud water"},
    {"tv_flux", "K m s-1", "resolved upward flux of virtual potential temperature"},
    {"u_flux", "m2 s-2", "resolved upward flux of u, as it is advected"},
    {"v_flux", "m2 s-2", "resolved upward flux of v, as it is advected"},
    {"theta_l_subgrid", "K m s-1", "subgrid upward flux of theta_l; at the ground the given one"},
    {"q_subgrid", "m s-1", "subgrid upward flux of total water; at the ground the given one"},
    {"q_c_subgrid", "m s-1", "subgrid upward flux of cloud water, down its gradient"},
    {"tv_subgrid", "K m s-1", "subgrid upward flux of virtual potential temperature"},
    {"u_subgrid", "m2 s-2", "subgrid upward flux of u; at the ground the stress"},
    {"v_subgrid", "m2 s-2", "subgrid upward flux of v; at the ground the stress"},
}};

const std::array<Row, series::count> series::rows{{
    {"cover", "1", "share of columns with any cloud water"},
    {"liquid_path", "kg m-2", "cloud water of a column"},
    {"kinetic_energy", "kg s-2", "resolved turbulent kinetic energy of a column"},
    {"inversion", "m", "height of the largest gradient of theta_l"},
    {"cloud_base", "m", "centre of the lowest level with clouds"},
    {"cloud_top", "m", "centre of the highest level with clouds"},
    {"w_largest", "m s-1", "largest upward velocity"},
    {"rain_path", "kg m-2", "rain of a column"},
    {"rain_fallen", "kg m-2", "rain at the ground since the start"},
    {"rain_rate", "mm d-1", "rain at the ground since the sample before"},
    {"rain_heat", "W m-2", "latent heat of that rain"},
}};

void History::add(Sample sample) {
  using namespace series;
  if (!samples_.empty() && sample.time > samples_.back().time) {
    const double fallen = sample.numbers[rain_fallen] - samples_.back().numbers[rain_fallen];
    const double rate = fallen / (sample.time - samples_.back().time);
    sample.numbers[rain_rate] = rate * 86400;
    sample.numbers[rain_heat] = rate * vaporisation;
  }
  samples_.push_back(std::move(sample));
}

Sample History::mean(double from, double to) const {
  std::vector<const Sample*> inside;
  for (const Sample& one : samples_)
    if (one.time > from - 1e-6 && one.time < to + 1e-6) inside.push_back(&one);
  if (inside.empty())
    throw heddle::Error("statistics", "there is no sample between " + std::to_string(from) + " and " +
                                          std::to_string(to) + " s");
  std::vector<double> weights;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const double before = inside[i == 0 ? i : i - 1]->time,
                 after = inside[std::min(i + 1, inside.size() - 1)]->time;
    weights.push_back(inside.size() == 1 ? 1 : (after - before) / 2);
  }
  Sample mean = weighted_mean(inside, weights);
  mean.time = to;
  return mean;
}

Sample weighted_mean(const std::vector<const Sample*>& samples, const std::vector<double>& weights) {
  Sample sum;
  double whole = 0; // sum of the weights
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& one = *samples[i];
    const double weight = weights[i];
    whole += weight;
    const auto join = [&](std::vector<double>& total, const std::vector<double>& more,
                          const std::vector<double>* area) {
      total.resize(more.size(), 0);
      for (std::size_t k = 0; k < more.size(); ++k)
        if (area == nullptr || (*area)[k] > 0)
          total[k] += weight * (area == nullptr ? 1 : (*area)[k]) * more[k];
    };
    for (std::size_t n = 0; n < centre::count; ++n) {
      const bool in_cloud = n > centre::cloud && n<centre::core, in_core = n> centre::core;
      join(sum.centres[n], one.centres[n],
           in_cloud  ? &one.centres[centre::cloud]
           : in_core ? &one.centres[centre::core]
                     : nullptr);
    }
    for (std::size_t n = 0; n < face::count; ++n)
      join(sum.faces[n], one.faces[n], nullptr);
    for (std::size_t n = 0; n < series::count; ++n)
      sum.numbers[n] += weight * one.numbers[n];
  }
  sum.time = samples.back()->time;
  for (const auto& [area, first, last] :
       {std::array<std::size_t, 3>{centre::cloud, centre::cloud + 1, centre::core},
        std::array<std::size_t, 3>{centre::core, centre::core + 1, centre::count}})
    for (std::size_t n = first; n < last; ++n)
      for (std::size_t k = 0; k < sum.centres[n].size(); ++k)
        sum.centres[n][k] /= sum.centres[area][k]; // 0 / 0 where there is none
  for (std::size_t n = 0; n <= centre::cloud; ++n)
    for (double& value : sum.centres[n])
      value /= whole;
  for (double& value : sum.centres[centre::core])
    value /= whole;
  for (auto& row : sum.faces)
    for (double& value : row)
      value /= whole;
  for (double& value : sum.numbers)
    value /= whole;
  return sum;
}

} // namespace clouds
