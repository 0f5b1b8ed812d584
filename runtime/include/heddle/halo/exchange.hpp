// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_EXCHANGE_HPP
#define HEDDLE_HALO_EXCHANGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/lane_array.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Ghost cells of one component that cross the border of a block, for a block with n cells along an axis.
/// Along an axis whose anchor is 0: the cells [near, n - far); 1: [n + near, n + far); -1: [-far, -near).
/// The regions of an exchange have no cell in common. The generator derives them from a kernel's accesses.
struct HaloRegion {
  int field = 0;
  int component = 0;
  std::array<int, 3> anchor{};
  std::array<int, 3> near{};
  std::array<int, 3> far{};

  /// The cells, counted from the first interior cell of a block with `extent` cells; may be empty.
  [[nodiscard]] Box cells(const std::array<std::int64_t, 3>& extent) const noexcept;
  /// Whether its cells are among those of `other`, of the same component, in blocks of any size.
  [[nodiscard]] bool within(const HaloRegion& other) const noexcept;
};

/// The regions that fill the whole rim of a field, for kernels whose accesses are not known.
[[nodiscard]] std::vector<HaloRegion> ghost_shell(int components, const std::array<int, 3>& layers);

/// A row of the neighbour table of a list through which a kernel reaches a field: where it leads to a ghost
/// cell, the element there crosses. The generator derives them from a kernel's accesses.
///
/// Where rows lead to cells (Link::to_cell), they are followed one after the other to component `slot` of
/// one. In another step the cell at `other`, seen from the one that reaches, reaches the same element: where
/// that is not listed, the element belongs to this cell alone and does not cross, wherever it lies.
struct HaloLink {
  static constexpr int none = -1;
  int field = 0;
  int row = 0;
  int slot = none; // none: the row leads to elements
  std::array<int, 3> other{};
  std::array<int, 2> then{none, none}; // rows to follow after it
};

/// Links of a kernel with walls within that lead to elements of a field: what lies behind a wall stands in
/// `wall_slot` of the current cell. sides: where the kernel has walls, bits as in `walls_around`. The
/// generator writes them down.
struct WallLinks {
  int field = 0;
  std::span<const Link> links;
  std::uint32_t sides = 0;
};

/// From which cells to which an exchange goes.
enum class Direction {
  owner_to_ghost, ///< before a kernel: what it is about to read beyond its block
  ghost_to_owner  ///< after a kernel: what it has written beyond its block
};

/// A table of boxes for a pack kernel, in the memory of the field; see heddle.ir.pack_table of the
/// generator.
struct MessageBoxes {
  static constexpr int columns =
      9; // field, component, first cell, extent (x, y, z each), place in the message buffer
  static constexpr int field = 0;
  static constexpr int first_cell = 2;
  const std::int32_t* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t longest = 0; // cells of the largest box
};

/// Elements of fields over a list for a pack kernel, in the memory of the fields: those that follow each
/// other in the message buffer.
struct MessageElements {
  static constexpr std::uint8_t none = 255;
  const std::uint8_t* fields = nullptr;   // the number of the field, none between messages
  const std::uint32_t* numbers = nullptr; // as in the table of neighbours
  std::int64_t count = 0;
};

/// A field of an exchange.
struct ExchangedField {
  AccessedObject object;
  std::string name;
  int components;
  std::size_t value_bytes;
  int interleaved = 1;
  bool left_out = false; ///< nothing of it crosses any more: BoxExchange::leave_out
};

/// What the exchanges of all kinds have: a name, a direction, and fields on one grid.
class ExchangeBase {
public:
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Direction direction() const noexcept { return direction_; }
  /// Of one value in a message.
  [[nodiscard]] std::size_t value_bytes() const noexcept { return value_bytes_; }
  [[nodiscard]] const std::vector<ExchangedField>& fields() const noexcept { return fields_; }
  /// Of the fields; null before the first.
  [[nodiscard]] const BlockGrid* grid() const noexcept { return grid_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] Memory memory() const noexcept { return memory_; }

protected:
  ExchangeBase(std::string name, Direction direction, std::size_t value_bytes)
      : name_(std::move(name)), direction_(direction), value_bytes_(value_bytes) {}
  void add(ExchangedField field, const BlockGrid& grid, int rank, Memory memory);
  void leave_out_field(std::size_t number) { fields_[number].left_out = true; }

private:
  std::string name_;
  Direction direction_;
  std::size_t value_bytes_;
  std::vector<ExchangedField> fields_;
  const BlockGrid* grid_ = nullptr;
  int rank_ = 0;
  Memory memory_ = Memory::host;
};

/// An exchange of boxes of cells.
class BoxExchange : public ExchangeBase {
public:
  [[nodiscard]] std::span<const HaloRegion> regions() const noexcept { return regions_; }
  [[nodiscard]] bool empty() const noexcept { return regions_.empty(); }
  /// Cells that a block needs at least along each axis.
  [[nodiscard]] int min_block_extent() const noexcept { return min_block_extent_; }

  /// Leaves out the regions of a field, `object`, that lie within one of `known`: cells that other exchanges,
  /// or other code, have filled since the field changed. The exchange no longer accesses a field of which
  /// nothing is left. The number of the field in known regions does not count. All ranks alike.
  void leave_out(const void* object, std::span<const HaloRegion> known);

protected:
  BoxExchange(std::string name, Direction direction, std::span<const HaloRegion> regions,
              int min_block_extent, std::size_t value_bytes)
      : ExchangeBase(std::move(name), direction, value_bytes), regions_(regions),
        min_block_extent_(min_block_extent) {}
  /// Throws Error for a component or for ghost layers that the field does not have.
  void add(ExchangedField field, const std::array<int, 3>& ghost_layers, const BlockGrid& grid, int rank,
           Memory memory);

private:
  std::span<const HaloRegion> regions_;
  std::shared_ptr<const std::vector<HaloRegion>> left_; // those of them that are left, where some are not
  int min_block_extent_;
};

/// The exchange of a kernel over dense fields.
class DenseExchange : public BoxExchange {
public:
  using Pack = std::function<void(int block, const MessageBoxes& boxes, void* buffer, Stream& stream)>;
  using Unpack =
      std::function<void(int block, const MessageBoxes& boxes, const void* buffer, Stream& stream)>;

  /// regions: must outlive this. min_block_extent: cells that a block needs at least along each axis.
  /// value_bytes: of one value in a message.
  DenseExchange(std::string name, Direction direction, std::span<const HaloRegion> regions,
                int min_block_extent, std::size_t value_bytes)
      : BoxExchange(std::move(name), direction, regions, min_block_extent, value_bytes) {}
  /// An exchange of nothing.
  explicit DenseExchange(std::string name)
      : DenseExchange(std::move(name), Direction::owner_to_ghost, {}, 1, 1) {}

  /// Adds the field for the next field number; it must outlive this object. Throws Error for a field on
  /// another grid, of another rank or in other memory than the first.
  template <class T> void add(Field<T>& field) {
    BoxExchange::add({&field, std::string(field.name()), field.components(), sizeof(T), field.interleaved()},
                     field.ghost_layers(), field.grid(), field.rank(), field.memory());
    const auto group = [f = &field](int number) {
      const FieldView<T> first = f->view(number * f->interleaved());
      return LaneArray{
          first.data(), {first.stride(1), first.stride(2), first.stride(3)}, f->interleaved(), sizeof(T)};
    };
    const auto place = [f = &field](int block) {
      const FieldView<T> view = f->view(block);
      return Place{reinterpret_cast<std::uintptr_t>(view.data()), view.strides()};
    };
    locations_.push_back({group, place});
  }

  /// A kernel that loads interleaved blocks as vectors cannot read different elements in one lane only. Walls
  /// that only some blocks of a group have are therefore part of its exchange: ghost cells behind them get,
  /// or give back, the elements that the links lead to. The links must outlive this object.
  void add(const WallLinks& walls) { walls_.push_back(walls); }
  [[nodiscard]] const std::vector<WallLinks>& walls() const noexcept { return walls_; }

  /// The first cell of a block of a field, and its strides in values.
  struct Place {
    std::uintptr_t first;
    std::array<std::int64_t, 4> stride;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// Where a field lies now: a group of interleaved blocks of this rank, or one block.
  struct Location {
    std::function<LaneArray(int group)> group;
    std::function<Place(int block)> place;
  };
  /// Of each field.
  [[nodiscard]] const std::vector<Location>& locations() const noexcept { return locations_; }

  Pack pack;
  Unpack unpack;

private:
  std::vector<Location> locations_;
  std::vector<WallLinks> walls_;
};

/// The exchange of what is no Field but has blocks of a grid, and looks up its elements once for each table.
class BoundExchange : public BoxExchange {
public:
  struct BlockBoxes {
    int block;
    MessageBoxes boxes; // in host memory
  };
  using Bound = std::function<void(void* buffer, Stream& stream)>;
  /// What it returns is called for each message that the boxes describe, for all blocks at once.
  using Bind = std::function<Bound(std::span<const BlockBoxes> blocks)>;

  /// What dense fields with values of `value_bytes` would exchange as `pattern`, whose regions must outlive
  /// this.
  BoundExchange(const DenseExchange& pattern, std::size_t value_bytes)
      : BoxExchange(pattern.name(), pattern.direction(), pattern.regions(), pattern.min_block_extent(),
                    value_bytes) {}

  using BoxExchange::add;

  Bind pack;
  Bind unpack;
};

/// The exchange of a kernel over a list.
class SparseExchange : public ExchangeBase {
public:
  using Pack = std::function<void(const MessageElements& elements, void* buffer, Stream& stream)>;
  using Unpack = std::function<void(const MessageElements& elements, const void* buffer, Stream& stream)>;

  /// links: must outlive this. value_bytes: of one value in a message.
  SparseExchange(std::string name, Direction direction, std::span<const HaloLink> links,
                 std::size_t value_bytes)
      : ExchangeBase(std::move(name), direction, value_bytes), links_(links) {}
  /// An exchange of nothing.
  explicit SparseExchange(std::string name)
      : SparseExchange(std::move(name), Direction::owner_to_ghost, {}, 1) {}

  /// Adds the field for the next field number; it must outlive this object. Throws Error for a field over
  /// another list than the first.
  template <class T> void add(SparseField<T>& field) {
    add({&field, std::string(field.name()), field.components(), sizeof(T)}, field.list());
  }

  [[nodiscard]] std::span<const HaloLink> links() const noexcept { return links_; }
  [[nodiscard]] bool empty() const noexcept { return links_.empty(); }
  /// Of the fields; null before the first.
  [[nodiscard]] const IndexList* list() const noexcept { return list_; }

  Pack pack;
  Unpack unpack;

private:
  void add(ExchangedField field, const IndexList& list);

  std::span<const HaloLink> links_;
  const IndexList* list_ = nullptr;
};

/// The halo exchange of one kernel: which cells of which fields are exchanged, and how they are packed. The
/// sweeps of a module with a halo return it: `step.before()`, `step.after()`.
using Exchange = std::variant<DenseExchange, BoundExchange, SparseExchange>;

/// What it has whatever its kind.
[[nodiscard]] inline const ExchangeBase& base_of(const Exchange& exchange) {
  return *std::visit([](const auto& kind) { return static_cast<const ExchangeBase*>(&kind); }, exchange);
}

} // namespace heddle

#endif
