// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/cell_numbering.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "cell_order.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "row_bits.hpp"
#include "row_cells.hpp"

namespace heddle {

namespace {

/// One bit for each of eight flag bytes: set where the byte is not 0.
std::uint64_t eight_bits(const std::uint8_t* flags) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, flags, sizeof bytes);
  constexpr std::uint64_t low7 = 0x7F7F7F7F7F7F7F7FULL;
  const std::uint64_t top = ((((bytes & low7) + low7) | bytes) & ~low7) >> 7; // 1 in each byte that is not 0
  return (top * 0x0102040810204080ULL) >> 56;                                 // gathers the eight ones
}

} // namespace

CellNumbering::CellNumbering(const Box& box, RowPieces pieces, std::span<const std::uint8_t> flags)
    : box_(box), pieces_(std::move(pieces)), words_(words_of(box.extent(0))) {
  const std::int64_t rows = box_.extent(1) * box_.extent(2);
  bits_.resize(static_cast<std::size_t>(rows * words_));
  for (std::vector<std::int64_t>& before : before_)
    before.assign(static_cast<std::size_t>(rows + 1), 0);
  parallel_ranges(rows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      mark(r, flags.data() + r * box_.extent(0));
      for (const auto& [from, to, kind] : pieces_.of(r))
        before_[kind][static_cast<std::size_t>(r + 1)] += listed(r, from, to);
    }
  });
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::vector<std::int64_t>& before = before_[kind];
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
      before[r + 1] += before[r];
    begin_[kind + 1] = begin_[kind] + before.back();
  }
}

/// Sets the bits of the listed cells of a row that lie in its pieces.
void CellNumbering::mark(std::int64_t row, const std::uint8_t* flags) {
  for (std::int64_t w = 0; w < words_; ++w) {
    const std::int64_t cells = std::min<std::int64_t>(64, box_.extent(0) - w * 64);
    std::uint64_t word = 0;
    std::int64_t b = 0;
    for (; b + 8 <= cells; b += 8)
      word |= eight_bits(flags + w * 64 + b) << b;
    for (; b < cells; ++b)
      word |= std::uint64_t{flags[w * 64 + b] != 0} << b;
    std::uint64_t known = 0;
    for (const auto& [first, last, kind] : pieces_.of(row))
      known |= bit_range(first - w * 64, last - w * 64);
    bits_[static_cast<std::size_t>(row * words_ + w)] = word & known;
  }
}

void CellNumbering::sort(CellOrder order) {
  std::vector<std::array<std::uint32_t, 3>> cells(static_cast<std::size_t>(begin_[2]));
  parallel_ranges(box_.extent(1) * box_.extent(2), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const std::int64_t y = r % box_.extent(1);
      const std::int64_t z = r / box_.extent(1);
      for_row(box_.lower[1] + y, box_.lower[2] + z, [&](std::int64_t n, std::int64_t x) {
        cells[static_cast<std::size_t>(n)] = {static_cast<std::uint32_t>(x - box_.lower[0]),
                                              static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
      });
    }
  });
  row_place_.resize(cells.size());
  std::vector<std::uint32_t> number(cells.size()); // for_row reads number_
  for (const CellRange part : {interior(), border()}) {
    const auto first = static_cast<std::uint32_t>(part.first);
    const auto size = static_cast<std::size_t>(part.size());
    const std::vector<std::uint32_t> sorted = along_curve(order, std::span(cells).subspan(first, size));
    for (std::uint32_t n = 0; n < sorted.size(); ++n) {
      row_place_[first + n] = first + sorted[n];
      number[first + sorted[n]] = first + n;
    }
  }
  number_ = std::move(number);
}

std::int64_t CellNumbering::listed(std::int64_t row, std::int64_t first, std::int64_t last) const noexcept {
  std::int64_t cells = 0;
  const std::uint64_t* words = bits_.data() + row * words_;
  for (std::int64_t w = first / 64; w * 64 < last; ++w) {
    cells += std::popcount(words[w] & bit_range(first - w * 64, last - w * 64));
  }
  return cells;
}

void CellNumbering::write_row(std::int64_t row, std::uint32_t* columns) const {
  const std::uint64_t* const words = bits_.data() + row * words_;
  std::array<std::int64_t, 3> next = first_of(row);
  std::int64_t done = 0;
  for (const auto& [first, last, kind] : pieces_.of(row)) {
    std::fill(columns + done, columns + first, nobody);
    done = last;
    auto n = static_cast<std::uint32_t>(next[kind]);
    for (std::int64_t x = first; x < last; ++x) {
      const auto bit = static_cast<std::uint32_t>((words[x / 64] >> (x % 64)) & 1U);
      columns[x] = bit != 0 ? static_cast<std::uint32_t>(ordered(n)) : nobody;
      n += bit;
    }
    next[kind] = n;
  }
  std::fill(columns + done, columns + box_.extent(0), nobody);
}

std::int64_t CellNumbering::row_before(std::int64_t n) const noexcept {
  std::int64_t low = 0;
  std::int64_t high = box_.extent(1) * box_.extent(2);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto i = static_cast<std::size_t>(middle);
    if (before_[0][i] + before_[1][i] + before_[2][i] < n) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::int64_t CellNumbering::cell_of(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept {
  if (!box_.contains({x, y, z})) return -1;
  const std::int64_t row = row_of(y, z);
  const std::int64_t column = x - box_.lower[0];
  std::array<std::int64_t, 3> next = first_of(row);
  for (const auto& [first, last, kind] : pieces_.of(row)) {
    if (column < last) {
      if (column < first || listed(row, column, column + 1) == 0) return -1;
      return ordered(next[kind] + listed(row, first, column));
    }
    next[kind] += listed(row, first, last);
  }
  return -1;
}

std::array<std::int64_t, 3> CellNumbering::position(std::int64_t n) const {
  if (n < 0 || n >= begin_[3]) {
    throw Error("IndexList::position", "cell " + std::to_string(n) + " does not exist; there are " +
                                           std::to_string(begin_[3]) + " cells");
  }
  if (!row_place_.empty() && n < begin_[2]) n = row_place_[static_cast<std::size_t>(n)];
  const Kind kind = n < begin_[1] ? RowPieces::inner : n < begin_[2] ? RowPieces::rim : RowPieces::ghost;
  const std::vector<std::int64_t>& before = before_[kind];
  std::int64_t rest = n - begin_[kind];
  const auto row = std::upper_bound(before.begin(), before.end(), rest) - before.begin() - 1;
  rest -= before[static_cast<std::size_t>(row)];
  std::int64_t column = -1;
  for (const auto& [first, last, piece] : pieces_.of(row)) {
    if (piece != kind || column >= 0) continue;
    const std::int64_t here = listed(row, first, last);
    if (rest >= here) {
      rest -= here;
      continue;
    }
    for (std::int64_t w = first / 64; column < 0; ++w) {
      std::uint64_t word =
          bits_[static_cast<std::size_t>(row * words_ + w)] & bit_range(first - w * 64, last - w * 64);
      if (std::popcount(word) <= rest) {
        rest -= std::popcount(word);
        continue;
      }
      for (; rest > 0; --rest)
        word &= word - 1; // drops the lowest one
      column = w * 64 + std::countr_zero(word);
    }
  }
  return {box_.lower[0] + column, box_.lower[1] + row % box_.extent(1), box_.lower[2] + row / box_.extent(1)};
}

} // namespace heddle
