// SPDX-License-Identifier: Apache-2.0
// Coordinates and the short vectors float1 ... ulonglong4.
#ifndef HEDDLE_SHIM_VECTORS_HPP
#define HEDDLE_SHIM_VECTORS_HPP
#pragma GCC system_header

#define HEDDLE_SHIM_VECTOR(T, name)                                                                          \
  struct name##1 {                                                                                           \
    T x;                                                                                                     \
  };                                                                                                         \
  struct name##2 {                                                                                           \
    T x, y;                                                                                                  \
  };                                                                                                         \
  struct name##3 {                                                                                           \
    T x, y, z;                                                                                               \
  };                                                                                                         \
  struct name##4 {                                                                                           \
    T x, y, z, w;                                                                                            \
  };                                                                                                         \
  __host__ __device__ name##1 make_##name##1(T x);                                                           \
  __host__ __device__ name##2 make_##name##2(T x, T y);                                                      \
  __host__ __device__ name##3 make_##name##3(T x, T y, T z);                                                 \
  __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w);
HEDDLE_SHIM_VECTOR(signed char, char)
HEDDLE_SHIM_VECTOR(unsigned char, uchar)
HEDDLE_SHIM_VECTOR(short, short)
HEDDLE_SHIM_VECTOR(unsigned short, ushort)
HEDDLE_SHIM_VECTOR(int, int)
HEDDLE_SHIM_VECTOR(unsigned int, uint)
HEDDLE_SHIM_VECTOR(long, long)
HEDDLE_SHIM_VECTOR(unsigned long, ulong)
HEDDLE_SHIM_VECTOR(long long, longlong)
HEDDLE_SHIM_VECTOR(unsigned long long, ulonglong)
HEDDLE_SHIM_VECTOR(float, float)
HEDDLE_SHIM_VECTOR(double, double)
#undef HEDDLE_SHIM_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

#endif
