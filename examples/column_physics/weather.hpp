// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_WEATHER_HPP
#define HEDDLE_COLUMN_PHYSICS_WEATHER_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "air.hpp"
#include "options.hpp"

namespace front {

/// The front, and the air of the coarser domain, as functions of place and time.
class Weather {
public:
  /// start: the first tracers in each cell, as Input has them; empty: those of the coarser domain.
  /// Throws heddle::Error for air that no scheme can take (require_levels).
  Weather(const Options& options, const Levels& levels, std::vector<std::vector<float>> start = {});

  /// Of each cell of the domain, for the first tracers; may be empty.
  [[nodiscard]] const std::vector<std::vector<float>>& start() const { return start_; }
  [[nodiscard]] const Levels& levels() const { return levels_; }
  /// Of patches of moist and dry air, which the wind carries in from the west: how much they have of the
  /// vapour of a level, kg/kg, at most; 2 pi over their length along x and y, m-1.
  [[nodiscard]] double patch(int level) const;
  [[nodiscard]] static std::array<double, 2> waves();

  /// Half the width of the front, m, and its speed towards the east, m/s.
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double speed() const { return speed_; }
  /// Where it lies at first, m, and how strong it is, by y.
  [[nodiscard]] double place(double y) const;
  [[nodiscard]] double strength(double y) const;
  /// Its ascent at a face, Pa m s-1: the stream function far from the front.
  [[nodiscard]] double ascent(int face) const;
  /// Wind of a level without the front, m/s.
  [[nodiscard]] std::array<double, 2> wind(int level) const;

private:
  Levels levels_;
  std::vector<std::vector<float>> start_;
  double length_, breadth_, width_, speed_, ascent_;
  bool moves_;
};

} // namespace front

#endif
