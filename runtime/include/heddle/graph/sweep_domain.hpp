// SPDX-License-Identifier: Apache-2.0
// Where a sweep runs, and what its fields must have in common.
#ifndef HEDDLE_GRAPH_SWEEP_DOMAIN_HPP
#define HEDDLE_GRAPH_SWEEP_DOMAIN_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/versions.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/sparse/cell_range.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// The cells that one call of a kernel updates.
struct SweepCells {
  int block = 0;                         // of dense fields: its number on this rank
  const Box* box = nullptr;              // cells of the block, counted from its first one; null: all
  CellRange range{};                     // of a list
  std::array<std::int64_t, 2> colours{}; // first <= colour < last
  bool interleaved = false;              // the kernel takes all blocks that lie between those of `block`
  const Versions* versions = nullptr;    // of the fields, see Stream::version

  template <class T> [[nodiscard]] T& version(T& object) const {
    return versions == nullptr ? object : versions->of(object);
  }
};

/// What a sweep learns from its arguments. Memory, grid, blocks and list are those of the first field.
struct SweepDomain {
  const char* kernel; // its name, for errors
  int axes;           // dimensions of the kernel
  int interleave;     // blocks of which it takes a cell at once on a device
  std::vector<FieldAccess> accesses{};
  Memory memory = Memory::host;
  const BlockGrid* grid = nullptr;
  int rank = 0;
  std::vector<std::array<std::int64_t, 4>> blocks{}; // extents, of dense fields
  const IndexList* list = nullptr;
  /// What the kernel uses without an access and must live as long as the sweep: "a list of cells".
  struct Used {
    const Lifetime* lifetime;
    const char* what;
  };
  std::vector<Used> uses{};

  /// read, written: how many cells beyond the updated one the kernel reaches; none: not at all.
  void access(const AccessedObject& object, std::string_view name, const std::optional<Reach>& read,
              const std::optional<Reach>& written) {
    const auto add = [&](AccessMode mode, const Reach& reach) {
      accesses.push_back({object, name, mode, reach.most(), reach});
    };
    if (read) add(AccessMode::read, *read);
    if (written) add(AccessMode::write, *written);
  }
  /// The kernel reads some or all values of a table or a profile.
  void read_all(const AccessedObject& object, std::string_view name) {
    accesses.push_back({object, name, AccessMode::read, FieldAccess::anywhere});
  }
};

/// Throws Error unless a field has so many components.
template <class F> void require_components(const F& field, int components, const SweepDomain& domain) {
  if (field.components() == components) return;
  throw Error(domain.kernel,
              "field '" + std::string(field.name()) + "' has " + std::to_string(field.components()) +
                  " components, but the kernel takes one with " + std::to_string(components),
              "construct the field with " + std::to_string(components) + " components, or pass another one");
}

/// Throws Error unless a field lies in the memory of the first field of a sweep, on the same blocks, and what
/// the kernel takes as a field of two dimensions has one level. axes: of the field, as the kernel takes it.
template <class T> void require_fit(const Field<T>& field, const SweepDomain& domain, int axes) {
  const auto refuse = [&](const std::string& reason, const char* hint) {
    throw Error(domain.kernel, "field '" + std::string(field.name()) + "' " + reason, hint);
  };
  if (field.memory() != domain.memory)
    refuse("lies in another memory than the first field of the sweep", "construct all with the same .memory");
  if (field.rank() != domain.rank || field.blocks() != static_cast<int>(domain.blocks.size()))
    refuse("has other blocks than the first field of the sweep",
           "construct all fields of a sweep on one BlockGrid, with the same .rank");
  for (int block = 0; block < field.blocks(); ++block) {
    const FieldView<const T> view = field.view(block);
    const std::array<std::int64_t, 4>& first = domain.blocks[static_cast<std::size_t>(block)];
    for (int axis = 0; axis < axes; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      if (view.extents()[d] == first[d]) continue;
      refuse("has " + std::to_string(view.extents()[d]) + " cells along axis " + std::to_string(axis) +
                 " of block " + std::to_string(block) + ", but the first field of the sweep has " +
                 std::to_string(first[d]),
             "construct all fields of a sweep on one BlockGrid");
    }
    if (axes != 2 || view.extents()[2] <= 1 || view.strides()[2] == 0) continue;
    const std::string levels = "has " + std::to_string(view.extents()[2]) + " levels along z, ";
    if (domain.axes == 2)
      refuse(levels + "of which a kernel of two dimensions would update the first alone",
             "write the model in three dimensions, or call the kernel for each level with "
             "FieldView::plane(level)");
    refuse(levels + "but the kernel takes one value per column", "construct it with {.same_along = 2}");
  }
}

/// The same for fields over lists: the memory, the rank and the cells of the first one.
template <class T> void require_fit(const SparseField<T>& field, const SweepDomain& domain) {
  const IndexList& list = field.list();
  if (field.memory() == domain.memory && list.rank() == domain.rank && list.all() == domain.list->all())
    return;
  throw Error(domain.kernel,
              "field '" + std::string(field.name()) +
                  "' lies in another memory or on other cells than the first field of the sweep",
              "construct all fields of a sweep on lists of the same cells, in the same memory");
}

} // namespace heddle

#endif
