// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CHECKPOINT_HPP
#define HEDDLE_CHECKPOINT_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/box.hpp"
#include "heddle/error.hpp"
#include "heddle/field.hpp"
#include "heddle/hybrid_field.hpp"
#include "heddle/parallel.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/transport.hpp"

namespace heddle {

struct CheckpointOptions {
  /// Complete checkpoints that stay; older ones are removed after a new one is in place.
  int keep = 2;
  /// Told what is about to happen on the disk, on the rank that does it. For logs, and for tests that stop
  /// the program there.
  std::function<void(std::string_view step)> watch{};
};

/// The state of a run on the disk, from which it goes on after the loss of a node, on any number of ranks,
/// with the same bits:
///
///     heddle::Checkpoint checkpoint(folder, "wind", transport);
///     checkpoint.add(f);
///     checkpoint.add("samples", samples);
///     if (resume) step = checkpoint.read();
///     ...
///     checkpoint.write(step);
///
/// write() and read() are called by all ranks together, between exchanges (after what an exchange *after* a
/// kernel brings home). A Field is stored with the ghost cells that lie straight beyond the faces of the
/// domain that are not periodic, which hold boundary values; ghost cells within the domain are somebody's
/// interior. (Beyond a face, but next to another block's cells, there are copies that no exchange fills: they
/// stay as the program sets them.)
///
/// Files, all in one folder that all ranks see. A checkpoint is one manifest and one part a rank (a rank
/// without cells has none). Parts have names that were never used, and are on the disk before the manifest
/// takes its place: at every moment there is the old checkpoint or the new one, whatever stops the program.
///
///     wind_00000040.checkpoint       manifest: text, one entry a line, words with %XX for bytes outside
///     '!'...'~' wind_00000040.0.3.part         part of rank 3, first attempt (0) at this step
///
///     heddle checkpoint 1                                           version of this format
///     name wind
///     step 40
///     number samples f64 000000000000f03f                           bytes in memory order
///     field f f32 19 listed                                         dense: all cells of a box; listed: some
///     part wind_00000040.0.3.part 1048576                           bytes
///     block 0 0 | 0 0 0 | 64 64 32 | 51234 | 0 | 9f..e1 | 07..aa …  part, field; lower, upper corner; cells;
///     place;
///                                                                   checksums of the mask (listed) and each
///                                                                   component
///     end 1f2e3d4c5b6a7988                                          checksum of all that stands above
///
/// (The bars stand here only.) A block lies in its part at `place`: for listed cells a mask, one bit a cell
/// of the box, x fastest, then y, z, lowest bit first; then component after component the values of its cells
/// in the same order, each of these padded to a multiple of 8 bytes. Values are little endian. Blocks are
/// found by the place of their cells in the domain and by nothing else, so other blocks on other ranks can
/// take them.
///
/// Checksums find faults, they keep nobody out: FNV-1a over words of eight bytes; a change within one word
/// always shows.
class Checkpoint {
public:
  /// For a program of one rank. Throws Error for a name that is empty or contains a slash, or less than one
  /// to keep.
  Checkpoint(std::filesystem::path folder, std::string name, CheckpointOptions options = {});
  /// All ranks construct the same checkpoints in the same order. The transport must outlive this.
  Checkpoint(std::filesystem::path folder, std::string name, Transport& transport,
             CheckpointOptions options = {});
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  Checkpoint(Checkpoint&&) = delete;
  Checkpoint& operator=(Checkpoint&&) = delete;

  /// The blocks of a field that are here; it must outlive this. Throws Error when there is another one of
  /// that name.
  template <class T> void add(Field<T>& field, const std::string& name = {}) {
    const std::size_t number = add_field(named(name, field.name()), type<T>(), field.components(), false);
    for (int b = 0; b < field.blocks(); ++b)
      add_block(number, dense_block(field, b));
  }

  /// A field over a list, with all blocks of it that are here, or one more block of the field of that name (each
  /// over its own list). Ranks without a block declare it: declare_listed<T>(name, components). Cells of the list
  /// outside `owned` (ghosts) are not stored. Throws Error when the list holds cells behind walls (EsoTwist,
  /// EsoPull): what walls are about to give back stands there, and would be lost.
  template <class T> void add(SparseField<T>& field, const std::string& name = {}) {
    const BlockGrid& grid = field.list().grid();
    const int rank = field.list().rank();
    for (int block = grid.first_block(rank); block < grid.first_block(rank + 1); ++block)
      add(field, grid.block(block), name);
  }
  template <class T> void add(SparseField<T>& field, const Box& owned, const std::string& name = {}) {
    const std::string known = named(name, field.name());
    add_block(listed_field(known, type<T>(), field.components()), listed_block(field, owned));
  }
  template <class T> void declare_listed(const std::string& name, int components) {
    (void)listed_field(name, type<T>(), components);
  }

  /// The own listed cells of the blocks, dense or not, that are here: other kinds of blocks can take them.
  template <class T> void add(HybridField<T>& field, const std::string& name = {}) {
    const std::size_t number = add_field(named(name, field.name()), type<T>(), field.components(), true);
    for (typename HybridField<T>::Block& block : field.blocks())
      add_block(number, block.list ? listed_block(*block.listed, block.cells.box) : masked_block<T>(block));
  }

  /// A number that is the same on all ranks (that of rank 0 is stored); it must outlive this.
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(const std::string& name, T& number) {
    add_number(name, type<T>(), reinterpret_cast<std::byte*>(&number), sizeof(T));
  }

  /// Stores all that was added. On any failure every rank throws the same Error, says which rank it was, and
  /// the checkpoints from before stay as they are. After a success all but the newest `keep` are removed, and
  /// those of a later step, which belong to a future that this run has not had. A run that has read none
  /// refuses a folder that holds checkpoints of another run under this name.
  void write(std::int64_t step);

  /// Restores all that was added from the newest checkpoint, or from that of `step`, and returns its step.
  /// Ghost cells within the domain are for the next exchange to fill. Throws the same Error on every rank,
  /// and what was added then has undefined values, when there is none; when it was truncated or changed (and
  /// says which older one is whole); when it is of another version; or when it holds other fields, types,
  /// components, numbers or cells.
  std::int64_t read();
  void read(std::int64_t step);

  /// Steps of the checkpoints in the folder, ascending; nothing is said about their health.
  [[nodiscard]] std::vector<std::int64_t> steps() const;

  /// Values of one component of a block's cells, x fastest, to or from memory that holds them one after
  /// another.
  using Get = std::function<void(int component, std::byte* to)>;
  using Put = std::function<void(int component, const std::byte* from)>;
  /// A box of cells as a checkpoint sees it. look and change call what they are given, once, while the values
  /// are in host memory.
  struct Block {
    Box box;
    std::int64_t cells = 0;                          // that are stored
    std::function<std::vector<std::uint8_t>()> mask; // which; none for all
    std::function<void(const std::function<void(const Get&)>&)> look;
    std::function<void(const std::function<void(const Put&)>&)> change;
  };

private:
  struct State;

  /// Bytes and kind of a type, as manifests name it: f32, i64, u16 (which may be halves).
  struct Type {
    std::string name;
    std::size_t bytes;
  };
  template <class T> static Type type() {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8 && std::endian::native == std::endian::little);
    const char* kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
    return {kind + std::to_string(8 * sizeof(T)), sizeof(T)};
  }
  static std::string named(const std::string& name, std::string_view otherwise) {
    return name.empty() ? std::string(otherwise) : name;
  }

  std::size_t add_field(const std::string& name, const Type& type, int components, bool listed);
  std::size_t listed_field(const std::string& name, const Type& type, int components);
  void add_block(std::size_t field, Block block);
  void add_number(const std::string& name, const Type& type, std::byte* place, std::size_t bytes);

  /// The box of a block with the ghost cells beyond faces of the domain that are not periodic.
  template <class T> static Box owned_box(const Field<T>& field, int block) {
    Box box = field.box(block);
    const BlockGrid& grid = field.grid();
    const FieldView<const T> view = field.view(block);
    for (std::size_t d = 0; d < 3; ++d) {
      if (grid.periodic()[d] || view.stride(static_cast<int>(d)) == 0) continue;
      if (box.lower[d] == grid.domain().lower[d]) box.lower[d] -= field.ghost_layers()[d];
      if (box.upper[d] == grid.domain().upper[d]) box.upper[d] += field.ghost_layers()[d];
    }
    return box;
  }

  /// f(pointer to the first value of a row along x, its number) for the rows of `box`, in parallel.
  template <class T, class F>
  static void for_rows(FieldView<T> view, const Box& cells, const Box& box, int component, F&& f) {
    const auto rows = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t y = box.lower[1] - cells.lower[1] + row % box.extent(1);
        const std::int64_t z = box.lower[2] - cells.lower[2] + row / box.extent(1);
        f(&view(box.lower[0] - cells.lower[0], y, z, component), row);
      }
    };
    if (view.stride(1) == 0 || view.stride(2) == 0) // several rows are one
      rows(0, box.extent(1) * box.extent(2));
    else
      parallel_ranges(box.extent(1) * box.extent(2), rows);
  }

  template <class T> static Block dense_block(Field<T>& field, int b) {
    const Box cells = field.box(b);
    const Box box = owned_box(field, b);
    const std::int64_t nx = box.extent(0);
    return {box,
            box.volume(),
            {},
            [&field, b, cells, box, nx](const std::function<void(const Get&)>& body) {
              field.inspect(b, [&](FieldView<const T> view) {
                body([&](int component, std::byte* to) {
                  for_rows(view, cells, box, component, [&](const T* row, std::int64_t number) {
                    std::byte* at = to + static_cast<std::size_t>(number * nx) * sizeof(T);
                    for (std::int64_t x = 0; x < nx; ++x, at += sizeof(T))
                      std::memcpy(at, row + x * view.stride(0), sizeof(T));
                  });
                });
              });
            },
            [&field, b, cells, box, nx](const std::function<void(const Put&)>& body) {
              field.edit(b, [&](FieldView<T> view) {
                body([&](int component, const std::byte* from) {
                  for_rows(view, cells, box, component, [&](T* row, std::int64_t number) {
                    const std::byte* at = from + static_cast<std::size_t>(number * nx) * sizeof(T);
                    for (std::int64_t x = 0; x < nx; ++x, at += sizeof(T))
                      std::memcpy(row + x * view.stride(0), at, sizeof(T));
                  });
                });
              });
            }};
  }

  /// Some cells of a box. for_cells(first, last, f) calls f(element of component 0, place in the box) for
  /// those in layers first <= z < last of it, in their order; inspect and edit call what they are given with
  /// the first element and the elements between two components. Layers are looked at in parallel.
  template <class T, class ForCells, class Inspect, class Edit>
  static Block some_cells(const Box& box, ForCells for_cells, Inspect inspect, Edit edit) {
    const std::int64_t layers = box.extent(2);
    std::vector<std::int64_t> before(static_cast<std::size_t>(layers + 1)); // cells in the layers before one
    parallel_ranges(layers, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t z = first; z < last; ++z)
        for_cells(z, z + 1, [&](std::int64_t, std::int64_t) { ++before[static_cast<std::size_t>(z + 1)]; });
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    const auto mask = [for_cells, box, layers] {
      std::vector<std::uint8_t> bits(static_cast<std::size_t>((box.volume() + 7) / 8));
      parallel_ranges((layers + 7) / 8,
                      [&](std::int64_t first, std::int64_t last) { // 8 layers are whole bytes
                        for_cells(8 * first, std::min(8 * last, layers), [&](std::int64_t, std::int64_t i) {
                          bits[static_cast<std::size_t>(i / 8)] |= static_cast<std::uint8_t>(1U << (i % 8));
                        });
                      });
      return bits;
    };
    const std::int64_t cells = before.back();
    /// f(element, byte) for all cells, byte of the first one: 0.
    const auto for_all = [for_cells, before = std::move(before), layers](auto&& f) {
      parallel_ranges(layers, [&](std::int64_t first, std::int64_t last) {
        std::size_t byte = static_cast<std::size_t>(before[static_cast<std::size_t>(first)]) * sizeof(T);
        for_cells(first, last, [&](std::int64_t element, std::int64_t) {
          f(element, byte);
          byte += sizeof(T);
        });
      });
    };
    return {box, cells, mask,
            [for_all, inspect](const std::function<void(const Get&)>& body) {
              inspect([&](const T* data, std::int64_t stride) {
                body([&](int component, std::byte* to) {
                  const T* const values = data + component * stride;
                  for_all([&](std::int64_t element, std::size_t byte) {
                    std::memcpy(to + byte, values + element, sizeof(T));
                  });
                });
              });
            },
            [for_all, edit](const std::function<void(const Put&)>& body) {
              edit([&](T* data, std::int64_t stride) {
                body([&](int component, const std::byte* from) {
                  T* const values = data + component * stride;
                  for_all([&](std::int64_t element, std::size_t byte) {
                    std::memcpy(values + element, from + byte, sizeof(T));
                  });
                });
              });
            }};
  }

  static void refuse_held_cells(const IndexList& list, std::string_view field);

  template <class T> static Block listed_block(SparseField<T>& field, const Box& asked) {
    const IndexList& list = field.list();
    refuse_held_cells(list, field.name());
    const Box owned = asked.intersect(list.box());
    const auto for_cells = [&list, owned](std::int64_t first, std::int64_t last, auto&& f) {
      std::int64_t row = first * owned.extent(0) * owned.extent(1);
      for (std::int64_t z = owned.lower[2] + first; z < owned.lower[2] + last; ++z) {
        for (std::int64_t y = owned.lower[1]; y < owned.upper[1]; ++y, row += owned.extent(0)) {
          list.for_row(y, z, [&](std::int64_t n, std::int64_t x) {
            if (x >= owned.lower[0] && x < owned.upper[0]) f(n, row + x - owned.lower[0]);
          });
        }
      }
    };
    return some_cells<T>(
        owned, for_cells,
        [&field](auto&& f) {
          field.inspect([&](SparseView<const T> view) { f(view.data(), view.stride(1)); });
        },
        [&field](auto&& f) { field.edit([&](SparseView<T> view) { f(view.data(), view.stride(1)); }); });
  }

  /// The listed cells of a dense block of a hybrid field.
  template <class T> static Block masked_block(typename HybridField<T>::Block& block) {
    const Box box = block.cells.box;
    const auto for_cells = [&block, box](std::int64_t first, std::int64_t last, auto&& f) {
      std::int64_t place = first * box.extent(0) * box.extent(1);
      for (std::int64_t z = box.lower[2] + first; z < box.lower[2] + last; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x, ++place) {
            if (block.cells.listed({x, y, z})) f(block.cells.element({x, y, z}, 0), place);
          }
        }
      }
    };
    return some_cells<T>(
        box, for_cells,
        [&block](auto&& f) {
          block.dense->inspect(0, [&](FieldView<const T> view) { f(view.data(), view.stride(3)); });
        },
        [&block](auto&& f) {
          block.dense->edit(0, [&](FieldView<T> view) { f(view.data(), view.stride(3)); });
        });
  }

  std::unique_ptr<State> state_;
};

} // namespace heddle

#endif
