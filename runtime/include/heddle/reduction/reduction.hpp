// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_REDUCTION_REDUCTION_HPP
#define HEDDLE_REDUCTION_REDUCTION_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// What a reduction combines values to.
enum class ReductionKind { sum, min, max };

/// The neutral element of the operation.
template <class Value> [[nodiscard]] Value neutral_value(ReductionKind kind) {
  using Limits = std::numeric_limits<Value>;
  if (kind == ReductionKind::sum) return Value{0};
  if constexpr (Limits::has_infinity) {
    return kind == ReductionKind::min ? Limits::infinity() : -Limits::infinity();
  } else {
    return kind == ReductionKind::min ? Limits::max() : Limits::lowest();
  }
}

/// Reads the row at (y, z) of the domain, given in domain coordinates: one value per cell, in ascending x.
template <class Value>
using RowReader = std::function<void(std::int64_t y, std::int64_t z, std::span<Value> row)>;

/// Combines one value a cell of `domain` by a fixed tree: the cells of a row in pairs of neighbours (0 1) (2
/// 3) …, the results again, to one value per row; then the rows, numbered y fastest, in the same way. The
/// tree knows nothing of threads and blocks, so the bits of the result do not depend on them. NaN anywhere
/// gives NaN. Defined for Value = double and std::int64_t.
template <class Value>
[[nodiscard]] Value reduce_rows(const Box& domain, ReductionKind kind, const RowReader<Value>& read);

/// Reads the part of the row at (y, z) that lies in block `block` of the grid.
template <class Value>
using BlockRowReader = std::function<void(int block, std::int64_t y, std::int64_t z, std::span<Value> row)>;

/// The same number from blocks that ranks share, with the same bits: each rank combines what the tree allows
/// within its blocks, rank 0 the rest. Where there is no block, cells change nothing. What it returns is
/// called by all ranks together, and gives all of them the number; rank 0 gets at least one value per row and
/// block. The transport must outlive it. Defined for Value = double and std::int64_t.
template <class Value>
[[nodiscard]] std::function<Value()> reduction_over_ranks(const BlockGrid& grid, ReductionKind kind,
                                                          const BlockRowReader<Value>& read,
                                                          Transport& transport);

/// One number per rank, combined in the order of ranks. What it returns is called by all ranks together, and
/// gives all of them the result. The transport must outlive it.
[[nodiscard]] std::function<double()>
reduction_of_numbers(ReductionKind kind, const std::function<double()>& mine, Transport& transport);

/// One value a cell of the domain on rank 0, x fastest, from blocks that ranks share; elsewhere nothing.
/// Where there is no block stands 0. All ranks call it together. Defined for T = float and double.
template <class T>
[[nodiscard]] std::vector<T> gather_cells(const BlockGrid& grid, const BlockRowReader<T>& read,
                                          Transport& transport);

/// A reduction over all cells of a field. Nothing is computed before value() is called; each call uses the
/// cells' values at that time. Floating-point values are combined as double, integers as std::int64_t.
template <class T> class Reduction {
public:
  using Value = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

  /// Of one component of `field`, which must outlive this. Throws Error for an unknown component.
  Reduction(const Field<T>& field, ReductionKind kind, int component = 0)
      : value_([&field, kind, component] {
          if (field.memory() != Memory::device) return of_field(field, kind, component);
          Field<T> copy(field.grid(),
                        {.components = field.components(),
                         .ghost_layers = GhostLayers(field.ghost_layers()[0], field.ghost_layers()[1],
                                                     field.ghost_layers()[2]),
                         .memory = Memory::host,
                         .name = std::string(field.name())});
          copy.copy_from(field);
          return of_field(copy, kind, component);
        }) {
    check(component, field.components(), field.name());
  }

  /// The same of a field whose blocks several ranks share: all of them construct it and ask for its value
  /// together.
  Reduction(const Field<T>& field, ReductionKind kind, Transport& transport, int component = 0)
      : value_(of_parts(field.grid(), {&field}, kind, transport, component)) {}

  /// The same where a thread computes several ranks: `fields` has those of its ranks, `grid` and `transport`
  /// are Ranks::process_grid(grid) and Ranks::processes(). Throws Error also where these are not the blocks
  /// of the grid.
  Reduction(const BlockGrid& grid, std::vector<const Field<T>*> fields, ReductionKind kind,
            Transport& transport, int component = 0)
      : value_(of_parts(grid, std::move(fields), kind, transport, component)) {}

  /// Of one component of the listed cells, in the order of the list's box: a cell that is not listed changes
  /// nothing.
  Reduction(const SparseField<T>& field, ReductionKind kind, int component = 0)
      : value_([&field, kind, component] {
          Value result{};
          field.inspect(
              [&](SparseView<const T> view) { result = of_list(field.list(), view, kind, component); });
          return result;
        }) {
    check(component, field.components(), field.name());
  }

  /// The same of a list that is one rank's part of a domain (IndexList of a grid and a rank). All ranks
  /// construct it and ask for its value together.
  Reduction(const SparseField<T>& field, ReductionKind kind, Transport& transport, int component = 0)
      : value_(of_lists(field.list().grid(), {&field}, kind, transport, component)) {}

  /// The same of a domain whose blocks are lists that several ranks share: fields has those of this rank, in
  /// the order of the blocks of `grid`, each over a list of one block or of several, or of all of them. All
  /// ranks construct it and ask for its value together.
  Reduction(const BlockGrid& grid, std::vector<const SparseField<T>*> fields, ReductionKind kind,
            Transport& transport, int component = 0)
      : value_(of_lists(grid, std::move(fields), kind, transport, component)) {}

  /// Of f(block, x, y, z), called from several threads, with x, y, z counted from the block's first interior
  /// cell: what a view of that block takes. The grid is copied.
  template <class F>
    requires std::invocable<F&, int, std::int64_t, std::int64_t, std::int64_t>
  Reduction(const BlockGrid& grid, ReductionKind kind, F f)
      : value_([grid, kind, f = std::move(f)] { return of_blocks(grid, kind, f); }) {}

  /// Computes the reduction of the present values.
  [[nodiscard]] Value value() const { return value_(); }

private:
  static void check(int component, int components, std::string_view name) {
    if (component >= 0 && component < components) return;
    throw Error("Reduction", "'" + std::string(name) + "' has no component " + std::to_string(component));
  }

  static Value neutral(ReductionKind kind) { return neutral_value<Value>(kind); }

  template <class F> static Value of_blocks(const BlockGrid& grid, ReductionKind kind, const F& f) {
    require_one_rank("Reduction", grid);
    return reduce_rows<Value>(grid.domain(), kind, [&](std::int64_t y, std::int64_t z, std::span<Value> row) {
      const std::array<int, 3> first = grid.place_of({grid.domain().lower[0], y, z});
      auto to = row.begin();
      for (int i = 0; i < grid.blocks()[0]; ++i) {
        const int b = grid.index({i, first[1], first[2]});
        if (b < 0) {
          const std::int64_t cells = grid.cells_at({i, first[1], first[2]}).extent(0);
          to = std::fill_n(to, cells, neutral(kind));
          continue;
        }
        const Box& box = grid.block(b);
        for (std::int64_t x = 0; x < box.extent(0); ++x) {
          *to++ = static_cast<Value>(f(b, x, y - box.lower[1], z - box.lower[2]));
        }
      }
    });
  }

  static Value of_field(const Field<T>& field, ReductionKind kind, int component) {
    return of_blocks(field.grid(), kind, [&](int b, std::int64_t x, std::int64_t y, std::int64_t z) {
      return field.view(b)(x, y, z, component);
    });
  }

  static std::function<Value()> of_parts(const BlockGrid& grid, const std::vector<const Field<T>*>& fields,
                                         ReductionKind kind, Transport& transport, int component) {
    struct Part {
      const Field<T>* field = nullptr;
      int block = 0;
      std::vector<T> values; // of a field on a device, when it is asked for
    };
    const int first = grid.first_block(transport.rank());
    const auto parts = std::make_shared<std::vector<Part>>(
        static_cast<std::size_t>(grid.first_block(transport.rank() + 1) - first));
    for (const Field<T>* const field : fields) {
      check(component, field->components(), field->name());
      for (int b = 0; b < field->blocks(); ++b) {
        const auto place = static_cast<std::size_t>(field->number(b) - first);
        if (place >= parts->size() || grid.block(field->number(b)) != field->box(b))
          refuse_blocks(field->name());
        (*parts)[place] = {field, b, {}};
      }
    }
    for (const Part& part : *parts) {
      if (part.field == nullptr) refuse_blocks(fields.empty() ? "" : fields.front()->name());
    }
    const auto read = [parts, first, component](int block, std::int64_t y, std::int64_t z,
                                                std::span<Value> row) {
      const Part& part = (*parts)[static_cast<std::size_t>(block - first)];
      const Box& box = part.field->box(part.block);
      const std::int64_t line = y - box.lower[1] + box.extent(1) * (z - box.lower[2]);
      const FieldView<const T> view = part.field->view(part.block);
      for (std::size_t x = 0; x < row.size(); ++x) {
        const auto column = static_cast<std::int64_t>(x);
        row[x] = static_cast<Value>(part.values.empty()
                                        ? view(column, y - box.lower[1], z - box.lower[2], component)
                                        : part.values[x + static_cast<std::size_t>(line * box.extent(0))]);
      }
    };
    const auto result = reduction_over_ranks<Value>(grid, kind, read, transport);
    return [parts, component, result] {
      for (Part& part : *parts) {
        if (part.field->memory() == Memory::device) part.values = part.field->read(part.block, component);
      }
      const Value value = result();
      for (Part& part : *parts)
        part.values = {};
      return value;
    };
  }

  [[noreturn]] static void refuse_blocks(std::string_view name) {
    throw Error("Reduction", "'" + std::string(name) + "' does not have the blocks of this rank",
                "pass all parts, and use Ranks::process_grid(grid)");
  }

  static std::function<Value()> of_lists(const BlockGrid& grid, std::vector<const SparseField<T>*> fields,
                                         ReductionKind kind, Transport& transport, int component) {
    std::vector<std::size_t> field_of; // of each block that is here
    for (std::size_t i = 0; i < fields.size(); ++i) {
      check(component, fields[i]->components(), fields[i]->name());
      const BlockGrid& its = fields[i]->list().grid();
      const int rank = fields[i]->list().rank();
      field_of.insert(field_of.end(),
                      static_cast<std::size_t>(its.first_block(rank + 1) - its.first_block(rank)), i);
    }
    const auto values =
        std::make_shared<std::vector<std::vector<T>>>(); // of each field, when it is asked for
    const int first = grid.first_block(transport.rank());
    const auto read = [values, fields, field_of, kind, grid, first](int block, std::int64_t y, std::int64_t z,
                                                                    std::span<Value> row) {
      const std::size_t here = fields.size() == 1 ? 0 : field_of.at(static_cast<std::size_t>(block - first));
      const Box& box = grid.block(block);
      std::ranges::fill(row, neutral(kind));
      fields[here]->list().for_row(y, z, [&](std::int64_t n, std::int64_t x) {
        if (x < box.lower[0] || x >= box.upper[0]) return; // another block of the list
        row[static_cast<std::size_t>(x - box.lower[0])] =
            static_cast<Value>((*values)[here][static_cast<std::size_t>(n)]);
      });
    };
    const auto result = reduction_over_ranks<Value>(grid, kind, read, transport);
    return [values, fields, component, result] {
      for (const SparseField<T>* const field : fields)
        values->push_back(field->read(component));
      const Value value = result();
      values->clear();
      return value;
    };
  }

  static Value of_list(const IndexList& list, SparseView<const T> view, ReductionKind kind, int component) {
    return reduce_rows<Value>(list.box(), kind, [&](std::int64_t y, std::int64_t z, std::span<Value> row) {
      std::fill(row.begin(), row.end(), neutral(kind));
      list.for_row(y, z, [&](std::int64_t n, std::int64_t x) {
        row[static_cast<std::size_t>(x - list.box().lower[0])] = static_cast<Value>(view(n, component));
      });
    });
  }

  std::function<Value()> value_;
};

} // namespace heddle

#endif
