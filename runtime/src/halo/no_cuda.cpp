// SPDX-License-Identifier: Apache-2.0
#include "cuda_copies.hpp"

#include "heddle/core/gpu/cuda.hpp"

namespace heddle::cuda {

void shift_lanes(const LaneArray&, const LaneShiftRows&, const void*, void*) {
  refuse("HaloExchange");
}
void move_vectors(const LaneArray&, const VectorMoveRows&, void*, const void*, const MoveTargets&, void*) {
  refuse("HaloExchange");
}
void copy_elements(const void*, void*, std::size_t, const ElementCopy*, std::int64_t, void*) {
  refuse("copy_elements");
}

} // namespace heddle::cuda
