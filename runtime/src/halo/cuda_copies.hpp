// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_CUDA_COPIES_HPP
#define HEDDLE_SRC_HALO_CUDA_COPIES_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/grid/lane_array.hpp"
#include "heddle/halo/element_copy.hpp"
#include "heddle/halo/interleaved/lane_shift.hpp"
#include "heddle/halo/interleaved/vector_moves.hpp"

/// Defined in cuda_*.cu with HEDDLE_CUDA, else in no_cuda.cpp, where each throws.
namespace heddle::cuda {

/// heddle::shift_lanes on the device; only puts work into the stream.
void shift_lanes(const LaneArray& array, const LaneShiftRows& rows, const void* wire, void* stream);
/// The moves of heddle/halo/interleaved/vector_moves.hpp on the device: to the wire, from it, or to targets.
void move_vectors(const LaneArray& array, const VectorMoveRows& rows, void* to_wire, const void* from_wire,
                  const MoveTargets& targets, void* stream);
/// heddle::copy_elements on the device.
void copy_elements(const void* from_base, void* to_base, std::size_t value_bytes, const ElementCopy* table,
                   std::int64_t count, void* stream);

} // namespace heddle::cuda

#endif
