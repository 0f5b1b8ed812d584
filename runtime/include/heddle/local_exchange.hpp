// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LOCAL_EXCHANGE_HPP
#define HEDDLE_LOCAL_EXCHANGE_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/field.hpp"
#include "heddle/field_access.hpp"
#include "heddle/memory.hpp"
#include "heddle/slot_offset.hpp"
#include "heddle/stream.hpp"

namespace heddle {

enum class ExchangePhase {
  before, ///< owner -> ghost: what a kernel is about to read beyond its block
  after   ///< ghost -> owner: what a kernel has written beyond its block
};

/// Exchange of ghost cells between the blocks of one process, and across periodic faces. It copies exactly
/// the cells that the footprint touches: for each (slot, offset) the ranges (interior + offset) without the
/// interior, no more, because in an in-place pattern a wider copy would destroy valid data (lbm.md, section
/// 5, "Block borders"). Ghost cells beyond a face that is not periodic stay as they are. A task for
/// TaskGraph.
class LocalExchange {
public:
  /// `field` must outlive this. Throws Error for an unknown slot, an offset beyond the ghost layers, or
  /// (after) two ghost cells that would be written to one owner.
  template <class T>
  LocalExchange(Field<T>& field, std::span<const SlotOffset> footprint, ExchangePhase phase,
                std::string name = "exchange")
      : name_(std::move(name)), field_name_(field.name()), object_(&field), memory_(field.memory()) {
    for (const Piece& piece :
         plan(field.grid(), field.components(), field.ghost_layers(), footprint, phase)) {
      const FieldView<T> to = field.view(piece.to);
      const FieldView<T> from = field.view(piece.from);
      constexpr auto element = static_cast<std::int64_t>(sizeof(T));
      copies_.push_back(
          {.to = &to(piece.to_cell[0], piece.to_cell[1], piece.to_cell[2], piece.slot),
           .from = &from(piece.from_cell[0], piece.from_cell[1], piece.from_cell[2], piece.slot),
           .to_stride = {to.stride(1) * element, to.stride(2) * element},
           .from_stride = {from.stride(1) * element, from.stride(2) * element},
           .extent = piece.extent,
           .element = sizeof(T)});
    }
  }

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  void operator()(Stream& stream) const;

  /// Bytes that one call copies.
  [[nodiscard]] std::int64_t bytes() const noexcept;

private:
  /// Cells of one slot, in block coordinates: from block `from` to block `to`.
  struct Piece {
    int to = 0;
    int from = 0;
    int slot = 0;
    std::array<std::int64_t, 3> to_cell{};
    std::array<std::int64_t, 3> from_cell{};
    std::array<std::int64_t, 3> extent{};
  };

  static std::vector<Piece> plan(const BlockGrid& grid, int components, const std::array<int, 3>& layers,
                                 std::span<const SlotOffset> footprint, ExchangePhase phase);

  std::string name_;
  std::string field_name_;
  const void* object_;
  Memory memory_;
  std::vector<BoxCopy> copies_;
};

} // namespace heddle

#endif
