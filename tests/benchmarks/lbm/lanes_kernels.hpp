// SPDX-License-Identifier: Apache-2.0
// D3Q19 BGK in place with several cells a CUDA thread, in each precision, and the walls of a box with a
// moving lid. The walls are within the steps and what crosses between the lanes.
#ifndef HEDDLE_BENCHMARKS_LANES_KERNELS_HPP
#define HEDDLE_BENCHMARKS_LANES_KERNELS_HPP

#include <array>
#include <cstdint>

#include "d3q19_f16_sweeps.hpp"
#include "d3q19_f32_sweeps.hpp"
#include "d3q19_f64_sweeps.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/block_walls.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/region_sweep.hpp"

namespace lanes {

inline constexpr double u_lid = 0.01;

/// A domain cut along y into the blocks of a vector, and along z into ranks: these send each other whole
/// vectors.
inline heddle::BlockGrid grid(const std::array<std::int64_t, 3>& cells, int lanes, int ranks = 1) {
  return heddle::BlockGrid({{0, 0, 0}, cells}, {1, lanes, ranks}, {false, false, false}, ranks);
}

/// The lid as a task: a kernel of it on the layer of cells beside the last side along y. It adds its momentum
/// to what the wall has sent back into these cells, and touches no others; before neighbours, and the ghost
/// cells behind it, get that.
template <typename T, typename Call> heddle::RegionSweep lid(heddle::Field<T>& f, Call call) {
  return {"lid", f, f.grid().domain().layer(1, true), 0,
          [&f, call](int block, const heddle::Box& cells, heddle::Stream& stream) {
            call(heddle::part(f.view(block), cells), heddle::walls_of(f, block, cells), u_lid,
                 stream.native());
          }};
}

// The kernels of one precision: each module is a namespace of its own.
#define HEDDLE_LANES(name, module, T, width)                                                                 \
  struct name {                                                                                              \
    using Value = T;                                                                                         \
    static constexpr int populations = 19;                                                                   \
    static constexpr int lanes = width;                                                                      \
    using Even = module::AaEven<T>;                                                                          \
    using Odd = module::AaOdd<T>;                                                                            \
    static heddle::RegionSweep lid_after_even(heddle::Field<T>& f) {                                         \
      return lid(f, [](const auto&... passed) { module::lid_after_even_cuda(passed...); });                  \
    }                                                                                                        \
    static heddle::RegionSweep lid_after_odd(heddle::Field<T>& f) {                                          \
      return lid(f, [](const auto&... passed) { module::lid_after_odd_cuda(passed...); });                   \
    }                                                                                                        \
  }
HEDDLE_LANES(F64, d3q19_f64, double, 2);
HEDDLE_LANES(F32, d3q19_f32, float, 4);
HEDDLE_LANES(F16, d3q19_f16, std::uint16_t, 8);
#undef HEDDLE_LANES

} // namespace lanes

#endif
