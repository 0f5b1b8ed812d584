// SPDX-License-Identifier: MIT-0
// Populations that the threads of a block exchange in shared memory: one buffer per plane.
#ifndef HEDDLE_DEVICE_MOMENT_EXCHANGE_HPP
#define HEDDLE_DEVICE_MOMENT_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/moment_populations.hpp"
#include "heddle/device/moment_words.hpp"

namespace heddle::detail {

/// By the slot of a direction (cx, cy) and the place of the cell that sends it; the first
/// `vertical` slots have populations with c_z = +1 and -1 beside that with c_z = 0. Exchange:
/// float.
template <typename Lattice, typename Exchange, int columns>
struct alignas(16) HandedOver {
  static constexpr int vertical = vertical_slots<Lattice>;
  float2 up_down[std::size_t{vertical} * std::size_t{columns}];
  float level[std::size_t{level_slots} * std::size_t{columns}];

  template <int slot>
  __device__ void publish(int place, const Column& f) {
    put_level<slot>(place, f.level);
    if constexpr (slot < vertical) {
      put_vertical<slot>(place, f.vertical);
    }
  }
  template <int slot>
  __device__ Column taken(int place) const {
    Column f{level[slot * columns + place], {0.0F, 0.0F}};
    if constexpr (slot < vertical) {
      f.vertical = up_down[slot * columns + place];
    }
    return f;
  }
  template <int slot>
  __device__ void put_level(int place, float f) {
    level[slot * columns + place] = f;
  }
  template <int slot>
  __device__ void put_vertical(int place, float2 f) {
    up_down[slot * columns + place] = f;
  }
};

/// The same with c_z = +1 and -1 as two halves, in one word of 8 bytes with c_z = 0, so that one
/// access moves all three.
template <typename Lattice, int columns>
struct alignas(16) HandedOver<Lattice, std::uint16_t, columns> {
  static constexpr int vertical = vertical_slots<Lattice>;
  uint2 together[std::size_t{vertical} * std::size_t{columns}];
  static constexpr int alone = (level_slots - vertical) * columns;
  float level[std::size_t{alone > 0 ? alone : 1}];

  template <int slot>
  __device__ void publish(int place, const Column& f) {
    if constexpr (slot < vertical) {
      together[slot * columns + place] = {__float_as_uint(f.level),
                                          to_halves(f.vertical.x, f.vertical.y)};
    } else {
      put_level<slot>(place, f.level);
    }
  }
  template <int slot>
  __device__ Column taken(int place) const {
    if constexpr (slot < vertical) {
      const uint2 word = together[slot * columns + place];
      return {__uint_as_float(word.x), from_halves(word.y)};
    } else {
      return {level[(slot - vertical) * columns + place], {0.0F, 0.0F}};
    }
  }
  template <int slot>
  __device__ void put_level(int place, float f) {
    if constexpr (slot < vertical) {
      together[slot * columns + place].x = __float_as_uint(f);
    } else {
      level[(slot - vertical) * columns + place] = f;
    }
  }
  template <int slot>
  __device__ void put_vertical(int place, float2 f) {
    together[slot * columns + place].y = to_halves(f.x, f.y);
  }
};

}  // namespace heddle::detail

#endif
