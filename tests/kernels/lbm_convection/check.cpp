// SPDX-License-Identifier: Apache-2.0
// Natural convection in a square with a hot and a cold side against de Vahl Davis (1983), Pr = 0.71.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "lbm_convection.h"
#include "periodic_box.hpp"

namespace {

using Box = test::PeriodicBox<double>;
using Cell = std::array<std::int64_t, 3>;

/// One layer of cells at a side of the square, as a sweep takes it.
struct Side {
  Side(Box& box, char name)
      : data(&box.at(name == 'e' ? box.extent(0) - 1 : 0, name == 'n' ? box.extent(1) - 1 : 0, 0, 0)),
        extents{name == 'w' || name == 'e' ? 1 : box.extent(0),
                name == 's' || name == 'n' ? 1 : box.extent(1), box.components()},
        strides(box.strides()) {}
  double* data;
  std::array<std::int64_t, 3> extents;
  const std::int64_t* strides;
};

struct Square {
  Square(std::int64_t cells, double rayleigh)
      : n(cells), diffusivity(speed * static_cast<double>(n) / std::sqrt(rayleigh * prandtl)),
        f({n, n, 1}, 9, 2), f_next(f), g({n, n, 1}, 5, 2), g_next(g), u({n, n, 1}, 2, 2), T({n, n, 1}, 1, 2) {
  }

  void walls() {
    const auto wall = [&](auto kernel, char side) {
      const Side layer(f, side);
      ASSERT_EQ(kernel(layer.data, layer.extents.data(), layer.strides), 0);
    };
    wall(lbm_convection_wall_w_f64, 'w');
    wall(lbm_convection_wall_e_f64, 'e');
    wall(lbm_convection_wall_s_f64, 's');
    wall(lbm_convection_wall_n_f64, 'n');
    const Side west(g, 'w'), east(g, 'e'), south(g, 's'), north(g, 'n');
    ASSERT_EQ(lbm_convection_hot_f64(west.data, west.extents.data(), west.strides, 0.5), 0);
    ASSERT_EQ(lbm_convection_cold_f64(east.data, east.extents.data(), east.strides, -0.5), 0);
    ASSERT_EQ(lbm_convection_insulated_s_f64(south.data, south.extents.data(), south.strides), 0);
    ASSERT_EQ(lbm_convection_insulated_n_f64(north.data, north.extents.data(), north.strides), 0);
  }

  /// T of the arrived populations, the force from T, u with half of it, then both collisions with that u.
  void step() {
    const double expansion = speed * speed / static_cast<double>(n); // times gravity 1
    walls();
    ASSERT_EQ(lbm_convection_temperature_f64(g.data(), g.extents(), g.strides(), T.data(), T.extents(),
                                             T.strides()),
              0);
    ASSERT_EQ(lbm_convection_velocity_f64(f.data(), f.extents(), f.strides(), T.data(), T.extents(),
                                          T.strides(), u.data(), u.extents(), u.strides(), expansion, -1),
              0);
    ASSERT_EQ(lbm_convection_flow_f64(f.data(), f.extents(), f.strides(), f_next.data(), f_next.extents(),
                                      f_next.strides(), T.data(), T.extents(), T.strides(), expansion, -1,
                                      1 / (3 * prandtl * diffusivity + 0.5)),
              0);
    ASSERT_EQ(lbm_convection_heat_f64(g.data(), g.extents(), g.strides(), g_next.data(), g_next.extents(),
                                      g_next.strides(), u.data(), u.extents(), u.strides(), 3.0 / 16,
                                      1 / (3 * diffusivity + 0.5)),
              0);
    std::swap(f, f_next);
    std::swap(g, g_next);
  }

  /// The mean of u_x T - alpha d_x T in units of alpha / n.
  double nusselt() {
    double carried = 0;
    u.for_cells([&](const Cell& cell) { carried += u.at(cell, 0) * T.at(cell, 0); });
    const auto size = static_cast<double>(n);
    return 1 + carried / (size * size) * size / diffusivity;
  }

  /// The largest velocity along an axis, in units of alpha / n.
  double peak(int axis) {
    double found = 0;
    u.for_cells([&](const Cell& cell) { found = std::max(found, u.at(cell, axis)); });
    return found * static_cast<double>(n) / diffusivity;
  }

  static constexpr double prandtl = 0.71;
  static constexpr double speed = 0.1; // of buoyancy: sqrt(g beta dT n)
  std::int64_t n;
  double diffusivity;
  Box f, f_next, g, g_next, u, T;
};

TEST(Convection, SquareOfDeVahlDavis) {
  struct Case {
    double rayleigh, nusselt, u, v;
    int steps;
  };
  // u and v there are the peaks on the middle lines: those of the whole square for these two numbers
  for (const Case& expected :
       {Case{1e3, 1.118, 3.649, 3.697, 16000}, Case{1e4, 2.243, 16.178, 19.617, 16000}}) {
    Square square(32, expected.rayleigh);
    for (int s = 0; s < expected.steps; ++s)
      square.step();
    const std::string name = "nusselt_" + std::to_string(static_cast<int>(expected.rayleigh));
    RecordProperty(name, std::to_string(square.nusselt()));
    EXPECT_NEAR(square.nusselt() / expected.nusselt, 1, 0.006) << name;
    EXPECT_NEAR(square.peak(0) / expected.u, 1, 0.02) << name;
    EXPECT_NEAR(square.peak(1) / expected.v, 1, 0.02) << name;
  }
}

} // namespace
