// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/index_list.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "cell_order.hpp"
#include "compressed_neighbours.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "row_bits.hpp"
#include "specular_links.hpp"

namespace heddle {

namespace {

constexpr std::int64_t padding = 32;       // cells() is a multiple: a warp, or a vector of 16-bit values
constexpr std::int64_t line = 16;          // elements; 64 bytes of a table entry or of f32
constexpr std::int64_t device_piece = 128; // elements; 256 bytes of 16-bit values, see FieldLayout

/// The least stride >= cells, in elements, that is `residue` lines modulo 64 (in large lists modulo 512).
/// With residue 19 the streams of 19 slots fall on different cache sets for f16, f32 and f64 alike; 45 does
/// so for one size.
std::int64_t spread(std::int64_t cells, std::int64_t residue) {
  const std::int64_t period = cells >= (std::int64_t{1} << 20) ? 512 : 64;
  const std::int64_t lines = (cells + line - 1) / line;
  return (lines + ((residue - lines) % period + period) % period) * line;
}

/// One bit for each of eight flag bytes: set where the byte is not 0.
std::uint64_t eight_bits(const std::uint8_t* flags) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, flags, sizeof bytes);
  constexpr std::uint64_t low7 = 0x7F7F7F7F7F7F7F7FULL;
  const std::uint64_t top = ((((bytes & low7) + low7) | bytes) & ~low7) >> 7; // 1 in each byte that is not 0
  return (top * 0x0102040810204080ULL) >> 56;                                 // gathers the eight ones
}

bool holds(const Link& link) {
  return link.wall_slot == Link::to_cell;
}

/// The least box that holds the blocks of a rank.
Box around_blocks(const BlockGrid& grid, int rank) {
  Box box = grid.block(grid.first_block(rank));
  for (int block = grid.first_block(rank) + 1; block < grid.first_block(rank + 1); ++block) {
    for (std::size_t d = 0; d < 3; ++d) {
      box.lower[d] = std::min(box.lower[d], grid.block(block).lower[d]);
      box.upper[d] = std::max(box.upper[d], grid.block(block).upper[d]);
    }
  }
  return box;
}

/// Measures from its begin to its end.
class Stopwatch {
public:
  Stopwatch(double& seconds, double& cpu_seconds) : seconds_(seconds), cpu_seconds_(cpu_seconds) {}
  ~Stopwatch() {
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    cpu_seconds_ = static_cast<double>(std::clock() - cpu_begin_) / CLOCKS_PER_SEC;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  Stopwatch(Stopwatch&&) = delete;
  Stopwatch& operator=(Stopwatch&&) = delete;

private:
  double& seconds_;
  double& cpu_seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::clock_t cpu_begin_ = std::clock();
};

} // namespace

IndexList::IndexList(const Box& box, std::span<const std::uint8_t> flags, const std::array<bool, 3>& periodic,
                     std::span<const Link> links, Memory memory, const std::array<bool, 6>& communicates,
                     const std::array<bool, 6>& slips, CellOrder order)
    : grid_(box), box_(box), around_(box), pieces_(box, communicates) {
  const Stopwatch stopwatch(seconds_, cpu_seconds_);
  check_flags(flags, "IndexList");
  build(flags, periodic, links, memory, slips, order);
}

IndexList::IndexList(const BlockGrid& grid, int rank, const FlagReader& flags, std::span<const Link> links,
                     Memory memory, const std::array<bool, 6>& slips)
    : grid_(grid), rank_(rank) {
  const Stopwatch stopwatch(seconds_, cpu_seconds_);
  for (const Link& link : links) {
    for (const int offset : link.offset)
      border_ = std::max(border_, std::abs(offset));
  }
  const Box& domain = grid.domain();
  const bool several = grid.first_block(rank + 1) - grid.first_block(rank) > 1;
  box_ = around_blocks(grid, rank);
  around_ = box_;
  std::array<bool, 3> periodic{};
  std::array<bool, 6> mirrors{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.periodic()[d] && (slips[2 * d] || slips[2 * d + 1])) refuse_slip(d);
    around_.lower[d] -= border_;
    around_.upper[d] += border_;
    const bool meets_itself = around_.upper[d] - around_.lower[d] > domain.upper[d] - domain.lower[d];
    if (grid.blocks()[d] == 1 || grid.ranks() == 1 || (several && grid.periodic()[d] && meets_itself)) {
      box_.lower[d] = around_.lower[d] = domain.lower[d];
      box_.upper[d] = around_.upper[d] = domain.upper[d];
      periodic[d] = grid.periodic()[d];
    } else if (!grid.periodic()[d]) {
      around_.lower[d] = std::max(around_.lower[d], domain.lower[d]);
      around_.upper[d] = std::min(around_.upper[d], domain.upper[d]);
    }
    mirrors[2 * d] = slips[2 * d] && around_.lower[d] == domain.lower[d]; // else another rank's
    mirrors[2 * d + 1] = slips[2 * d + 1] && around_.upper[d] == domain.upper[d];
  }
  pieces_ = RowPieces(around_, box_, grid, rank, border_);
  std::vector<std::uint8_t> listed(static_cast<std::size_t>(around_.volume()));
  flags(around_, listed);
  build(listed, periodic, links, memory, mirrors, CellOrder::rows);
}

void IndexList::build(std::span<const std::uint8_t> flags, const std::array<bool, 3>& periodic,
                      std::span<const Link> links, Memory memory, const std::array<bool, 6>& slips,
                      CellOrder order) {
  if (links.empty() || links.size() > 1024) {
    throw Error("IndexList", std::to_string(links.size()) + " links are not supported", "use 1 to 1024");
  }
  number_cells(flags);
  if (count_ == 0) {
    throw Error("IndexList", "no cell of " + to_string(box_) + " is listed",
                "all flags are 0: check that not all cells are solid");
  }
  if (order != CellOrder::rows) sort_cells(order);
  if (std::any_of(links.begin(), links.end(), holds)) {
    if (!std::all_of(links.begin(), links.end(), holds))
      throw Error(
          "IndexList",
          "some links lead to stored cells behind walls, but others reflect into elements of their own cell",
          "use the links of one streaming pattern");
    if (std::find(slips.begin(), slips.end(), true) != slips.end())
      throw Error("IndexList", "free-slip faces cannot be combined with links to stored cells behind walls",
                  "use a sweep of lbm.FreeSlip with a normal, or the links of pull, push or AA");
    hold_cells(periodic, links, memory);
  } else {
    lay_out(memory);
    build_table(periodic, links, memory, slips);
  }
}

void IndexList::check_flags(std::span<const std::uint8_t> flags, const char* where) const {
  if (static_cast<std::int64_t>(flags.size()) != box_.volume()) {
    throw Error(where, std::to_string(flags.size()) + " flags were given for the " +
                           std::to_string(box_.volume()) + " cells of " + to_string(box_));
  }
}

CellRange IndexList::part(const CellRange& range, const BlockPart& part) const noexcept {
  if (part.cells == BlockPart::Cells::all) return range;
  CellRange own = border();
  if (part.cells == BlockPart::Cells::interior)
    own = {interior_ * part.slice / part.slices, interior_ * (part.slice + 1) / part.slices};
  const std::int64_t first = std::max(range.first, own.first);
  return {first, std::max(first, std::min(range.last, own.last))};
}

std::int64_t IndexList::listed(std::int64_t row, std::int64_t first, std::int64_t last) const noexcept {
  std::int64_t cells = 0;
  const std::uint64_t* words = bits_.data() + row * words_;
  for (std::int64_t w = first / 64; w * 64 < last; ++w) {
    cells += std::popcount(words[w] & bit_range(first - w * 64, last - w * 64));
  }
  return cells;
}

void IndexList::clear_between_pieces(std::int64_t row) noexcept {
  std::uint64_t* const words = bits_.data() + row * words_;
  for (std::int64_t w = 0; w < words_; ++w) {
    std::uint64_t known = 0;
    for_pieces(row, [&](std::int64_t first, std::int64_t last, Kind) {
      known |= bit_range(first - w * 64, last - w * 64);
    });
    words[w] &= known;
  }
}

void IndexList::number_cells(std::span<const std::uint8_t> flags) {
  const std::int64_t nx = around_.extent(0);
  const std::int64_t rows = around_.extent(1) * around_.extent(2);
  words_ = words_of(nx);
  bits_.resize(static_cast<std::size_t>(rows * words_));
  for (std::vector<std::int64_t>& before : before_)
    before.assign(static_cast<std::size_t>(rows + 1), 0);

  parallel_ranges(rows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const std::uint8_t* row = flags.data() + r * nx;
      for (std::int64_t w = 0; w < words_; ++w) {
        const std::int64_t cells = std::min<std::int64_t>(64, nx - w * 64);
        std::uint64_t word = 0;
        std::int64_t b = 0;
        for (; b + 8 <= cells; b += 8)
          word |= eight_bits(row + w * 64 + b) << b;
        for (; b < cells; ++b)
          word |= std::uint64_t{row[w * 64 + b] != 0} << b;
        bits_[static_cast<std::size_t>(r * words_ + w)] = word;
      }
      clear_between_pieces(r);
      for_pieces(r, [&](std::int64_t from, std::int64_t to, Kind kind) {
        before_[kind][static_cast<std::size_t>(r + 1)] += listed(r, from, to);
      });
    }
  });
  for (std::vector<std::int64_t>& before : before_) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
      before[r + 1] += before[r];
  }
  interior_ = before_[inner].back();
  count_ = interior_ + before_[rim].back();
  known_ = count_ + before_[ghost].back();
}

void IndexList::sort_cells(CellOrder order) {
  std::vector<std::array<std::uint32_t, 3>> cells(static_cast<std::size_t>(count_));
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
    const auto size = static_cast<std::size_t>(part.last - part.first);
    const std::vector<std::uint32_t> sorted = along_curve(order, std::span(cells).subspan(first, size));
    for (std::uint32_t n = 0; n < sorted.size(); ++n) {
      row_place_[first + n] = first + sorted[n];
      number[first + sorted[n]] = first + n;
    }
  }
  number_ = std::move(number);
}

void IndexList::lay_out(Memory memory) {
  cells_ = (known_ + solid_ + padding - 1) / padding * padding;
  if (memory == Memory::device) {
    slot_stride_ = neighbour_stride_ = (cells_ + device_piece - 1) / device_piece * device_piece;
    return;
  }
  slot_stride_ = spread(cells_, 19);
  neighbour_stride_ = spread(cells_, 45);
}

const Buffer<std::uint32_t>& IndexList::chunks() const {
  if (!chunks_->links.empty()) {
    std::call_once(chunks_->once, [this] {
      chunks_->words = compressed(table_.data(), neighbour_stride_, cells_, chunks_->links, slot_stride_);
    });
  }
  return chunks_->words;
}

std::int64_t IndexList::table_bytes() const noexcept {
  const std::int64_t words = table_.size() + runs_.size() + chunks_->words.size();
  return words * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

std::int64_t IndexList::cell_of(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept {
  if (!around_.contains({x, y, z})) return -1;
  const std::int64_t row = row_of(y, z);
  const std::int64_t column = x - around_.lower[0];
  if (listed(row, column, column + 1) == 0) return -1;
  std::int64_t number = -1;
  std::array<std::int64_t, 3> next{first_of(inner, row), first_of(rim, row), first_of(ghost, row)};
  for_pieces(row, [&](std::int64_t first, std::int64_t last, Kind kind) {
    if (column >= first && column < last) {
      number = next[kind] + listed(row, first, column);
    } else if (last <= column) {
      next[kind] += listed(row, first, last);
    }
  });
  return ordered(number);
}

std::array<std::int64_t, 3> IndexList::position(std::int64_t n) const {
  const CellRange beyond = solid_among_ghosts();
  if (n >= beyond.first && n < beyond.last) return solid_places_[static_cast<std::size_t>(n - beyond.first)];
  if (n < 0 || n >= known_) {
    throw Error("IndexList::position", "cell " + std::to_string(n) + " does not exist; there are " +
                                           std::to_string(known_) + " cells");
  }
  if (!row_place_.empty() && n < count_) n = row_place_[static_cast<std::size_t>(n)];
  const Kind kind = n < interior_ ? inner : n < count_ ? rim : ghost;
  const std::vector<std::int64_t>& before = before_[kind];
  std::int64_t rest = n - std::array<std::int64_t, 3>{0, interior_, count_}[kind];
  const auto row = std::upper_bound(before.begin(), before.end(), rest) - before.begin() - 1;
  rest -= before[static_cast<std::size_t>(row)];
  std::int64_t column = -1;
  for_pieces(row, [&](std::int64_t first, std::int64_t last, Kind piece) {
    if (piece != kind || column >= 0) return;
    const std::int64_t here = listed(row, first, last);
    if (rest >= here) {
      rest -= here;
      return;
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
  });
  return {around_.lower[0] + column, around_.lower[1] + row % around_.extent(1),
          around_.lower[2] + row / around_.extent(1)};
}

Buffer<std::uint32_t> IndexList::select(std::span<const std::uint8_t> flags, std::uint8_t value) const {
  check_flags(flags, "IndexList::select");
  std::vector<std::uint32_t> cells;
  const std::uint8_t* flag = flags.data();
  for (std::int64_t z = box_.lower[2]; z < box_.upper[2]; ++z) {
    for (std::int64_t y = box_.lower[1]; y < box_.upper[1]; ++y, flag += box_.extent(0)) {
      if (std::find(flag, flag + box_.extent(0), value) == flag + box_.extent(0)) continue;
      for_row(y, z, [&](std::int64_t n, std::int64_t x) {
        if (flag[x - box_.lower[0]] == value) cells.push_back(static_cast<std::uint32_t>(n));
      });
    }
  }
  std::sort(cells.begin(), cells.end());
  return Buffer<std::uint32_t>(std::span<const std::uint32_t>(cells), memory());
}

} // namespace heddle
