// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_HOST_PLANES_HPP
#define HEDDLE_SRC_POISSON_FFT_HOST_PLANES_HPP

#include <cstdint>
#include <vector>

#include "heddle/core/parallel.hpp"
#include "heddle/poisson/plane_transform.hpp"

namespace heddle::fft {

/// Transforms planes on the threads of the host, each of which has planes that follow each other: make()
/// makes what a thread works in, work(plane, scratch) transforms one, and `before` and `after` are called
/// around it (see PlaneTransform::forward_of and inverse_for) where they are not empty.
template <class Make, class Work>
void for_planes(std::int64_t planes, const PlaneWork& before, const PlaneWork& after, Make&& make,
                Work&& work) {
  std::vector<char> first_of_thread(static_cast<std::size_t>(planes), 0);
  parallel_ranges(planes, [&](std::int64_t first, std::int64_t last) {
    auto scratch = make();
    for (std::int64_t plane = first; plane < last; ++plane) {
      if (before) before(plane, plane + 1);
      work(plane, scratch);
      // The plane before a thread's first one is another thread's.
      if (plane > 0 && plane == first) {
        first_of_thread[static_cast<std::size_t>(plane)] = 1;
      } else if (after) {
        after(plane, plane + 1);
      }
    }
  });
  for (std::int64_t plane = 0; after && plane < planes; ++plane)
    if (first_of_thread[static_cast<std::size_t>(plane)] != 0) after(plane, plane + 1);
}

} // namespace heddle::fft

#endif
