// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_HPP
#define HEDDLE_GRID_FIELD_HPP

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/lifetime.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field_layout.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/grid/halo_state.hpp"

namespace heddle {

/// What a Field has in a cell, and how it lies in memory.
struct FieldOptions {
  int components = 1;
  GhostLayers ghost_layers = 1;
  Memory memory = Memory::host;
  std::string name = "f";
  int rank = 0; // whose blocks these are
  /// An axis along which all values are equal and are stored once, for rows (0, x: then values follow each
  /// other along y), heights (1, y) or columns (2, z); -1: none. Kernels can read such a field, but not along
  /// that axis; rows only where the model says `of_row()`. Kernels write what they compute of rows (0), and
  /// two-dimensional ones of columns (2).
  int same_along = -1;
  /// The number of blocks of equal extents that share one allocation, interleaved element by element: block b
  /// of a group begins one element after block b - 1, and the stride of x is this number. A CUDA thread then
  /// loads a vector with one cell of each block (an Interleaved schedule); all other code sees ordinary
  /// blocks. Split the grid along z for it.
  int interleaved = 1;
  /// The components of a cell are contiguous (the stride of x is their number, which times the size of a
  /// value must divide 64 bytes), for kernels that load or store a whole cell at once. Cannot be combined
  /// with `interleaved`.
  bool cells_together = false;
  /// Strides are those of a field in this memory; empty: in `memory`. See Field::like.
  std::optional<Memory> lies_as_in{};
};

/// Owner of a field on the blocks that one rank owns: one allocation per block (or group of interleaved
/// blocks), laid out by FieldLayout and initialised to zero. Blocks are numbered from 0 on each rank;
/// number() is their number in the grid. Sweeps and exchanges keep references to the object, so it must
/// outlive them and must not move.
template <class T> class Field {
public:
  using value_type = T;

  explicit Field(const BlockGrid& grid, const FieldOptions& options = {}) : grid_(grid), options_(options) {
    first_ = grid_.first_block(options_.rank);
    const int end = grid_.first_block(options_.rank + 1); // throws for a rank that is not there
    for (int b = first_; b < end; ++b) {
      layouts_.push_back(layout_of(grid_.block(b).extents()));
      FieldLayout& layout = layouts_.back();
      const int lane = (b - first_) % options_.interleaved;
      if (lane == 0) {
        const std::int64_t segment = options_.cells_together ? layout.size : layout.stride[3];
        buffers_.emplace_back(layout.size, options_.memory, Buffer<T>::Contents::zero, segment);
      }
      layout.origin += lane;
    }
    require_equal_groups();
  }

  [[nodiscard]] const BlockGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::string_view name() const noexcept { return options_.name; }
  [[nodiscard]] int components() const noexcept { return options_.components; }
  [[nodiscard]] const std::array<int, 3>& ghost_layers() const noexcept {
    return options_.ghost_layers.layers;
  }
  [[nodiscard]] Memory memory() const noexcept { return options_.memory; }
  /// The number of blocks that are interleaved in one allocation.
  [[nodiscard]] int interleaved() const noexcept { return options_.interleaved; }
  [[nodiscard]] int rank() const noexcept { return options_.rank; }
  /// Blocks of this rank.
  [[nodiscard]] int blocks() const noexcept { return static_cast<int>(layouts_.size()); }
  /// The number of a block of this rank in the grid, and its cells in domain coordinates.
  [[nodiscard]] int number(int block) const noexcept { return first_ + block; }
  [[nodiscard]] const Box& box(int block) const { return grid_.block(number(block)); }

  /// What is known of the ghost layers, see HaloState. Code of your own that fills them between two graphs
  /// says so: halo_state().filled().
  [[nodiscard]] HaloState& halo_state() const noexcept { return halo_state_; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }

  [[nodiscard]] FieldView<T> view(int block = 0) {
    const FieldLayout& layout = layouts_.at(static_cast<std::size_t>(block));
    return {buffers_[group(block)].data() + layout.origin, layout.extent, layout.stride};
  }
  [[nodiscard]] FieldView<const T> view(int block = 0) const {
    const FieldLayout& layout = layouts_.at(static_cast<std::size_t>(block));
    return {buffers_[group(block)].data() + layout.origin, layout.extent, layout.stride};
  }

  /// Sets each interior cell to f(x, y, z, c), with x, y, z in domain coordinates, so that values do not
  /// depend on the blocks. `f` is called from several threads. Ghost cells do not change.
  template <class F>
    requires std::invocable<F&, std::int64_t, std::int64_t, std::int64_t, int>
  void fill(F&& f) {
    for (int b = 0; b < blocks(); ++b) {
      edit(b, [&](FieldView<T> view) {
        const Box& box = this->box(b);
        const std::array<std::int64_t, 4> extents = stored(view.extents());
        for_rows(extents, [&](std::int64_t y, std::int64_t z, int c) {
          for (std::int64_t x = 0; x < extents[0]; ++x) {
            view(x, y, z, c) = static_cast<T>(f(x + box.lower[0], y + box.lower[1], z + box.lower[2], c));
          }
        });
      });
    }
  }

  /// Sets all cells, ghost cells too.
  void fill(T value) {
    halo_state_.reset();
    for (int b = 0; b < blocks(); ++b) {
      edit(b, [&](FieldView<T> view) {
        visit_rows_with_ghosts(view, [&](T* row, std::int64_t first, std::int64_t last, const Row&) {
          for (std::int64_t x = first; x < last; ++x)
            row[x * view.stride(0)] = value;
        });
      });
    }
  }

  /// Sets only the ghost cells. A test that sets NaN detects reads of ghost cells that nobody filled.
  void fill_ghosts(T value) {
    halo_state_.reset();
    for (int b = 0; b < blocks(); ++b) {
      edit(b, [&](FieldView<T> view) {
        const std::int64_t inner = view.extent(0);
        visit_rows_with_ghosts(view, [&](T* row, std::int64_t first, std::int64_t last, const Row& at) {
          for (std::int64_t x = first; x < last; ++x) {
            if (at.ghost || x < 0 || x >= inner) row[x * view.stride(0)] = value;
          }
        });
      });
    }
  }

  /// Copies everything, ghosts too, from a field of the same shape in any memory; throws Error otherwise.
  void copy_from(const Field& other) {
    halo_state_ = other.halo_state_;
    bool alike = other.options_.interleaved == options_.interleaved;
    for (int b = 0; b < blocks(); ++b) {
      const auto i = static_cast<std::size_t>(b);
      if (other.blocks() != blocks() || other.layouts_[i].extent != layouts_[i].extent ||
          other.ghost_layers() != ghost_layers()) {
        throw Error("Field::copy_from",
                    "'" + other.options_.name + "' does not have the shape of '" + options_.name + "'",
                    "blocks, components and ghost layers must agree");
      }
      alike = alike && other.layouts_[i].stride == layouts_[i].stride;
    }
    if (alike) {
      for (std::size_t i = 0; i < buffers_.size(); ++i)
        buffers_[i].copy_from(other.buffers_[i]);
      return;
    }
    for (int b = 0; b < blocks(); ++b) { // rows lie differently on a device
      edit(b, [&](FieldView<T> to) {
        other.inspect(b, [&](FieldView<const T> from) {
          visit_rows_with_ghosts(to, [&](T* row, std::int64_t first, std::int64_t last, const Row& at) {
            for (std::int64_t x = first; x < last; ++x)
              row[x * to.stride(0)] = from(x, at.y, at.z, at.component);
          });
        });
      });
    }
  }

  /// All values, ghosts too, in the order of a stream. Ranks, blocks and strides must agree, else Error; the
  /// memories may differ: like(memory) makes such a field.
  void copy_from(const Field& other, Stream& stream) {
    if (other.rank() != rank() || other.places() != places()) {
      throw Error("Field::copy_from",
                  "'" + other.options_.name + "' (" + other.shape() + ") does not have the strides of '" +
                      options_.name + "' (" + shape() + ")",
                  "between memories, copy a field that like(memory) has made");
    }
    halo_state_ = other.halo_state_;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      buffers_[i].copy_from(other.buffers_[i], stream);
  }

  /// Of all its memory, ghosts and padding too.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const Buffer<T>& buffer : buffers_)
      sum += buffer.bytes();
    return sum;
  }
  /// A field of the same shape, of zeros.
  [[nodiscard]] Field like() const { return Field(grid_, options_); }
  /// The same in another memory, where values lie as they do here, so that copies are of one piece: for what
  /// a host and a device exchange, with Memory::pinned.
  [[nodiscard]] Field like(Memory memory) const {
    FieldOptions options = options_;
    options.lies_as_in = options_.lies_as_in.value_or(options_.memory);
    options.memory = memory;
    return Field(grid_, options);
  }
  /// Which blocks it has, and how each lies in memory.
  [[nodiscard]] std::string shape() const {
    return std::string(to_string(memory())) + ", rank " + std::to_string(rank()) + places();
  }

  /// Interior values of one component of one block, compact, x fastest; a copy, from any memory.
  [[nodiscard]] std::vector<T> read(int block = 0, int component = 0) const {
    std::vector<T> values;
    inspect(block, [&](FieldView<const T> view) {
      check_component(component);
      values.resize(static_cast<std::size_t>(view.extent(0) * view.extent(1) * view.extent(2)));
      auto to = values.begin();
      for (std::int64_t z = 0; z < view.extent(2); ++z) {
        for (std::int64_t y = 0; y < view.extent(1); ++y) {
          for (std::int64_t x = 0; x < view.extent(0); ++x)
            *to++ = view(x, y, z, component);
        }
      }
    });
    return values;
  }

  /// The opposite of read(); throws Error when the number of values is not that of the block's cells.
  void write(int block, int component, std::span<const T> values) {
    check_component(component);
    edit(block, [&](FieldView<T> view) {
      if (static_cast<std::int64_t>(values.size()) != view.extent(0) * view.extent(1) * view.extent(2)) {
        throw Error("Field::write", "block " + std::to_string(block) + " of '" + options_.name + "' has " +
                                        std::to_string(view.extent(0) * view.extent(1) * view.extent(2)) +
                                        " cells, but " + std::to_string(values.size()) +
                                        " values were given");
      }
      const T* from = values.data();
      for (std::int64_t z = 0; z < view.extent(2); ++z) {
        for (std::int64_t y = 0; y < view.extent(1); ++y, from += view.extent(0)) {
          for (std::int64_t x = 0; x < view.extent(0); ++x)
            view(x, y, z, component) = from[x];
        }
      }
    });
  }

  /// Calls f(FieldView<const T>) on host memory: on the block itself, or on a copy of what is on the device.
  template <class F> void inspect(int block, F&& f) const {
    if (memory() != Memory::device) return f(view(block));
    const Buffer<T> staging = staged(block);
    const FieldLayout& layout = layouts_.at(static_cast<std::size_t>(block));
    f(FieldView<const T>(staging.data() + layout.origin, layout.extent, layout.stride));
  }

  /// Calls f(FieldView<T>) on host memory; what f writes is on the device afterwards, too.
  template <class F> void edit(int block, F&& f) {
    if (memory() != Memory::device) return f(view(block));
    Buffer<T> staging = staged(block);
    const FieldLayout& layout = layouts_.at(static_cast<std::size_t>(block));
    f(FieldView<T>(staging.data() + layout.origin, layout.extent, layout.stride));
    buffers_[group(block)].copy_from(staging);
  }

private:
  /// The same without memory and rank.
  [[nodiscard]] std::string places() const {
    std::string text = ", blocks from " + std::to_string(first_);
    for (const FieldLayout& layout : layouts_) {
      text += ';';
      for (std::size_t d = 0; d < 4; ++d)
        text += ' ' + std::to_string(layout.extent[d]) + ':' + std::to_string(layout.stride[d]);
      text += " of " + std::to_string(layout.size) + " at " + std::to_string(layout.origin);
    }
    return text;
  }

  /// Extents of what is stored: one layer along `same_along`.
  [[nodiscard]] std::array<std::int64_t, 4> stored(std::array<std::int64_t, 4> extent) const {
    if (options_.same_along >= 0) extent[static_cast<std::size_t>(options_.same_along)] = 1;
    return extent;
  }

  [[nodiscard]] GhostLayers stored_ghosts() const {
    GhostLayers ghosts = options_.ghost_layers;
    if (options_.same_along >= 0) ghosts.layers[static_cast<std::size_t>(options_.same_along)] = 0;
    return ghosts;
  }

  /// The allocation that a block lies in.
  [[nodiscard]] std::size_t group(int block) const noexcept {
    return static_cast<std::size_t>(block / options_.interleaved);
  }

  [[nodiscard]] FieldLayout layout_of(const std::array<std::int64_t, 3>& cells) const {
    const FieldOptions& o = options_;
    const int axis = o.same_along;
    if (axis < -1 || axis > 2) {
      throw Error("Field", "'" + o.name + "' cannot be constant along axis " + std::to_string(axis),
                  "use 0 for x, 1 for y, 2 for z, -1 for none");
    }
    const std::array<std::int64_t, 4> kept = stored({cells[0], cells[1], cells[2], 1});
    const std::array<std::int64_t, 3> extents{kept[0], kept[1], kept[2]};
    if (o.cells_together && (o.interleaved != 1 || axis >= 0)) {
      throw Error("Field",
                  "'" + o.name +
                      "' stores the components of a cell contiguously, which cannot be combined with "
                      "interleaved blocks or values that are constant along an axis",
                  "choose one of the three");
    }
    const Memory lies_as_in = o.lies_as_in.value_or(o.memory);
    if (axis == 0) { // rows along y: a row along x would be one value, with a line of its own
      const GhostLayers around = stored_ghosts();
      FieldLayout layout({kept[1], kept[2], 1}, o.components, {around.layers[1], around.layers[2], 0},
                         sizeof(T), lies_as_in, o.interleaved);
      layout.extent = {cells[0], kept[1], kept[2], layout.extent[3]};
      layout.stride = {0, layout.stride[0], layout.stride[1], layout.stride[3]};
      return layout;
    }
    FieldLayout layout(extents, o.cells_together ? 1 : o.components, stored_ghosts(), sizeof(T), lies_as_in,
                       o.cells_together ? o.components
                                        : o.interleaved); // components together: like blocks in between
    if (o.cells_together) {
      layout.extent[3] = o.components;
      layout.stride[3] = 1;
    }
    if (axis >= 0) {
      layout.extent[static_cast<std::size_t>(axis)] = cells[static_cast<std::size_t>(axis)];
      layout.stride[static_cast<std::size_t>(axis)] = 0;
    }
    return layout;
  }

  void require_equal_groups() const {
    const auto lanes = static_cast<std::size_t>(options_.interleaved);
    for (std::size_t b = 0; b < layouts_.size(); ++b) {
      if (layouts_.size() % lanes != 0 || layouts_[b].extent != layouts_[b / lanes * lanes].extent) {
        throw Error("Field",
                    "'" + options_.name + "' cannot interleave groups of " + std::to_string(lanes) +
                        " of its " + std::to_string(layouts_.size()) +
                        " blocks: groups must be complete and of equal extents",
                    "split the box into blocks of equal extents, a multiple of that number on each rank");
      }
    }
  }

  [[nodiscard]] Buffer<T> staged(int block) const {
    const Buffer<T>& source = buffers_.at(group(block));
    Buffer<T> staging(source.size(), Memory::host, Buffer<T>::Contents::undefined);
    staging.copy_from(source);
    return staging;
  }

  void check_component(int component) const {
    if (component < 0 || component >= components()) {
      throw Error("Field", "'" + options_.name + "' has no component " + std::to_string(component));
    }
  }

  template <class Visit> static void for_rows(const std::array<std::int64_t, 4>& extent, Visit&& visit) {
    parallel_ranges(extent[1] * extent[2], [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t c = 0; c < extent[3]; ++c) {
        for (std::int64_t r = first; r < last; ++r)
          visit(r % extent[1], r / extent[1], static_cast<int>(c));
      }
    });
  }

  struct Row {
    std::int64_t y, z;
    int component;
    bool ghost; // lies in the ghost layers as a whole
  };

  /// visit(pointer to x = 0, first x, last x, Row)
  template <class Visit> void visit_rows_with_ghosts(const FieldView<T>& view, Visit&& visit) {
    const std::array<int, 3> ghosts = stored_ghosts().layers;
    const std::array<std::int64_t, 4> inner = stored(view.extents());
    const std::array<std::int64_t, 4> extent{inner[0], inner[1] + std::int64_t{2} * ghosts[1],
                                             inner[2] + std::int64_t{2} * ghosts[2], inner[3]};
    for_rows(extent, [&](std::int64_t row_y, std::int64_t row_z, int c) {
      const std::int64_t y = row_y - ghosts[1], z = row_z - ghosts[2];
      const bool ghost = y < 0 || y >= inner[1] || z < 0 || z >= inner[2];
      visit(&view(0, y, z, c), -ghosts[0], inner[0] + ghosts[0], Row{y, z, c, ghost});
    });
  }

  BlockGrid grid_;
  FieldOptions options_;
  int first_ = 0; // block of this rank
  std::vector<FieldLayout> layouts_;
  std::vector<Buffer<T>> buffers_;
  mutable HaloState halo_state_;
  Lifetime lifetime_;
};

} // namespace heddle

#endif
