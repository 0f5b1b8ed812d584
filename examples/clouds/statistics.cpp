// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "constants.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/reduction/reduction.hpp"

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
    {"u_flux", "m2 s-2", "resolved upward flux of u"},
    {"v_flux", "m2 s-2", "resolved upward flux of v"},
    {"theta_l_subgrid", "K m s-1", "subgrid upward flux of theta_l; at the ground the given one"},
    {"q_subgrid", "m s-1", "subgrid upward flux of total water; at the ground the given one"},
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

template <class T> Snapshot snapshot(Stepper<T>& stepper, heddle::Transport& transport, double time) {
  const heddle::BlockGrid& grid = stepper.place().blocks;
  const auto gathered = [&](const heddle::Field<T>& field) {
    std::vector<std::vector<T>> values;
    for (int b = 0; b < field.blocks(); ++b)
      values.push_back(field.read(b));
    const int first = grid.first_block(transport.rank());
    const std::vector<T> all = heddle::gather_cells<T>(
        grid,
        [&](int block, std::int64_t y, std::int64_t z, std::span<T> row) {
          const heddle::Box& box = grid.block(block);
          const auto& from = values[static_cast<std::size_t>(block - first)];
          const std::int64_t at = box.extent(0) * (y - box.lower[1] + box.extent(1) * (z - box.lower[2]));
          std::copy_n(from.begin() + at, row.size(), row.begin());
        },
        transport);
    return std::vector<double>(all.begin(), all.end());
  };
  State<T>& now = stepper.now();
  const std::array<double, 2> stress = stepper.ground_stress();
  std::vector<double> rain;
  if (now.r) rain = gathered(*now.r);
  std::vector<double> heating;
  if (stepper.heating() != nullptr) heating = gathered(*stepper.heating());
  return {.time = time,
          .cells = grid.domain().extents(),
          .u = gathered(now.u),
          .v = gathered(now.v),
          .w = gathered(now.w),
          .th = gathered(now.th),
          .q = gathered(now.q),
          .cloud = gathered(stepper.cloud()),
          .rain = std::move(rain),
          .viscosity = gathered(stepper.viscosity()),
          .heating = std::move(heating),
          .stress_u = stress[0],
          .stress_v = stress[1],
          .ground = stepper.lowest_level()};
}

template Snapshot snapshot(Stepper<double>&, heddle::Transport&, double);
template Snapshot snapshot(Stepper<float>&, heddle::Transport&, double);

namespace {

/// A snapshot with the derived values that statistics take, cell by cell.
class Air {
public:
  Air(const Snapshot& s, const Case& what, const BaseState& base, Scheme scheme)
      : s_(s), what_(what), base_(base), nx_(s.cells[0]), ny_(s.cells[1]), nz_(s.cells[2]),
        order_(face_orders(base.levels(), scheme == Scheme::fifth ? 5 : 2)) {}

  [[nodiscard]] std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>(x + nx_ * (y + ny_ * z));
  }
  [[nodiscard]] double w(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return z == nz_ ? 0 : s_.w[at(x, y, z)];
  }
  [[nodiscard]] double u_centre(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (s_.u[at(x, y, z)] + s_.u[at((x + 1) % nx_, y, z)]) / 2 + what_.u_frame;
  }
  [[nodiscard]] double v_centre(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (s_.v[at(x, y, z)] + s_.v[at(x, (y + 1) % ny_, z)]) / 2 + what_.v_frame;
  }
  [[nodiscard]] double w_centre(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (w(x, y, z) + w(x, y, z + 1)) / 2;
  }
  [[nodiscard]] double theta(std::size_t cell, std::int64_t z) const {
    const auto k = static_cast<std::size_t>(z);
    return offset + s_.th[cell] + vaporisation / (heat_dry * base_.exner[k]) * s_.cloud[cell];
  }
  [[nodiscard]] double tv(std::size_t cell, std::int64_t z) const {
    return theta(cell, z) * (1 + lightness * s_.q[cell] - (1 + lightness) * s_.cloud[cell] - rain(cell));
  }
  [[nodiscard]] double rain(std::size_t cell) const { return s_.rain.empty() ? 0 : s_.rain[cell]; }
  [[nodiscard]] bool cloudy(std::size_t cell) const { return s_.cloud[cell] > what_.cloud_above; }
  /// What the scheme advects through the lower face of a cell between levels.
  [[nodiscard]] double advected(const std::vector<double>& phi, std::int64_t x, std::int64_t y,
                                std::int64_t z) const {
    const auto value = [&](std::int64_t k) { return phi[at(x, y, z + k)]; };
    const double order = order_[static_cast<std::size_t>(z)], sign = w(x, y, z) > 0 ? 1 : -1;
    const double near = value(0) + value(-1), step = value(0) - value(-1);
    if (order < 3) return near / 2;
    const double next = value(1) + value(-2), wide = value(1) - value(-2);
    if (order < 5) return (7 * near - next - sign * (3 * step - wide)) / 12;
    return (37 * near - 8 * next + value(2) + value(-3) -
            sign * (10 * step - 5 * wide + value(2) - value(-3))) /
           60;
  }

private:
  const Snapshot& s_;
  const Case& what_;
  const BaseState& base_;
  std::int64_t nx_, ny_, nz_;
  std::vector<double> order_;
};

/// The sum of f(x, y, cell) over a level, divided by the number of its cells.
template <class F> double level_mean(const Air& air, const Snapshot& s, std::int64_t z, F f) {
  double sum = 0;
  for (std::int64_t y = 0; y < s.cells[1]; ++y) {
    double row = 0;
    for (std::int64_t x = 0; x < s.cells[0]; ++x)
      row += f(x, y, air.at(x, y, z));
    sum += row;
  }
  return sum / static_cast<double>(s.cells[0] * s.cells[1]);
}

void measure_centres(const Air& air, const Snapshot& s, std::int64_t z, Sample& sample) {
  using namespace centre;
  const auto k = static_cast<std::size_t>(z);
  const auto set = [&](Name name, auto f) { return sample.centres[name][k] = level_mean(air, s, z, f); };
  const auto u_at = [&](auto x, auto y, std::size_t) { return air.u_centre(x, y, z); };
  const auto v_at = [&](auto x, auto y, std::size_t) { return air.v_centre(x, y, z); };
  const auto th_at = [&](auto, auto, std::size_t n) { return s.th[n]; };
  const auto q_at = [&](auto, auto, std::size_t n) { return s.q[n]; };
  const auto variance = [&](Name name, double mean, auto value) {
    set(name, [&](auto x, auto y, std::size_t n) {
      const double deviation = value(x, y, n) - mean;
      return deviation * deviation;
    });
  };
  variance(u_variance, set(u, u_at), u_at);
  variance(v_variance, set(v, v_at), v_at);
  const double th = level_mean(air, s, z, th_at);
  sample.centres[theta_l][k] = offset + th;
  variance(theta_variance, th, th_at);
  variance(q_variance, set(centre::q, q_at), q_at);
  set(q_c, [&](auto, auto, std::size_t n) { return s.cloud[n]; });
  set(centre::rain, [&](auto, auto, std::size_t n) { return air.rain(n); });
  set(theta, [&](auto, auto, std::size_t n) { return air.theta(n, z); });
  set(longwave, [&](auto, auto, std::size_t n) { return s.heating.empty() ? 0 : s.heating[n]; });
  const double mean_tv = set(tv, [&](auto, auto, std::size_t n) { return air.tv(n, z); });
  const auto conditional = [&](Name area, auto belongs) {
    const double share = set(area, [&](auto, auto, std::size_t n) { return belongs(n) ? 1.0 : 0.0; });
    const auto within = [&](int which, auto value) {
      const double sum = level_mean(
          air, s, z, [&](auto x, auto y, std::size_t n) { return belongs(n) ? value(x, y, n) : 0.0; });
      sample.centres[static_cast<std::size_t>(area + which)][k] =
          share > 0 ? sum / share : std::numeric_limits<double>::quiet_NaN();
    };
    within(1, [&](auto, auto, std::size_t n) { return offset + s.th[n]; });
    within(2, q_at);
    within(3, [&](auto, auto, std::size_t n) { return s.cloud[n]; });
    within(4, [&](auto x, auto y, std::size_t) { return air.w_centre(x, y, z); });
  };
  conditional(cloud, [&](std::size_t n) { return air.cloudy(n); });
  conditional(core, [&](std::size_t n) { return air.cloudy(n) && air.tv(n, z) > mean_tv; });
}

void measure_faces(const Air& air, const Snapshot& s, const Case& what, const BaseState& base, std::int64_t z,
                   Sample& sample) {
  using namespace face;
  const auto k = static_cast<std::size_t>(z);
  const std::size_t level = static_cast<std::size_t>(s.cells[0] * s.cells[1]);
  const auto set = [&](Name name, auto f) { return sample.faces[name][k] = level_mean(air, s, z, f); };
  const double mean_w = set(face::w, [&](auto x, auto y, auto) { return air.w(x, y, z); });
  const auto power = [&](Name name, int exponent) {
    set(name, [&](auto x, auto y, auto) { return std::pow(air.w(x, y, z) - mean_w, exponent); });
  };
  power(w_variance, 2);
  power(w_skewness, 3);
  const auto flux = [&](Name name, auto value) {
    const double mean = level_mean(air, s, z, value);
    set(name,
        [&](auto x, auto y, std::size_t n) { return (air.w(x, y, z) - mean_w) * (value(x, y, n) - mean); });
  };
  flux(theta_l_flux, [&](auto x, auto y, auto) { return air.advected(s.th, x, y, z); });
  flux(q_flux, [&](auto x, auto y, auto) { return air.advected(s.q, x, y, z); });
  flux(q_c_flux, [&](auto, auto, std::size_t n) { return (s.cloud[n] + s.cloud[n - level]) / 2; });
  flux(tv_flux, [&](auto, auto, std::size_t n) { return (air.tv(n, z) + air.tv(n - level, z - 1)) / 2; });
  flux(u_flux, [&](auto x, auto y, auto) { return (air.u_centre(x, y, z) + air.u_centre(x, y, z - 1)) / 2; });
  flux(v_flux, [&](auto x, auto y, auto) { return (air.v_centre(x, y, z) + air.v_centre(x, y, z - 1)) / 2; });
  const auto subgrid = [&](Name name, double factor, auto difference) {
    set(name, [&](auto x, auto y, std::size_t n) {
      const double viscosity = (s.viscosity[n] + s.viscosity[n - level]) / 2;
      return -factor * viscosity * difference(x, y, n) / base.distance[k];
    });
  };
  subgrid(theta_l_subgrid, what.per_prandtl,
          [&](auto, auto, std::size_t n) { return s.th[n] - s.th[n - level]; });
  subgrid(q_subgrid, what.per_prandtl, [&](auto, auto, std::size_t n) { return s.q[n] - s.q[n - level]; });
  subgrid(tv_subgrid, what.per_prandtl,
          [&](auto, auto, std::size_t n) { return air.tv(n, z) - air.tv(n - level, z - 1); });
  subgrid(u_subgrid, 1,
          [&](auto x, auto y, auto) { return air.u_centre(x, y, z) - air.u_centre(x, y, z - 1); });
  subgrid(v_subgrid, 1,
          [&](auto x, auto y, auto) { return air.v_centre(x, y, z) - air.v_centre(x, y, z - 1); });
}

void measure_columns(const Air& air, const Snapshot& s, const BaseState& base, Sample& sample) {
  using namespace series;
  const std::size_t level = static_cast<std::size_t>(s.cells[0] * s.cells[1]), levels = base.levels();
  double covered = 0, path = 0, drops = 0;
  for (std::size_t n = 0; n < level; ++n) {
    double water = 0;
    bool cloudy = false;
    for (std::size_t k = 0; k < levels; ++k) {
      const std::size_t cell = n + k * level;
      water += base.density[k] * base.height[k] * s.cloud[cell];
      drops += base.density[k] * base.height[k] * air.rain(cell);
      cloudy = cloudy || air.cloudy(cell);
    }
    path += water;
    if (cloudy) covered += 1;
  }
  sample.numbers[rain_path] = drops / static_cast<double>(level);
  sample.numbers[rain_fallen] = s.ground.fallen;
  sample.numbers[cover] = covered / static_cast<double>(level);
  sample.numbers[liquid_path] = path / static_cast<double>(level);
  sample.numbers[w_largest] = *std::ranges::max_element(s.w);
}

void measure_levels(const BaseState& base, Sample& sample) {
  using namespace series;
  const auto& theta = sample.centres[centre::theta_l];
  const auto& area = sample.centres[centre::cloud];
  const auto& w2 = sample.faces[face::w_variance];
  double steepest = 0, energy = 0;
  for (std::size_t k = 0; k < base.levels(); ++k) {
    energy += base.density[k] * base.height[k] / 2 *
              (sample.centres[centre::u_variance][k] + sample.centres[centre::v_variance][k] +
               (w2[k] + w2[k + 1]) / 2);
    if (area[k] > 0) {
      if (sample.numbers[cloud_top] == 0) sample.numbers[cloud_base] = base.centre[k];
      sample.numbers[cloud_top] = base.centre[k];
    }
    if (k == 0) continue;
    const double gradient = (theta[k] - theta[k - 1]) / base.distance[k];
    if (gradient > steepest) {
      steepest = gradient;
      sample.numbers[inversion] = base.face[k];
    }
  }
  sample.numbers[kinetic_energy] = energy;
}

} // namespace

Sample measure(const Snapshot& s, const Case& what, const BaseState& base, Scheme scheme) {
  const Air air(s, what, base, scheme);
  const std::size_t levels = base.levels();
  Sample sample;
  sample.time = s.time;
  for (auto& row : sample.centres)
    row.assign(levels, 0);
  for (auto& row : sample.faces)
    row.assign(levels + 1, 0);
  heddle::parallel_ranges(s.cells[2], [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t z = first; z < last; ++z) {
      measure_centres(air, s, z, sample);
      if (z > 0) measure_faces(air, s, what, base, z, sample);
    }
  });
  const double theta_flux = what.sea ? s.ground.theta_flux : what.theta_flux;
  const double water_flux = what.sea ? s.ground.water_flux : what.water_flux;
  sample.faces[face::theta_l_subgrid][0] = theta_flux;
  sample.faces[face::q_subgrid][0] = water_flux;
  sample.faces[face::tv_subgrid][0] = what.sea ? theta_flux * (1 + lightness * sample.centres[centre::q][0]) +
                                                     lightness * sample.centres[centre::theta][0] * water_flux
                                               : what.virtual_flux();
  sample.faces[face::u_subgrid][0] = s.stress_u;
  sample.faces[face::v_subgrid][0] = s.stress_v;
  measure_columns(air, s, base, sample);
  measure_levels(base, sample);
  return sample;
}

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
