// SPDX-License-Identifier: Apache-2.0
#include "batched_pack.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace heddle {

namespace {

constexpr std::size_t most_boxes = 65535;                  // rows of blocks of a CUDA grid, one a box
constexpr std::int64_t most_cells = std::int64_t{1} << 29; // numbers of cells have 32 bits

} // namespace

std::optional<std::array<std::int32_t, 2>>
cells_between(const DenseExchange::Place& from, const DenseExchange::Place& to, std::size_t value_bytes) {
  const std::int64_t column = from.stride[0];
  const std::int64_t row = from.stride[1];
  if (from.stride != to.stride || column <= 0 || row <= 0) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(to.first - from.first);
  const auto value = static_cast<std::int64_t>(value_bytes);
  const std::int64_t rows = bytes / (row * value);
  const std::int64_t rest = bytes % (row * value);
  if (rest % (column * value) != 0 || std::abs(rows) > most_cells || row / column > most_cells)
    return std::nullopt;
  return {{static_cast<std::int32_t>(rest / (column * value)), static_cast<std::int32_t>(rows)}};
}

std::optional<BatchedPack::Shifts> BatchedPack::shifts(int from, int to) const {
  Shifts found;
  for (std::size_t field = 0; field < exchange_->fields().size(); ++field) {
    const auto& place = exchange_->locations()[field].place;
    const auto cells = cells_between(place(from), place(to), exchange_->fields()[field].value_bytes);
    if (!cells) return std::nullopt;
    found.push_back(*cells);
  }
  return found;
}

void BatchedPack::add(int block, HaloPlan::Table table) {
  for (Call& call : calls_) {
    if (!batched_) break;
    std::vector<std::int32_t>& rows = call.table.rows;
    if (rows.size() + table.rows.size() > most_boxes * MessageBoxes::columns) continue;
    const std::optional<Shifts> cells = shifts(call.block, block);
    if (!cells) continue;
    for (auto row = table.rows.begin(); row != table.rows.end(); row += MessageBoxes::columns) {
      const auto& [x, y] = (*cells)[static_cast<std::size_t>(row[MessageBoxes::field])];
      row[MessageBoxes::first_cell] += x;
      row[MessageBoxes::first_cell + 1] += y;
    }
    rows.insert(rows.end(), table.rows.begin(), table.rows.end());
    call.table.longest = std::max(call.table.longest, table.longest);
    return;
  }
  calls_.push_back({block, std::move(table)});
}

std::vector<DenseExchange::Place> places_of(const DenseExchange& exchange) {
  std::vector<DenseExchange::Place> places;
  const BlockGrid& grid = *exchange.grid();
  const int blocks = grid.first_block(exchange.rank() + 1) - grid.first_block(exchange.rank());
  for (const DenseExchange::Location& field : exchange.locations()) {
    for (int block = 0; blocks > 1 && block < blocks; ++block)
      places.push_back(field.place(block));
  }
  return places;
}

} // namespace heddle
