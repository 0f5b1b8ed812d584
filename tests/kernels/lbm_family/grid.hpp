// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_FAMILY_GRID_HPP
#define LBM_FAMILY_GRID_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "periodic_box.hpp"

namespace family {

using Cell = std::array<std::int64_t, 3>;
using test::Velocity;
enum class Target { cpu, cuda };

inline heddle::Memory memory_of(Target target) {
  return target == Target::cuda ? test::device_memory : heddle::Memory::host;
}

inline Cell moved(const Cell& cell, const Velocity& by, int times = 1) {
  return {cell[0] + times * by[0], cell[1] + times * by[1], cell[2] + times * by[2]};
}

/// Components on the cells of a box with two ghost layers, none along z in the plane. 0 components: a scalar.
class Grid {
public:
  Grid(const Cell& extent, std::int64_t components, std::size_t rank)
      : extent_{extent[0], extent[1], extent[2], components}, rank_(rank) {
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      stride_[d] = stride;
      stride *= extent_[d] + 2 * ghosts(d);
    }
    stride_[3] = stride;
    values_.resize(static_cast<std::size_t>(stride * (components > 0 ? components : 1)));
  }

  /// A box of memory, as kernels take it. layers: along the last axis.
  struct View {
    double* first;
    std::array<std::int64_t, 4> extents, strides;
    double* data() const { return first; }
    std::int64_t extent(std::size_t d) const { return extents[d]; }
    std::int64_t stride(std::size_t d) const { return strides[d]; }
  };
  /// Of a copy of the values, elsewhere. layers: of cells from below, all by default.
  View view(double* values, std::int64_t layers = 0) const {
    View view{values + place({0, 0, 0}, 0), extent_, stride_};
    if (layers > 0) view.extents[rank_ - 1] = layers;
    view.extents[rank_] = extent_[3];
    view.strides[rank_] = stride_[3];
    return view;
  }

  double& at(const Cell& cell, std::size_t q) { return values_.at(static_cast<std::size_t>(place(cell, q))); }
  const std::vector<double>& values() const { return values_; }
  void assign(std::vector<double> values) { values_ = std::move(values); }

  template <class F> void for_cells(F&& f) const {
    for (std::int64_t z = 0; z < extent_[2]; ++z)
      for (std::int64_t y = 0; y < extent_[1]; ++y)
        for (std::int64_t x = 0; x < extent_[0]; ++x)
          f(Cell{x, y, z});
  }

  void randomise(std::uint32_t seed, double size) {
    test::Random random(seed);
    for_cells([&](const Cell& cell) {
      for (std::size_t q = 0; q < components(); ++q)
        at(cell, q) = size * (random.below(2001) - 1000) / 1000;
    });
    wrap();
  }

  /// Ghost cells become their periodic images.
  void wrap() {
    for (std::int64_t z = -ghosts(2); z < extent_[2] + ghosts(2); ++z)
      for (std::int64_t y = -ghosts(1); y < extent_[1] + ghosts(1); ++y)
        for (std::int64_t x = -ghosts(0); x < extent_[0] + ghosts(0); ++x)
          for (std::size_t q = 0; q < components(); ++q)
            at({x, y, z}, q) = at({image(x, 0), image(y, 1), image(z, 2)}, q);
  }

private:
  std::int64_t ghosts(std::size_t d) const { return d < rank_ ? 2 : 0; }
  std::size_t components() const { return extent_[3] > 0 ? static_cast<std::size_t>(extent_[3]) : 1; }
  std::int64_t image(std::int64_t x, std::size_t d) const { return (x + 2 * extent_[d]) % extent_[d]; }
  std::int64_t place(const Cell& cell, std::size_t q) const {
    std::int64_t result = static_cast<std::int64_t>(q) * stride_[3];
    for (std::size_t d = 0; d < 3; ++d)
      result += (cell[d] + ghosts(d)) * stride_[d];
    return result;
  }

  std::array<std::int64_t, 4> extent_;
  std::size_t rank_;
  std::array<std::int64_t, 4> stride_{};
  std::vector<double> values_;
};

/// Calls kernel(target, views of the grids..., scalars...) with their values where the target finds them.
template <class Kernel, std::size_t count, class... Scalars>
void run(Target target, const Kernel& kernel, const std::array<Grid*, count>& grids, std::int64_t layers,
         Scalars... scalars) {
  std::array<heddle::Buffer<double>, count> memory;
  for (std::size_t i = 0; i < count; ++i)
    memory[i] = heddle::Buffer<double>(std::span<const double>(grids[i]->values()), memory_of(target));
  const auto call = [&]<std::size_t... i>(std::index_sequence<i...>) {
    kernel(target, grids[i]->view(memory[i].data(), layers)..., scalars...);
  };
  call(std::make_index_sequence<count>());
  for (std::size_t i = 0; i < count; ++i)
    grids[i]->assign(memory[i].to_host());
}

} // namespace family

/// A kernel of the module, on either target.
#define HEDDLE_FAMILY_KERNEL(name)                                                                           \
  [](family::Target target, auto... arguments) {                                                             \
    if (target == family::Target::cpu) {                                                                     \
      lbm_family::name(arguments...);                                                                        \
    } else {                                                                                                 \
      lbm_family::name##_cuda(arguments..., nullptr);                                                        \
    }                                                                                                        \
  }

#endif
