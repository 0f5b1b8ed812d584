// SPDX-License-Identifier: Apache-2.0
// The sparse factorisation on a GPU, with all numbers of 32 cells in shared memory.
#ifndef HEDDLE_BENCH_LINEAR_ELIMINATION_HPP
#define HEDDLE_BENCH_LINEAR_ELIMINATION_HPP

#include <cstdint>

/// A table of elimination_tables.py in device memory: words of the tasks of each level and warp, and where
/// these begin.
struct TaskTable {
  const std::uint32_t* words;
  std::int32_t words_count;
  const std::int32_t* starts;
  std::int32_t starts_count;
};

/// x of A x = b for Carbon Bond 2005. matrix: entries by cells; right_side and solution: rows by cells;
/// factor: null, or what gets L, U and 1/u_ii, places by cells, in the order of SparseLU; all with cells
/// fastest. tasks: the table elimination_...; entries: elimination_entries. A block has 32 cells, one per
/// lane, and 16 warps, which share the tasks of a level: lanes of a warp read one word of a table, and
/// neighbouring places of shared memory. Returns what launches of heddle/device do.
int eliminate(const double* matrix, const double* right_side, double* factor, double* solution,
              std::int64_t cells, const TaskTable& tasks, const std::int32_t* entries, void* stream);

/// x of L U x = b. factor: as `eliminate` and the emitted kernel leave it. tasks: the table substitution_...
int substitute(const double* factor, const double* right_side, double* solution, std::int64_t cells,
               const TaskTable& tasks, void* stream);

#endif
