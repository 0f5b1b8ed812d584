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

namespace lanes {

inline constexpr double u_lid = 0.01;

/// A layer of cells of a block along one of its faces.
template <typename T> heddle::FieldView<T> layer(const heddle::FieldView<T>& view, int axis, bool upper) {
  auto extent = view.extents();
  std::array<std::int64_t, 3> first{};
  const auto a = static_cast<std::size_t>(axis);
  first[a] = upper ? extent[a] - 1 : 0;
  extent[a] = 1;
  return {&view(first[0], first[1], first[2]), extent, view.strides()};
}

// The kernels of one precision: each module is a namespace of its own. Blocks are cut along z; the lid is
// that of the last block of all. Its momentum is added before neighbours, and the ghost cells behind it, get
// what it sends back.
#define HEDDLE_LANES(name, module, T, width)                                                                 \
  struct name {                                                                                              \
    using Value = T;                                                                                         \
    static constexpr int populations = 19;                                                                   \
    static constexpr int lanes = width;                                                                      \
    using Even = module::AaEven<T>;                                                                          \
    using Odd = module::AaOdd<T>;                                                                            \
    static void lid_after_even(heddle::Field<T>& f, void* stream) {                                          \
      const int last = f.blocks() - 1;                                                                       \
      if (f.number(last) + 1 == f.grid().size())                                                             \
        module::lid_after_even_cuda(layer(f.view(last), 2, true), heddle::walls_of(f, last), u_lid, stream); \
    }                                                                                                        \
    static void lid_after_odd(heddle::Field<T>& f, void* stream) {                                           \
      const int last = f.blocks() - 1;                                                                       \
      if (f.number(last) + 1 == f.grid().size())                                                             \
        module::lid_after_odd_cuda(layer(f.view(last), 2, true), heddle::walls_of(f, last), u_lid, stream);  \
    }                                                                                                        \
  }
HEDDLE_LANES(F64, d3q19_f64, double, 2);
HEDDLE_LANES(F32, d3q19_f32, float, 4);
HEDDLE_LANES(F16, d3q19_f16, std::uint16_t, 8);
#undef HEDDLE_LANES

} // namespace lanes

#endif
