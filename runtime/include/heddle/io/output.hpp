// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_IO_OUTPUT_HPP
#define HEDDLE_IO_OUTPUT_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// Where the cells of an Output lie in space, and what its files say of the run.
struct OutputOptions {
  std::array<double, 3> origin{0.0, 0.0, 0.0};  // of the lower corner of cell (0, 0, 0)
  std::array<double, 3> spacing{1.0, 1.0, 1.0}; // of cells
  /// A description of this run in one line of text; it is written to the .pvd.
  std::string about{};
  /// For a resumed run: keep the steps of the existing series before the first one written. `about` must be
  /// equal.
  bool resume = false;
};

class Collective;
struct SeriesStep;

/// Writes cell data of a grid for ParaView: image data (.vti), for several blocks one file a block and a
/// .pvti (where places have no block a .vtm), and a .pvd with the times. Raw appended data, little endian,
/// 64-bit headers (VTK file formats, "XML", appended data). All files of a step are written beside their
/// places and moved there when all are complete, the .pvd last: a failure leaves what was there before. The
/// first write replaces a series of the same name: what an earlier run's .pvd names is removed then, and no
/// other file, so that nobody reads its pieces with the new ones.
class Output {
public:
  /// Files are folder/name.pvd, folder/name_00000042.vti, … The folder is made by the first write.
  /// Throws Error for a name that is empty or contains a slash, a spacing that is not positive, a grid that
  /// ranks share, or a series that is to go on and belongs to another run.
  Output(std::filesystem::path folder, std::string name, const BlockGrid& grid, OutputOptions options = {});
  /// The same of a grid that ranks share: each writes its blocks, rank 0 the files that name them. All ranks
  /// construct and call it together, see one folder, and throw the same Error. The transport must outlive
  /// this.
  Output(std::filesystem::path folder, std::string name, const BlockGrid& grid, Transport& transport,
         OutputOptions options = {});

  /// All components of a field, which must outlive this; throws Error when its blocks are not those of the
  /// grid.
  template <class T> void add(const Field<T>& field, const std::string& name = {}) {
    require_domain(field.grid().domain(), field.grid().blocks(), field.name());
    require_blocks(static_cast<std::size_t>(field.blocks()), field.name());
    for (int b = 0; b < field.blocks(); ++b)
      require_box(b, field.box(b), field.name());
    add(Array{named(name, field.name()), vtk_type<T>(), field.components(), sizeof(T),
              at_once([&field](int block, const Sink& sink) {
                field.inspect(block, [&](FieldView<const T> view) {
                  write_planes<T>(view.extents(), sink,
                                  [&](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
                                    return view(x, y, z, c);
                                  });
                });
              })});
  }

  /// All components of a field over the list of this rank, of one block or several (IndexList of the output's
  /// grid), or over one list of the whole domain where one rank writes; `missing` stands in cells that are
  /// not listed. Each block is a file, so that any number of ranks writes the same ones of one grid. What is
  /// on a device is copied once a write.
  template <class T>
  void add(const SparseField<T>& field, const std::string& name = {},
           T missing = std::numeric_limits<T>::quiet_NaN()) {
    require_list(field.list(), field.name());
    add(Array{named(name, field.name()), vtk_type<T>(), field.components(), sizeof(T),
              [this, &field, missing]() -> Reader {
                // A std::function is copied, what is on the host for it is not.
                const auto values = std::make_shared<const OnHost<T>>(field);
                return [this, &field, values, missing](int block, const Sink& sink) {
                  write_list(field.list(), grid_.block(first_ + block), values->view(), missing, sink);
                };
              }});
  }

  /// The same of lists, one a block of the grid: those of the blocks of this rank, in their order.
  template <class T>
  void add(const std::vector<const SparseField<T>*>& fields, const std::string& name,
           T missing = std::numeric_limits<T>::quiet_NaN()) {
    require_blocks(fields.size(), name);
    for (std::size_t b = 0; b < fields.size(); ++b)
      require_box(static_cast<int>(b), fields[b]->list().box(), name);
    add(Array{name, vtk_type<T>(), fields.front()->components(), sizeof(T),
              at_once([fields, missing](int block, const Sink& sink) {
                const SparseField<T>& field = *fields[static_cast<std::size_t>(block)];
                const IndexList& list = field.list();
                field.inspect(
                    [&](SparseView<const T> view) { write_list(list, list.box(), view, missing, sink); });
              })});
  }

  /// Values made when they are written: f(block, x, y, z, c), with x, y, z counted from the block's first
  /// interior cell, and blocks from the first of this rank.
  template <class T, class F>
    requires std::invocable<F&, int, std::int64_t, std::int64_t, std::int64_t, int>
  void add(std::string name, int components, F f) {
    add(Array{std::move(name), vtk_type<T>(), components, sizeof(T),
              at_once([this, components, f = std::move(f)](int block, const Sink& sink) {
                const auto [nx, ny, nz] = grid_.block(first_ + block).extents();
                write_planes<T>({nx, ny, nz, components}, sink,
                                [&, block](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
                                  return static_cast<T>(f(block, x, y, z, c));
                                });
              })});
  } // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it follows no function that was moved

  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  Output(Output&&) = delete; // arrays made from functions refer to it
  Output& operator=(Output&&) = delete;

  /// Writes all arrays as they are now, and the series with `time` (a step written before is replaced).
  /// Returns the file of this step. Throws Error when there is no array, `step` is negative, a file cannot be
  /// written, or one of an earlier run cannot be removed, and where a rank would write another step or other
  /// arrays than rank 0, which names them for all.
  std::filesystem::path write(std::int64_t step, double time);

  /// folder/name.pvd
  [[nodiscard]] std::filesystem::path series() const;

private:
  Output(std::filesystem::path folder, std::string name, const BlockGrid& grid, Transport* transport,
         OutputOptions options);

  using Sink = std::function<void(const void* data, std::size_t bytes)>;
  using Reader = std::function<void(int block, const Sink& sink)>; // blocks from the first of this rank
  struct Array {
    std::string name;
    std::string type; // of VTK
    int components;
    std::size_t value_bytes;
    std::function<Reader()> open; // once a write
  };

  /// Of an array that needs nothing before its blocks are read.
  static std::function<Reader()> at_once(Reader read) {
    return [read = std::move(read)] { return read; };
  }

  template <class T> static std::string vtk_type() {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
    const std::string bits = std::to_string(8 * sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      return "Float" + bits;
    } else {
      return (std::is_signed_v<T> ? "Int" : "UInt") + bits;
    }
  }

  static std::string named(const std::string& name, std::string_view otherwise) {
    return name.empty() ? std::string(otherwise) : name;
  }

  /// VTK wants the components of a cell together and x fastest; a plane at a time keeps the copy small.
  template <class T, class F>
  static void write_planes(const std::array<std::int64_t, 4>& extent, const Sink& sink, F&& value) {
    std::vector<T> plane(static_cast<std::size_t>(extent[0] * extent[1] * extent[3]));
    for (std::int64_t z = 0; z < extent[2]; ++z) {
      parallel_ranges(extent[1], [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t c = 0; c < extent[3]; ++c) {
          for (std::int64_t y = first; y < last; ++y) {
            T* to = plane.data() + (y * extent[0]) * extent[3] + c;
            for (std::int64_t x = 0; x < extent[0]; ++x, to += extent[3])
              *to = value(x, y, z, static_cast<int>(c));
          }
        }
      });
      sink(plane.data(), plane.size() * sizeof(T));
    }
  }

  /// The cells of `box`, which are own ones of the list.
  template <class T>
  static void write_list(const IndexList& list, const Box& box, const SparseView<const T>& view, T missing,
                         const Sink& sink) {
    const std::int64_t components = view.extent(1);
    std::vector<T> row(static_cast<std::size_t>(box.extent(0) * components));
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        std::fill(row.begin(), row.end(), missing);
        list.for_row(y, z, [&](std::int64_t n, std::int64_t x) {
          if (x < box.lower[0] || x >= box.upper[0]) return;
          for (std::int64_t c = 0; c < components; ++c) {
            row[static_cast<std::size_t>((x - box.lower[0]) * components + c)] = view(n, c);
          }
        });
        sink(row.data(), row.size() * sizeof(T));
      }
    }
  }

  void require_domain(const Box& domain, const std::array<int, 3>& blocks, std::string_view name) const;
  void require_list(const IndexList& list, std::string_view name) const;
  void require_blocks(std::size_t count, std::string_view name) const;
  void require_box(int block, const Box& box, std::string_view name) const;
  void add(Array array);
  [[nodiscard]] std::string header(int block) const;
  [[nodiscard]] std::string piece(const std::string& stem, int block) const;
  [[nodiscard]] std::string parallel_header(const std::string& stem) const;
  [[nodiscard]] std::string blocks_text(const std::string& stem) const;
  void require_same_run() const;
  void require_pieces(const std::string& stem) const;
  void require_alike(std::int64_t step, double time);
  [[nodiscard]] std::string series_text(const std::vector<SeriesStep>& steps) const;
  [[nodiscard]] std::string main_file(const std::string& stem) const;
  /// The files of an earlier run that a first write makes obsolete; if the series goes on, `steps` gets those
  /// before it.
  [[nodiscard]] std::vector<std::string> replaced_by(std::int64_t first_step,
                                                     std::vector<SeriesStep>& steps) const;
  [[nodiscard]] std::string extent_text(const Box& cells) const;
  [[nodiscard]] std::string grid_text() const;

  std::filesystem::path folder_;
  std::string name_;
  BlockGrid grid_;
  OutputOptions options_;
  std::unique_ptr<Collective> ranks_;
  int first_; // block of this rank
  std::vector<Array> arrays_;
  std::vector<SeriesStep> steps_;
  bool written_ = false;
};

} // namespace heddle

#endif
