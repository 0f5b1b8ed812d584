// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_VELOCITY_SET_HPP
#define LBM_VALIDATION_VELOCITY_SET_HPP

#include <array>
#include <cstddef>
#include <cstdlib>

namespace validation {

using Velocity = std::array<int, 3>;
using Vector = std::array<double, 3>;

/// Directions in the order of the lattices, written out here so that the generator's are checked by them.
inline constexpr std::array<Velocity, 27> directions{{
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},  {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0},  {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1},  {0, -1, 1},  {1, 1, 1},   {-1, -1, -1},
    {1, 1, -1}, {-1, -1, 1}, {1, -1, 1},  {-1, 1, -1}, {1, -1, -1}, {-1, 1, 1},
}};

/// Directions and weights of a lattice with c_s^2 = 1/3; weights by the number of moving components.
template <std::size_t count> struct VelocitySet {
  static constexpr std::size_t size = count;
  int dimension;
  std::array<Velocity, count> c;
  std::array<double, 4> weights;

  [[nodiscard]] double weight(std::size_t q) const {
    return weights[static_cast<std::size_t>(std::abs(c[q][0]) + std::abs(c[q][1]) + std::abs(c[q][2]))];
  }
};

constexpr std::size_t opposite(std::size_t q) {
  return q == 0 ? 0 : (q % 2 == 1 ? q + 1 : q - 1);
}

template <std::size_t count> constexpr VelocitySet<count> in_space(const std::array<double, 4>& weights) {
  VelocitySet<count> set{3, {}, weights};
  for (std::size_t q = 0; q < count; ++q)
    set.c[q] = directions[q];
  return set;
}

inline constexpr VelocitySet<9> d2q9{2,
                                     {{{0, 0, 0},
                                       {1, 0, 0},
                                       {-1, 0, 0},
                                       {0, 1, 0},
                                       {0, -1, 0},
                                       {1, 1, 0},
                                       {-1, -1, 0},
                                       {1, -1, 0},
                                       {-1, 1, 0}}},
                                     {4.0 / 9, 1.0 / 9, 1.0 / 36, 0}};
inline constexpr VelocitySet<5> d2q5{
    2, {{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}}, {1.0 / 3, 1.0 / 6, 0, 0}};
inline constexpr VelocitySet<19> d3q19 = in_space<19>({1.0 / 3, 1.0 / 18, 1.0 / 36, 0});
inline constexpr VelocitySet<27> d3q27 = in_space<27>({8.0 / 27, 2.0 / 27, 1.0 / 54, 1.0 / 216});

/// The rate that stands for a kinematic viscosity.
constexpr double rate(double viscosity) {
  return 1 / (3 * viscosity + 0.5);
}

} // namespace validation

#endif
