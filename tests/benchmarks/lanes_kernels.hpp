// SPDX-License-Identifier: Apache-2.0
// D3Q19 BGK in place with several cells a CUDA thread, in each precision, and the walls of a box with a
// moving lid.
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

// The kernels of one precision: each module is a namespace of its own. Blocks are cut along z; the floor is
// that of the first block of all, the lid that of the last.
#define HEDDLE_LANES(name, module, T, width)                                                                 \
  struct name {                                                                                              \
    using Value = T;                                                                                         \
    static constexpr int populations = 19;                                                                   \
    static constexpr int lanes = width;                                                                      \
    using Even = module::AaEven<T>;                                                                          \
    using Odd = module::AaOdd<T>;                                                                            \
    static void walls_after_even(heddle::Field<T>& f, void* stream) {                                        \
      const auto view = f.view();                                                                            \
      module::wall_w_after_even_cuda(layer(view, 0, false), stream);                                         \
      module::wall_e_after_even_cuda(layer(view, 0, true), stream);                                          \
      module::wall_s_after_even_cuda(layer(view, 1, false), stream);                                         \
      module::wall_n_after_even_cuda(layer(view, 1, true), stream);                                          \
      if (f.number(0) == 0) module::floor_after_even_cuda(layer(view, 2, false), stream);                    \
      const int last = f.blocks() - 1;                                                                       \
      if (f.number(last) + 1 == f.grid().size())                                                             \
        module::lid_after_even_cuda(layer(f.view(last), 2, true), u_lid, stream);                            \
    }                                                                                                        \
    static void walls_after_odd(heddle::Field<T>& f, void* stream) {                                         \
      const auto view = f.view();                                                                            \
      module::wall_w_after_odd_cuda(layer(view, 0, false), stream);                                          \
      module::wall_e_after_odd_cuda(layer(view, 0, true), stream);                                           \
      module::wall_s_after_odd_cuda(layer(view, 1, false), stream);                                          \
      module::wall_n_after_odd_cuda(layer(view, 1, true), stream);                                           \
      if (f.number(0) == 0) module::floor_after_odd_cuda(layer(view, 2, false), stream);                     \
      const int last = f.blocks() - 1;                                                                       \
      if (f.number(last) + 1 == f.grid().size())                                                             \
        module::lid_after_odd_cuda(layer(f.view(last), 2, true), u_lid, stream);                             \
    }                                                                                                        \
  }
HEDDLE_LANES(F64, d3q19_f64, double, 2);
HEDDLE_LANES(F32, d3q19_f32, float, 4);
HEDDLE_LANES(F16, d3q19_f16, std::uint16_t, 8);
#undef HEDDLE_LANES

} // namespace lanes

#endif
