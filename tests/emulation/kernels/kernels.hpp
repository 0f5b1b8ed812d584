// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_KERNELS_HPP
#define HEDDLE_EMULATION_KERNELS_HPP

#include <cuda_runtime.h>

#include <cstdint>

// The launchers of the test kernels. All pointers are device pointers.

/// f = centre * g + side * (the six neighbours of g), over nx * ny * nz cells. Both fields have one ghost
/// layer: the strides are 1, nx + 2 and (nx + 2) * (ny + 2), and the pointers are to the first interior cell.
inline constexpr dim3 jacobi_block{8, 4, 2};
cudaError_t jacobi(float* f, const float* g, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                   cudaStream_t stream);
cudaError_t jacobi(double* f, const double* g, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                   cudaStream_t stream);

/// The same in two dimensions (four neighbours), through a tile in static shared memory.
inline constexpr int tile_x = 16;
inline constexpr int tile_y = 8;
cudaError_t tiled(double* f, const double* g, std::int64_t nx, std::int64_t ny, cudaStream_t stream);

/// *result = max(*result, |g[0]|, …, |g[count - 1]|).
inline constexpr unsigned maximum_block = 128;
cudaError_t maximum(double* result, const double* g, std::int64_t count, cudaStream_t stream);

/// partial[b] = the sum of block b's part of g, by a tree of shuffles, then one of warps. One block is
/// sum_block cells.
inline constexpr unsigned sum_block = 96;
cudaError_t warp_sum(double* partial, const double* g, std::int64_t count, cudaStream_t stream);

/// Thread t of one block of `threads` writes what each collective gave it to out[t * collective_results + …].
inline constexpr int collective_results = 15;
cudaError_t collectives(std::int64_t* out, unsigned threads, cudaStream_t stream);

/// *out = 1, by one thread for each cell, in blocks of 1 x 16 x 4; what heddle::launch returns.
int mark(int* out, std::int64_t x, std::int64_t y, std::int64_t z);
/// The same with two warps for 8 cells along x; what heddle::launch_warps returns.
int mark_by_warps(int* out, std::int64_t x, std::int64_t y, std::int64_t z);

/// out[t] = how many of `threads` numbers are odd, whether all are, whether any is: three per thread.
cudaError_t block_votes(int* out, const int* in, unsigned threads, cudaStream_t stream);

/// Adds 1 to blocks * 64 to each sum by atomics, and leaves the largest and the smallest of 1 to blocks * 64
/// and of their negatives.
struct AtomicTargets {
  int* i;
  unsigned* u;
  unsigned long long* ull;
  float* f;
  double* d;
  int* largest;
  int* smallest;
};
cudaError_t atomics(AtomicTargets targets, unsigned blocks, cudaStream_t stream);

/// Thread i of all adds 1 to count[i].
cudaError_t coordinates(int* count, dim3 grid, dim3 block, cudaStream_t stream);

// Kernels that are wrong on purpose.
cudaError_t exits_before_barrier(double* data, unsigned threads, cudaStream_t stream);
cudaError_t barriers_at_two_lines(double* data, unsigned threads, cudaStream_t stream);
cudaError_t lacks_barrier(double* out, const double* in, unsigned threads, cudaStream_t stream);
cudaError_t waits_for_other_lanes(int* out, unsigned threads, cudaStream_t stream);
cudaError_t mask_without_caller(int* out, unsigned threads, cudaStream_t stream);
cudaError_t bad_shuffle_width(int* out, unsigned threads, cudaStream_t stream);
cudaError_t reads_unset_shared(double* out, unsigned blocks, unsigned threads, cudaStream_t stream);
cudaError_t overruns_shared(double* out, int index, unsigned threads, cudaStream_t stream);
cudaError_t updates_in_place(double* data, unsigned blocks, unsigned threads, cudaStream_t stream);
cudaError_t writes_its_turn(int* turns, int* next, unsigned blocks, unsigned threads, cudaStream_t stream);
cudaError_t traps(int* out, unsigned threads, cudaStream_t stream);
cudaError_t launches_with(int* out, const cudaLaunchConfig_t& config);

#endif
