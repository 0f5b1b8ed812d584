// SPDX-License-Identifier: Apache-2.0
#include "cuda_copies.hpp"

#include "heddle/core/gpu/cuda.hpp"

namespace heddle::cuda {

void copy_local_halo(const LaneArray&, const LocalHaloRows&, const void*, void*) {
  refuse("HaloExchange");
}
void copy_remote_halo(const LaneArray&, const RemoteHaloRows&, void*, const void*, const MoveTargets&,
                      void*) {
  refuse("HaloExchange");
}
void copy_indexed(const void*, void*, std::size_t, const IndexedCopy*, std::int64_t, void*) {
  refuse("copy_indexed");
}

} // namespace heddle::cuda
