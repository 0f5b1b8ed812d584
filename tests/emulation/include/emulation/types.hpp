// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_TYPES_HPP
#define HEDDLE_EMULATION_TYPES_HPP

// CUDA's index and vector types, with CUDA's alignments.

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;

  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#define HEDDLE_EMULATION_VECTORS(T, name, bytes)                                                             \
  struct alignas(2 * bytes) name##2 {                                                                        \
    T x, y;                                                                                                  \
  };                                                                                                         \
  struct alignas(4 * bytes > 16 ? 16 : 4 * bytes) name##4 {                                                  \
    T x, y, z, w;                                                                                            \
  };                                                                                                         \
  constexpr name##2 make_##name##2(T x, T y) {                                                               \
    return {x, y};                                                                                           \
  }                                                                                                          \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) {                                                     \
    return {x, y, z, w};                                                                                     \
  }

HEDDLE_EMULATION_VECTORS(int, int, 4)
HEDDLE_EMULATION_VECTORS(unsigned short, ushort, 2)
HEDDLE_EMULATION_VECTORS(unsigned, uint, 4)
HEDDLE_EMULATION_VECTORS(float, float, 4)
HEDDLE_EMULATION_VECTORS(double, double, 8)
#undef HEDDLE_EMULATION_VECTORS

#endif
