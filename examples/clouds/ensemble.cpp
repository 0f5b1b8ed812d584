// SPDX-License-Identifier: Apache-2.0
#include "ensemble.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "heddle/core/error.hpp"
#include "output.hpp"
#include "published.hpp"

namespace clouds {
namespace {

/// f(member) for all members.
template <class F> auto of_each(const std::vector<History>& members, F f) {
  std::vector<decltype(f(members.front()))> all;
  all.reserve(members.size());
  for (const History& member : members)
    all.push_back(f(member));
  return all;
}

Sample mean_of(const std::vector<const Sample*>& samples) {
  return weighted_mean(samples, std::vector<double>(samples.size(), 1));
}

Sample spread_of(const std::vector<const Sample*>& samples) {
  Sample result = *samples.front();
  const auto set = [&](double& value, auto of) {
    std::vector<double> values;
    values.reserve(samples.size());
    for (const Sample* one : samples)
      values.push_back(of(*one));
    value = deviation(values);
  };
  for (std::size_t n = 0; n < result.numbers.size(); ++n)
    set(result.numbers[n], [&](const Sample& one) { return one.numbers[n]; });
  for (std::size_t n = 0; n < result.centres.size(); ++n)
    for (std::size_t k = 0; k < result.centres[n].size(); ++k)
      set(result.centres[n][k], [&](const Sample& one) { return one.centres[n][k]; });
  for (std::size_t n = 0; n < result.faces.size(); ++n)
    for (std::size_t k = 0; k < result.faces[n].size(); ++k)
      set(result.faces[n][k], [&](const Sample& one) { return one.faces[n][k]; });
  return result;
}

std::vector<const Sample*> addresses(const std::vector<Sample>& samples) {
  std::vector<const Sample*> all;
  all.reserve(samples.size());
  for (const Sample& one : samples)
    all.push_back(&one);
  return all;
}

/// The deviation of the n-th value of lists, for each n.
template <class Row> std::vector<double> deviations(const std::vector<std::vector<Row>>& lists) {
  std::vector<double> all;
  for (std::size_t n = 0; n < lists.front().size(); ++n) {
    std::vector<double> values;
    values.reserve(lists.size());
    for (const std::vector<Row>& list : lists)
      values.push_back(list[n].value);
    all.push_back(deviation(values));
  }
  return all;
}

std::vector<Comparison> comparisons(const Case& what, const BaseState& base, const History& history) {
  const Published both = published(what, base, history);
  std::vector<Comparison> all = both.profiles;
  all.insert(all.end(), both.numbers.begin(), both.numbers.end());
  return all;
}

bool fit(const Sample& a, const Sample& b) {
  return a.time == b.time && a.centres[0].size() == b.centres[0].size();
}

} // namespace

double deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0, count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  for (const double value : values)
    if (!std::isnan(value)) squares += (value - sum / count) * (value - sum / count);
  return std::sqrt(squares / (count - 1));
}

Ensemble::Ensemble(std::vector<History> members) : members_(std::move(members)) {
  if (members_.size() < 2) throw heddle::Error("ensemble", "one run has no spread", "give two runs or more");
  const std::size_t samples = members_.front().samples().size();
  for (std::size_t t = 0; t < samples; ++t) {
    std::vector<const Sample*> at_once;
    for (const History& member : members_) {
      if (member.samples().size() != samples || !fit(member.samples()[t], members_.front().samples()[t]))
        throw heddle::Error("ensemble", "the runs have samples at other times, or other levels",
                            "give runs of one case, with the same options but for the seed");
      at_once.push_back(&member.samples()[t]);
    }
    mean_.add(mean_of(at_once));
    spread_.push_back(spread_of(at_once));
  }
}

std::vector<Ensemble::Demand> Ensemble::demands(const Case& what, const BaseState& base, bool single) const {
  const auto of = [&](const History& history) {
    return checks(what, base, history, published(what, base, history), Snapshot(), single);
  };
  const std::vector<Check> of_mean = of(mean_);
  const std::vector<double> spread = deviations(of_each(members_, of));
  std::vector<Demand> all;
  all.reserve(of_mean.size());
  for (std::size_t n = 0; n < of_mean.size(); ++n)
    all.push_back({of_mean[n], spread[n]});
  return all;
}

void Ensemble::write(const Case& what, const BaseState& base, double from, double to,
                     const std::filesystem::path& folder) const {
  write_series(mean_, folder / "series.csv", &spread_);
  const std::vector<Sample> periods =
      of_each(members_, [&](const History& member) { return member.mean(from, to); });
  const Sample spread = spread_of(addresses(periods));
  write_profiles(mean_of(addresses(periods)), base, folder / "profiles.csv", &spread);
  write_netcdf(mean_, what, base, folder / "clouds.nc", &spread_);
  const auto of = [&](const History& history) { return comparisons(what, base, history); };
  const std::vector<Comparison> compared = of(mean_);
  if (!compared.empty())
    write_comparison(compared, folder / "comparison.csv", deviations(of_each(members_, of)));
}

} // namespace clouds
