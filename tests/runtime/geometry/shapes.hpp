// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SHAPES_HPP
#define HEDDLE_SHAPES_HPP

#include <cmath>
#include <numbers>

#include "heddle/geometry/mesh.hpp"

namespace heddle::test {

using geometry::Mesh;
using geometry::Point;

inline Mesh box(const Point& lower, const Point& upper) {
  Mesh mesh;
  mesh.source = "box";
  for (std::size_t n = 0; n < 8; ++n)
    mesh.vertices.push_back({(n & 1) != 0 ? upper[0] : lower[0], (n & 2) != 0 ? upper[1] : lower[1],
                             (n & 4) != 0 ? upper[2] : lower[2]});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// A closed surface over an nu x nv grid of parameters in [0, 1), periodic in both: a torus-like topology.
template <class Position> Mesh wrapped(std::uint32_t nu, std::uint32_t nv, Position position) {
  Mesh mesh;
  mesh.source = "wrapped";
  for (std::uint32_t j = 0; j < nv; ++j)
    for (std::uint32_t i = 0; i < nu; ++i)
      mesh.vertices.push_back(position(i / double(nu), j / double(nv)));
  for (std::uint32_t j = 0; j < nv; ++j)
    for (std::uint32_t i = 0; i < nu; ++i) {
      const std::uint32_t e = (i + 1) % nu;
      const std::uint32_t n = (j + 1) % nv;
      mesh.triangles.push_back({i + nu * j, e + nu * j, e + nu * n});
      mesh.triangles.push_back({i + nu * j, e + nu * n, i + nu * n});
    }
  return mesh;
}

inline Mesh torus(double major, double minor, std::uint32_t n) {
  constexpr double turn = 2 * std::numbers::pi;
  return wrapped(2 * n, n, [&](double u, double v) {
    const double r = major + minor * std::cos(turn * v);
    return Point{r * std::cos(turn * u), r * std::sin(turn * u), minor * std::sin(turn * v)};
  });
}

/// A sphere of 2 n x n quads with two poles.
inline Mesh sphere(const Point& centre, double radius, std::uint32_t n) {
  Mesh mesh;
  mesh.source = "sphere";
  const std::uint32_t round = 2 * n;
  mesh.vertices.push_back({centre[0], centre[1], centre[2] + radius});
  for (std::uint32_t j = 1; j < n; ++j)
    for (std::uint32_t i = 0; i < round; ++i) {
      const double theta = std::numbers::pi * j / n;
      const double phi = 2 * std::numbers::pi * i / round;
      mesh.vertices.push_back({centre[0] + radius * std::sin(theta) * std::cos(phi),
                               centre[1] + radius * std::sin(theta) * std::sin(phi),
                               centre[2] + radius * std::cos(theta)});
    }
  mesh.vertices.push_back({centre[0], centre[1], centre[2] - radius});
  const auto south = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return 1 + (j - 1) * round + i % round; };
  for (std::uint32_t i = 0; i < round; ++i) {
    mesh.triangles.push_back({0, at(i, 1), at(i + 1, 1)});
    for (std::uint32_t j = 1; j + 1 < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
    mesh.triangles.push_back({at(i, n - 1), south, at(i + 1, n - 1)});
  }
  return mesh;
}

inline void append(Mesh& mesh, const Mesh& other) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& t : other.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

} // namespace heddle::test

#endif
