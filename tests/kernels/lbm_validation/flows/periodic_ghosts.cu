// SPDX-License-Identifier: Apache-2.0
#include "periodic_ghosts.hpp"

namespace {

struct Box {
  std::int64_t nx, ny, nz, sx, sy, sz, sc;

  /// Ghost cells: two planes across z with their rims, two across y, two across x.
  __host__ __device__ std::int64_t across_z() const { return 2 * (nx + 2) * (ny + 2); }
  __host__ __device__ std::int64_t across_y() const { return 2 * (nx + 2) * nz; }
  __host__ __device__ std::int64_t ghosts() const { return across_z() + across_y() + 2 * ny * nz; }
};

template <class T> __global__ void fill(T* first, Box box) {
  std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i >= box.ghosts()) return;
  std::int64_t x, y, z;
  if (i < box.across_z()) {
    x = i % (box.nx + 2) - 1, i /= box.nx + 2;
    y = i % (box.ny + 2) - 1;
    z = i / (box.ny + 2) == 0 ? -1 : box.nz;
  } else if ((i -= box.across_z()) < box.across_y()) {
    x = i % (box.nx + 2) - 1, i /= box.nx + 2;
    z = i % box.nz;
    y = i / box.nz == 0 ? -1 : box.ny;
  } else {
    i -= box.across_y();
    y = i % box.ny, i /= box.ny;
    z = i % box.nz;
    x = i / box.nz == 0 ? -1 : box.nx;
  }
  T* const component = first + blockIdx.y * box.sc;
  const std::int64_t from_x = (x + box.nx) % box.nx, from_y = (y + box.ny) % box.ny,
                     from_z = (z + box.nz) % box.nz;
  component[x * box.sx + y * box.sy + z * box.sz] =
      component[from_x * box.sx + from_y * box.sy + from_z * box.sz];
}

} // namespace

template <class T>
int validation::fill_ghosts_on_device(T* first, const std::array<std::int64_t, 4>& extents,
                                      const std::array<std::int64_t, 4>& strides, void* stream) {
  const Box box{extents[0], extents[1], extents[2], strides[0], strides[1], strides[2], strides[3]};
  const dim3 blocks(static_cast<unsigned>((box.ghosts() + 255) / 256), static_cast<unsigned>(extents[3]));
  fill<<<blocks, 256, 0, static_cast<cudaStream_t>(stream)>>>(first, box);
  return cudaGetLastError();
}

template int validation::fill_ghosts_on_device(double*, const std::array<std::int64_t, 4>&,
                                               const std::array<std::int64_t, 4>&, void*);
template int validation::fill_ghosts_on_device(float*, const std::array<std::int64_t, 4>&,
                                               const std::array<std::int64_t, 4>&, void*);
template int validation::fill_ghosts_on_device(std::uint16_t*, const std::array<std::int64_t, 4>&,
                                               const std::array<std::int64_t, 4>&, void*);
