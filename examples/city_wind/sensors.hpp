// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_SENSORS_HPP
#define HEDDLE_CITY_WIND_SENSORS_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grid.hpp"

namespace city_wind {

/// How the wind grows with the height above the ground. The values are those of the kernel's argument
/// `profile`.
enum class Profile : std::int32_t { logarithmic = 0, power = 1 };

/// A measurement of the wind, and the profile through it.
struct Sensor {
  std::string place;    ///< where it was given, for messages
  double time = 0;      ///< s
  Vec2 at;              ///< from the domain's corner, m
  double height = 10;   ///< above the ground, m
  double speed = 0;     ///< m/s
  double direction = 0; ///< degrees, where the wind comes from; 0 north, 90 east
  Profile profile = Profile::logarithmic;
  double shape = 0.1; ///< roughness length in m, or exponent
};

/// Lines "time, x, y, height, speed, direction, log|power, roughness length or exponent". Throws
/// heddle::Error with file and line.
[[nodiscard]] std::vector<Sensor> read_sensors(const std::filesystem::path& file);

/// Throws heddle::Error for sensors outside the domain, values that make no sense, a time without wind.
void check_sensors(const std::vector<Sensor>& sensors, const Grid& grid);

/// The profile of one sensor in the analysis: share * weight / (sum of the weights of its pass) * profile.
struct Contribution {
  Vec2 at;
  double per_area = 0; ///< the weight is exp(-distance^2 * per_area)
  double share = 1;
  double scale_u = 0, scale_v = 0; ///< times the form of the profile
  Profile profile = Profile::logarithmic;
  double shape = 0.1;
};

/// The undisturbed wind of one time: one sensor's profile, or several by Barnes' analysis in two passes (Koch
/// et al. 1983), the second of which corrects the first by what it missed at the sensors.
class Inflow {
public:
  explicit Inflow(const std::vector<Sensor>& sensors);

  /// A pass: the weights that are summed, and what is added by them.
  struct Pass {
    std::vector<Contribution> weights;
    std::vector<Contribution> profiles;
  };
  [[nodiscard]] const std::vector<Pass>& passes() const { return passes_; }

  /// Wind at a height above the ground, as the kernels compute it.
  [[nodiscard]] Vec2 wind(double x, double y, double above_ground) const;

private:
  std::vector<Pass> passes_;
};

} // namespace city_wind

#endif
