// SPDX-License-Identifier: Apache-2.0
#include "packing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/size.hpp"

namespace porous {
namespace {

using Point = std::array<double, 3>;

/// The way from a to the nearest image of b.
Point way(const Point& a, const Point& b, double edge) {
  Point d{};
  for (std::size_t i = 0; i < 3; ++i) {
    d[i] = b[i] - a[i];
    d[i] -= edge * std::round(d[i] / edge);
  }
  return d;
}

double square(const Point& d) {
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/// Bins of a periodic cube, each at least one diameter wide, so that spheres touch only those of neighbouring
/// bins.
class Bins {
public:
  Bins(const std::vector<Point>& centres, double diameter, double edge)
      : count_(std::max<std::int64_t>(static_cast<std::int64_t>(edge / diameter), 1)), edge_(edge),
        inside_(static_cast<std::size_t>(count_ * count_ * count_)) {
    for (std::size_t i = 0; i < centres.size(); ++i)
      inside_[bin(centres[i], {0, 0, 0})].push_back(i);
  }

  /// Calls f(j) for each sphere of the bins around a centre.
  template <class F> void for_near(const Point& centre, F&& f) const {
    const std::int64_t reach = std::min<std::int64_t>(count_, 3); // two bins or one are their own neighbours
    for (std::int64_t z = 0; z < reach; ++z)
      for (std::int64_t y = 0; y < reach; ++y)
        for (std::int64_t x = 0; x < reach; ++x)
          for (const std::size_t j : inside_[bin(centre, {x - 1, y - 1, z - 1})])
            f(j);
  }

private:
  [[nodiscard]] std::size_t bin(const Point& centre, const std::array<std::int64_t, 3>& offset) const {
    std::int64_t number = 0;
    for (std::size_t d = 3; d-- > 0;) {
      const auto at =
          static_cast<std::int64_t>(std::floor(centre[d] / edge_ * static_cast<double>(count_))) + offset[d];
      number = number * count_ + ((at % count_) + count_) % count_;
    }
    return static_cast<std::size_t>(number);
  }

  std::int64_t count_;
  double edge_;
  std::vector<std::vector<std::size_t>> inside_;
};

/// Moves each pair that overlaps apart by what it overlaps, again and again.
void push_apart(std::vector<Point>& centres, double diameter, double edge) {
  constexpr int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    double deepest = 0;
    const Bins bins(centres, diameter, edge);
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const Point centre = centres[i];
      bins.for_near(centre, [&](std::size_t j) {
        if (j <= i) return;
        const Point d = way(centres[i], centres[j], edge);
        const double distance = std::sqrt(square(d));
        if (distance >= diameter || distance == 0) return;
        deepest = std::max(deepest, diameter - distance);
        const double step = 0.5 * (diameter - distance) / distance;
        for (std::size_t c = 0; c < 3; ++c) {
          centres[i][c] -= step * d[c];
          centres[j][c] += step * d[c];
        }
      });
    }
    if (deepest < 1e-3 * diameter) return;
  }
}

/// The voxels whose centres lie in no sphere.
std::vector<std::uint8_t> voxelise(const std::vector<Point>& centres, double diameter, std::int64_t edge) {
  const std::int64_t cells = heddle::require_size({"packing", "voxels", {edge, edge, edge}},
                                                  heddle::memory_limit(), "choose a smaller --edge");
  std::vector<std::uint8_t> pore(static_cast<std::size_t>(cells), 1);
  const double radius = 0.5 * diameter;
  const auto wrapped = [edge](std::int64_t i) { return ((i % edge) + edge) % edge; };
  for (const Point& centre : centres) {
    std::array<std::int64_t, 3> low{};
    std::array<std::int64_t, 3> high{};
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = static_cast<std::int64_t>(std::floor(centre[d] - radius - 0.5));
      high[d] = static_cast<std::int64_t>(std::ceil(centre[d] + radius + 0.5));
    }
    for (std::int64_t z = low[2]; z <= high[2]; ++z) {
      for (std::int64_t y = low[1]; y <= high[1]; ++y) {
        for (std::int64_t x = low[0]; x <= high[0]; ++x) {
          const Point d{static_cast<double>(x) + 0.5 - centre[0], static_cast<double>(y) + 0.5 - centre[1],
                        static_cast<double>(z) + 0.5 - centre[2]};
          if (square(d) < radius * radius)
            pore[static_cast<std::size_t>(wrapped(x) + edge * (wrapped(y) + edge * wrapped(z)))] = 0;
        }
      }
    }
  }
  return pore;
}

double share(const std::vector<std::uint8_t>& pore) {
  return static_cast<double>(std::count(pore.begin(), pore.end(), 1)) / static_cast<double>(pore.size());
}

} // namespace

Voxels random_packing(std::int64_t edge, double diameter, double porosity, unsigned seed, double& found) {
  if (porosity < 0.3 || porosity > 0.95)
    throw heddle::Error("packing",
                        "a packing with a porosity of " + std::to_string(porosity) + " is not supported",
                        "use 0.3 to 0.95");
  const double length = static_cast<double>(edge);
  if (diameter < 2 || diameter > 0.5 * length)
    throw heddle::Error("packing", "spheres of " + std::to_string(diameter) + " voxels do not fit",
                        "use 2 voxels to half the edge of the cube");
  const double volume = std::numbers::pi / 6 * diameter * diameter * diameter;
  const auto count =
      std::max<std::int64_t>(std::llround((1 - porosity) * length * length * length / volume), 1);
  (void)heddle::require_size({"packing", "spheres", {count}, 2 * sizeof(Point)}, heddle::memory_limit(),
                             "choose a smaller --edge or a larger --diameter");
  std::mt19937_64 random(seed);
  const auto draw = [&] { return length * 0x1p-53 * static_cast<double>(random() >> 11U); };
  std::vector<Point> centres(static_cast<std::size_t>(count));
  for (Point& centre : centres)
    centre = {draw(), draw(), draw()};
  push_apart(centres, diameter, length);

  double low = 0.5 * diameter; // the porosity falls as the spheres grow
  double high = 2 * diameter;
  for (int halving = 0; halving < 20; ++halving) {
    found = 0.5 * (low + high);
    (share(voxelise(centres, found, edge)) > porosity ? low : high) = found;
  }
  return {{edge, edge, edge},
          voxelise(centres, found, edge),
          std::to_string(count) + " spheres, diameter " + std::to_string(found).substr(0, 5) + " voxels"};
}

Voxels cubic_array(std::int64_t edge, double diameter) {
  const double middle = 0.5 * static_cast<double>(edge);
  return {{edge, edge, edge},
          voxelise({{middle, middle, middle}}, diameter, edge),
          "simple cubic array of spheres"};
}

double kozeny_carman(double diameter, double porosity) {
  const double solid = 1 - porosity;
  return diameter * diameter * porosity * porosity * porosity / (180 * solid * solid);
}

} // namespace porous
