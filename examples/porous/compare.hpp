// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_COMPARE_HPP
#define HEDDLE_POROUS_COMPARE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/core/memory.hpp"

namespace porous {

/// What one porosity costs, dense and on a list. Speeds: million updates of pore voxels a second, medians.
struct Costs {
  double porosity;
  double dense_speed;
  double sparse_speed;
  double ratio;       ///< sparse over dense, the median of turns: steadier than the speeds on a busy machine
  double dense_bytes; ///< of memory, a pore voxel
  double sparse_bytes;
};

/// Times both kernels in turns on packings of spheres of `diameter` voxels in a cube of `edge`: `rounds`
/// times two steps, in f32, on random populations.
[[nodiscard]] std::vector<Costs> compare(std::span<const double> porosities, std::int64_t edge,
                                         double diameter, int rounds, heddle::Memory memory);

/// The porosity above which the dense kernel is faster, interpolated between rows; 1 where the list always
/// is, 0 where it never is.
[[nodiscard]] double crossover(std::span<const Costs> rows);

/// The same of memory: above it the dense kernel takes less.
[[nodiscard]] double memory_crossover(std::span<const Costs> rows);

} // namespace porous

#endif
