// SPDX-License-Identifier: Apache-2.0
#include "published.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "constants.hpp"
#include "flow.hpp"
#include "heddle/core/error.hpp"

namespace clouds {
namespace {

constexpr const char* models = "Siebesma et al. (2003): mean and 2 standard deviations of the models";
constexpr const char* siebesma = "Siebesma et al. (2003)";

/// Linear between the centres of levels.
double at_height(const std::vector<double>& values, const BaseState& base, double z) {
  const auto next = std::ranges::upper_bound(base.centre, z);
  if (next == base.centre.begin()) return values.front();
  if (next == base.centre.end()) return values.back();
  const auto k = static_cast<std::size_t>(next - base.centre.begin());
  const double share = (z - base.centre[k - 1]) / (base.centre[k] - base.centre[k - 1]);
  return values[k - 1] + share * (values[k] - values[k - 1]);
}

struct ModelValue {
  double z, mean, deviation;
};
constexpr std::array<ModelValue, 9> models_theta_l{{{100, 298.90, .05},
                                                    {300, 298.92, .04},
                                                    {500, 299.04, .06},
                                                    {700, 299.54, .12},
                                                    {1020, 300.55, .15},
                                                    {1300, 301.57, .14},
                                                    {1500, 302.75, .17},
                                                    {1700, 304.76, .37},
                                                    {2020, 307.97, .20}}}; // K
constexpr std::array<ModelValue, 9> models_water{{{100, 17.01, .14},
                                                  {300, 16.82, .08},
                                                  {500, 16.40, .18},
                                                  {700, 15.08, .25},
                                                  {1020, 13.25, .24},
                                                  {1300, 11.79, .11},
                                                  {1500, 10.27, .30},
                                                  {1700, 7.80, .49},
                                                  {2020, 4.37, .21}}}; // g/kg
constexpr std::array<ModelValue, 4> models_area{
    {{580, 4.6, 2.4}, {620, 5.5, 1.6}, {700, 4.2, 1.1}, {1020, 1.70, .44}}}; // %

/// Whether a run of this case has all of the time from `from` to `to`, h. It may have begun late: see
/// --refine.
bool spans(const Case& what, const History& history, const char* name, double from, double to) {
  return what.name == name && history.samples().front().time < from * hour + 1 &&
         history.samples().back().time > to * hour - 1;
}

std::vector<Comparison> rain_numbers(const History& history) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Sample mean = history.mean(20 * hour, 24 * hour);
  const char* const source = "van Zanten et al. (2011), read from figures";
  return {
      {"cover, hours 20 to 24", "%", none, 100 * mean.numbers[series::cover], 8, 25, source},
      {"liquid water path, hours 20 to 24", "g/m2", none, 1000 * mean.numbers[series::liquid_path], 5, 30,
       source},
      {"rain at the ground, hours 20 to 24", "mm/d", none, mean.numbers[series::rain_rate], 0, 0.8, source}};
}

/// The largest difference of the fluxes on faces to what the profiles ask for.
double largest_difference(const Case& what, const BaseState& base, const std::vector<double>& phi,
                          const std::vector<double>& trend, const std::vector<double>& flux,
                          const Knots& source, const std::vector<double>& heating, const Knots& at_rest,
                          double ground) {
  double expected = base.face_density[0] * ground, most = 0;
  for (std::size_t k = 0; k < base.levels(); ++k) {
    if (k > 0) most = std::max(most, std::abs(base.face_density[k] * flux[k] - expected));
    const double z = base.centre[k];
    const double rise = k + 1 < base.levels() ? (phi[k + 1] - phi[k]) / base.distance[k + 1] : 0;
    const double sources = source.at(z) + heating[k] - what.subsidence.at(z) * rise -
                           sponge_at(what, z) * (phi[k] - at_rest.at(z));
    expected += base.density[k] * base.height[k] * (sources - trend[k]);
  }
  return ground > 0 ? most / (base.face_density[0] * ground) : 0;
}

} // namespace

std::vector<Comparison> published_profiles(const Case& what, const BaseState& base, const History& history) {
  std::vector<Comparison> all;
  if (!spans(what, history, "bomex", 5, 6)) return all;
  const Sample last = history.mean(5 * hour, 6 * hour);
  const auto add = [&](const char* quantity, const char* units, const std::vector<double>& values,
                       double factor, const auto& entries) {
    for (const auto& [z, mean, deviation] : entries)
      all.push_back({quantity, units, z, factor * at_height(values, base, z), mean - 2 * deviation,
                     mean + 2 * deviation, models});
  };
  add("theta_l, hours 5 to 6", "K", last.centres[centre::theta_l], 1, models_theta_l);
  add("total water, hours 5 to 6", "g/kg", last.centres[centre::q], 1000, models_water);
  add("area of clouds, hours 5 to 6", "%", last.centres[centre::cloud], 100, models_area);
  return all;
}

std::vector<Comparison> published_numbers(const Case& what, const BaseState& base, const History& history) {
  if (spans(what, history, "rico", 20, 24)) return rain_numbers(history);
  if (!spans(what, history, "bomex", 3, 6)) return {};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Sample mean = history.mean(3 * hour, 6 * hour);
  const Imbalance imbalance = flux_imbalance(what, base, history, 3 * hour, 6 * hour);
  const char* const budget = "budget of the run itself";
  return {
      {"cover, hours 3 to 6", "%", none, 100 * mean.numbers[series::cover], 8, 17, siebesma},
      {"liquid water path, hours 3 to 6", "g/m2", none, 1000 * mean.numbers[series::liquid_path], 5, 10,
       std::string(siebesma) + ", read from figure 2b"},
      {"base of clouds, hours 3 to 6", "m", none, mean.numbers[series::cloud_base], 500, 560, siebesma},
      {"imbalance of the flux of theta_l, hours 3 to 6", "%", none, 100 * imbalance.theta_l, 0, 1, budget},
      {"imbalance of the flux of total water, hours 3 to 6", "%", none, 100 * imbalance.water, 0, 1, budget}};
}

Imbalance flux_imbalance(const Case& what, const BaseState& base, const History& history, double from,
                         double to) {
  const Sample mean = history.mean(from, to);
  const Sample *first = nullptr, *last = nullptr;
  for (const Sample& one : history.samples()) {
    if (one.time <= from + 1e-6) first = &one;
    if (one.time <= to + 1e-6) last = &one;
  }
  if (first == nullptr)
    throw heddle::Error("statistics", "there is no sample before " + std::to_string(from) + " s");
  const std::vector<double> none(base.levels(), 0);
  const auto difference = [&](centre::Name phi, face::Name resolved, face::Name subgrid, const Knots& source,
                              const std::vector<double>& heating, const Knots& at_rest, double ground) {
    std::vector<double> trend, flux;
    for (std::size_t k = 0; k < base.levels(); ++k) {
      trend.push_back((last->centres[phi][k] - first->centres[phi][k]) / (last->time - first->time));
      flux.push_back(mean.faces[resolved][k] + mean.faces[subgrid][k]);
    }
    return largest_difference(what, base, mean.centres[phi], trend, flux, source, heating, at_rest, ground);
  };
  return {.theta_l = difference(centre::theta_l, face::theta_l_flux, face::theta_l_subgrid, what.heating,
                                mean.centres[centre::longwave], what.theta, what.theta_flux),
          .water = difference(centre::q, face::q_flux, face::q_subgrid, what.moistening, none, what.water,
                              what.water_flux)};
}

void write_comparison(const std::vector<Comparison>& rows, const std::filesystem::path& file,
                      const std::vector<double>& spread) {
  std::ofstream stream(file);
  stream << "quantity,height_m,units,value,least,most,source" << (spread.empty() ? "\n" : ",spread\n");
  const auto number = [&](double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    if (!std::isnan(value)) stream << text;
  };
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const Comparison& row = rows[n];
    stream << '"' << row.quantity << "\",";
    number(row.height);
    stream << "," << row.units;
    for (const double value : {row.value, row.least, row.most}) {
      stream << ",";
      number(value);
    }
    stream << ",\"" << row.source << '"';
    if (!spread.empty()) {
      stream << ",";
      number(spread[n]);
    }
    stream << "\n";
  }
  stream.close();
  if (!stream)
    throw heddle::Error("file '" + file.string() + "'", "it cannot be written",
                        "check the folder, its permissions and the free space");
}

} // namespace clouds
