// SPDX-License-Identifier: Apache-2.0
#include "column.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "mechanism.hpp"

namespace air_quality {
namespace {

constexpr double ground = 1e5; // Pa
constexpr double top = 1e4;

struct Shape {
  double m, n;
};

/// Of the inputs of CB05: J1, J2, J4 to J8, J11 to J14, J34, J41 and J51 of the Master Chemical Mechanism.
const std::map<std::string, Shape>& shapes() {
  static const std::map<std::string, Shape> all{
      {"PHOTO.O3->O1D", {1.743, 0.474}},  {"PHOTO.O3->O3P", {0.298, 0.080}},
      {"PHOTO.NO2", {0.244, 0.267}},      {"PHOTO.NO3->NO", {0.168, 0.108}},
      {"PHOTO.NO3->NO2", {0.155, 0.125}}, {"PHOTO.HONO", {0.261, 0.288}},
      {"PHOTO.HNO3", {1.230, 0.307}},     {"PHOTO.FORM->HO2", {0.762, 0.353}},
      {"PHOTO.FORM->CO", {0.477, 0.323}}, {"PHOTO.ALD2", {1.202, 0.417}},
      {"PHOTO.ALDX", {1.067, 0.358}},     {"PHOTO.MGLY", {0.170, 0.208}},
      {"PHOTO.ROOH", {0.682, 0.279}},     {"PHOTO.MEPX", {0.682, 0.279}},
      {"PHOTO.PACD", {0.682, 0.279}},     {"PHOTO.NTR", {1.154, 0.318}}};
  return all;
}
constexpr Shape peroxide{0.723, 0.279}; // J3

} // namespace

double Column::air_density(std::int64_t level) const {
  const auto n = static_cast<std::size_t>(level);
  return pressure[n] / (gas_constant * temperature[n]);
}

double Column::emission_rate(std::size_t input, std::int64_t level, double seconds, double ground) const {
  const auto z = static_cast<std::size_t>(level);
  if (emissions.empty()) return emits(seconds) ? ground * emission[z] : 0;
  const std::vector<double>& rates = emissions[input];
  if (rates.empty()) return 0;
  const std::size_t hours = rates.size() / pressure.size();
  const auto hour = static_cast<std::size_t>(start_hour + seconds / 3600) % hours;
  return rates[hour * pressure.size() + z];
}

double Column::height(std::int64_t level) const {
  return 44330.8 * (1 - std::pow(pressure[static_cast<std::size_t>(level)] / 101325, 0.190263));
}

Column study_column(std::int64_t levels) {
  Column column;
  for (std::int64_t z = 0; z < levels; ++z) {
    const double part = levels > 1 ? static_cast<double>(z) / static_cast<double>(levels - 1) : 0;
    const double pressure = ground - (ground - top) * part;
    column.pressure.push_back(pressure);
    column.temperature.push_back(290.016 * std::pow(pressure / ground, 287.0 / 1004.0));
    column.emission.push_back((pressure - top) / (ground - top));
  }
  return column;
}

Sun::Sun(bool fixed, double latitude, double declination) : fixed_(fixed) {
  const double radian = std::numbers::pi / 180;
  constant_ = std::sin(latitude * radian) * std::sin(declination * radian);
  daily_ = std::cos(latitude * radian) * std::cos(declination * radian);
}

double Sun::cosine(double seconds) const {
  const double hours = fixed_ ? 12 : start_hour + seconds / 3600;
  return constant_ + daily_ * std::cos((hours - 12) * std::numbers::pi / 12);
}

double Sun::photolysis(const std::string& input, double seconds) const {
  const double now = cosine(seconds);
  const double noon = constant_ + daily_;
  if (!(now > 0)) return 0;
  const auto found = shapes().find(input);
  const Shape shape = found != shapes().end() ? found->second : peroxide;
  return std::pow(now / noon, shape.m) * std::exp(-shape.n * (1 / now - 1 / noon));
}

double seconds_ahead(Longitude longitude, std::int64_t level, std::int64_t levels) {
  const auto number = static_cast<double>(level);
  const double turns = longitude == Longitude::round       ? number / static_cast<double>(levels)
                       : longitude == Longitude::scattered ? number * (std::sqrt(5.0) - 1) / 2
                                                           : 0;
  return 86400 * (turns - std::floor(turns));
}

bool emits(double seconds) {
  return std::fmod(seconds, 86400) < 43200;
}

} // namespace air_quality
