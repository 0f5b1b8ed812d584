// SPDX-License-Identifier: Apache-2.0
// What blows around one box in a wind along x, written down once more, face by face and without any frame:
// the formulas of the published parameterisations in the coordinates of the box.
#ifndef HEDDLE_CITY_WIND_CLOSED_FORM_HPP
#define HEDDLE_CITY_WIND_CLOSED_FORM_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "zones.hpp"

namespace city_wind::test {

struct ClosedForm {
  // The box, the cells, the wind: those of the published case.
  double west = 90, east = 110, south = 90, north = 110, tall = 20;
  std::int64_t n = 100;
  double dx = 2, dy = 2, dz = 1;

  std::vector<double> u, w; // faces (i, j, k), n + 1 of them along x

  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i + (n + 1) * (j + n * k));
  }
  [[nodiscard]] static double profile(double z) {
    return 5 * std::log((z + 0.1) / 0.1) / std::log(10.1 / 0.1);
  }
  [[nodiscard]] bool solid(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const double x = (static_cast<double>(i) + 0.5) * dx;
    const double y = (static_cast<double>(j) + 0.5) * dy;
    return k < 0 ||
           (x > west && x < east && y > south && y < north && (static_cast<double>(k) + 0.5) * dz <= tall);
  }

  explicit ClosedForm(const Parameterisations& chosen) {
    u.resize(index(0, 0, n));
    w.resize(u.size());
    const double width = north - south;
    const double length = east - west;
    const double over_roof = profile(20.5);
    const double pi = std::numbers::pi;
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i <= n; ++i) {
          const double x = static_cast<double>(i) * dx;
          const double y = (static_cast<double>(j) + 0.5) * dy;
          const double z = (static_cast<double>(k) + 0.5) * dz;
          const double across = y - (south + north) / 2;
          double& speed = u[index(i, j, k)] = profile(z);
          if (solid(i, j, k)) continue;
          const double ellipse_y = 1 - std::pow(2 * across / width, 2);
          if (chosen.upwind && std::abs(across) <= width / 2 && z < 0.6 * tall) {
            const double reach = 1.5 * width / (1 + 0.8 * width / tall);
            const double begin = -reach * std::sqrt(ellipse_y * (1 - std::pow(z / (0.6 * tall), 2)));
            const auto place = [&](double from_front) {
              return from_front >= begin && from_front <= 0.1 * dx;
            };
            if (place(x - west)) {
              const double turn = pi * std::abs(x - west) / (0.4 * reach);
              speed = x - west >= 0.4 * begin
                          ? -over_roof * (0.05 - 0.6 * std::cos(2 * pi * z / tall)) * (-0.6 * std::sin(turn))
                          : 0.4 * speed;
            }
            const double centre = x + dx / 2 - west;
            if (place(centre) && centre >= 0.4 * begin)
              w[index(i, j, k)] = -over_roof * (0.1 * std::cos(pi * std::abs(centre) / (0.4 * reach)) - 0.05);
          }
          if (chosen.wake && std::abs(across) < width / 2 && z < tall && x > east) {
            const double cavity = 1.8 * width / (std::pow(length / tall, 0.3) * (1 + 0.24 * width / tall));
            const double d = cavity * std::sqrt(ellipse_y * (1 - std::pow(z / tall, 2)));
            const double behind = x - east;
            if (behind <= d)
              speed = -over_roof * std::min(std::pow(1 - behind / (1.1 * d), 2), 1.0) *
                      std::sqrt(1 - std::abs(2 * across / width));
            else if (behind <= 3 * d)
              speed *= 1 - std::pow(d / (behind + 0.1 * d), 1.5);
          }
          if (chosen.sidewall && z < tall) {
            const double size =
                std::pow(std::min(width, tall), 2.0 / 3) * std::pow(std::max(width, tall), 1.0 / 3);
            const double zone = 0.9 * size;
            const double depth = 0.11 * size;
            const double off = std::max(south - y, y - north);
            const double along = x - west;
            if (off > 0 && along >= 0 && along <= zone + 1e-9) {
              const double half = zone / 2;
              const double bubble = depth * std::sqrt(std::max(0.0, 1 - std::pow((half - along) / half, 2)));
              const double layer = depth / std::sqrt(half) * std::sqrt(along);
              if (off <= bubble)
                speed = -profile(z) * (bubble - off) / depth;
              else if (off <= layer)
                speed = profile(z) * std::log((off + 0.1) / 0.1) / std::log((layer + 0.1) / 0.1);
            }
          }
          if (chosen.rooftop && y > south && y < north && x + dx / 2 > west && x + dx / 2 < east &&
              z > tall) {
            const double size =
                std::pow(std::min(width, tall), 2.0 / 3) * std::pow(std::max(width, tall), 1.0 / 3);
            const double edge = std::min(x - west, y - south); // front, and right as the wind sees it
            const double h = 0.22 * size / std::sqrt(0.495 * size) * std::sqrt(edge);
            const double highest =
                std::floor(tall + h - dz / 2) + dz / 2; // centre of the highest level below
            if (z < highest)
              speed = profile(highest) * std::log((z - tall) / 0.1) / std::log((highest - tall) / 0.1);
          }
        }
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i <= n; ++i) {
          if (solid(i, j, k) || solid(i - 1, j, k)) u[index(i, j, k)] = 0;
          if (solid(i, j, k) || solid(i, j, k - 1)) w[index(i, j, k)] = 0;
        }
  }
};

} // namespace city_wind::test

#endif
