// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_FOR_EACH_HPP
#define HEDDLE_CORE_FOR_EACH_HPP

#include <algorithm>
#include <cstdint>

#include "heddle/core/memory.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/core/stream.hpp"
#ifdef __CUDACC__
#include "heddle/core/gpu/check.hpp"
#else
#include "heddle/core/error.hpp"
#endif

namespace heddle {

/// So many consecutive indices belong to one block of CUDA threads.
inline constexpr int loop_tile = 256;

#ifdef __CUDACC__
namespace gpu {

/// limited: there are fewer blocks of threads than indices ask for.
template <bool limited, class Body>
__global__ void __launch_bounds__(loop_tile) loop(__grid_constant__ const Body body, std::int64_t count) {
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * loop_tile + threadIdx.x;
  if constexpr (limited) {
    for (; i < count; i += static_cast<std::int64_t>(gridDim.x) * loop_tile) {
      body(i);
    }
  } else if (i < count) {
    body(i);
  }
}

template <bool limited, class Body>
void launch_loop(std::int64_t count, Stream& stream, const Body& body, std::int64_t blocks) {
  loop<limited><<<static_cast<unsigned>(blocks), loop_tile, 0, static_cast<cudaStream_t>(stream.native())>>>(
      body, count);
  check(cudaGetLastError(), "for_each");
}

} // namespace gpu
#else
namespace gpu {

template <bool limited, class Body> void launch_loop(std::int64_t, Stream&, const Body&, std::int64_t) {
  throw Error("for_each", "this loop was compiled without CUDA", "configure with -DHEDDLE_CUDA=ON");
}

} // namespace gpu
#endif

template <class Body> void for_each_on_host(std::int64_t count, const Body& body) {
  parallel_ranges(count, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      body(i);
  });
}

/// Calls body(i) for each 0 <= i < count, in any order: on the threads of the host, or by what it puts into
/// the stream of a device, a thread each. body: a class with a call operator that is const and
/// HEDDLE_HOST_DEVICE, copied to the device; what it points to lies in `memory`. A file that calls this
/// stands under LOOPS of heddle_add_topic: nvcc compiles it where there is CUDA.
template <class Body> void for_each(std::int64_t count, Memory memory, Stream& stream, const Body& body) {
  if (memory != Memory::device) return for_each_on_host(count, body);
  if (count > 0) gpu::launch_loop<false>(count, stream, body, (count + loop_tile - 1) / loop_tile);
}

/// The same with so many blocks of threads at most, for loops that would keep others from a device.
template <class Body>
void for_each(std::int64_t count, Memory memory, Stream& stream, const Body& body, std::int64_t most_blocks) {
  if (memory != Memory::device) return for_each_on_host(count, body);
  if (count > 0)
    gpu::launch_loop<true>(count, stream, body, std::min((count + loop_tile - 1) / loop_tile, most_blocks));
}

} // namespace heddle

#endif
