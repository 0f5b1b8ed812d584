// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_BATCHED_PACK_HPP
#define HEDDLE_SRC_HALO_BATCHED_PACK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_plan.hpp"

namespace heddle {

/// Cells along x and y from the first cell of a block to that of another: a kernel that gets the view of the
/// one reaches the other with them. nullopt where strides differ, or no whole number of cells lies between
/// them.
[[nodiscard]] std::optional<std::array<std::int32_t, 2>>
cells_between(const DenseExchange::Place& from, const DenseExchange::Place& to, std::size_t value_bytes);

/// Tables of boxes for the calls of a pack kernel. If they are batched, blocks that lie alike have
/// one table: their cells are counted from the first cell of one of them, wherever in memory they lie,
/// so that one launch does all.
class BatchedPack {
public:
  struct Call {
    int block; // whose view the kernel gets
    HaloPlan::Table table;
  };

  /// The exchange must outlive this.
  BatchedPack(const DenseExchange& exchange, bool batched) : exchange_(&exchange), batched_(batched) {}

  /// The boxes of one more block of this rank.
  void add(int block, HaloPlan::Table table);
  [[nodiscard]] const std::vector<Call>& calls() const noexcept { return calls_; }

private:
  /// For each field.
  using Shifts = std::vector<std::array<std::int32_t, 2>>;
  [[nodiscard]] std::optional<Shifts> shifts(int from, int to) const;

  const DenseExchange* exchange_;
  bool batched_;
  std::vector<Call> calls_;
};

/// Where the blocks of all fields lie, if there are several; tables of several blocks hold as long as this is
/// the same.
[[nodiscard]] std::vector<DenseExchange::Place> places_of(const DenseExchange& exchange);

} // namespace heddle

#endif
