// SPDX-License-Identifier: Apache-2.0
// The plain cube case of QES-Winds: 100 x 100 x 100 cells of 2 m x 2 m x 1 m, a cube of 20 m on the ground,
// wind along x.
#ifndef HEDDLE_SOR_CUBE_HPP
#define HEDDLE_SOR_CUBE_HPP

#include <cmath>

#include "box.hpp"
#include "heddle/solvers/relaxation.hpp"

namespace test {

/// What a kernel that reads openings, unknown and right side makes of them.
template <class T, class Kernel> T reduced(const Problem<T>& p, Kernel kernel) {
  T result = -1;
  std::vector<T> work = scratch(p);
  EXPECT_EQ(kernel(p.open.data(), p.open.extent(), p.open.stride(), p.phi.data(), p.phi.extent(),
                   p.phi.stride(), p.right.data(), p.right.extent(), p.right.stride(), &result, work.data(),
                   p.weight[0], p.weight[1], p.weight[2]),
            0);
  return result;
}

inline double residual(const Problem<double>& p) {
  return reduced(p, sor_residual_f64);
}
inline double squares(const Problem<double>& p) {
  return reduced(p, sor_squares_f64);
}
inline float squares(const Problem<float>& p) {
  return reduced(p, sor_squares_f32);
}

/// One damped Jacobi iteration; cells without an equation keep their value.
inline void jacobi(Problem<double>& p, double omega) {
  Box<double> next(p.phi.cells());
  EXPECT_EQ(sor_jacobi_f64(p.open.data(), p.open.extent(), p.open.stride(), p.phi.data(), p.phi.extent(),
                           p.phi.stride(), p.right.data(), p.right.extent(), p.right.stride(), next.data(),
                           next.extent(), next.stride(), p.weight[0], p.weight[1], p.weight[2], omega),
            0);
  p.phi = next;
}

/// The sweep of the six-coefficient form, with the coefficients that the openings mean.
inline void cut_sweep(Problem<double>& p, double omega) {
  Box<double> cut(p.phi.cells(), false, 6);
  cut.for_cells([&](auto x, auto y, auto z) {
    for (std::int64_t f = 0; f < 6; ++f)
      cut(x, y, z, f) = (p.open(x, y, z) >> f & 1) != 0 ? p.weight[static_cast<std::size_t>(f / 2)] : 0.0;
  });
  EXPECT_EQ(sor_cut_f64(cut.data(), cut.extent(), cut.stride(), p.phi.data(), p.phi.extent(), p.phi.stride(),
                        p.right.data(), p.right.extent(), p.right.stride(), 0, 2, omega),
            0);
}

template <class T> class Cube {
public:
  static constexpr std::int64_t n = 100;
  static constexpr std::array<double, 3> h{2, 2, 1};

  /// Interior: the cells with an equation, 1 <= i, j <= 98, 1 <= k <= 99; phi is 0 in the cells around, but
  /// nothing flows through the ground.
  explicit Cube(bool split) : problem({n - 2, n - 2, n - 1}, split) {
    for (std::size_t d = 0; d < 3; ++d)
      problem.weight[d] = static_cast<T>(1 / (h[d] * h[d]));
    problem.phi.for_cells([&](auto x, auto y, auto z) {
      const Cell cell{x + 1, y + 1, z + 1};
      if (solid(cell)) return;
      double divergence = 0;
      int open = 0;
      for (std::size_t f = 0; f < 6; ++f) {
        Cell other = cell;
        other[f / 2] += f % 2 == 0 ? 1 : -1;
        if (!solid(other)) open |= 1 << f;
        const Cell face = f % 2 == 0 ? other : cell;
        divergence += (f % 2 == 0 ? 1 : -1) * given(f / 2, face) / h[f / 2];
      }
      problem.open(x, y, z) = static_cast<std::uint8_t>(open);
      problem.right(x, y, z) = static_cast<T>(-2 * divergence);
    });
  }

  static bool solid(const Cell& c) {
    return c[2] < 1 || (c[0] >= 45 && c[0] <= 54 && c[1] >= 45 && c[1] <= 54 && c[2] <= 20);
  }

  /// The wind before the correction on the lower face of a cell across axis d: logarithmic, 0 on faces of
  /// solid cells.
  static double given(std::size_t d, const Cell& face) {
    Cell below = face;
    --below[d];
    if (d != 0 || solid(face) || solid(below)) return 0;
    const double z = static_cast<double>(face[2]) - 0.5;
    return 5 * std::log((z + 0.1) / 0.1) / std::log((10 + 0.1) / 0.1);
  }

  double velocity(std::size_t d, const Cell& face) const {
    Cell below = face;
    --below[d];
    if (solid(face) || solid(below)) return 0;
    return given(d, face) + 0.5 / h[d] * (phi(face) - phi(below));
  }

  double largest_divergence() const {
    double largest = 0;
    problem.phi.for_cells([&](auto x, auto y, auto z) {
      const Cell cell{x + 1, y + 1, z + 1};
      if (solid(cell)) return;
      double divergence = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        Cell next = cell;
        ++next[d];
        divergence += (velocity(d, next) - velocity(d, cell)) / h[d];
      }
      largest = std::max(largest, std::abs(divergence));
    });
    return largest;
  }

  static T best_omega() {
    const double radius = heddle::jacobi_radius({{{n - 2, h[0], 2}, {n - 2, h[1], 2}, {n - 1, h[2], 1}}});
    return static_cast<T>(heddle::optimal_omega(radius) - 0.005);
  }

  Problem<T> problem;

private:
  double phi(const Cell& c) const { return static_cast<double>(problem.phi(c[0] - 1, c[1] - 1, c[2] - 1)); }
};

} // namespace test

#endif
