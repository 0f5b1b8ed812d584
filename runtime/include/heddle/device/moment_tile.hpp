// SPDX-License-Identifier: MIT-0
// A lattice Boltzmann step on moments: the regularised collision with density, momentum and stress in memory.
//
// Stored are, after the collision, rho - 1, rho u and t_ab with f_q = w_q [1 + rho - 1 + 3 c.(rho u) + 9/2 (c_a c_b -
// delta_ab / 3) t_ab]: the fields of lbm.MomentStorage, each with the components of a cell side by side, so that one
// access moves them: flow (rho - 1, rho u), stress (t_xx, t_yy, t_zz, t_xy), shear (t_xz, t_yz).
//
// A block of threads takes a tile of columns along z and marches through a chunk of planes. In each plane every thread rebuilds the populations of its
// cell and publishes those that leave it sideways in shared memory; extra warps do so for the rim of the tile. Then
// each thread gathers what arrives: populations with c_z = -1 finish the cell below, c_z = 0 go to its own, c_z = +1
// begin the cell above, so that sums in registers are enough. Populations never reach memory.
#ifndef HEDDLE_DEVICE_MOMENT_TILE_HPP
#define HEDDLE_DEVICE_MOMENT_TILE_HPP

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "heddle/device/half.hpp"
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

/// One block of a field of 2 or 4 components, which follow each other in a cell, as cells do in a row: the first interior
/// cell, and element strides.
template <typename T>
struct MomentField {
  T* data;
  std::int64_t sy;
  std::int64_t sz;
};

namespace detail {

/// Values in memory: floats, or halves of 2^14 times the value.
__device__ inline float from_memory(std::uint16_t value) { return half_to_float(value) * 0x1p-14F; }
__device__ inline std::uint16_t to_memory(float value) { return to_half(value * 0x1p14F); }

__device__ inline float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ inline float2 load2(const float* from) { return *reinterpret_cast<const float2*>(from); }
__device__ inline float4 load4(const std::uint16_t* from) {
  const ushort4 value = *reinterpret_cast<const ushort4*>(from);
  return {from_memory(value.x), from_memory(value.y), from_memory(value.z), from_memory(value.w)};
}
__device__ inline float2 load2(const std::uint16_t* from) {
  const ushort2 value = *reinterpret_cast<const ushort2*>(from);
  return {from_memory(value.x), from_memory(value.y)};
}
__device__ inline void store(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }
__device__ inline void store(float* to, float2 value) { *reinterpret_cast<float2*>(to) = value; }
__device__ inline void store(std::uint16_t* to, float4 value) {
  *reinterpret_cast<ushort4*>(to) = {to_memory(value.x), to_memory(value.y), to_memory(value.z), to_memory(value.w)};
}
__device__ inline void store(std::uint16_t* to, float2 value) {
  *reinterpret_cast<ushort2*>(to) = {to_memory(value.x), to_memory(value.y)};
}

struct Moments {
  float rho = 0;  // less 1
  float x = 0, y = 0, z = 0;
  float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

template <typename Flow, typename Stress>
__device__ inline Moments load(const Flow* flow, const Stress* stress, const Stress* shear) {
  const float4 f = load4(flow);
  const float4 t = load4(stress);
  const float2 s = load2(shear);
  return {f.x, f.y, f.z, f.w, t.x, t.y, t.z, t.w, s.x, s.y};
}

/// f* with c_z = 0, and those with c_z = +1 and -1.
struct Column {
  float level;
  float2 vertical;
};

/// The populations of a cell along (cx, cy, any c_z).
template <typename Lattice, int cx, int cy>
__device__ inline Column populations(const Moments& m, float isotropic) {
  constexpr int order = (cx != 0) + (cy != 0);
  float level = isotropic;
  float rising = 3.0F * m.z;
  if constexpr (cx != 0) {
    level += 4.5F * m.xx + static_cast<float>(3 * cx) * m.x;
    rising += static_cast<float>(9 * cx) * m.xz;
  }
  if constexpr (cy != 0) {
    level += 4.5F * m.yy + static_cast<float>(3 * cy) * m.y;
    rising += static_cast<float>(9 * cy) * m.yz;
  }
  if constexpr (cx != 0 && cy != 0) {
    level += static_cast<float>(9 * cx * cy) * m.xy;
  }
  const float both = level + 4.5F * m.zz;
  return {Lattice::weight(order) * level,
          {Lattice::weight(order + 1) * (both + rising), Lattice::weight(order + 1) * (both - rising)}};
}

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

/// Sizes of a launch. width x height cells a tile, `chunk` planes a block.
template <typename Lattice, int width, int height, int chunk>
struct MomentTile {
  static constexpr int columns = (width + 2) * (height + 2);
  static constexpr int threads = (columns + 31) / 32 * 32;
  static constexpr int vertical = Lattice::corners ? 8 : 4;  // sideways directions with c_z = +1 and -1
  static constexpr int level = 8;
  static constexpr std::size_t buffer = static_cast<std::size_t>(columns) * (vertical * sizeof(float2) + level * sizeof(float));
  static constexpr std::size_t shared_bytes = 2 * buffer;
  static constexpr int planes = chunk;

  /// Place of the array of direction (cx, cy): those along one axis first.
  HEDDLE_HOST_DEVICE static constexpr int slot(int cx, int cy) {
    return cy == 0 ? (cx > 0 ? 0 : 1) : cx == 0 ? (cy > 0 ? 2 : 3) : 4 + (cx > 0 ? 0 : 1) + (cy > 0 ? 0 : 2);
  }
};

/// One step of all cells; see the head of this file. keep: 1 - omega.
template <typename Lattice, int width, int height, int chunk, int blocks, typename Flow, typename Stress>
__global__ void __launch_bounds__(MomentTile<Lattice, width, height, chunk>::threads, blocks)
    moment_step(const MomentField<const Flow> flow, const MomentField<const Stress> stress,
                const MomentField<const Stress> shear, const MomentField<Flow> flow_next,
                const MomentField<Stress> stress_next, const MomentField<Stress> shear_next, const float keep,
                const std::int64_t n_x, const std::int64_t n_y, const std::int64_t n_z) {
  using Tile = MomentTile<Lattice, width, height, chunk>;
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
  const bool column = thread < Tile::columns;
  const bool present = column && x <= n_x && y <= n_y;
  const bool own = interior && x < n_x && y < n_y;

  const std::int64_t first = static_cast<std::int64_t>(blockIdx.z) * chunk;
  const std::int64_t last = first + chunk < n_z ? first + chunk : n_z;
  // Where the cell lies in a plane, in 32 bits: registers decide how many blocks fit.
  const auto in_flow = static_cast<std::int32_t>(4 * x + y * flow.sy);
  const auto in_stress = static_cast<std::int32_t>(4 * x + y * stress.sy);
  const auto in_shear = static_cast<std::int32_t>(2 * x + y * shear.sy);
  const auto loaded = [&](std::int64_t plane) {
    return detail::load(flow.data + plane * flow.sz + in_flow, stress.data + plane * stress.sz + in_stress,
                        shear.data + plane * shear.sz + in_shear);
  };

  detail::Moments next;
  if (present) {
    next = loaded(first - 1);
  }
  detail::Sums rising;   // c_z = +1 of the plane below
  detail::Sums started;  // c_z = +1 and 0 of the cell of the plane below, and its
  float began = 0;       // sums over c_z = +1 alone: of f,
  float began_x = 0;     // c_x f
  float began_y = 0;     // and c_y f
  for (std::int64_t plane = first - 1; plane <= last; ++plane) {
    char* const buffer = shared + ((plane - first + 1) % 2) * static_cast<std::int64_t>(Tile::buffer);
    auto* const vertical = reinterpret_cast<float2*>(buffer);
    auto* const level = reinterpret_cast<float*>(buffer + static_cast<std::size_t>(Tile::columns) * Tile::vertical * sizeof(float2));
    const detail::Moments m = next;
    if (plane < last && present) {
      next = loaded(plane + 1);
    }
    const float isotropic = m.rho - 1.5F * (m.xx + m.yy + m.zz);
    if (column) {
      const auto publish = [&]<int cx, int cy>() {
        const detail::Column f = detail::populations<Lattice, cx, cy>(m, isotropic);
        constexpr int slot = Tile::slot(cx, cy);
        level[slot * Tile::columns + place] = f.level;
        if constexpr (slot < Tile::vertical) {
          vertical[slot * Tile::columns + place] = f.vertical;
        }
      };
      publish.template operator()<1, 0>();
      publish.template operator()<-1, 0>();
      publish.template operator()<0, 1>();
      publish.template operator()<0, -1>();
      publish.template operator()<1, 1>();
      publish.template operator()<-1, -1>();
      publish.template operator()<1, -1>();
      publish.template operator()<-1, 1>();
    }
    __syncthreads();
    if (own) {
      const detail::Column rest = detail::populations<Lattice, 0, 0>(m, isotropic);
      float up[3][3] = {};
      float flat[3][3] = {};
      float down[3][3] = {};
      up[1][1] = rest.vertical.x;
      flat[1][1] = rest.level;
      down[1][1] = rest.vertical.y;
      const auto gather = [&]<int cx, int cy>() {
        constexpr int slot = Tile::slot(cx, cy);
        const int source = place - cx - cy * row;
        flat[1 + cy][1 + cx] = level[slot * Tile::columns + source];
        if constexpr (slot < Tile::vertical) {
          const float2 f = vertical[slot * Tile::columns + source];
          up[1 + cy][1 + cx] = f.x;
          down[1 + cy][1 + cx] = f.y;
        }
      };
      gather.template operator()<1, 0>();
      gather.template operator()<-1, 0>();
      gather.template operator()<0, 1>();
      gather.template operator()<0, -1>();
      gather.template operator()<1, 1>();
      gather.template operator()<-1, -1>();
      gather.template operator()<1, -1>();
      gather.template operator()<-1, 1>();

      if (plane > first) {  // the cell of the plane below has all its populations
        const detail::Sums falling = detail::summed<Lattice::corners>(down);
        const float rho = started.one + falling.one;
        const float j_x = started.x + falling.x;
        const float j_y = started.y + falling.y;
        const float j_z = began - falling.one;
        const float third = rho * (1.0F / 3.0F);
        const float inv_rho = 1.0F / (1.0F + rho);
        const float omega = 1.0F - keep;
        const float u_x = omega * inv_rho * j_x;
        const float u_y = omega * inv_rho * j_y;
        const float u_z = omega * inv_rho * j_z;
        const std::int64_t below = plane - 1;
        detail::store(flow_next.data + below * flow.sz + in_flow, float4{rho, j_x, j_y, j_z});
        detail::store(stress_next.data + below * stress.sz + in_stress,
                      float4{keep * (started.xx + falling.xx - third) + u_x * j_x,
                                        keep * (started.yy + falling.yy - third) + u_y * j_y,
                                        keep * (began + falling.one - third) + u_z * j_z,
                                        keep * (started.xy + falling.xy) + u_x * j_y});
        detail::store(shear_next.data + below * shear.sz + in_shear,
                      float2{keep * (began_x - falling.x) + u_x * j_z, keep * (began_y - falling.y) + u_y * j_z});
      }
      const detail::Sums here = detail::summed<true>(flat);
      began = rising.one;
      began_x = rising.x;
      began_y = rising.y;
      started = {rising.one + here.one, rising.x + here.x,   rising.y + here.y,
                 rising.xx + here.xx,   rising.yy + here.yy, rising.xy + here.xy};
      rising = detail::summed<Lattice::corners>(up);
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

/// Puts a step over n_x x n_y x n_z cells into `stream`: from one set of fields, whose ghost layer is one cell, to another.
/// Their rows begin at multiples of 16 bytes, and planes have fewer than 2^31 elements. omega: relaxation rate of the
/// stress. Returns ok, bad_stride where the fields of the two sets do not lie alike, or launch_failed.
template <typename Lattice, int width, int height, int chunk, int blocks, typename Flow, typename Stress>
int launch_moment_step(const MomentFields<const Flow, const Stress>& from, const MomentFields<Flow, Stress>& to, float omega,
                       std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, void* stream) {
  using Tile = MomentTile<Lattice, width, height, chunk>;
  const auto tiles = [](std::int64_t cells, int size) { return static_cast<unsigned>((cells + size - 1) / size); };
  const auto alike = [](const auto& a, const auto& b) {
    return a.sy == b.sy && a.sz == b.sz && a.sz < (std::int64_t{1} << 31) && a.sz > -(std::int64_t{1} << 31);
  };
  if (!alike(from.flow, to.flow) || !alike(from.stress, to.stress) || !alike(from.shear, to.shear)) {
    return bad_stride;
  }
  if (n_x <= 0 || n_y <= 0 || n_z <= 0) {
    return ok;
  }
  return launch_with_shared(moment_step<Lattice, width, height, chunk, blocks, Flow, Stress>,
                       dim3(tiles(n_x, width), tiles(n_y, height), tiles(n_z, chunk)), dim3(Tile::threads),
                       Tile::shared_bytes, stream, from.flow, from.stress, from.shear, to.flow, to.stress, to.shear,
                       1.0F - omega, n_x, n_y, n_z);
}

}  // namespace heddle

#endif
