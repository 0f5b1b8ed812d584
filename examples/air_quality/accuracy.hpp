// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_ACCURACY_HPP
#define HEDDLE_AIR_QUALITY_ACCURACY_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace air_quality {

/// How far a run is from a converged one, over all species, cells of the sample and times that were compared.
class Accuracy {
public:
  /// Of |y - y_ref|/(|y_ref| + floor), with a floor of 1e-15 mol m-3.
  static constexpr double floor = 1e-15;

  /// Concentrations of one time, species after species. levels: those of the sample in the column.
  void compare(std::span<const double> column, std::span<const double> sample,
               std::span<const std::int64_t> levels);

  /// Root of the mean square.
  [[nodiscard]] double rms() const;
  /// The largest relative error of one species.
  [[nodiscard]] double largest(int species) const { return largest_.at(static_cast<std::size_t>(species)); }

private:
  double squares_ = 0;
  std::int64_t count_ = 0;
  std::vector<double> largest_;
};

/// Levels of a sample: so many, evenly spread, the lowest and the highest among them.
[[nodiscard]] std::vector<std::int64_t> sample_levels(std::int64_t levels, std::int64_t count);

} // namespace air_quality

#endif
