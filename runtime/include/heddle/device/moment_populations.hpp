// SPDX-License-Identifier: MIT-0
// Populations made of moments, and sums over those that arrive, for a thread that marches along z.
#ifndef HEDDLE_DEVICE_MOMENT_POPULATIONS_HPP
#define HEDDLE_DEVICE_MOMENT_POPULATIONS_HPP

#include "heddle/device/gpu.hpp"
#include "heddle/device/moment_collision.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// Which directions a lattice of three dimensions has, and by the number of axes they move along
/// their weights w, and slopes: 3 w, of which one is what the others leave of 1, so that
/// populations carry the momentum they are made of to the rounding of the products. Rounded one by
/// one they would carry 3e-8 more of it.
struct D3Q19 {
  static constexpr bool corners = false;
  HEDDLE_HOST_DEVICE static constexpr float weight(int axes) {
    return axes == 0 ? 1.0F / 3.0F : axes == 1 ? 1.0F / 18.0F : axes == 2 ? 1.0F / 36.0F : 0.0F;
  }
  HEDDLE_HOST_DEVICE static constexpr float slope(int axes) {
    constexpr float edge = 1.0F / 12.0F;
    return axes == 1 ? 0.5F - 4.0F * edge : axes == 2 ? edge : 0.0F;
  }
};
struct D3Q27 {
  static constexpr bool corners = true;
  HEDDLE_HOST_DEVICE static constexpr float weight(int axes) {
    return axes == 0   ? 8.0F / 27.0F
           : axes == 1 ? 2.0F / 27.0F
           : axes == 2 ? 1.0F / 54.0F
                       : 1.0F / 216.0F;
  }
  HEDDLE_HOST_DEVICE static constexpr float slope(int axes) {
    constexpr float axis = 2.0F / 9.0F;
    return axes == 0 ? 0.0F : axes == 1 ? axis : axes == 2 ? 0.25F * axis : 0.125F - 0.5F * axis;
  }
};

namespace detail {

/// f* with c_z = 0, and those with c_z = +1 and -1.
struct Column {
  float level;
  float2 vertical;
};

/// The populations of a cell along (cx, cy, any c_z). isotropic: rho - 3/2 (t_xx + t_yy + t_zz).
template <typename Lattice, int cx, int cy>
__device__ inline Column populations(const Moments& m, float isotropic) {
  constexpr int order = (cx != 0) + (cy != 0);
  constexpr float w = Lattice::weight(order);
  constexpr float w_up = Lattice::weight(order + 1);
  float even = isotropic;
  float rising = Lattice::slope(order + 1) * m.z;
  if constexpr (cx != 0) {
    even = fused(4.5F, m.xx, even);
    rising = fused(static_cast<float>(9 * cx) * w_up, m.xz, rising);
  }
  if constexpr (cy != 0) {
    even = fused(4.5F, m.yy, even);
    rising = fused(static_cast<float>(9 * cy) * w_up, m.yz, rising);
  }
  if constexpr (cx != 0 && cy != 0) {
    even = fused(static_cast<float>(9 * cx * cy), m.xy, even);
  }
  const auto moving = [&](float slope, float f) {
    if constexpr (cx != 0) {
      f = fused(static_cast<float>(cx) * slope, m.x, f);
    }
    if constexpr (cy != 0) {
      f = fused(static_cast<float>(cy) * slope, m.y, f);
    }
    return f;
  };
  const float both = moving(Lattice::slope(order + 1), w_up * fused(4.5F, m.zz, even));
  return {moving(Lattice::slope(order), w * even), {both + rising, both - rising}};
}

/// Calls f<cx, cy>() for the directions along x and y, those along one axis first.
template <typename Function>
__device__ inline void sideways(Function&& f) {
  f.template operator()<1, 0>();
  f.template operator()<-1, 0>();
  f.template operator()<0, 1>();
  f.template operator()<0, -1>();
  f.template operator()<1, 1>();
  f.template operator()<-1, -1>();
  f.template operator()<1, -1>();
  f.template operator()<-1, 1>();
}

/// Place of direction (cx, cy) among these, and how many of them, the first ones, also have c_z =
/// +1 and -1.
HEDDLE_HOST_DEVICE constexpr int slot(int cx, int cy) {
  return cy == 0   ? (cx > 0 ? 0 : 1)
         : cx == 0 ? (cy > 0 ? 2 : 3)
                   : 4 + (cx > 0 ? 0 : 1) + (cy > 0 ? 0 : 2);
}
constexpr int level_slots = 8;
template <typename Lattice>
inline constexpr int vertical_slots = Lattice::corners ? 8 : 4;

/// Sums over the directions of one c_z of f, c_x f, c_y f, c_x^2 f, c_y^2 f, c_x c_y f.
struct Sums {
  float one = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};

/// f[1 + cy][1 + cx]; diagonal: whether there are directions along both axes.
template <bool diagonal>
__device__ inline Sums summed(const float (&f)[3][3]) {
  Sums s;
  const float across = f[1][2] + f[1][0];
  s.x = f[1][2] - f[1][0];
  s.xx = across;
  float north = f[2][1];
  float south = f[0][1];
  if constexpr (diagonal) {
    const float north_across = f[2][2] + f[2][0];
    const float south_across = f[0][2] + f[0][0];
    const float north_along = f[2][2] - f[2][0];
    const float south_along = f[0][2] - f[0][0];
    s.x += north_along + south_along;
    s.xx += north_across + south_across;
    s.xy = north_along - south_along;
    north += north_across;
    south += south_across;
  }
  s.y = north - south;
  s.yy = north + south;
  s.one = f[1][1] + across + s.yy;
  return s;
}

}  // namespace detail

}  // namespace heddle

#endif
