// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_RIMS_HPP
#define HEDDLE_LBM_BLOCKS_RIMS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"

/// Tasks at the rims of blocks.
namespace blocks {

/// Makes the ghost cells of a field NaN: who reads one that nobody filled shows. Not those beyond a face of
/// the domain that is not periodic: there a wall keeps what comes back.
template <class T> class Poison {
public:
  explicit Poison(heddle::Field<T>& field) : field_(&field) {}
  std::string_view name() const { return "poison"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) const {
    T nan{0x7E00}; // of halves
    if constexpr (std::is_floating_point_v<T>) nan = std::numeric_limits<T>::quiet_NaN();
    const heddle::BlockGrid& grid = field_->grid();
    for (int b = 0; b < field_->blocks(); ++b) {
      const heddle::FieldView<T> view = field_->view(b);
      heddle::Box around = field_->box(b);
      for (std::size_t d = 0; d < 3; ++d) {
        if (grid.periodic()[d] || around.lower[d] > grid.domain().lower[d]) --around.lower[d];
        if (grid.periodic()[d] || around.upper[d] < grid.domain().upper[d]) ++around.upper[d];
      }
      around = around.shift({-field_->box(b).lower[0], -field_->box(b).lower[1], -field_->box(b).lower[2]});
      const heddle::Box own{{0, 0, 0}, {view.extent(0), view.extent(1), view.extent(2)}};
      for (int q = 0; q < field_->components(); ++q) {
        for (std::int64_t z = around.lower[2]; z < around.upper[2]; ++z) {
          for (std::int64_t y = around.lower[1]; y < around.upper[1]; ++y) {
            for (std::int64_t x = around.lower[0]; x < around.upper[0]; ++x) {
              if (!own.contains({x, y, z})) view(x, y, z, q) = nan;
            }
          }
        }
      }
    }
  }

private:
  heddle::Field<T>* field_;
};

/// A generated kernel over the cells at a face, for either memory; null: there is none.
template <class T> struct FaceKernel {
  void (*host)(const heddle::FieldView<T>&) = nullptr;
  void (*device)(const heddle::FieldView<T>&, void* stream) = nullptr;
};

/// A face kernel of an esoteric pattern on the layer of cells of each block that ends where the domain does,
/// and on those before it: what comes back from a wall may lie in the next cell along x or y, which can be
/// another block's. This one's ghost cell of it would be overwritten; so the other block does it, too, after
/// the exchange that follows a step.
template <class T> class Face {
public:
  /// side: 0 the lower face across the axis, 1 the upper one.
  Face(heddle::Field<T>& field, std::string_view name, std::size_t axis, int side,
       const FaceKernel<T>& kernel)
      : field_(&field), name_(name), axis_(axis), side_(side), kernel_(kernel) {}
  std::string_view name() const { return name_; }
  std::vector<heddle::FieldAccess> accesses() const {
    return {{field_, "f", heddle::AccessMode::read}, {field_, "f", heddle::AccessMode::write}};
  }
  heddle::Memory memory() const { return field_->memory(); }
  void operator()(heddle::Stream& stream) const {
    const heddle::Box& domain = field_->grid().domain();
    for (int b = 0; b < field_->blocks(); ++b) {
      const heddle::Box& box = field_->box(b);
      heddle::Box layer{{-1, -1, -1}, {box.extent(0), box.extent(1), box.extent(2)}};
      layer.lower[axis_] = 0;
      if (side_ == 0) {
        if (box.lower[axis_] != domain.lower[axis_]) continue;
        layer.upper[axis_] = 1;
      } else {
        if (box.upper[axis_] != domain.upper[axis_]) continue;
        layer.lower[axis_] = layer.upper[axis_] - 1;
      }
      const heddle::FieldView<T> cells = heddle::part(field_->view(b), layer);
      if (stream.device())
        kernel_.device(cells, stream.native());
      else
        kernel_.host(cells);
    }
  }

private:
  heddle::Field<T>* field_;
  std::string_view name_;
  std::size_t axis_;
  int side_;
  FaceKernel<T> kernel_;
};

} // namespace blocks

#endif
