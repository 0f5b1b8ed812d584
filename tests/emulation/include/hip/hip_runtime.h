// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_HIP_RUNTIME_H
#define HEDDLE_EMULATION_HIP_RUNTIME_H

/// Stands in for HIP's header as ../cuda_runtime.h does for that of CUDA: waves have 64 threads if not told
/// otherwise, and shuffles name no lanes. Which of HIP's names exist is what heddle/device/gpu.hpp uses
/// beside those of CUDA.
#ifndef HEDDLE_EMULATION_WAVE
#define HEDDLE_EMULATION_WAVE 64
#endif
#include "../cuda_runtime.h"

/// The lanes of a segment of `width` have to come, unless they have exited; others of the wave need not.
template <class T>
T __shfl_down(T value, unsigned delta, int width = warpSize,
              heddle::emulation::Place place = heddle::emulation::here()) {
  using namespace heddle::emulation;
  check_width(width, place);
  const unsigned lanes = static_cast<unsigned>(width);
  const Lanes segment = all_lanes >> (wave - lanes) << (lane_number() & ~(lanes - 1u));
  return shuffle_down(segment, value, delta, width, place);
}

/// Whether one of the lanes of the wave that are here has a true predicate.
inline int __any(int predicate, heddle::emulation::Place place = heddle::emulation::here()) {
  using namespace heddle::emulation;
  return static_cast<int>(warp_call(WarpOperation::any, all_lanes, predicate != 0 ? 1u : 0u, 0u, place));
}

#endif
