// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_COLUMN_HPP
#define HEDDLE_AIR_QUALITY_COLUMN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace air_quality {

/// The air of a column, level by level, the lowest first.
struct Column {
  std::vector<double> pressure;    // Pa
  std::vector<double> temperature; // K
  std::vector<double> emission;    // share of the emissions at the ground, in the study's hours
  /// In place of that: of each input of CB05, mol m-3 s-1, by hour of the day (or one for all), levels
  /// fastest; nothing for one that is not emitted.
  std::vector<std::vector<double>> emissions = {};

  [[nodiscard]] std::int64_t levels() const { return static_cast<std::int64_t>(pressure.size()); }
  /// mol m-3.
  [[nodiscard]] double air_density(std::int64_t level) const;
  /// What an input emits, mol m-3 s-1. seconds: since the run began. ground: what it emits there where
  /// `emissions` has nothing to say.
  [[nodiscard]] double emission_rate(std::size_t input, std::int64_t level, double seconds,
                                     double ground) const;
  /// Height of a level in a standard atmosphere (m), for pictures.
  [[nodiscard]] double height(std::int64_t level) const;
};

/// From 1000 hPa down to 100 hPa in equal steps, dry adiabatic, emissions by pressure: the realistic case of
/// the Block-cells study of CAMP. Levels: at least 1.
[[nodiscard]] Column study_column(std::int64_t levels);

/// Where the sun is: seconds since the run began, at 6:00 of local solar time.
class Sun {
public:
  /// fixed: it stands still where it is at noon. Angles in degrees.
  explicit Sun(bool fixed, double latitude = 45, double declination = 23.44);

  /// Cosine of the zenith angle; negative at night.
  [[nodiscard]] double cosine(double seconds) const;
  /// Photolysis of a reaction of CB05 as a part of that at noon; 0 at night. It follows cos^m(chi) exp(-n
  /// sec(chi)) with m and n of the reaction in the Master Chemical Mechanism (S. M. Saunders et al., Atmos.
  /// Chem. Phys. 3, 161 (2003)); what that lacks goes like H2O2.
  [[nodiscard]] double photolysis(const std::string& input, double seconds) const;

private:
  bool fixed_;
  double constant_; // of the cosine
  double daily_;
};

/// Where the levels lie: all at one place; from the lowest to the highest once round the Earth; or each at
/// 222 degrees from the one before it, so that the sun rises over some of any 32 of them.
enum class Longitude { same, round, scattered };

/// How many seconds its sun is ahead of that of the lowest level.
[[nodiscard]] double seconds_ahead(Longitude longitude, std::int64_t level, std::int64_t levels);

/// Whether the study emits: in its first 12 hours of each 24.
[[nodiscard]] bool emits(double seconds);

inline constexpr double start_hour = 6;

} // namespace air_quality

#endif
