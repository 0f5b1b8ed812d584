// SPDX-License-Identifier: Apache-2.0
#include "sensors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "table.hpp"

namespace city_wind {
namespace {

// What the command line allows for its one sensor, too: f32 holds all that is computed from such values.
constexpr double lowest_height = 1e-3;
constexpr double highest_speed = 1000;
constexpr double smallest_shape = 1e-9;

/// Far from all sensors, all of them count alike: no weight is below exp(-60), which even float can hold.
double weight(const Contribution& c, double x, double y) {
  const double square = (x - c.at.x) * (x - c.at.x) + (y - c.at.y) * (y - c.at.y);
  return std::exp(-std::min(square * c.per_area, 60.0));
}

Contribution contribution(const Sensor& sensor, double per_area) {
  const double form = sensor.profile == Profile::logarithmic
                          ? std::log((sensor.height + sensor.shape) / sensor.shape)
                          : std::pow(sensor.height, sensor.shape);
  // Exact along the axes, so that faces beside walls are not taken for faces behind them.
  const auto clean = [](double c) { return std::abs(c) < 1e-12 ? 0.0 : c; };
  const double angle = sensor.direction * std::numbers::pi / 180;
  return {sensor.at,
          per_area,
          1,
          -clean(std::sin(angle)) * sensor.speed / form,
          -clean(std::cos(angle)) * sensor.speed / form,
          sensor.profile,
          sensor.shape};
}

/// Mean distance of a sensor to its nearest neighbour.
double spacing(const std::vector<Sensor>& sensors) {
  double sum = 0;
  for (const Sensor& a : sensors) {
    double nearest = HUGE_VAL;
    for (const Sensor& b : sensors)
      if (&a != &b) nearest = std::min(nearest, std::hypot(a.at.x - b.at.x, a.at.y - b.at.y));
    sum += nearest;
  }
  return sum / static_cast<double>(sensors.size());
}

} // namespace

std::vector<Sensor> read_sensors(const std::filesystem::path& file) {
  std::vector<Sensor> sensors;
  for (const Row& row : read_table(file)) {
    Sensor sensor{row.place,     row.number(0), {row.number(1), row.number(2)},
                  row.number(3), row.number(4), row.number(5)};
    if (row.words.size() != 8 || (row.words[6] != "log" && row.words[6] != "power"))
      throw heddle::Error(
          row.place, "the line does not describe a sensor",
          "write time, x, y, height, speed, direction, log or power, roughness length or exponent");
    sensor.profile = row.words[6] == "log" ? Profile::logarithmic : Profile::power;
    sensor.shape = row.number(7);
    sensors.push_back(sensor);
  }
  if (sensors.empty()) throw heddle::Error("file '" + file.string() + "'", "it has no sensors");
  std::stable_sort(sensors.begin(), sensors.end(),
                   [](const Sensor& a, const Sensor& b) { return a.time < b.time; });
  return sensors;
}

void check_sensors(const std::vector<Sensor>& sensors, const Grid& grid) {
  for (const Sensor& s : sensors) {
    const auto refuse = [&](const std::string& reason, const std::string& hint) {
      throw heddle::Error(s.place, reason, hint);
    };
    if (s.at.x < 0 || s.at.x > grid.length() || s.at.y < 0 || s.at.y > grid.width() || s.height > grid.top())
      refuse("the sensor lies outside the domain", "x within 0 to " + std::to_string(grid.length()) +
                                                       ", y within 0 to " + std::to_string(grid.width()) +
                                                       ", height up to " + std::to_string(grid.top()) + " m");
    if (!(s.height >= lowest_height))
      refuse("the sensor's height is " + heddle::number_text(s.height) + " m",
             "use a height above the ground of at least 1 mm");
    if (!(s.speed >= 0) || s.speed > highest_speed)
      refuse("the wind speed is " + heddle::number_text(s.speed) + " m/s", "use 0 to 1000 m/s");
    if (!(std::abs(s.direction) <= 360))
      refuse("the direction is " + heddle::number_text(s.direction) + " degrees", "use -360 to 360 degrees");
    const bool logarithmic = s.profile == Profile::logarithmic;
    if (!(s.shape >= smallest_shape) || (logarithmic ? s.shape > 10 : s.shape > 1))
      refuse(std::string(logarithmic ? "the roughness length" : "the exponent") + " is " +
                 heddle::number_text(s.shape),
             logarithmic ? "use 1e-9 m to 10 m" : "use 1e-9 to 1");
    const auto together = [&](const Sensor& o) {
      return &o != &s && o.time == s.time && o.at.x == s.at.x && o.at.y == s.at.y;
    };
    if (std::any_of(sensors.begin(), sensors.end(), together))
      refuse("two sensors have the same position at the same time", "remove one of them");
    const auto blows = [&](const Sensor& o) { return o.time == s.time && o.speed > 0; };
    if (std::none_of(sensors.begin(), sensors.end(), blows))
      refuse("there is no inflow: the speed of every sensor of this time is 0", "give a positive speed");
  }
}

Inflow::Inflow(const std::vector<Sensor>& sensors) {
  if (sensors.size() == 1) {
    const Contribution only = contribution(sensors[0], 0);
    passes_ = {{{only}, {only}}};
    return;
  }
  constexpr double sharper = 0.2; // the second pass, of the first one's area (Koch et al. 1983)
  const double area = 5.052 * std::pow(2 * spacing(sensors) / std::numbers::pi, 2);
  Pass first;
  Pass second;
  for (const Sensor& sensor : sensors) {
    first.weights.push_back(contribution(sensor, 1 / area));
    second.weights.push_back(contribution(sensor, 1 / (sharper * area)));
  }
  first.profiles = first.weights;
  for (std::size_t s = 0; s < sensors.size(); ++s) {
    const Vec2 at = sensors[s].at;
    double total = 0;
    for (const Contribution& c : first.weights)
      total += weight(c, at.x, at.y);
    for (std::size_t t = 0; t < sensors.size(); ++t) {
      Contribution missed = second.weights[t]; // the profile of t, by the weight of s
      missed.at = at;
      missed.share = (s == t ? 1.0 : 0.0) - weight(first.weights[t], at.x, at.y) / total;
      second.profiles.push_back(missed);
    }
  }
  passes_ = {std::move(first), std::move(second)};
}

Vec2 Inflow::wind(double x, double y, double above_ground) const {
  Vec2 sum;
  if (above_ground <= 0) return sum;
  for (const Pass& pass : passes_) {
    double total = 0;
    for (const Contribution& c : pass.weights)
      total += weight(c, x, y);
    for (const Contribution& c : pass.profiles) {
      const double form = c.profile == Profile::logarithmic ? std::log((above_ground + c.shape) / c.shape)
                                                            : std::pow(above_ground, c.shape);
      const double part = c.share * weight(c, x, y) / total * form;
      sum.x += part * c.scale_u;
      sum.y += part * c.scale_v;
    }
  }
  return sum;
}

} // namespace city_wind
