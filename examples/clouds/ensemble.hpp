// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_ENSEMBLE_HPP
#define HEDDLE_CLOUDS_ENSEMBLE_HPP

#include <filesystem>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "check.hpp"
#include "sample.hpp"

namespace clouds {

/// The standard deviation of values, with n - 1 below; of those that are not NaN. NaN where there are less
/// than two.
[[nodiscard]] double deviation(const std::vector<double>& values);

/// Runs of one case that differ in their seed, with samples at the same times.
class Ensemble {
public:
  /// Throws heddle::Error for less than two members, or members with other times or levels.
  explicit Ensemble(std::vector<History> members);

  /// The mean over the members; conditional means are weighted by their area.
  [[nodiscard]] const History& mean() const { return mean_; }
  /// The standard deviation over the members, of each sample.
  [[nodiscard]] const std::vector<Sample>& spread() const { return spread_; }

  /// A value that the case demands of the mean, and its standard deviation over the members.
  struct Demand {
    Check check;
    double spread = 0;
  };
  /// What `checks` demands of the members' mean. For cases of which it asks nothing of the last state.
  [[nodiscard]] std::vector<Demand> demands(const Case& what, const BaseState& base, bool single) const;

  /// series.csv, profiles.csv (of the time from `from` to `to`, s), clouds.nc and, where others published
  /// something, comparison.csv: means, each with its spread. Throws heddle::Error where a file cannot be
  /// written.
  void write(const Case& what, const BaseState& base, double from, double to,
             const std::filesystem::path& folder) const;

private:
  std::vector<History> members_;
  History mean_;
  std::vector<Sample> spread_;
};

} // namespace clouds

#endif
