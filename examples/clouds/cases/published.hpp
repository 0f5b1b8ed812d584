// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_PUBLISHED_HPP
#define HEDDLE_CLOUDS_PUBLISHED_HPP

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "sample.hpp"

namespace clouds {

/// A value of a run, and the band in which it is expected.
struct Comparison {
  std::string quantity, units;
  double height = std::numeric_limits<double>::quiet_NaN(); // m above the ground; NaN: of no height
  double value = 0, least = 0, most = 0;
  std::string source; // of the band

  [[nodiscard]] bool inside() const { return value >= least && value <= most; }
  /// In the inner half of the band: within one standard deviation where the band is two.
  [[nodiscard]] bool near() const {
    return value >= (3 * least + most) / 4 && value <= (least + 3 * most) / 4;
  }
};

/// What the models of an intercomparison found, for a run that has reached its hours; nothing for a case
/// without one. BOMEX, hours 5 to 6: mean of the models of Siebesma et al., J. Atmos. Sci. 60, 1201 (2003),
/// and two standard deviations to both sides, as van Heerwaarden et al., Geosci. Model Dev. 10, 3145 (2017)
/// show them.
[[nodiscard]] std::vector<Comparison> published_profiles(const Case& what, const BaseState& base,
                                                         const History& history);
/// Other numbers of the same papers: cover and liquid water of hours 3 to 6, the height of the cloud base.
/// RICO: cover, liquid water and rain of hours 20 to 24, in the wide ranges of van Zanten et al., J. Adv.
/// Model. Earth Syst. 3, M06001 (2011).
[[nodiscard]] std::vector<Comparison> published_numbers(const Case& what, const BaseState& base,
                                                        const History& history);

/// Both.
struct Published {
  std::vector<Comparison> profiles, numbers;
};
[[nodiscard]] inline Published published(const Case& what, const BaseState& base, const History& history) {
  return {.profiles = published_profiles(what, base, history),
          .numbers = published_numbers(what, base, history)};
}

/// Where mean profiles and mean fluxes of a run fit together:
///
///   rho F(z) = rho F(0) + integral from 0 to z of rho (sources - d phi/dt)
///
/// Sources are those of the case and the mean of computed radiation.
struct Imbalance {
  double theta_l = 0, water = 0; // the largest difference of a face, over the flux at the ground
};
/// Of a period with samples at both ends, s. A flux that the ground does not give has the imbalance 0. Throws
/// heddle::Error where there is no sample in the period or before it.
[[nodiscard]] Imbalance flux_imbalance(const Case& what, const BaseState& base, const History& history,
                                       double from, double to);

/// comparison.csv: a line per value; a height or value that is not there (NaN) is an empty field. spread: of
/// each value over runs, which is then a column, or empty. Throws heddle::Error where the file cannot be
/// written.
void write_comparison(const std::vector<Comparison>& rows, const std::filesystem::path& file,
                      const std::vector<double>& spread = {});

} // namespace clouds

#endif
