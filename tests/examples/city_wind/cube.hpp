// SPDX-License-Identifier: Apache-2.0
// The cube of QES-Winds' published case (Bozorgmehr et al. 2021): 200 m x 200 m x 100 m, a cube of 20 m on
// the ground, a west wind of 5 m/s at 10 m over a roughness length of 0.1 m.
#ifndef HEDDLE_CITY_WIND_CUBE_HPP
#define HEDDLE_CITY_WIND_CUBE_HPP

#include <array>
#include <cmath>
#include <cstdint>

#include "wind.hpp"

namespace city_wind::test {

/// Face or cell as QES-Winds counts it: the lowest cells of the air have k = 1.
using Index = std::array<std::int64_t, 3>;

template <class T> struct Cube {
  explicit Cube(const Parameterisations& chosen)
      : grid(make_grid(100, 100, 100, 2, 2, 1)), ground(grid),
        buildings{make_building("cube", {{90, 90}, {110, 90}, {110, 110}, {90, 110}, {90, 90}}, 20)},
        inflow({Sensor{"", 0, {100, 100}, 10, 5, 270, Profile::logarithmic, 0.1}}),
        wind(grid, ground, buildings, heddle::Memory::host) {
    wind.guess(inflow, make_zones(grid, ground, buildings, inflow, chosen, 0.1));
  }

  static constexpr Parameterisations none{false, false, false, false, false};

  static T at(const heddle::Field<T>& field, const Index& face) {
    return field.view()(face[0], face[1], face[2] - 1);
  }

  Grid grid;
  Ground ground;
  std::vector<Building> buildings;
  Inflow inflow;
  Wind<T> wind;
};

struct Probe {
  Index face;
  double plain, parameterised;
};

// fp64, to 1e-13: from another program (FFT-preconditioned conjugate gradients).
constexpr Probe probes_u[] = {{{30, 49, 10}, 4.661728, 4.521566},  {{44, 49, 10}, 0.965378, 0.406158},
                              {{57, 49, 10}, 1.801403, -1.186927}, {{60, 49, 10}, 3.401951, -1.248153},
                              {{70, 49, 10}, 4.661728, 1.122749},  {{44, 49, 5}, 0.770897, -0.025789},
                              {{50, 49, 25}, 6.780928, 6.753368},  {{50, 60, 10}, 5.518837, 5.577536},
                              {{80, 49, 40}, 6.435705, 6.421599},  {{50, 49, 80}, 7.252186, 7.257717}};
constexpr Probe probes_v[] = {{{43, 56, 10}, 2.175261, 1.982553},
                              {{46, 58, 10}, 0.526155, 0.984611},
                              {{60, 58, 10}, -0.637810, -0.473721},
                              {{40, 60, 5}, 0.580724, 0.721100}};
constexpr Probe probes_w[] = {{{44, 49, 20}, 4.661029, 4.263025},
                              {{43, 49, 10}, 0.138916, -0.429079},
                              {{58, 49, 15}, -0.822648, 0.161086},
                              {{50, 49, 30}, -0.050720, 0.142887}};

} // namespace city_wind::test

#endif
