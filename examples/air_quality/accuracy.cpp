// SPDX-License-Identifier: Apache-2.0
#include "accuracy.hpp"

#include <algorithm>
#include <cmath>

namespace air_quality {

void Accuracy::compare(std::span<const double> column, std::span<const double> sample,
                       std::span<const std::int64_t> levels) {
  const std::size_t cells = levels.size();
  const std::size_t species = sample.size() / cells;
  const std::size_t all = column.size() / species;
  largest_.resize(species);
  for (std::size_t s = 0; s < species; ++s)
    for (std::size_t n = 0; n < cells; ++n) {
      const double exact = sample[s * cells + n];
      const double found = column[s * all + static_cast<std::size_t>(levels[n])];
      const double error = std::abs(found - exact) / (std::abs(exact) + floor);
      squares_ += error * error;
      largest_[s] = std::max(largest_[s], error);
      ++count_;
    }
}

double Accuracy::rms() const {
  return count_ > 0 ? std::sqrt(squares_ / static_cast<double>(count_)) : 0;
}

std::vector<std::int64_t> sample_levels(std::int64_t levels, std::int64_t count) {
  std::vector<std::int64_t> found;
  count = std::min(levels, count);
  for (std::int64_t n = 0; n < count; ++n)
    found.push_back(count > 1 ? n * (levels - 1) / (count - 1) : 0);
  return found;
}

} // namespace air_quality
