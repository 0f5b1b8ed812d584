// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_CUDA_COPIES_HPP
#define HEDDLE_SRC_HALO_CUDA_COPIES_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/grid/lane_array.hpp"
#include "heddle/halo/indexed_copy.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"
#include "heddle/halo/interleaved/remote_halo.hpp"

/// Defined in cuda_*.cu with HEDDLE_CUDA, else in no_cuda.cpp, where each throws.
namespace heddle::cuda {

/// heddle::copy_local_halo on the device; only puts work into the stream.
void copy_local_halo(const LaneArray& array, const LocalHaloRows& rows, const void* wire, void* stream);
/// The moves of heddle/halo/interleaved/vector_moves.hpp on the device: to the wire, from it, or to targets.
void copy_remote_halo(const LaneArray& array, const RemoteHaloRows& rows, void* to_wire,
                      const void* from_wire, const MoveTargets& targets, void* stream);
/// heddle::copy_indexed on the device.
void copy_indexed(const void* from_base, void* to_base, std::size_t value_bytes, const IndexedCopy* table,
                  std::int64_t count, void* stream);

} // namespace heddle::cuda

#endif
