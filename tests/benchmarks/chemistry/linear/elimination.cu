// SPDX-License-Identifier: Apache-2.0
#include "elimination.hpp"

#include <cstddef>

#include "cb05_elimination.hpp"
#include "heddle/device/shared.hpp"

namespace {

constexpr int numbers = elimination_places + elimination_rows; // of a cell: L and U, and b, z, x
constexpr int block_size = elimination_warps * 32;
constexpr int places_of_warp = (elimination_places + elimination_warps - 1) / elimination_warps;

/// Begins to copy the tasks into shared memory: from further away each word would be waited for.
__device__ inline void copy_table(std::uint32_t* words, std::int32_t* starts, const TaskTable& tasks) {
  for (int n = static_cast<int>(threadIdx.x); n < tasks.words_count; n += block_size)
    heddle::copy_ahead(words + n, tasks.words + n);
  for (int n = static_cast<int>(threadIdx.x); n < tasks.starts_count; n += block_size)
    heddle::copy_ahead(starts + n, tasks.starts + n);
}

/// given: the matrix. entries: of each place of L and U, that of the matrix that it begins as, or -1. kept:
/// null, or what gets L and U.
__global__ void __launch_bounds__(block_size)
    tasks_kernel(const double* __restrict__ given, const std::int32_t* __restrict__ entries,
                 const double* __restrict__ right_side, double* __restrict__ kept,
                 double* __restrict__ solution, std::int64_t cells, TaskTable tasks) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  double* const shared = heddle::dynamic_shared<double>();
  double* const mine = shared + lane; // of the cell: 32 numbers apart
  auto* const words = reinterpret_cast<std::uint32_t*>(shared + numbers * elimination_cells);
  auto* const starts = reinterpret_cast<std::int32_t*>(words + tasks.words_count);
  copy_table(words, starts, tasks);
  const std::int64_t wanted = std::int64_t{blockIdx.x} * elimination_cells + lane;
  const std::int64_t cell = wanted < cells ? wanted : cells - 1; // the last one again
  int entry[places_of_warp];                                     // all are under way before one is needed
  HEDDLE_UNROLL
  for (int n = 0; n < places_of_warp; ++n) {
    const int place = warp + n * elimination_warps;
    entry[n] = place >= elimination_places ? -1 : entries[place];
  }
  HEDDLE_UNROLL
  for (int n = 0; n < places_of_warp; ++n) {
    const int place = warp + n * elimination_warps;
    if (entry[n] >= 0)
      heddle::copy_ahead(mine + place * elimination_cells, given + entry[n] * cells + cell);
    else if (place < elimination_places)
      mine[place * elimination_cells] = 0.0;
  }
  for (int row = warp; row < elimination_rows; row += elimination_warps)
    heddle::copy_ahead(mine + (elimination_places + row) * elimination_cells,
                       right_side + row * cells + cell);
  heddle::end_of_copies();
  heddle::wait_for_copies<0>();
  __syncthreads();
  for (int share = warp; share + 1 < tasks.starts_count; share += elimination_warps) { // level by level
    const int end = starts[share + 1];
    int at = starts[share];
    std::uint32_t head = words[at]; // of the next task, read while this one is under way
    while (at < end) {
      const std::uint32_t place = head & 0xffffu;
      const std::uint32_t how = head >> 24;
      const int last = at + 1 + static_cast<int>(head >> 16 & 255u);
      head = words[last + static_cast<int>(how >> 1 & 1u)];
      double sum = mine[place];
      HEDDLE_UNROLL
      for (++at; at < last; ++at) {
        const std::uint32_t pair = words[at];
        sum -= mine[pair & 0xffffu] * mine[pair >> 16];
      }
      if ((how & 1u) != 0u) sum = 1.0 / sum;
      if ((how & 2u) != 0u) sum *= mine[words[at++]];
      mine[place] = sum;
      if ((how & 4u) != 0u && kept != nullptr) kept[place / elimination_cells * cells + cell] = sum;
    }
    __syncthreads();
  }
  if (wanted < cells)
    for (int row = warp; row < elimination_rows; row += elimination_warps)
      solution[row * cells + cell] = mine[(elimination_places + row) * elimination_cells];
}

/// x from L, U and b, as tasks_kernel has it. Each entry of L and U is needed once, so it comes from `factor`
/// when it is: only b, z and x are in shared memory, and several blocks are under way per multiprocessor.
__global__ void __launch_bounds__(block_size)
    substitute_kernel(const double* __restrict__ factor, const double* __restrict__ right_side,
                      double* __restrict__ solution, std::int64_t cells, TaskTable tasks) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  double* const shared = heddle::dynamic_shared<double>();
  double* const mine = shared + lane;
  auto* const words = reinterpret_cast<std::uint32_t*>(shared + elimination_rows * elimination_cells);
  auto* const starts = reinterpret_cast<std::int32_t*>(words + tasks.words_count);
  copy_table(words, starts, tasks);
  const std::int64_t wanted = std::int64_t{blockIdx.x} * elimination_cells + lane;
  const std::int64_t cell = wanted < cells ? wanted : cells - 1; // the last one again
  for (int row = warp; row < elimination_rows; row += elimination_warps)
    heddle::copy_ahead(mine + row * elimination_cells, right_side + row * cells + cell);
  heddle::end_of_copies();
  heddle::wait_for_copies<0>();
  __syncthreads();
  // Places count 32 apart: those of L and U first, then b, z and x.
  const auto entry = [&](std::uint32_t place) {
    return factor[static_cast<std::int64_t>(place / elimination_cells) * cells + cell];
  };
  constexpr std::uint32_t first_row = elimination_places * elimination_cells;
  for (int share = warp; share + 1 < tasks.starts_count; share += elimination_warps) { // level by level
    const int end = starts[share + 1];
    for (int at = starts[share]; at < end;) {
      const std::uint32_t head = words[at];
      const int last = at + 1 + static_cast<int>(head >> 16 & 255u);
      const bool scaled = (head >> 25 & 1u) != 0u;
      const double scale = scaled ? entry(words[last]) : 1.0; // on its way with the products
      double& value = mine[(head & 0xffffu) - first_row];
      double sum = value;
      HEDDLE_UNROLL
      for (++at; at < last; ++at) {
        const std::uint32_t pair = words[at];
        sum -= entry(pair & 0xffffu) * mine[(pair >> 16) - first_row];
      }
      if (scaled) {
        sum *= scale;
        ++at;
      }
      value = sum;
    }
    __syncthreads();
  }
  if (wanted < cells)
    for (int row = warp; row < elimination_rows; row += elimination_warps)
      solution[row * cells + cell] = mine[row * elimination_cells];
}

std::size_t shared_bytes(int of_cell, const TaskTable& tasks) {
  return sizeof(double) * static_cast<std::size_t>(of_cell * elimination_cells) +
         sizeof(std::uint32_t) * static_cast<std::size_t>(tasks.words_count) +
         sizeof(std::int32_t) * static_cast<std::size_t>(tasks.starts_count);
}

unsigned blocks_of(std::int64_t cells) {
  return static_cast<unsigned>((cells + elimination_cells - 1) / elimination_cells);
}

} // namespace

int eliminate(const double* matrix, const double* right_side, double* factor, double* solution,
              std::int64_t cells, const TaskTable& tasks, const std::int32_t* entries, void* stream) {
  return heddle::launch_with_shared(tasks_kernel, dim3(blocks_of(cells)), dim3(block_size),
                                    shared_bytes(numbers, tasks), stream, matrix, entries, right_side, factor,
                                    solution, cells, tasks);
}

int substitute(const double* factor, const double* right_side, double* solution, std::int64_t cells,
               const TaskTable& tasks, void* stream) {
  return heddle::launch_with_shared(substitute_kernel, dim3(blocks_of(cells)), dim3(block_size),
                                    shared_bytes(elimination_rows, tasks), stream, factor, right_side,
                                    solution, cells, tasks);
}
