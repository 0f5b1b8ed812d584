// SPDX-License-Identifier: Apache-2.0
// BiCGStab on a GPU, as the Block-cells study has it, and as one would write it for this mechanism. stream: a
// cudaStream_t. Where an int is returned, it is 0, or an error of CUDA.
#ifndef HEDDLE_BENCH_LINEAR_BICGSTAB_DEVICE_HPP
#define HEDDLE_BENCH_LINEAR_BICGSTAB_DEVICE_HPP

#include <cstdint>
#include <vector>

#include "bicgstab.hpp"

/// Systems in device memory, laid out as LinearSystems.
struct DeviceSystems {
  std::int64_t cells;
  std::int32_t rows;
  std::int32_t entries;
  const std::int32_t* start;
  const std::int32_t* column;
  const std::int32_t* diagonal;
  const double* matrix;
  const double* right_side;
  double* solution;
  double* work;             ///< study_vectors of cells by rows
  double* partial;          ///< of each block of study_block rows, for Multi-cells
  std::int32_t* iterations; ///< of each group
  Ended* ended;             ///< of each group
};

inline constexpr int study_vectors = 10;
inline constexpr int study_block = 1024; ///< threads

/// Block-cells(cells_per_block): a block of threads for a group, a thread per row, vectors in device memory,
/// all iterations in one launch; cells that are left over in a second one. cells_per_block * rows: at most
/// study_block.
int block_cells(const DeviceSystems& systems, int cells_per_block, const StopRule& rule, void* stream);

/// Multi-cells, or One-cell if cells = 1: a launch per operation, blocks of 1024 threads that cut through
/// cells, sums of blocks added up on the host.
GroupResult multi_cells(const DeviceSystems& systems, std::int64_t first, std::int64_t cells,
                        const StopRule& rule, void* stream);

/// What a lane of warp_per_cell does in a product with the matrix. The entries, row by row, are cut into 32
/// equal parts, so that a row is the sum of one or more pieces.
struct Lanes {
  std::vector<std::uint32_t> columns;   ///< 4 per word, 128 more at the end of a piece; words by lanes
  std::vector<std::int32_t> first;      ///< piece of each lane
  std::vector<std::int32_t> row_pieces; ///< first piece of each row, and their number

  explicit Lanes(const SparseRows& pattern);
  /// The entries of cells in the order in which lanes read them: cells by entries of a lane by lanes.
  [[nodiscard]] static std::vector<double> reorder(const LinearSystems& systems);
};

inline constexpr int lane_rows = 66; ///< the kernel is compiled for Carbon Bond 2005
inline constexpr int lane_entries = 652;
inline constexpr int entries_of_lane = (lane_entries + 31) / 32;

struct DeviceLanes {
  const std::uint32_t* columns;
  const std::int32_t* first;
  const std::int32_t* row_pieces;
  const std::int32_t* diagonal; ///< place of (i, i) in the reordered matrix
};

/// Block-cells(1) tuned: a warp per cell, vectors and matrix in registers, no barrier, sums by shuffles. The
/// matrix of `systems` is that of Lanes::reorder.
int warp_per_cell(const DeviceSystems& systems, const DeviceLanes& lanes, const StopRule& rule, void* stream);

#endif
