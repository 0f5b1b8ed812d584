// SPDX-License-Identifier: MIT-0
// Walls next to the cells of a tile of moments: they reflect the populations that the current cell
// has sent.
//
// Sideways, the cell writes that to the place in shared memory from which it will gather it: nobody
// else does, since the column there lies behind the wall. Below and above, the plane behind the
// wall has the moments of the plane before it, and its populations are published the other way
// round.
#ifndef HEDDLE_DEVICE_MOMENT_WALLS_HPP
#define HEDDLE_DEVICE_MOMENT_WALLS_HPP

#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/moment_box.hpp"
#include "heddle/device/moment_exchange.hpp"
#include "heddle/device/moment_populations.hpp"

namespace heddle::detail {

/// The walls as the thread of a column sees them.
struct WallsAround {
  /// own: whether the thread finishes the cells of the column.
  __device__ WallsAround(const BoxWalls& walls, std::int64_t x, std::int64_t y, std::int64_t n_x,
                         std::int64_t n_y, std::int64_t n_z, bool own)
      : lid_x(walls.lid_x), lid_y(walls.lid_y) {
    const bool west = (walls.sides & 1U) != 0;
    const bool east = (walls.sides & 2U) != 0;
    const bool south = (walls.sides & 4U) != 0;
    const bool north = (walls.sides & 8U) != 0;
    outside = (west && x < 0) || (east && x >= n_x) || (south && y < 0) || (north && y >= n_y);
    if (own) {
      beside = (west && x == 0 ? 1U : 0U) | (east && x == n_x - 1 ? 2U : 0U) |
               (south && y == 0 ? 4U : 0U) | (north && y == n_y - 1 ? 8U : 0U);
    }
    lowest = (walls.sides & 16U) != 0 ? 0 : -1;
    highest = static_cast<std::int32_t>((walls.sides & 32U) != 0 ? n_z - 1 : n_z);
  }

  bool outside;              // the column lies behind a wall
  std::uint32_t beside = 0;  // the walls at sides that its cells lie at, as BoxWalls counts them
  std::int32_t lowest,
      highest;  // the planes that are read: those beyond lie behind the bottom and the top
  float lid_x, lid_y;
};

/// The sides of the box, as BoxWalls counts them, that a direction may cross.
template <int cx, int cy>
inline constexpr std::uint32_t crossed = (cx < 0   ? 1U
                                          : cx > 0 ? 2U
                                                   : 0U) |
                                         (cy < 0   ? 4U
                                          : cy > 0 ? 8U
                                                   : 0U);

/// Where the column lies from which a cell gathers what comes back when it has sent something along
/// (cx, cy), in slot(-cx, -cy).
template <typename Tile, int cx, int cy>
__device__ inline int beyond(int place) {
  return place + cx + cy * Tile::row;
}

/// Before the first plane: nothing has come through a wall yet.
template <typename Tile>
__device__ inline void nothing_came_through(typename Tile::Handed (&handed)[2], int place,
                                            std::uint32_t beside) {
  sideways([&]<int cx, int cy>() {
    if constexpr (slot(cx, cy) < Tile::Handed::vertical) {
      if ((beside & crossed<cx, cy>) != 0) {
        const int to = beyond<Tile, cx, cy>(place);
        handed[0].template put_vertical<slot(-cx, -cy)>(to, {0.0F, 0.0F});
        handed[1].template put_vertical<slot(-cx, -cy)>(to, {0.0F, 0.0F});
      }
    }
  });
}

/// A plane behind the bottom or the top, whose moments are those before it.
template <typename Tile>
__device__ inline void turned_round(typename Tile::Handed& handed, int place, const Moments& m,
                                    float isotropic, const WallsAround& around) {
  using Links = typename Tile::Lattice;
  sideways([&]<int cx, int cy>() {
    if constexpr (slot(cx, cy) < Tile::Handed::vertical) {
      if ((around.beside & crossed<cx, cy>) == 0) {  // else it comes from the wall at the side
        constexpr float pushed = -6.0F * Tile::unit * Links::weight(1 + (cx != 0) + (cy != 0));
        const float2 f = populations<Links, cx, cy>(m, isotropic).vertical;
        const float lid =
            static_cast<float>(cx) * around.lid_x + static_cast<float>(cy) * around.lid_y;
        handed.template put_vertical<slot(-cx, -cy)>(beyond<Tile, cx, cy>(place),
                                                     {f.y, fused(pushed, lid, f.x)});
      }
    }
  });
}

/// Walls at sides, when the cell has published: what comes back in this plane, in the next
/// (`later`), and what has come from the plane below already.
template <typename Tile>
__device__ inline void sent_back(typename Tile::Handed& handed, typename Tile::Handed& later,
                                 int place, std::uint32_t beside, Sums& rising) {
  sideways([&]<int cx, int cy>() {
    if ((beside & crossed<cx, cy>) != 0) {
      const Column sent = handed.template taken<slot(cx, cy)>(place);
      const int to = beyond<Tile, cx, cy>(place);
      handed.template put_level<slot(-cx, -cy)>(to, sent.level);
      if constexpr (slot(cx, cy) < Tile::Handed::vertical) {
        const float2 f = sent.vertical;
        later.template put_vertical<slot(-cx, -cy)>(to,
                                                    {0.0F, f.x});  // comes down with the next plane
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

}  // namespace heddle::detail

#endif
