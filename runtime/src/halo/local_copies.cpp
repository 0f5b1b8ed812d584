// SPDX-License-Identifier: Apache-2.0
#include "local_copies.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "heddle/core/parallel.hpp"

namespace heddle {

namespace {

/// A row of MessageBoxes.
struct BoxRow {
  const std::int32_t* entry;

  [[nodiscard]] std::array<std::int64_t, 3> first() const { return {entry[2], entry[3], entry[4]}; }
  [[nodiscard]] std::array<std::int64_t, 3> count() const { return {entry[5], entry[6], entry[7]}; }
  /// In the message buffer, where no two boxes that cross lie alike.
  [[nodiscard]] std::int32_t place() const { return entry[8]; }
};

/// A row of one block, and the steps to its next value, to the next row and to the next level.
template <class Value> struct RowsOfBox {
  Value* row;
  std::int64_t x, y, z;

  RowsOfBox(const DenseExchange::Place& place, const std::array<std::int64_t, 3>& first,
            std::int64_t component)
      : row(reinterpret_cast<Value*>(place.first)), x(place.stride[0]), y(place.stride[1]),
        z(place.stride[2]) {
    row += first[0] * x + first[1] * y + first[2] * z + component * place.stride[3];
  }
  /// The value that stands so many values, rows and levels further on.
  [[nodiscard]] Value* at(std::int64_t in_y, std::int64_t in_z) const { return row + in_y * y + in_z * z; }
};

/// A memcpy for each value: what the fields hold is of another type. Short rows, as those of ghost cells
/// beside a side, are not worth a call.
template <class Value>
void copy_row(Value* to, std::int64_t to_step, const Value* from, std::int64_t from_step,
              std::int64_t count) {
  constexpr std::int64_t few = 8;
  if (to_step == 1 && from_step == 1 && count > few) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Value));
    return;
  }
  for (std::int64_t x = 0; x < count; ++x)
    std::memcpy(to + x * to_step, from + x * from_step, sizeof(Value));
}

} // namespace

std::optional<LocalCopies> LocalCopies::of(const DenseExchange& exchange, const HaloPlan::Local& local) {
  for (const ExchangedField& field : exchange.fields())
    if (field.value_bytes != exchange.value_bytes()) return std::nullopt;
  if (exchange.value_bytes() != 4 && exchange.value_bytes() != 8) return std::nullopt;
  LocalCopies result;
  result.locations_ = exchange.locations();
  result.value_bytes_ = exchange.value_bytes();
  std::map<std::int32_t, std::pair<int, BoxRow>> packed;
  const auto each = [](const HaloPlan::Tables& tables, const auto& use) {
    for (std::size_t block = 0; block < tables.size(); ++block) {
      const std::vector<std::int32_t>& rows = tables[block].rows;
      for (std::size_t at = 0; at < rows.size(); at += MessageBoxes::columns)
        use(static_cast<int>(block), BoxRow{&rows[at]});
    }
  };
  each(local.pack, [&](int block, BoxRow row) { packed.emplace(row.place(), std::pair(block, row)); });
  result.rows_before_ = {0};
  each(local.unpack, [&](int block, BoxRow to) {
    const auto& [from_block, from] = packed.at(to.place());
    const std::array<std::int64_t, 3> count = to.count();
    result.copies_.push_back({.field = static_cast<std::size_t>(to.entry[MessageBoxes::field]),
                              .component = to.entry[1],
                              .from_block = from_block,
                              .to_block = block,
                              .from = from.first(),
                              .to = to.first(),
                              .count = count});
    result.rows_before_.push_back(result.rows_before_.back() + count[1] * count[2]);
  });
  return result;
}

void LocalCopies::run() const {
  if (value_bytes_ == 4)
    run_as<std::uint32_t>();
  else
    run_as<std::uint64_t>();
}

template <class Value> void LocalCopies::run_as() const {
  parallel_ranges(rows_before_.back(), [this](std::int64_t first, std::int64_t last) {
    auto number =
        static_cast<std::size_t>(std::ranges::upper_bound(rows_before_, first) - rows_before_.begin() - 1);
    for (std::int64_t row = first; row < last; ++number) {
      const Copy& copy = copies_[number];
      const DenseExchange::Location& field = locations_[copy.field];
      const RowsOfBox<Value> from(field.place(copy.from_block), copy.from, copy.component);
      const RowsOfBox<Value> to(field.place(copy.to_block), copy.to, copy.component);
      std::int64_t y = (row - rows_before_[number]) % copy.count[1];
      std::int64_t z = (row - rows_before_[number]) / copy.count[1];
      for (const std::int64_t end = std::min(last, rows_before_[number + 1]); row < end; ++row) {
        copy_row(to.at(y, z), to.x, from.at(y, z), from.x, copy.count[0]);
        if (++y < copy.count[1]) continue;
        y = 0;
        ++z;
      }
    }
  });
}

} // namespace heddle
