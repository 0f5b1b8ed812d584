// SPDX-License-Identifier: MIT-0
// A lattice Boltzmann step on moments: the regularised collision with density, momentum and stress
// in memory.
//
// Stored are, after the collision, rho - 1, rho u and t_ab with f_q = w_q [1 + rho - 1 + 3 c.(rho
// u) + 9/2 (c_a c_b - delta_ab / 3) t_ab]: the fields of lbm.MomentStorage, each with the
// components of a cell side by side, so that one access moves them: flow (rho - 1, rho u), stress
// (t_xx, t_yy, t_zz, t_xy), shear (t_xz, t_yz).
//
// A block of threads takes a tile of columns along z and marches through a chunk of planes. In each
// plane every thread rebuilds the populations of its cell and publishes those that leave it
// sideways in shared memory; extra warps do so for the rim of the tile. Then each thread gathers
// what arrives: populations with c_z = -1 finish the cell below, c_z = 0 go to its own, c_z = +1
// begin the cell above, so that sums in registers are enough. Populations never reach memory.
//
// Walls at sides of the box: moment_walls.hpp. A block that lies at none runs the step without
// them, which has a third fewer instructions.
//
// All numbers are in the unit of the stress in memory (2^14 for halves), so that none is scaled on
// its way; sums and products are fused here, not by a compiler, and give the same bits under any of
// its options.
#ifndef HEDDLE_DEVICE_MOMENT_TILE_HPP
#define HEDDLE_DEVICE_MOMENT_TILE_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heddle/device/gpu.hpp"
#include "heddle/device/moment_box.hpp"
#include "heddle/device/moment_columns.hpp"
#include "heddle/device/moment_exchange.hpp"
#include "heddle/device/moment_populations.hpp"
#include "heddle/device/moment_walls.hpp"
#include "heddle/device/shared.hpp"

namespace heddle {

namespace detail {

/// Sizes of a launch; see launch_moment_step.
template <typename Lattice_, int width, int height, int ahead, typename Exchange, typename Flow,
          typename Stress>
struct MomentTile {
  static_assert(ahead >= 0 && ahead <= 2);
  using Lattice = Lattice_;
  static constexpr float unit = Stored<Stress>::unit;
  static constexpr int row = width + 2;
  static constexpr int columns = row * (height + 2);
  static constexpr int threads = (columns + 31) / 32 * 32;
  using Handed = HandedOver<Lattice, Exchange, columns>;
  using Ahead = MomentsAhead<Flow, Stress, threads, ahead == 0 ? 1 : ahead>;
  static constexpr std::size_t shared_bytes = 2 * sizeof(Handed) + (ahead == 0 ? 0 : sizeof(Ahead));
};

/// One step of all cells; see the head of this file. keep: 1 - omega.
template <typename Lattice, int width, int height, int chunk, int blocks, int ahead,
          typename Exchange, typename Flow, typename Stress, typename Walls, typename Push>
__global__ void __launch_bounds__(
    MomentTile<Lattice, width, height, ahead, Exchange, Flow, Stress>::threads, blocks)
    moment_step(const MomentFields<const Flow, const Stress> from,
                const MomentFields<Flow, Stress> to, const float keep, const std::int64_t n_x,
                const std::int64_t n_y, const std::int64_t n_z, const Walls walls,
                const Push push) {
  using Tile = MomentTile<Lattice, width, height, ahead, Exchange, Flow, Stress>;
  constexpr int row = Tile::row;
  char* const shared = dynamic_shared<char>();
  auto& handed_over = *reinterpret_cast<typename Tile::Handed(*)[2]>(shared);
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
  // In 32 bits: registers decide how many blocks fit.
  const auto first = static_cast<std::int32_t>(blockIdx.z) * chunk;
  const std::int32_t last = first + chunk < n_z ? first + chunk : static_cast<std::int32_t>(n_z);
  const bool own = interior && x < n_x && y < n_y;

  const auto run = [&](const auto& around) {
    constexpr bool walled = std::is_same_v<std::decay_t<decltype(around)>, WallsAround>;
    bool column = thread < Tile::columns;
    bool present = column && x <= n_x && y <= n_y;
    if constexpr (walled) {
      column = column && !around.outside;
      present = present && !around.outside;
    }
    const MomentColumn in(from, x, y);
    // The plane whose moments a plane has: its own or, behind a wall, those of the plane before the
    // wall.
    const auto source = [&](std::int32_t plane) {
      if constexpr (walled) {
        plane = plane < around.lowest    ? around.lowest
                : plane > around.highest ? around.highest
                                         : plane;
      }
      return plane;
    };

    // With copies ahead: the moments of the next planes lie in shared memory, each thread's own.
    // parity: of the number of a plane in the chunk, known when this is compiled.
    [[maybe_unused]] auto& arriving =
        *reinterpret_cast<typename Tile::Ahead*>(shared + sizeof(handed_over));
    const auto ask = [&]<int parity>(std::int32_t plane) {
      if constexpr (ahead > 0) {
        constexpr int stage = parity % ahead;
        if (plane <= last && present) {
          arriving.ask(stage, thread, in.at(from, source(plane)));
        }
        end_of_copies();
      }
    };
    if constexpr (walled) {
      if (around.beside != 0) {
        nothing_came_through<Tile>(handed_over, place, around.beside);
      }
    }
    Moments next;
    if constexpr (ahead == 0) {
      const auto asked = in.at(from, source(first - 1));
      if (present) {
        next = asked.loaded().moments();
      }
    }
    if constexpr (ahead > 0) {
      ask.template operator()<0>(first - 1);
    }
    if constexpr (ahead > 1) {
      ask.template operator()<1>(first);
    }
    Sums rising;        // c_z = +1 of the plane below
    Sums started;       // c_z = +1 and 0 of the cell of the plane below, and its
    float began = 0;    // sums over c_z = +1 alone: of f,
    float began_x = 0;  // c_x f
    float began_y = 0;  // and c_y f
    const auto march = [&]<int parity>(std::int32_t plane) {
      auto& handed = handed_over[parity];
      Moments m = next;
      if constexpr (ahead > 0) {
        wait_for_copies<ahead - 1>();
        m = arriving.arrived(parity % ahead, thread).moments();
      } else {
        const auto asked = in.at(from, source(plane + 1));
        if (plane < last && present) {
          next = asked.loaded().moments();
        }
      }
      const float isotropic = fused(-1.5F, m.xx + m.yy + m.zz, m.rho);
      bool behind = false;
      if constexpr (walled) {
        behind = plane < around.lowest || plane > around.highest;
        if (behind && own) {
          turned_round<Tile>(handed, place, m, isotropic, around);
        }
      }
      if (column && !behind) {
        sideways([&]<int cx, int cy>() {
          handed.template publish<slot(cx, cy)>(place, populations<Lattice, cx, cy>(m, isotropic));
        });
      }
      if constexpr (walled) {
        if (around.beside != 0 && !behind) {
          sent_back<Tile>(handed, handed_over[1 - parity], place, around.beside, rising);
        }
      }
      ask.template operator()<(parity + ahead) % 2>(plane + ahead);
      __syncthreads();
      // Formed by all threads, an address is computed once per warp but for the column's part;
      // where the next plane waits in registers, there is none left to keep it in.
      MomentPlace<Flow, Stress> finished;
      if constexpr (ahead > 0) {
        finished = in.at(to, plane - 1);
      }
      if (own) {
        const Column rest = populations<Lattice, 0, 0>(m, isotropic);
        float up[3][3] = {};
        float flat[3][3] = {};
        float down[3][3] = {};
        up[1][1] = behind ? rest.vertical.y : rest.vertical.x;
        flat[1][1] = rest.level;
        down[1][1] = behind ? rest.vertical.x : rest.vertical.y;
        sideways([&]<int cx, int cy>() {
          const Column f = handed.template taken<slot(cx, cy)>(place - cx - cy * row);
          up[1 + cy][1 + cx] = f.vertical.x;
          flat[1 + cy][1 + cx] = f.level;
          down[1 + cy][1 + cx] = f.vertical.y;
        });
        if (plane > first) {  // the cell of the plane below has all its populations
          const Sums falling = summed<Lattice::corners>(down);
          const Moments sum{.rho = started.one + falling.one,
                            .x = started.x + falling.x,
                            .y = started.y + falling.y,
                            .z = began - falling.one,
                            .xx = started.xx + falling.xx,
                            .yy = started.yy + falling.yy,
                            .zz = began + falling.one,
                            .xy = Lattice::corners ? started.xy + falling.xy : started.xy,
                            .xz = began_x - falling.x,
                            .yz = began_y - falling.y};
          if constexpr (ahead == 0) {
            finished = in.at(to, plane - 1);
          }
          collide<Flow, Stress>(sum, keep, push, finished.flow, finished.stress, finished.shear);
        }
        const Sums here = summed<true>(flat);
        began = rising.one;
        began_x = rising.x;
        began_y = rising.y;
        started = {rising.one + here.one, rising.x + here.x,
                   rising.y + here.y,     rising.xx + here.xx,
                   rising.yy + here.yy,   Lattice::corners ? rising.xy + here.xy : here.xy};
        rising = summed<Lattice::corners>(up);
      }
    };
    for (std::int32_t plane = first - 1; plane <= last; plane += 2) {
      march.template operator()<0>(plane);
      if (plane < last) {
        march.template operator()<1>(plane + 1);
      }
    }
  };

  if constexpr (std::is_same_v<Walls, BoxWalls>) {
    const auto left = static_cast<std::int64_t>(blockIdx.x) * width;
    const auto front = static_cast<std::int64_t>(blockIdx.y) * height;
    const std::uint32_t reached = (left == 0 ? 1U : 0U) | (left + width >= n_x ? 2U : 0U) |
                                  (front == 0 ? 4U : 0U) | (front + height >= n_y ? 8U : 0U) |
                                  (first == 0 ? 16U : 0U) | (last == n_z ? 32U : 0U);
    if ((reached & walls.sides) != 0) {
      run(WallsAround(walls, x, y, n_x, n_y, n_z, own));
      return;
    }
  }
  run(NoWalls{});
}

}  // namespace detail

/// Puts a step over n_x x n_y x n_z cells into `stream`: from one set of fields, whose ghost layer
/// is one cell, to another. Their rows begin at multiples of 16 bytes, and planes have fewer than
/// 2^32 bytes. omega: relaxation rate of the stress. width, height, chunk: cells of a tile along x
/// and y, and planes that a block marches through; blocks: how many shall fit on a multiprocessor.
/// ahead: for how many planes moments are on their way to shared memory, 1 or 2, or 0 for one plane
/// in registers. Exchange: float, or std::uint16_t for populations with c_z = +1 and -1 handed over
/// as two halves a word. walls: NoWalls or BoxWalls; drive: Undriven or Driven. Returns ok,
/// bad_stride where the fields of the two sets do not lie alike, or launch_failed.
template <typename Lattice, int width, int height, int chunk, int blocks, int ahead = 0,
          typename Exchange = float, typename Flow, typename Stress, typename Walls = NoWalls,
          typename Drive = Undriven>
int launch_moment_step(const MomentFields<const Flow, const Stress>& from,
                       const MomentFields<Flow, Stress>& to, float omega, std::int64_t n_x,
                       std::int64_t n_y, std::int64_t n_z, void* stream, Walls walls = {},
                       Drive drive = {}) {
  using Tile = detail::MomentTile<Lattice, width, height, ahead, Exchange, Flow, Stress>;
  const auto tiles = [](std::int64_t cells, int size) {
    return static_cast<unsigned>((cells + size - 1) / size);
  };
  const auto alike = [](const auto& a, const auto& b) {
    const std::int64_t most = (std::int64_t{1} << 32) / static_cast<std::int64_t>(sizeof(*a.data));
    return a.sy == b.sy && a.sz == b.sz && a.sy > 0 && a.sz > 0 && a.sz < most;
  };
  if (!alike(from.flow, to.flow) || !alike(from.stress, to.stress) ||
      !alike(from.shear, to.shear)) {
    return bad_stride;
  }
  if (n_x <= 0 || n_y <= 0 || n_z <= 0) {
    return ok;
  }
  const auto push = detail::push(drive, omega, detail::Stored<Stress>::unit);
  return launch_with_shared(
      detail::moment_step<Lattice, width, height, chunk, blocks, ahead, Exchange, Flow, Stress,
                          Walls, std::decay_t<decltype(push)>>,
      dim3(tiles(n_x, width), tiles(n_y, height), tiles(n_z, chunk)), dim3(Tile::threads),
      Tile::shared_bytes, stream, from, to, 1.0F - omega, n_x, n_y, n_z, walls, push);
}

}  // namespace heddle

#endif
