// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_FLOW_HPP
#define HEDDLE_FLOW_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "domain.hpp"
#include "heddle/plot/oblique.hpp"
#include "heddle/plot/plane.hpp"

namespace terrain_wind {

using heddle::plot::Vec3;

/// A velocity field of a domain, m/s, with what a picture asks of it. Positions are metres from the lower
/// corner of the window inside the margins, x along the wind; heights are those of the elevation model.
class Flow {
public:
  /// `component[c]` holds one value a cell of the domain, x fastest; the ground's values do not count.
  Flow(const Domain& domain, std::array<std::vector<float>, 3> component);

  /// Velocity at a point: linear between cell centres, falling to 0 at the ground; 0 below it.
  [[nodiscard]] Vec3 at(double x, double y, double z) const;
  /// Height of the ground.
  [[nodiscard]] double ground(double x, double y) const { return ground_.cubic(x, y); }

  [[nodiscard]] double length() const { return length_; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] const Domain& domain() const { return *domain_; }

  /// Heights on `nx` x `ny` points of the window.
  [[nodiscard]] heddle::plot::Plane relief(std::int64_t nx, std::int64_t ny) const;
  /// A component (0, 1, 2) of the velocity, or the speed (3), `above` metres over the ground.
  [[nodiscard]] heddle::plot::Plane above_ground(int component, double above) const;
  /// The same in the vertical plane from (x0, y0) to (x1, y1): the abscissa is the distance, the ordinate the
  /// height. Component 0 is the one along the plane. NaN in the ground.
  [[nodiscard]] heddle::plot::Plane section(int component, heddle::plot::Vec2 from,
                                            heddle::plot::Vec2 to) const;

  /// The path of a particle in the steady field from `start`, until it leaves the window or comes to rest.
  [[nodiscard]] std::vector<Vec3> path(Vec3 start, double step) const;

private:
  [[nodiscard]] double cell_value(int component, std::int64_t i, std::int64_t j, std::int64_t k) const;

  const Domain* domain_;
  std::array<std::vector<float>, 3> component_;
  heddle::plot::Plane ground_;
  double length_, width_;
};

} // namespace terrain_wind

#endif
