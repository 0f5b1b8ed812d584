// SPDX-License-Identifier: Apache-2.0
#include "flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace terrain_wind {

using heddle::plot::Plane;
using heddle::plot::Vec2;

Flow::Flow(const Domain& domain, std::array<std::vector<float>, 3> component)
    : domain_(&domain), component_(std::move(component)) {
  const double cell = domain.cell;
  const auto& margins = domain.margins;
  ground_ = {domain.nx, domain.ny, 0.5 * cell - margins.upstream, 0.5 * cell - margins.side,
             cell,      cell,      domain.ground.height};
  length_ = static_cast<double>(domain.nx) * cell - margins.upstream - margins.downstream;
  width_ = static_cast<double>(domain.ny) * cell - 2 * margins.side;
}

double Flow::cell_value(int component, std::int64_t i, std::int64_t j, std::int64_t k) const {
  const Domain& d = *domain_;
  if (!d.is_fluid(i, j, k)) return 0;
  return static_cast<double>(component_[static_cast<std::size_t>(component)][d.index(i, j, k)]);
}

Vec3 Flow::at(double x, double y, double z) const {
  const Domain& d = *domain_;
  const auto locate = [](double position, std::int64_t count) {
    const double clamped = std::clamp(position, 0.0, static_cast<double>(count - 1));
    const auto index = std::min(static_cast<std::int64_t>(clamped), count - 2);
    return std::pair(index, clamped - static_cast<double>(index));
  };
  const auto [i, s] = locate((x - ground_.x0) / d.cell, d.nx);
  const auto [j, t] = locate((y - ground_.y0) / d.cell, d.ny);
  Vec3 velocity{};
  for (int corner = 0; corner < 4; ++corner) {
    const std::int64_t ci = i + (corner & 1);
    const std::int64_t cj = j + (corner >> 1);
    const double weight = ((corner & 1) != 0 ? s : 1 - s) * ((corner >> 1) != 0 ? t : 1 - t);
    // Over each of the four columns, at the same height above its own ground as the point is above the ground
    // here: next to a slope the neighbours' air is compared at like heights, not with their rock.
    const double height = z - ground_.linear(x, y) + d.ground.at(ci, cj);
    const auto [k, r] = locate((height - d.bottom) / d.cell - 0.5, d.nz);
    for (int c = 0; c < 3; ++c) {
      const double low = cell_value(c, ci, cj, k);
      const double high = cell_value(c, ci, cj, k + 1);
      double value = low + r * (high - low);
      if (!d.is_fluid(ci, cj, k)) {
        const double surface = d.ground.at(ci, cj);
        value = high *
                std::clamp((height - surface) / std::max(d.centre(k + 1) - surface, 0.1 * d.cell), 0.0, 1.0);
      }
      velocity[static_cast<std::size_t>(c)] += weight * value;
    }
  }
  return velocity;
}

Plane Flow::relief(std::int64_t nx, std::int64_t ny) const {
  Plane plane{nx, ny, 0, 0, length_ / static_cast<double>(nx - 1), width_ / static_cast<double>(ny - 1), {}};
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i)
      plane.values.push_back(ground(static_cast<double>(i) * plane.dx, static_cast<double>(j) * plane.dy));
  return plane;
}

Plane Flow::above_ground(int component, double above) const {
  Plane plane = relief(std::llround(length_ / domain_->cell), std::llround(width_ / domain_->cell));
  for (std::int64_t j = 0; j < plane.ny; ++j)
    for (std::int64_t i = 0; i < plane.nx; ++i) {
      const double x = static_cast<double>(i) * plane.dx;
      const double y = static_cast<double>(j) * plane.dy;
      const Vec3 v = at(x, y, ground_.linear(x, y) + above);
      plane.at(i, j) = component < 3 ? v[static_cast<std::size_t>(component)] : std::hypot(v[0], v[1], v[2]);
    }
  return plane;
}

Plane Flow::section(int component, Vec2 from, Vec2 to) const {
  const double distance = std::hypot(to.x - from.x, to.y - from.y);
  const Vec2 along{(to.x - from.x) / distance, (to.y - from.y) / distance};
  const double dx = domain_->cell / 2;
  const double dz = domain_->cell / 4;
  Plane plane{std::llround(distance / dx) + 1, 4 * domain_->nz, 0, domain_->bottom, dx, dz, {}};
  for (std::int64_t k = 0; k < plane.ny; ++k)
    for (std::int64_t n = 0; n < plane.nx; ++n) {
      const double s = static_cast<double>(n) * dx;
      const double x = from.x + s * along.x;
      const double y = from.y + s * along.y;
      const double z = plane.y0 + static_cast<double>(k) * dz;
      const Vec3 v = at(x, y, z);
      const double value = component == 0   ? v[0] * along.x + v[1] * along.y
                           : component == 2 ? v[2]
                                            : std::hypot(v[0], v[1], v[2]);
      plane.values.push_back(z < ground_.linear(x, y) - dz ? std::numeric_limits<double>::quiet_NaN()
                                                           : value);
    }
  return plane;
}

std::vector<Vec3> Flow::path(Vec3 start, double step) const {
  constexpr int longest = 4000;
  constexpr double rest = 0.2; // m/s
  std::vector<Vec3> points{start};
  const auto direction = [&](const Vec3& p) {
    Vec3 v = at(p[0], p[1], p[2]);
    const double speed = std::hypot(v[0], v[1], v[2]);
    for (double& c : v)
      c = speed > rest ? c / speed : 0;
    return v;
  };
  for (int n = 0; n < longest; ++n) {
    const Vec3& p = points.back();
    const auto moved = [&](const Vec3& d, double s) {
      return Vec3{p[0] + s * d[0], p[1] + s * d[1], p[2] + s * d[2]};
    };
    const Vec3 k1 = direction(p);
    const Vec3 k2 = direction(moved(k1, step / 2));
    const Vec3 k3 = direction(moved(k2, step / 2));
    const Vec3 k4 = direction(moved(k3, step));
    Vec3 next = p;
    for (std::size_t c = 0; c < 3; ++c)
      next[c] += step / 6 * (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]);
    if (next == p || next[0] < 0 || next[1] < 0 || next[0] > length_ || next[1] > width_) break;
    next[2] = std::max(next[2], ground_.linear(next[0], next[1]) + 1);
    points.push_back(next);
  }
  return points;
}

} // namespace terrain_wind
