// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_IO_CHECKPOINT_BLOCK_HPP
#define HEDDLE_IO_CHECKPOINT_BLOCK_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "heddle/core/parallel.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/dense_reach.hpp"
#include "heddle/halo/link_reach.hpp"
#include "heddle/hybrid/hybrid_field.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// A box of cells as a checkpoint sees it. look and change call what they are given, once, while the values
/// are in host memory.
struct CheckpointBlock {
  /// Values of one component of a block's cells, x fastest, to or from memory that holds them one after
  /// another.
  using Get = std::function<void(int component, std::byte* to)>;
  using Put = std::function<void(int component, const std::byte* from)>;

  Box box;
  std::int64_t cells = 0;                          // that are stored
  std::function<std::vector<std::uint8_t>()> mask; // which; none for all
  std::function<void(const std::function<void(const Get&)>&)> look;
  std::function<void(const std::function<void(const Put&)>&)> change;
};

/// How the blocks of fields become blocks of a checkpoint.
namespace checkpoint_blocks {

/// The box of a block with the ghost cells beyond faces of the domain that are not periodic.
template <class T> Box owned_box(const Field<T>& field, int block) {
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
void for_rows(FieldView<T> view, const Box& cells, const Box& box, int component, F&& f) {
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

template <class T> CheckpointBlock dense_block(Field<T>& field, int b) {
  const Box cells = field.box(b);
  const Box box = owned_box(field, b);
  const std::int64_t nx = box.extent(0);
  return {box,
          box.volume(),
          {},
          [&field, b, cells, box, nx](const std::function<void(const CheckpointBlock::Get&)>& body) {
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
          [&field, b, cells, box, nx](const std::function<void(const CheckpointBlock::Put&)>& body) {
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

/// Some cells of a box. for_cells(first, last, f) calls f(cell, place in the box) for those in layers
/// first <= z < last of it, in their order; inspect and edit call what they are given with get(component,
/// cell) or put(component, cell, value). Layers are looked at in parallel.
template <class T, class ForCells, class Inspect, class Edit>
CheckpointBlock some_cells(const Box& box, ForCells for_cells, const Inspect& inspect, const Edit& edit) {
  const std::int64_t layers = box.extent(2);
  std::vector<std::int64_t> before(static_cast<std::size_t>(layers + 1)); // cells in the layers before one
  parallel_ranges(layers, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t z = first; z < last; ++z)
      for_cells(z, z + 1, [&](std::int64_t, std::int64_t) { ++before[static_cast<std::size_t>(z + 1)]; });
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  const auto mask = [for_cells, box, layers] {
    std::vector<std::uint8_t> bits(static_cast<std::size_t>((box.volume() + 7) / 8));
    parallel_ranges((layers + 7) / 8, [&](std::int64_t first, std::int64_t last) { // 8 layers are whole bytes
      for_cells(8 * first, std::min(8 * last, layers), [&](std::int64_t, std::int64_t i) {
        bits[static_cast<std::size_t>(i / 8)] |= static_cast<std::uint8_t>(1U << (i % 8));
      });
    });
    return bits;
  };
  const std::int64_t cells = before.back();
  /// f(cell, byte) for all cells, byte of the first one: 0.
  const auto for_all = [for_cells, before = std::move(before), layers](auto&& f) {
    parallel_ranges(layers, [&](std::int64_t first, std::int64_t last) {
      std::size_t byte = static_cast<std::size_t>(before[static_cast<std::size_t>(first)]) * sizeof(T);
      for_cells(first, last, [&](std::int64_t cell, std::int64_t) {
        f(cell, byte);
        byte += sizeof(T);
      });
    });
  };
  return {box, cells, mask,
          [for_all, inspect](const std::function<void(const CheckpointBlock::Get&)>& body) {
            inspect([&](auto&& get) {
              body([&](int component, std::byte* to) {
                for_all([&](std::int64_t cell, std::size_t byte) {
                  const T value = get(component, cell);
                  std::memcpy(to + byte, &value, sizeof(T));
                });
              });
            });
          },
          [for_all, edit](const std::function<void(const CheckpointBlock::Put&)>& body) {
            edit([&](auto&& put) {
              body([&](int component, const std::byte* from) {
                for_all([&](std::int64_t cell, std::size_t byte) {
                  T value;
                  std::memcpy(&value, from + byte, sizeof(T));
                  put(component, cell, value);
                });
              });
            });
          }};
}

/// for_cells of the own cells of a list in a box, of which keep(n) is true.
template <class Keep> auto cells_of_list(const IndexList& list, const Box& box, Keep keep) {
  return [&list, box, keep](std::int64_t first, std::int64_t last, auto&& f) {
    std::int64_t row = first * box.extent(0) * box.extent(1);
    for (std::int64_t z = box.lower[2] + first; z < box.lower[2] + last; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y, row += box.extent(0)) {
        list.for_row(y, z, [&](std::int64_t n, std::int64_t x) {
          if (x >= box.lower[0] && x < box.upper[0] && keep(n)) f(n, row + x - box.lower[0]);
        });
      }
    }
  };
}

template <class T> CheckpointBlock listed_block(SparseField<T>& field, const Box& asked) {
  const Box owned = asked.intersect(field.list().box());
  return some_cells<T>(
      owned, cells_of_list(field.list(), owned, [](std::int64_t) { return true; }),
      [&field](auto&& f) {
        field.inspect([&](SparseView<const T> view) {
          f([&](int component, std::int64_t n) { return view(n, component); });
        });
      },
      [&field](auto&& f) {
        field.edit([&](SparseView<T> view) {
          f([&](int component, std::int64_t n, T value) { view(n, component) = value; });
        });
      });
}

/// The listed cells of a dense block of a hybrid field.
template <class T> CheckpointBlock masked_block(typename HybridField<T>::Block& block) {
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
        block.dense->inspect(0, [&](FieldView<const T> view) {
          f([&](int component, std::int64_t element) {
            return view.data()[element + component * view.stride(3)];
          });
        });
      },
      [&block](auto&& f) {
        block.dense->edit(0, [&](FieldView<T> view) {
          f([&](int component, std::int64_t element, T value) {
            view.data()[element + component * view.stride(3)] = value;
          });
        });
      });
}

/// What the cells of a box reach in the next step, wherever it lies.
template <class T>
CheckpointBlock reached_block(SparseField<T>& field, const Box& box, const LinkPaths& next) {
  return some_cells<T>(
      box, cells_of_list(field.list(), box, [](std::int64_t) { return true; }),
      [&field, next](auto&& f) {
        const LinkReach reach(field.list(), next);
        field.inspect([&](SparseView<const T> view) {
          f([&](int component, std::int64_t n) { return view.data()[reach.element(n, component)]; });
        });
      },
      [&field, next](auto&& f) {
        const LinkReach reach(field.list(), next);
        field.edit([&](SparseView<T> view) {
          f([&](int component, std::int64_t n, T value) {
            view.data()[reach.element(n, component)] = value;
          });
        });
      });
}

/// What the cells of a box reach in the step after the next one, and nobody in the next one: that lies behind
/// walls. Component i is component then.linked()[i] of the field, 0 where it does not lie behind a wall.
template <class T>
CheckpointBlock behind_walls_block(SparseField<T>& field, const Box& box, const LinkPaths& then,
                                   const std::shared_ptr<const SparseField<std::uint32_t>>& walls) {
  const auto has = [walls](std::int64_t n, int i) { return (walls->view()(n) >> (i + 1) & 1U) != 0; };
  return some_cells<T>(
      box, cells_of_list(field.list(), box, [walls](std::int64_t n) { return walls->view()(n) != 0; }),
      [&field, then, has](auto&& f) {
        const LinkReach reach(field.list(), then);
        field.inspect([&](SparseView<const T> view) {
          f([&](int i, std::int64_t n) {
            return has(n, i) ? view.data()[reach.element(n, then.linked(i))] : T{0};
          });
        });
      },
      [&field, then, has](auto&& f) {
        const LinkReach reach(field.list(), then);
        field.edit([&](SparseView<T> view) {
          f([&](int i, std::int64_t n, T value) {
            if (has(n, i)) view.data()[reach.element(n, then.linked(i))] = value;
          });
        });
      });
}

/// for_cells of the cells of a box, counted from its lower corner, that are not in `inner`: their places in
/// it.
inline auto cells_around(const Box& box, const Box& inner) {
  return [box, inner](std::int64_t first, std::int64_t last, auto&& f) {
    const std::int64_t nx = box.extent(0);
    for (std::int64_t z = first; z < last; ++z) {
      for (std::int64_t y = 0; y < box.extent(1); ++y) {
        const bool through = inner.contains({inner.lower[0], y, z});
        const std::int64_t row = nx * (y + box.extent(1) * z);
        for (std::int64_t x = 0; x < (through ? inner.lower[0] : nx); ++x)
          f(row + x, row + x);
        for (std::int64_t x = inner.upper[0]; through && x < nx; ++x)
          f(row + x, row + x);
      }
    }
  };
}

/// The cells of a block, counted from its lower corner, further than `reach` from the faces of the domain
/// that are not periodic; there are some.
template <class T> Box far_from_faces(const Field<T>& field, int b, std::int64_t reach) {
  const Box& box = field.box(b);
  const BlockGrid& grid = field.grid();
  Box inner{{0, 0, 0}, box.extents()};
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.periodic()[d]) continue;
    inner.lower[d] = std::max<std::int64_t>(0, grid.domain().lower[d] + reach - box.lower[d]);
    inner.upper[d] = std::min(inner.upper[d], grid.domain().upper[d] - reach - box.lower[d]);
  }
  return inner;
}

/// What the cells of a block reach beyond faces of the domain, wherever that lies: component c of the field
/// in the next step, and behind all of these component c in the step after it. 0 for what lies in the domain.
template <class T>
CheckpointBlock beyond_faces_block(Field<T>& field, int b, const DenseReach& next, const DenseReach& then) {
  const Box box = field.box(b);
  /// f(component of the field, cell) for the cell that is reached.
  const auto reached = [box, grid = field.grid(), next, then,
                        components = field.components()](int i, std::int64_t place, auto&& f) {
    const int c = i % components;
    const std::array<int, 3>& offset = (i < components ? next : then).offset(c);
    std::array<std::int64_t, 3> cell{place % box.extent(0), place / box.extent(0) % box.extent(1),
                                     place / box.extent(0) / box.extent(1)};
    bool beyond = false;
    for (std::size_t d = 0; d < 3; ++d) {
      cell[d] += offset[d];
      const std::int64_t at = box.lower[d] + cell[d];
      beyond |= !grid.periodic()[d] && (at < grid.domain().lower[d] || at >= grid.domain().upper[d]);
    }
    if (beyond) f(c, cell);
  };
  return some_cells<T>(
      box, cells_around(box, far_from_faces(field, b, std::max(next.reach(), then.reach()))),
      [&field, b, reached](auto&& f) {
        field.inspect(b, [&](FieldView<const T> view) {
          f([&](int i, std::int64_t place) {
            T value{0};
            reached(i, place, [&](int c, const auto& cell) { value = view(cell[0], cell[1], cell[2], c); });
            return value;
          });
        });
      },
      [&field, b, reached](auto&& f) {
        field.edit(b, [&](FieldView<T> view) {
          f([&](int i, std::int64_t place, T value) {
            reached(i, place, [&](int c, const auto& cell) { view(cell[0], cell[1], cell[2], c) = value; });
          });
        });
      });
}

} // namespace checkpoint_blocks
} // namespace heddle

#endif
