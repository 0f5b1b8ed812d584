// SPDX-License-Identifier: MIT-0
// A lattice Boltzmann step on moments: the regularised collision with density, momentum and stress in memory.
//
// Stored are, after the collision, rho - 1, rho u and t_ab with f_q = w_q [1 + rho - 1 + 3 c.(rho u) + 9/2 (c_a c_b -
// delta_ab / 3) t_ab]: the fields of lbm.MomentStorage, each with the components of a cell side by side, so that one
// access moves them: flow (rho - 1, rho u), stress (t_xx, t_yy, t_zz, t_xy), shear (t_xz, t_yz).
//
// A block of threads takes a tile of columns along z and marches through a chunk of planes. In each plane every thread
// rebuilds the populations of its cell and publishes those that leave it sideways in shared memory; extra warps do so
// for the rim of the tile. Then each thread gathers what arrives: populations with c_z = -1 finish the cell below,
// c_z = 0 go to its own, c_z = +1 begin the cell above, so that sums in registers are enough. Populations never reach
// memory.
//
// Walls at sides of the box (BoxWalls) send back what the own cell has sent. Sideways, the cell writes that to the
// place in shared memory from which it will gather it: nobody else does, since the column there lies behind the wall.
// Below and above, the plane behind the wall has the moments of the plane before it, and its populations are published
// the other way round.
//
// All numbers are in the unit of the stress in memory (2^14 for halves), so that none is scaled on its way; sums and
// products are fused here, not by a compiler, and give the same bits under any of its options.
#ifndef HEDDLE_DEVICE_MOMENT_TILE_HPP
#define HEDDLE_DEVICE_MOMENT_TILE_HPP

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heddle/device/copy_ahead.hpp"
#include "heddle/device/moment_words.hpp"
#include "heddle/device/qualifiers.hpp"
#include "heddle/device/shared.hpp"

namespace heddle {

/// Which directions a lattice of three dimensions has, and their weights by the number of axes they move along.
struct D3Q19 {
  static constexpr bool corners = false;
  HEDDLE_HOST_DEVICE static constexpr float weight(int axes) {
    return axes == 0 ? 1.0F / 3.0F : axes == 1 ? 1.0F / 18.0F : axes == 2 ? 1.0F / 36.0F : 0.0F;
  }
};
struct D3Q27 {
  static constexpr bool corners = true;
  HEDDLE_HOST_DEVICE static constexpr float weight(int axes) {
    return axes == 0 ? 8.0F / 27.0F : axes == 1 ? 2.0F / 27.0F : axes == 2 ? 1.0F / 54.0F : 1.0F / 216.0F;
  }
};

namespace detail {

/// a b + c, rounded once, on every target.
__device__ inline float fused(float a, float b, float c) { return std::fma(a, b, c); }

/// 1 / a within an ulp or two.
__device__ inline float reciprocal(float a) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return 1.0F / a;
#endif
}

/// Moments of a cell, all in the unit of the stress.
struct Moments {
  float rho = 0;  // less 1
  float x = 0, y = 0, z = 0;
  float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

/// f* with c_z = 0, and those with c_z = +1 and -1.
struct Column {
  float level;
  float2 vertical;
};

/// The populations of a cell along (cx, cy, any c_z).
template <typename Lattice, int cx, int cy>
__device__ inline Column populations(const Moments& m, float isotropic) {
  constexpr int order = (cx != 0) + (cy != 0);
  constexpr float w = Lattice::weight(order);
  constexpr float w_up = Lattice::weight(order + 1);
  float even = isotropic;
  float rising = 3.0F * w_up * m.z;
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
  const auto moving = [&](float weight, float f) {
    if constexpr (cx != 0) {
      f = fused(static_cast<float>(3 * cx) * weight, m.x, f);
    }
    if constexpr (cy != 0) {
      f = fused(static_cast<float>(3 * cy) * weight, m.y, f);
    }
    return f;
  };
  const float both = moving(w_up, w_up * fused(4.5F, m.zz, even));
  return {moving(w, w * even), {both + rising, both - rising}};
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

/// The sides of the box, as BoxWalls counts them, that a direction may cross.
template <int cx, int cy>
inline constexpr std::uint32_t crossed = (cx < 0 ? 1U : cx > 0 ? 2U : 0U) | (cy < 0 ? 4U : cy > 0 ? 8U : 0U);

/// Two populations as threads hand them to each other: floats, or halves in one word.
__device__ inline void hand_over(float2* to, float2 pair) { *to = pair; }
__device__ inline void hand_over(std::uint32_t* to, float2 pair) { *to = to_halves(pair.x, pair.y); }
__device__ inline float2 taken(float2 pair) { return pair; }
__device__ inline float2 taken(std::uint32_t pair) { return from_halves(pair); }

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

/// The moments of one cell a thread, on their way from memory: `planes` of them.
template <typename Flow, typename Stress, int threads, int planes>
struct MomentsAhead {
  typename detail::Stored<Flow>::Four flow[std::size_t{planes}][std::size_t{threads}];
  typename detail::Stored<Stress>::Four stress[std::size_t{planes}][std::size_t{threads}];
  typename detail::Stored<Stress>::Two shear[std::size_t{planes}][std::size_t{threads}];
};

/// Sizes of a launch; see launch_moment_step.
template <typename Lattice, int width, int height, int chunk, int ahead, typename Exchange, typename Flow,
          typename Stress>
struct MomentTile {
  static_assert(ahead >= 0 && ahead <= 2);
  using Pair = std::conditional_t<std::is_same_v<Exchange, float>, float2, std::uint32_t>;
  static constexpr int columns = (width + 2) * (height + 2);
  static constexpr int threads = (columns + 31) / 32 * 32;
  static constexpr int vertical = Lattice::corners ? 8 : 4;  // sideways directions with c_z = +1 and -1
  static constexpr int level = 8;
  static constexpr std::size_t buffer = std::size_t{columns} * (vertical * sizeof(Pair) + level * sizeof(float));
  using Ahead = MomentsAhead<Flow, Stress, threads, ahead == 0 ? 1 : ahead>;
  static constexpr std::size_t shared_bytes = 2 * buffer + (ahead == 0 ? 0 : sizeof(Ahead));
  static constexpr int planes = chunk;

  /// Place of the array of direction (cx, cy): those along one axis first.
  HEDDLE_HOST_DEVICE static constexpr int slot(int cx, int cy) {
    return cy == 0 ? (cx > 0 ? 0 : 1) : cx == 0 ? (cy > 0 ? 2 : 3) : 4 + (cx > 0 ? 0 : 1) + (cy > 0 ? 0 : 2);
  }
};

/// No walls: the ghost layer says what comes from outside the box.
struct NoWalls {};

/// Half-way no-slip walls at sides of the box: the sum of 1 west, 2 east, 4 south, 8 north, 16 bottom, 32 top, as
/// kernels with Dense(walls=...) take it. The ghost layer behind a wall is not read. lid_x, lid_y: velocity of the top,
/// if there is a wall, in cells a step; links that lead through a wall at a side as well come from there, at rest.
struct BoxWalls {
  std::uint32_t sides = 0;
  float lid_x = 0;
  float lid_y = 0;
};

/// No force, and one rate for the whole stress.
struct Undriven {};

/// A force on each cell, per volume, by Guo's scheme, and the rate of the trace of the stress, as lbm.Regularised takes
/// them.
struct Driven {
  float force_x = 0;
  float force_y = 0;
  float force_z = 0;
  float omega_bulk = 1;
};

namespace detail {

/// What a step takes of a Driven, in the unit of the stress: F / 2, (1 - omega / 2) F and (omega - omega_bulk) / 3.
struct Push {
  float half_x, half_y, half_z;
  float guo_x, guo_y, guo_z;
  float gap;
};
inline Push push(const Driven& drive, float omega, float unit) {
  const float guo = (1.0F - 0.5F * omega) * unit;
  const float half = 0.5F * unit;
  return {half * drive.force_x, half * drive.force_y, half * drive.force_z,           guo * drive.force_x,
          guo * drive.force_y,  guo * drive.force_z,  (omega - drive.omega_bulk) / 3.0F};
}
inline Undriven push(Undriven none, float, float) { return none; }

}  // namespace detail

/// One step of all cells; see the head of this file. keep: 1 - omega.
template <typename Lattice, int width, int height, int chunk, int blocks, int ahead, typename Exchange, typename Flow,
          typename Stress, typename Walls, typename Push>
__global__ void __launch_bounds__(MomentTile<Lattice, width, height, chunk, ahead, Exchange, Flow, Stress>::threads, blocks)
    moment_step(const MomentField<const Flow> flow, const MomentField<const Stress> stress,
                const MomentField<const Stress> shear, const MomentField<Flow> flow_next,
                const MomentField<Stress> stress_next, const MomentField<Stress> shear_next, const float keep,
                const std::int64_t n_x, const std::int64_t n_y, const std::int64_t n_z, const Walls walls,
                const Push push) {
  constexpr bool walled = std::is_same_v<Walls, BoxWalls>;
  constexpr bool driven = std::is_same_v<Push, detail::Push>;
  using Tile = MomentTile<Lattice, width, height, chunk, ahead, Exchange, Flow, Stress>;
  constexpr int row = width + 2;
  char* const shared = dynamic_shared<char>();
  const int thread = static_cast<int>(threadIdx.x);

  // Own column of the tile: interior ones first, then the rim, row by row.
  const bool interior = thread < width * height;
  int tx = 1 + thread % width;
  int ty = 1 + thread / width;
  if (!interior) {
    const int rim = thread - width * height;
    const int side = rim - 2 * row;
    tx = side < 0 ? rim % row : (side % 2) * (width + 1);
    ty = side < 0 ? (rim / row) * (height + 1) : 1 + side / 2;
  }
  const int place = ty * row + tx;
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * width + tx - 1;
  const std::int64_t y = static_cast<std::int64_t>(blockIdx.y) * height + ty - 1;
  bool column = thread < Tile::columns;
  bool present = column && x <= n_x && y <= n_y;
  const bool own = interior && x < n_x && y < n_y;
  std::uint32_t beside = 0;  // the walls that this cell lies at
  // The planes that are read: those beyond lie behind the bottom and the top.
  std::int32_t lowest = -1;
  [[maybe_unused]] auto highest = static_cast<std::int32_t>(n_z);
  if constexpr (walled) {
    const bool west = (walls.sides & 1U) != 0;
    const bool east = (walls.sides & 2U) != 0;
    const bool south = (walls.sides & 4U) != 0;
    const bool north = (walls.sides & 8U) != 0;
    const bool outside = (west && x < 0) || (east && x >= n_x) || (south && y < 0) || (north && y >= n_y);
    column = column && !outside;
    present = present && !outside;
    if (own) {
      beside = (west && x == 0 ? 1U : 0U) | (east && x == n_x - 1 ? 2U : 0U) | (south && y == 0 ? 4U : 0U) |
               (north && y == n_y - 1 ? 8U : 0U);
    }
    lowest += (walls.sides & 16U) != 0 ? 1 : 0;
    highest -= (walls.sides & 32U) != 0 ? 1 : 0;
  }

  // In 32 bits: registers decide how many blocks fit.
  const auto first = static_cast<std::int32_t>(blockIdx.z) * chunk;
  const std::int32_t last = first + chunk < n_z ? first + chunk : static_cast<std::int32_t>(n_z);
  const std::uint32_t in_flow = detail::column_of<4>(flow, x, y);
  const std::uint32_t in_stress = detail::column_of<4>(stress, x, y);
  const std::uint32_t in_shear = detail::column_of<2>(shear, x, y);
  using FlowWord = typename detail::Stored<Flow>::Four;
  using StressWord = typename detail::Stored<Stress>::Four;
  using ShearWord = typename detail::Stored<Stress>::Two;
  constexpr float unit = detail::Stored<Stress>::unit;
  constexpr float flow_scale = unit / detail::Stored<Flow>::unit;
  const auto moments = [&](const auto& f_word, const auto& t_word, const auto& s_word) {
    const float4 f = detail::numbers(f_word, flow_scale);
    const float4 t = detail::numbers(t_word, 1.0F);
    const float2 s = detail::numbers(s_word, 1.0F);
    return detail::Moments{f.x, f.y, f.z, f.w, t.x, t.y, t.z, t.w, s.x, s.y};
  };

  // The plane whose moments a plane has: its own or, behind a wall, those of the plane before the wall.
  const auto source = [&](std::int32_t plane) {
    if constexpr (walled) {
      plane = plane < lowest ? lowest : plane > highest ? highest : plane;
    }
    return plane;
  };

  // With copies ahead: the moments of the next planes lie in shared memory, each thread's own. parity: of the number of
  // a plane in the chunk, known when this is compiled.
  auto& arriving = *reinterpret_cast<typename Tile::Ahead*>(shared + 2 * Tile::buffer);
  const auto ask = [&]<int parity>(std::int32_t plane) {
    if constexpr (ahead > 0) {
      constexpr int stage = parity % ahead;
      if (plane <= last && present) {
        const std::int32_t from = source(plane);
        copy_ahead(&arriving.flow[stage][thread], detail::word<const FlowWord, 4>(flow, from, in_flow));
        copy_ahead(&arriving.stress[stage][thread], detail::word<const StressWord, 4>(stress, from, in_stress));
        copy_ahead(&arriving.shear[stage][thread], detail::word<const ShearWord, 2>(shear, from, in_shear));
      }
      end_of_copies();
    }
  };
  const auto loaded = [&](std::int32_t plane) {
    const std::int32_t from = source(plane);
    return moments(*detail::word<const FlowWord, 4>(flow, from, in_flow),
                   *detail::word<const StressWord, 4>(stress, from, in_stress),
                   *detail::word<const ShearWord, 2>(shear, from, in_shear));
  };

  using Pair = typename Tile::Pair;
  // From where this cell gathers what comes back when it has sent something along (cx, cy).
  const auto opposite = [&]<int cx, int cy>() {
    return Tile::slot(-cx, -cy) * Tile::columns + place + cx + cy * row;
  };
  if constexpr (walled) {
    if (beside != 0) {  // nothing has come through a wall yet
      detail::sideways([&]<int cx, int cy>() {
        if constexpr (Tile::slot(cx, cy) < Tile::vertical) {
          if ((beside & detail::crossed<cx, cy>) != 0) {
            const int to = opposite.template operator()<cx, cy>();
            detail::hand_over(reinterpret_cast<Pair*>(shared) + to, {0.0F, 0.0F});
            detail::hand_over(reinterpret_cast<Pair*>(shared + Tile::buffer) + to, {0.0F, 0.0F});
          }
        }
      });
    }
  }

  detail::Moments next;
  if constexpr (ahead == 0) {
    if (present) {
      next = loaded(first - 1);
    }
  }
  if constexpr (ahead > 0) {
    ask.template operator()<0>(first - 1);
  }
  if constexpr (ahead > 1) {
    ask.template operator()<1>(first);
  }
  detail::Sums rising;   // c_z = +1 of the plane below
  detail::Sums started;  // c_z = +1 and 0 of the cell of the plane below, and its
  float began = 0;       // sums over c_z = +1 alone: of f,
  float began_x = 0;     // c_x f
  float began_y = 0;     // and c_y f
  const auto march = [&]<int parity>(std::int32_t plane) {
    char* const buffer = shared + parity * Tile::buffer;
    auto* const vertical = reinterpret_cast<Pair*>(buffer);
    auto* const level = reinterpret_cast<float*>(vertical + Tile::columns * Tile::vertical);
    detail::Moments m = next;
    if constexpr (ahead > 0) {
      wait_for_copies<ahead - 1>();
      constexpr int stage = parity % ahead;
      m = moments(arriving.flow[stage][thread], arriving.stress[stage][thread], arriving.shear[stage][thread]);
    } else if (plane < last && present) {
      next = loaded(plane + 1);
    }
    const float isotropic = detail::fused(-1.5F, m.xx + m.yy + m.zz, m.rho);
    bool behind = false;
    if constexpr (walled) {
      behind = plane < lowest || plane > highest;
      if (behind && own) {
        detail::sideways([&]<int cx, int cy>() {
          if constexpr (Tile::slot(cx, cy) < Tile::vertical) {
            if ((beside & detail::crossed<cx, cy>) == 0) {  // else it comes from the wall at the side
              constexpr float pushed = -6.0F * unit * Lattice::weight(1 + (cx != 0) + (cy != 0));
              const float2 f = detail::populations<Lattice, cx, cy>(m, isotropic).vertical;
              const float lid = static_cast<float>(cx) * walls.lid_x + static_cast<float>(cy) * walls.lid_y;
              const float2 back{f.y, detail::fused(pushed, lid, f.x)};
              detail::hand_over(&vertical[opposite.template operator()<cx, cy>()], back);
            }
          }
        });
      }
    }
    if (column && !behind) {
      detail::sideways([&]<int cx, int cy>() {
        const detail::Column f = detail::populations<Lattice, cx, cy>(m, isotropic);
        constexpr int slot = Tile::slot(cx, cy);
        level[slot * Tile::columns + place] = f.level;
        if constexpr (slot < Tile::vertical) {
          detail::hand_over(&vertical[slot * Tile::columns + place], f.vertical);
        }
      });
    }
    if constexpr (walled) {
      if (beside != 0 && !behind) {
        auto* const later = reinterpret_cast<Pair*>(shared + (1 - parity) * Tile::buffer);
        detail::sideways([&]<int cx, int cy>() {
          if ((beside & detail::crossed<cx, cy>) != 0) {
            constexpr int slot = Tile::slot(cx, cy);
            const int to = opposite.template operator()<cx, cy>();
            level[to] = level[slot * Tile::columns + place];
            if constexpr (slot < Tile::vertical) {
              const float2 f = detail::taken(vertical[slot * Tile::columns + place]);
              detail::hand_over(&later[to], {0.0F, f.x});  // comes down with the next plane
              rising.one += f.y;
              if constexpr (cx != 0) {
                rising.x -= cx > 0 ? f.y : -f.y;
                rising.xx += f.y;
              }
              if constexpr (cy != 0) {
                rising.y -= cy > 0 ? f.y : -f.y;
                rising.yy += f.y;
              }
              if constexpr (cx != 0 && cy != 0) {
                rising.xy += cx == cy ? f.y : -f.y;
              }
            }
          }
        });
      }
    }
    ask.template operator()<(parity + ahead) % 2>(plane + ahead);
    __syncthreads();
    if (own) {
      const detail::Column rest = detail::populations<Lattice, 0, 0>(m, isotropic);
      float up[3][3] = {};
      float flat[3][3] = {};
      float down[3][3] = {};
      up[1][1] = behind ? rest.vertical.y : rest.vertical.x;
      flat[1][1] = rest.level;
      down[1][1] = behind ? rest.vertical.x : rest.vertical.y;
      const auto gather = [&]<int cx, int cy>() {
        constexpr int slot = Tile::slot(cx, cy);
        const int there = slot * Tile::columns + place - cx - cy * row;
        flat[1 + cy][1 + cx] = level[there];
        if constexpr (slot < Tile::vertical) {
          const float2 f = detail::taken(vertical[there]);
          up[1 + cy][1 + cx] = f.x;
          down[1 + cy][1 + cx] = f.y;
        }
      };
      detail::sideways(gather);
      if (plane > first) {  // the cell of the plane below has all its populations
        const detail::Sums falling = detail::summed<Lattice::corners>(down);
        const float rho = started.one + falling.one;
        const float j_x = started.x + falling.x;
        const float j_y = started.y + falling.y;
        const float j_z = began - falling.one;
        const std::int32_t below = plane - 1;
        const float third = keep * (1.0F / 3.0F) * rho;
        if constexpr (!driven) {
          const float omega_over_rho = (1.0F - keep) * detail::reciprocal(unit + rho);
          const float u_x = omega_over_rho * j_x;
          const float u_y = omega_over_rho * j_y;
          const float u_z = omega_over_rho * j_z;
          const auto relaxed = [&](float sum, float u, float j, float diagonal) {
            return detail::fused(keep, sum, detail::fused(u, j, -diagonal));
          };
          detail::store<Flow>(detail::word<FlowWord, 4>(flow_next, below, in_flow), float4{rho, j_x, j_y, j_z},
                              flow_scale);
          const float xy = Lattice::corners ? started.xy + falling.xy : started.xy;
          detail::store<Stress>(detail::word<StressWord, 4>(stress_next, below, in_stress),
                                float4{relaxed(started.xx + falling.xx, u_x, j_x, third),
                                       relaxed(started.yy + falling.yy, u_y, j_y, third),
                                       relaxed(began + falling.one, u_z, j_z, third), relaxed(xy, u_x, j_y, 0.0F)},
                                1.0F);
          detail::store<Stress>(detail::word<ShearWord, 2>(shear_next, below, in_shear),
                                float2{relaxed(began_x - falling.x, u_x, j_z, 0.0F),
                                       relaxed(began_y - falling.y, u_y, j_z, 0.0F)},
                                1.0F);
        } else {  // rho u = j + F / 2; t_ab = keep (sum_ab - rho / 3) + u_a g_b + g_a u_b + what the trace has more
          const float inverse = detail::reciprocal(unit + rho);
          const float flow_x = j_x + push.half_x;
          const float flow_y = j_y + push.half_y;
          const float flow_z = j_z + push.half_z;
          const float u_x = inverse * flow_x;
          const float u_y = inverse * flow_y;
          const float u_z = inverse * flow_z;
          const float half_omega = 0.5F - 0.5F * keep;
          const float g_x = detail::fused(half_omega, flow_x, push.guo_x);
          const float g_y = detail::fused(half_omega, flow_y, push.guo_y);
          const float g_z = detail::fused(half_omega, flow_z, push.guo_z);
          const float sum_xx = started.xx + falling.xx;
          const float sum_yy = started.yy + falling.yy;
          const float sum_zz = began + falling.one;
          const float sum_xy = Lattice::corners ? started.xy + falling.xy : started.xy;
          const float moving = detail::fused(
              u_x, j_x - push.half_x, detail::fused(u_y, j_y - push.half_y, u_z * (j_z - push.half_z)));
          const float diagonal = detail::fused(-push.gap, sum_xx + sum_yy + sum_zz - rho - moving, third);
          const auto relaxed = [&](float sum, float u_a, float g_b, float g_a, float u_b, float less) {
            return detail::fused(keep, sum, detail::fused(u_a, g_b, detail::fused(g_a, u_b, -less)));
          };
          detail::store<Flow>(detail::word<FlowWord, 4>(flow_next, below, in_flow),
                              float4{rho, flow_x + push.half_x, flow_y + push.half_y, flow_z + push.half_z},
                              flow_scale);
          detail::store<Stress>(
              detail::word<StressWord, 4>(stress_next, below, in_stress),
              float4{relaxed(sum_xx, u_x, g_x, g_x, u_x, diagonal), relaxed(sum_yy, u_y, g_y, g_y, u_y, diagonal),
                     relaxed(sum_zz, u_z, g_z, g_z, u_z, diagonal), relaxed(sum_xy, u_x, g_y, g_x, u_y, 0.0F)},
              1.0F);
          detail::store<Stress>(detail::word<ShearWord, 2>(shear_next, below, in_shear),
                                float2{relaxed(began_x - falling.x, u_x, g_z, g_x, u_z, 0.0F),
                                       relaxed(began_y - falling.y, u_y, g_z, g_y, u_z, 0.0F)},
                                1.0F);
        }
      }
      const detail::Sums here = detail::summed<true>(flat);
      began = rising.one;
      began_x = rising.x;
      began_y = rising.y;
      started = {rising.one + here.one, rising.x + here.x,   rising.y + here.y,
                 rising.xx + here.xx,   rising.yy + here.yy, Lattice::corners ? rising.xy + here.xy : here.xy};
      rising = detail::summed<Lattice::corners>(up);
    }
  };
  for (std::int32_t plane = first - 1; plane <= last; plane += 2) {
    march.template operator()<0>(plane);
    if (plane < last) {
      march.template operator()<1>(plane + 1);
    }
  }
}

/// The fields of a step, before or after it.
template <typename Flow, typename Stress>
struct MomentFields {
  MomentField<Flow> flow;
  MomentField<Stress> stress;
  MomentField<Stress> shear;
};

/// Puts a step over n_x x n_y x n_z cells into `stream`: from one set of fields, whose ghost layer is one cell, to
/// another. Their rows begin at multiples of 16 bytes, and planes have fewer than 2^32 bytes. omega: relaxation rate of
/// the stress. width, height, chunk: cells of a tile along x and y, and planes that a block marches through; blocks: how
/// many shall fit on a multiprocessor. ahead: for how many planes moments are on their way to shared memory, 1 or 2, or
/// 0 for one plane in registers. Exchange: float, or std::uint16_t for populations with c_z = +1 and -1 handed over as
/// two halves a word. walls: NoWalls or BoxWalls; drive: Undriven or Driven. Returns ok, bad_stride where the fields of
/// the two sets do not lie alike, or launch_failed.
template <typename Lattice, int width, int height, int chunk, int blocks, int ahead = 0, typename Exchange = float,
          typename Flow, typename Stress, typename Walls = NoWalls, typename Drive = Undriven>
int launch_moment_step(const MomentFields<const Flow, const Stress>& from, const MomentFields<Flow, Stress>& to,
                       float omega, std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, void* stream,
                       Walls walls = {}, Drive drive = {}) {
  using Tile = MomentTile<Lattice, width, height, chunk, ahead, Exchange, Flow, Stress>;
  const auto tiles = [](std::int64_t cells, int size) { return static_cast<unsigned>((cells + size - 1) / size); };
  const auto alike = [](const auto& a, const auto& b) {
    const std::int64_t most = (std::int64_t{1} << 32) / static_cast<std::int64_t>(sizeof(*a.data));
    return a.sy == b.sy && a.sz == b.sz && a.sy > 0 && a.sz > 0 && a.sz < most;
  };
  if (!alike(from.flow, to.flow) || !alike(from.stress, to.stress) || !alike(from.shear, to.shear)) {
    return bad_stride;
  }
  if (n_x <= 0 || n_y <= 0 || n_z <= 0) {
    return ok;
  }
  const auto push = detail::push(drive, omega, detail::Stored<Stress>::unit);
  return launch_with_shared(
      moment_step<Lattice, width, height, chunk, blocks, ahead, Exchange, Flow, Stress, Walls,
                  std::decay_t<decltype(push)>>,
      dim3(tiles(n_x, width), tiles(n_y, height), tiles(n_z, chunk)), dim3(Tile::threads), Tile::shared_bytes, stream,
      from.flow, from.stress, from.shear, to.flow, to.stress, to.shear, 1.0F - omega, n_x, n_y, n_z, walls, push);
}

}  // namespace heddle

#endif
