// SPDX-License-Identifier: Apache-2.0
// What a sweep binds to the arguments of its kernel. Emitted sweep classes name these functions in the order
// of the kernel's arguments; each stands for one argument, or for a few that follow each other. Fields,
// lists, buffers and profiles must outlive the sweep.
#ifndef HEDDLE_GRAPH_KERNEL_ARGUMENTS_HPP
#define HEDDLE_GRAPH_KERNEL_ARGUMENTS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/graph/sweep_domain.hpp"
#include "heddle/grid/block_walls.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/ghost_layers.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/sparse/cell_range.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Throws Error if `field` is on a device and does not interleave `lanes` of its blocks: the CUDA kernel
/// `kernel` updates that many cells per thread.
template <class T> void require_interleaved(const Field<T>& field, int lanes, const char* kernel) {
  if (field.memory() == Memory::device && field.interleaved() != lanes) {
    throw Error(
        kernel,
        "field '" + std::string(field.name()) + "' interleaves " + std::to_string(field.interleaved()) +
            " blocks, but the kernel needs " + std::to_string(lanes),
        "construct the field with {.interleaved = " + std::to_string(lanes) + "} on a grid of blocks");
  }
}

/// A field with blocks: one argument, the view of a block or of a part of it. one_per_column: of a plane, a
/// field with one value per column that a kernel of three dimensions takes.
template <class T, bool one_per_column = false> class DenseArgument {
public:
  DenseArgument(Field<T>& field, int components, std::optional<Reach> read, std::optional<Reach> written)
      : field_(&field), components_(components), read_(read), written_(written) {}

  /// Throws Error for a field with too few ghost layers, with other components, blocks or memory than the
  /// kernel and its other fields, or interleaved in another way than the kernel needs; for a result of rows
  /// that blocks cut.
  void declare(SweepDomain& domain) const {
    const int axes = one_per_column ? 2 : domain.axes;
    require_components(*field_, components_, domain);
    require_ghost_layers(*field_, read_.value_or(0), axes, domain.kernel);
    require_ghost_layers(*field_, written_.value_or(0), axes, domain.kernel);
    if (domain.interleave > 1) require_interleaved(*field_, domain.interleave, domain.kernel);
    domain.access(field_, field_->name(), read_, written_);
    if (domain.grid == nullptr) {
      domain.memory = field_->memory();
      domain.grid = &field_->grid();
      domain.rank = field_->rank();
      for (int block = 0; block < field_->blocks(); ++block)
        domain.blocks.push_back(field_->view(block).extents());
    }
    require_fit(*field_, domain, axes);
    const int parts = of_rows_ ? field_->grid().blocks()[0] : 1;
    if (parts == 1) return;
    throw Error(domain.kernel,
                "field '" + std::string(field_->name()) +
                    "' takes a result per row along x, but the grid has " + std::to_string(parts) +
                    " blocks along x, which would each give their own",
                "divide the grid along y and z alone");
  }

  template <int axes> [[nodiscard]] auto passed(const SweepCells& cells) const {
    FieldView<T> view = version(cells).view(cells.block);
    if constexpr (one_per_column) {
      if (cells.box == nullptr) return std::tuple(view.plane());
      Box box = *cells.box;
      box.lower[2] = 0;
      box.upper[2] = 1;
      return std::tuple(part(view, box).plane());
    } else {
      if (cells.box != nullptr) view = part(view, *cells.box);
      return std::tuple(view_for<axes>(view));
    }
  }

  /// The same field as a plane.
  [[nodiscard]] DenseArgument<T, true> plane() const {
    DenseArgument<T, true> result(*field_, components_, read_, written_);
    return of_rows_ ? result.of_rows() : result;
  }

  /// The same field as one that takes what the kernel computes of each row.
  [[nodiscard]] DenseArgument of_rows() const {
    DenseArgument result = *this;
    result.of_rows_ = true;
    return result;
  }

private:
  [[nodiscard]] Field<T>& version(const SweepCells& cells) const {
    return read_ || written_ ? cells.version(*field_) : *field_;
  }

  Field<T>* field_;
  int components_;
  std::optional<Reach> read_;
  std::optional<Reach> written_;
  bool of_rows_ = false;
};

/// Whether an argument of a sweep is a plane. Other fields say where the sweep runs.
template <class Argument> inline constexpr bool is_plane = false;
template <class T> inline constexpr bool is_plane<DenseArgument<T, true>> = true;

/// A field over a list: one argument, its view.
template <class T> class ListArgument {
public:
  ListArgument(SparseField<T>& field, int components, std::optional<Reach> read, std::optional<Reach> written)
      : field_(&field), components_(components), read_(read), written_(written) {}

  /// Throws Error for a field with other components, cells or memory than the kernel and its other fields.
  void declare(SweepDomain& domain) const {
    require_components(*field_, components_, domain);
    domain.access(field_, field_->name(), read_, written_);
    domain.uses.push_back({&field_->list().lifetime(), "a list of cells"});
    if (domain.list == nullptr) {
      domain.memory = field_->memory();
      domain.list = &field_->list();
      domain.grid = &field_->list().grid();
      domain.rank = field_->list().rank();
    }
    require_fit(*field_, domain);
  }

  template <int axes> [[nodiscard]] auto passed(const SweepCells& cells) const {
    return std::tuple((read_ || written_ ? cells.version(*field_) : *field_).view());
  }

private:
  SparseField<T>* field_;
  int components_;
  std::optional<Reach> read_;
  std::optional<Reach> written_;
};

/// A field with so many components that the kernel reads, up to `reach` cells beyond the one that it updates.
template <int components = 1, class T>
[[nodiscard]] DenseArgument<T> reads(Field<T>& field, Reach reach = 0) {
  return {field, components, reach, {}};
}
template <int components = 1, class T>
[[nodiscard]] ListArgument<T> reads(SparseField<T>& field, Reach reach = 0) {
  return {field, components, reach, {}};
}
/// A field that it writes.
template <int components = 1, class T>
[[nodiscard]] DenseArgument<T> writes(Field<T>& field, Reach reach = 0) {
  return {field, components, {}, reach};
}
template <int components = 1, class T>
[[nodiscard]] ListArgument<T> writes(SparseField<T>& field, Reach reach = 0) {
  return {field, components, {}, reach};
}
/// A field that it reads and writes.
template <int components = 1, class T>
[[nodiscard]] DenseArgument<T> updates(Field<T>& field, Reach read = 0, Reach written = 0) {
  return {field, components, read, written};
}
template <int components = 1, class T>
[[nodiscard]] ListArgument<T> updates(SparseField<T>& field, Reach read = 0, Reach written = 0) {
  return {field, components, read, written};
}

/// A field that it takes for its extents or its list alone.
template <int components = 1, class T> [[nodiscard]] DenseArgument<T> takes(Field<T>& field) {
  return {field, components, {}, {}};
}
template <int components = 1, class T> [[nodiscard]] ListArgument<T> takes(SparseField<T>& field) {
  return {field, components, {}, {}};
}

/// A plane: a field with one value per column along z, which a kernel of three dimensions reads or writes as
/// `access` says. The field has one level, or is constant along z (FieldOptions::same_along = 2).
template <class T> [[nodiscard]] DenseArgument<T, true> plane(const DenseArgument<T>& access) {
  return access.plane();
}

/// A field with one value per row along x, which takes what the kernel computes of whole rows.
template <class T, bool one_per_column>
[[nodiscard]] DenseArgument<T, one_per_column> of_rows(const DenseArgument<T, one_per_column>& access) {
  return access.of_rows();
}

/// An argument that is computed for each call. check(domain) runs when the sweep is constructed.
template <class Compute, class Check> class ComputedArgument {
public:
  ComputedArgument(Compute compute, Check check) : compute_(compute), check_(check) {}

  void declare(SweepDomain& domain) const { check_(domain); }
  template <int axes> [[nodiscard]] auto passed(const SweepCells& cells) const { return compute_(cells); }

private:
  Compute compute_;
  Check check_;
};

namespace detail {

template <class Compute> [[nodiscard]] auto computed(Compute compute) {
  return ComputedArgument(compute, [](const SweepDomain&) {});
}

} // namespace detail

/// Values without strides, one for each entry of a list or by their number: their pointer. A task that writes
/// the buffer is ordered before or after the sweep, which reads it. name: of the table, a literal.
template <class T> [[nodiscard]] auto values(const Buffer<T>& buffer, std::string_view name = "a table") {
  return ComputedArgument(
      [data = &buffer](const SweepCells& cells) { return std::tuple(cells.version(*data).data()); },
      [data = &buffer, name](SweepDomain& domain) { domain.read_all(data, name); });
}

/// The number of entries of a list, which must live as long as the sweep.
template <class T> [[nodiscard]] auto count(const Buffer<T>& buffer) {
  return ComputedArgument(
      [data = &buffer](const SweepCells&) { return std::tuple(data->size()); },
      [data = &buffer](SweepDomain& domain) { domain.uses.push_back({&data->lifetime(), "a buffer"}); });
}

/// The cells of a list to run over: their pointer and number. Read like `values`.
[[nodiscard]] inline auto cells(const Buffer<std::uint32_t>& buffer) {
  return ComputedArgument(
      [data = &buffer](const SweepCells& cells) {
        const Buffer<std::uint32_t>& list = cells.version(*data);
        return std::tuple(list.data(), list.size());
      },
      [data = &buffer](SweepDomain& domain) { domain.read_all(data, "cells"); });
}

/// The neighbour table of a field's list and its stride.
template <class T> [[nodiscard]] auto neighbours(const SparseField<T>& field) {
  return detail::computed([f = &field](const SweepCells&) {
    return std::tuple(f->list().neighbour(), f->list().neighbour_stride());
  });
}

/// The contiguous runs of that table.
template <class T> [[nodiscard]] auto neighbour_runs(const SparseField<T>& field) {
  return detail::computed([f = &field](const SweepCells&) { return std::tuple(f->list().neighbour_run()); });
}

/// The same table compressed, for devices.
template <class T> [[nodiscard]] auto neighbour_chunks(const SparseField<T>& field) {
  return detail::computed(
      [f = &field](const SweepCells&) { return std::tuple(f->list().neighbour_chunk()); });
}

/// Values along `axis`, with `ghosts` entries before and behind: the value of the first cell of a call. A
/// task that writes the profile is ordered before or after the sweep. name: of the profile, a literal.
/// Constructing the sweep throws Error for a profile that does not fit to `field`.
template <class T, class U>
[[nodiscard]] auto profile(const Profile<T>& values, const Field<U>& field, int axis, int ghosts,
                           std::string_view name = "a profile") {
  return ComputedArgument(
      [v = &values, f = &field, axis](const SweepCells& cells) {
        const std::int64_t before =
            cells.box != nullptr ? cells.box->lower[static_cast<std::size_t>(axis)] : 0;
        return std::tuple(cells.version(*v).first(f->box(cells.block)) + before);
      },
      [v = &values, f = &field, axis, ghosts, name](SweepDomain& domain) {
        require_profile(*v, *f, axis, ghosts, domain.kernel);
        domain.read_all(v, name);
      });
}

/// At which sides the cells of a call end at walls of the domain, as heddle::walls_around says; of
/// interleaved blocks those walls that all of them have.
template <class T> [[nodiscard]] auto walls(const Field<T>& field) {
  return detail::computed([f = &field](const SweepCells& cells) {
    const Box box = cells.box != nullptr ? *cells.box : Box{{0, 0, 0}, f->box(cells.block).extents()};
    return std::tuple(cells.interleaved ? shared_walls(*f, cells.block, box)
                                        : walls_of(*f, cells.block, box));
  });
}

/// The same for a kernel without an exchange: constructing the sweep throws Error where interleaved blocks
/// differ in one of the walls `sides` that the kernel has.
template <class T> [[nodiscard]] auto same_walls(const Field<T>& field, std::uint32_t sides) {
  return ComputedArgument(
      [all = walls(field)](const SweepCells& cells) { return all.template passed<3>(cells); },
      [f = &field, sides](const SweepDomain& domain) { require_same_walls(*f, sides, domain.kernel); });
}

/// The result of a reduction and the scratch memory for it: two pointers.
template <class T> class ReductionArgument {
public:
  ReductionArgument(Buffer<T>& result, std::string_view name, int results, bool each_block,
                    std::int64_t scratch, Memory memory)
      : result_(&result), name_(name), results_(results), each_block_(each_block),
        scratch_(std::make_shared<Buffer<T>>(scratch, memory)) {}

  /// Throws Error for a buffer that is too small.
  void declare(SweepDomain& domain) const {
    require_values(*result_, results_, domain.kernel);
    domain.accesses.push_back({result_, name_, AccessMode::write, FieldAccess::anywhere});
  }

  template <int axes> [[nodiscard]] auto passed(const SweepCells& cells) const {
    T* const results = cells.version(*result_).data();
    return std::tuple(results + (each_block_ ? cells.block : 0), scratch_->data());
  }

private:
  Buffer<T>* result_;
  std::string_view name_;
  int results_;
  bool each_block_;
  std::shared_ptr<Buffer<T>> scratch_; // shared by copies of a sweep, which write the same result
};

template <class Argument> inline constexpr bool is_reduction = false;
template <class T> inline constexpr bool is_reduction<ReductionArgument<T>> = true;

/// A reduction with one result for each block, over cells or columns along `axes` of a field's blocks.
/// name: of the result, a literal.
template <class T, class U>
[[nodiscard]] ReductionArgument<T> reduces(Buffer<T>& result, std::string_view name, const Field<U>& field,
                                           std::initializer_list<int> axes, int colours = 1) {
  return {result, name, field.blocks(), true, reduction_work(field, axes, colours), field.memory()};
}

/// A reduction with one result, over `cells` cells of a list. memory: where the kernel runs.
template <class T>
[[nodiscard]] ReductionArgument<T> reduces(Buffer<T>& result, std::string_view name, std::int64_t cells,
                                           Memory memory) {
  return {result, name, 1, false, reduction_work(cells), memory};
}

} // namespace heddle

#endif
