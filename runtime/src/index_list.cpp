// SPDX-License-Identifier: Apache-2.0
#include "heddle/index_list.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "cell_order.hpp"
#include "chunk_links.hpp"
#include "heddle/error.hpp"
#include "heddle/parallel.hpp"
#include "held_cells.hpp"
#include "list_runs.hpp"

namespace heddle {

namespace {

constexpr std::int64_t padding = 32;       // cells() is a multiple: a warp, or a vector of 16-bit values
constexpr std::int64_t line = 16;          // elements; 64 bytes of a table entry or of f32
constexpr std::int64_t device_piece = 128; // elements; 256 bytes of 16-bit values, see FieldLayout
constexpr std::uint32_t nobody = 0xFFFFFFFFU;
constexpr std::int64_t last_index = 0xFFFFFFFELL;

/// The least stride >= cells, in elements, that is `residue` lines modulo 64 (in large lists modulo 512).
/// With residue 19 the streams of 19 slots fall on different cache sets for f16, f32 and f64 alike; 45 does
/// so for one size.
std::int64_t spread(std::int64_t cells, std::int64_t residue) {
  const std::int64_t period = cells >= (std::int64_t{1} << 20) ? 512 : 64;
  const std::int64_t lines = (cells + line - 1) / line;
  return (lines + ((residue - lines) % period + period) % period) * line;
}

std::int64_t wrap(std::int64_t value, std::int64_t extent) {
  return ((value % extent) + extent) % extent;
}

/// Bits first <= b < last of a word, clipped to 0..64.
std::uint64_t bit_range(std::int64_t first, std::int64_t last) {
  first = std::clamp<std::int64_t>(first, 0, 64);
  last = std::clamp<std::int64_t>(last, 0, 64);
  if (first >= last) return 0;
  const std::uint64_t below_last = last == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last) - 1;
  return below_last & ~((std::uint64_t{1} << first) - 1);
}

/// One bit for each of eight flag bytes: set where the byte is not 0.
std::uint64_t eight_bits(const std::uint8_t* flags) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, flags, sizeof bytes);
  constexpr std::uint64_t low7 = 0x7F7F7F7F7F7F7F7FULL;
  const std::uint64_t top = ((((bytes & low7) + low7) | bytes) & ~low7) >> 7; // 1 in each byte that is not 0
  return (top * 0x0102040810204080ULL) >> 56;                                 // gathers the eight ones
}

[[noreturn]] void refuse_slip(std::size_t axis) {
  throw Error("IndexList", std::string("a face along ") + "xyz"[axis] + " slips, and the axis is periodic",
              "choose one of them");
}

bool holds(const Link& link) {
  return link.wall_slot == Link::held;
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

/// Links that come back from faces without friction.
class Mirror {
public:
  Mirror(std::span<const Link> links, const std::array<bool, 3>& periodic, const std::array<bool, 6>& slips)
      : slips_(slips), images_(links.size()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (periodic[axis] && (slips[2 * axis] || slips[2 * axis + 1])) refuse_slip(axis);
    }
    const bool any = std::find(slips.begin(), slips.end(), true) != slips.end();
    for (std::size_t l = 0; l < links.size(); ++l) {
      for (unsigned turned = 0; turned < 8; ++turned)
        images_[l][turned] = any ? image(links, l, turned) : l;
    }
  }

  /// Whether a link that leads to `position` comes back from a face across an axis.
  [[nodiscard]] bool turns(std::size_t axis, std::int64_t position, std::int64_t extent) const {
    return (position < 0 && slips_[2 * axis]) || (position >= extent && slips_[2 * axis + 1]);
  }
  /// The link whose offset is turned along the axes of these bits.
  [[nodiscard]] std::size_t operator()(std::size_t link, unsigned turned) const {
    return images_[link][turned];
  }

private:
  static std::size_t image(std::span<const Link> links, std::size_t l, unsigned turned) {
    std::array<int, 3> offset = links[l].offset;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::abs(offset[axis]) > 1)
        throw Error("IndexList", "row " + std::to_string(l) + " reaches two cells, and a face slips",
                    "use links to the nearest cells");
      if (((turned >> axis) & 1U) != 0) offset[axis] = -offset[axis];
    }
    const auto same = [&](const Link& link) { return link.offset == offset; };
    const auto found = std::find_if(links.begin(), links.end(), same);
    if (found == links.end())
      throw Error("IndexList", "row " + std::to_string(l) + " has no mirror image, and a face slips",
                  "use the links of a lattice");
    return static_cast<std::size_t>(found - links.begin());
  }

  std::array<bool, 6> slips_;
  std::vector<std::array<std::size_t, 8>> images_;
};

/// Columns first <= x < last of a row, all of them listed.
struct Run {
  std::uint32_t first;
  std::uint32_t last;
};

/// The listed cells of one row of the box: long runs, which are filled as vectors, and single cells, which
/// are filled one by one but without a branch, because short runs of unknown length would cost a
/// misprediction each.
struct RowCells {
  std::vector<Run> runs;
  std::vector<std::uint32_t> singles;

  void clear() {
    runs.clear();
    singles.clear();
  }

  /// Adds the columns first <= x < last, whose listed cells have consecutive numbers, or numbers along a
  /// curve.
  void add(const std::uint32_t* row, std::int64_t first, std::int64_t last, bool consecutive) {
    const std::int64_t long_run = consecutive ? 8 : last - first + 1;
    for (std::int64_t x = first; x < last; ++x) {
      if (row[x] == nobody) continue;
      const std::int64_t start = x;
      while (x < last && row[x] != nobody)
        ++x;
      if (x - start >= long_run) {
        runs.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(x)});
      } else {
        for (std::int64_t i = start; i < x; ++i)
          singles.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }
};

/// Entries of one row of cells and one link: `row` holds their own numbers, `from` those of their neighbours.
void fill(const RowCells& cells, const std::uint32_t* row, const std::uint32_t* from, std::uint32_t slot,
          std::uint32_t wall, std::uint32_t* entries) {
  for (const Run& run : cells.runs) {
    const std::uint32_t own = wall + row[run.first];
    std::uint32_t* to = entries + row[run.first];
    const std::uint32_t* neighbour = from + run.first;
    for (std::uint32_t i = 0; i < run.last - run.first; ++i) {
      to[i] = neighbour[i] == nobody ? own + i : slot + neighbour[i];
    }
  }
  for (const std::uint32_t x : cells.singles) {
    const std::uint32_t n = row[x];
    const std::uint32_t neighbour = from[x];
    entries[n] = neighbour == nobody ? wall + n : slot + neighbour;
  }
}

} // namespace

IndexList::IndexList(const Box& box, std::span<const std::uint8_t> flags, const std::array<bool, 3>& periodic,
                     std::span<const Link> links, Memory memory, const std::array<bool, 6>& communicates,
                     const std::array<bool, 6>& slips, CellOrder order)
    : grid_(box), box_(box), around_(box), pieces_(box, communicates) {
  check_flags(flags, "IndexList");
  build(flags, periodic, links, memory, slips, order);
}

IndexList::IndexList(const BlockGrid& grid, int rank, const FlagReader& flags, std::span<const Link> links,
                     Memory memory, const std::array<bool, 6>& slips)
    : grid_(grid), rank_(rank) {
  for (const Link& link : links) {
    for (const int offset : link.offset)
      border_ = std::max(border_, std::abs(offset));
  }
  const Box& domain = grid.domain();
  const bool several = grid.first_block(rank + 1) - grid.first_block(rank) > 1;
  if (several && grid.ranks() > 1 && std::any_of(links.begin(), links.end(), holds)) {
    throw Error("IndexList",
                "links lead to cells held behind walls, and rank " + std::to_string(rank) + " has " +
                    std::to_string(grid.first_block(rank + 1) - grid.first_block(rank)) + " blocks",
                "one block a rank, or the links of pull, push or AA");
  }
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
    throw Error("IndexList", "cannot have " + std::to_string(links.size()) + " links", "1 to 1024");
  }
  number_cells(flags);
  if (count_ == 0) {
    throw Error("IndexList", "no cell of " + to_string(box_) + " is listed",
                "all flags are 0: is all of it solid?");
  }
  if (order != CellOrder::rows) sort_cells(order);
  if (std::any_of(links.begin(), links.end(), holds)) {
    if (!std::all_of(links.begin(), links.end(), holds))
      throw Error("IndexList", "some links lead to cells held behind walls, and some to elements",
                  "use the links of one streaming pattern");
    if (std::find(slips.begin(), slips.end(), true) != slips.end())
      throw Error("IndexList", "a face slips, and links lead to cells held behind walls",
                  "use a sweep of lbm.FreeSlip with a normal, or the links of pull, push or AA");
    hold_cells(periodic, links, memory);
  } else {
    lay_out(memory);
    build_table(periodic, links, memory, slips);
  }
}

void IndexList::check_flags(std::span<const std::uint8_t> flags, const char* where) const {
  if (static_cast<std::int64_t>(flags.size()) != box_.volume()) {
    throw Error(where, std::to_string(flags.size()) + " flags came for the " + std::to_string(box_.volume()) +
                           " cells of " + to_string(box_));
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
  words_ = (nx + 63) / 64;
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
  cells_ = (known_ + held_ + padding - 1) / padding * padding;
  if (memory == Memory::device) {
    slot_stride_ = neighbour_stride_ = (cells_ + device_piece - 1) / device_piece * device_piece;
    return;
  }
  slot_stride_ = spread(cells_, 19);
  neighbour_stride_ = spread(cells_, 45);
}

void IndexList::hold_cells(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory) {
  std::array<CellRange, 3> own;
  for (std::size_t d = 0; d < 3; ++d)
    own[d] = {box_.lower[d] - around_.lower[d], box_.upper[d] - around_.lower[d]};
  HeldCells numbers(around_.extents(), own, periodic, links);
  parallel_ranges(around_.extent(1) * around_.extent(2), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      for_known(r, [&](std::int64_t n, std::int64_t column, Kind) {
        numbers.at(column, r % around_.extent(1), r / around_.extent(1)) = static_cast<std::uint32_t>(n);
      });
    }
  });
  held_ = numbers.number(known_);
  held_places_ = numbers.among_ghosts();
  for (std::array<std::int64_t, 3>& cell : held_places_) {
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] += around_.lower[d];
  }
  if (known_ + held_ > last_index) {
    throw Error("IndexList", "the numbers of " + std::to_string(known_ + held_) + " cells do not fit 32 bits",
                "cut the domain into blocks");
  }
  lay_out(memory);
  rows_ = static_cast<int>(links.size());
  Buffer<std::uint32_t> table(rows_ * neighbour_stride_, memory == Memory::device ? Memory::host : memory,
                              Buffer<std::uint32_t>::Contents::undefined);
  for (std::size_t l = 0; l < links.size(); ++l) {
    std::uint32_t* const entries = table.data() + static_cast<std::int64_t>(l) * neighbour_stride_;
    numbers.fill(links[l], entries);
    for (std::int64_t n = known_ + held_; n < neighbour_stride_; ++n) // padding: own cell
      entries[n] = static_cast<std::uint32_t>(std::min(n, cells_ - 1));
  }
  table_ = memory == Memory::device ? Buffer<std::uint32_t>(table.span(), memory) : std::move(table);
}

void IndexList::build_table(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory,
                            const std::array<bool, 6>& slips) {
  const Mirror mirror(links, periodic, slips);
  std::int64_t reach = 0; // of the links along x
  for (std::size_t r = 0; r < links.size(); ++r) {
    const std::string row = "row " + std::to_string(r);
    if (links[r].slot < 0 || links[r].wall_slot < 0) throw Error("IndexList", row + " names a negative slot");
    const std::int64_t highest = std::max(links[r].slot, links[r].wall_slot);
    if (highest > (last_index - cells_ + 1) / slot_stride_) {
      throw Error("IndexList",
                  row + ": a flat index into slot " + std::to_string(highest) + " of " +
                      std::to_string(known_) + " cells does not fit 32 bits",
                  "cut the domain into blocks of at most " + std::to_string(last_index / (highest + 1)) +
                      " listed cells");
    }
    reach = std::max<std::int64_t>(reach, std::abs(static_cast<std::int64_t>(links[r].offset[0])));
  }
  rows_ = static_cast<int>(links.size());

  // The number of every cell of the box, `nobody` where it is not listed; in x with as many columns beyond
  // each end as links reach, so that a row of the table is read from it without a test at the ends.
  const std::int64_t nx = around_.extent(0);
  const std::int64_t ny = around_.extent(1);
  const std::int64_t nz = around_.extent(2);
  const std::int64_t pitch = nx + 2 * reach;
  Buffer<std::uint32_t> numbers(pitch * ny * nz, Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  parallel_ranges(ny * nz, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      std::uint32_t* row = numbers.data() + r * pitch + reach;
      const std::uint64_t* words = bits_.data() + r * words_;
      std::array<std::uint32_t, 3> next{};
      for (const Kind kind : {inner, rim, ghost})
        next[kind] = static_cast<std::uint32_t>(first_of(kind, r));
      std::int64_t done = 0;
      for_pieces(r, [&](std::int64_t from, std::int64_t to, Kind kind) {
        std::fill(row + done, row + from, nobody);
        done = to;
        std::uint32_t n = next[kind];
        for (std::int64_t x = from; x < to; ++x) {
          const auto bit = static_cast<std::uint32_t>((words[x / 64] >> (x % 64)) & 1U);
          row[x] = bit != 0 ? static_cast<std::uint32_t>(ordered(n)) : nobody;
          n += bit;
        }
        next[kind] = n;
      });
      std::fill(row + done, row + nx, nobody);
      for (std::int64_t x = 1; x <= reach; ++x) {
        row[-x] = periodic[0] ? row[wrap(-x, nx)] : nobody;
        row[nx - 1 + x] = periodic[0] ? row[wrap(nx - 1 + x, nx)] : nobody;
      }
    }
  });
  const std::vector<std::uint32_t> outside(static_cast<std::size_t>(pitch), nobody);

  using Table = Buffer<std::uint32_t>;
  Table table(rows_ * neighbour_stride_, memory == Memory::device ? Memory::host : memory,
              Table::Contents::undefined);
  std::uint32_t* const entries = table.data();
  const std::int64_t stride = neighbour_stride_;

  // Threads share the listed cells, not the rows: first touch then is that of kernels over equal ranges of
  // cells.
  const auto row_before = [&](std::int64_t n) { // first row with n or more listed cells before it
    const std::int64_t box_rows = ny * nz;
    std::int64_t low = 0;
    std::int64_t high = box_rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto i = static_cast<std::size_t>(middle);
      if (before_[inner][i] + before_[rim][i] + before_[ghost][i] < n) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  parallel_ranges(known_, [&](std::int64_t first_cell, std::int64_t last_cell) {
    const std::int64_t first_row = row_before(first_cell);
    const std::int64_t last_row = last_cell == known_ ? ny * nz : row_before(last_cell);
    RowCells cells;
    for (std::int64_t r = first_row; r < last_row; ++r) {
      const std::uint32_t* row = numbers.data() + r * pitch + reach;
      cells.clear(); // row by row, numbers are consecutive in each piece
      const bool by_rows = number_.empty();
      for_pieces(r, [&](std::int64_t from, std::int64_t to, Kind kind) {
        cells.add(row, from, to, by_rows || kind == ghost);
      });
      for (std::size_t l = 0; l < links.size(); ++l) {
        const Link& link = links[l];
        std::int64_t y = r % ny + link.offset[1];
        std::int64_t z = r / ny + link.offset[2];
        if (periodic[1]) y = wrap(y, ny);
        if (periodic[2]) z = wrap(z, nz);
        unsigned turned = 0; // bit of each axis along which the link comes back from a face
        if (mirror.turns(1, y, ny)) {
          turned |= 2U;
          y = r % ny;
        }
        if (mirror.turns(2, z, nz)) {
          turned |= 4U;
          z = r / ny;
        }
        const bool inside = y >= 0 && y < ny && z >= 0 && z < nz;
        const std::uint32_t* beside =
            (inside ? numbers.data() + (y + ny * z) * pitch : outside.data()) + reach;
        const auto wall = static_cast<std::uint32_t>(link.wall_slot * slot_stride_);
        std::uint32_t* const to = entries + static_cast<std::int64_t>(l) * stride;
        fill(cells, row, beside + link.offset[0],
             static_cast<std::uint32_t>(links[mirror(l, turned)].slot * slot_stride_), wall, to);
        const std::int64_t end = link.offset[0] < 0 ? 0 : nx - 1; // the cell whose link leads out along x
        if (mirror.turns(0, end + link.offset[0], nx) && row[end] != nobody) {
          const auto slot = static_cast<std::uint32_t>(links[mirror(l, turned | 1U)].slot * slot_stride_);
          to[row[end]] = beside[end] == nobody ? wall + row[end] : slot + beside[end];
        }
      }
    }
  });
  for (std::size_t l = 0; l < links.size(); ++l) { // padding: own cell
    std::uint32_t* to = entries + static_cast<std::int64_t>(l) * stride;
    for (std::int64_t n = known_; n < stride; ++n) {
      to[n] = static_cast<std::uint32_t>(links[l].wall_slot * slot_stride_ + std::min(n, cells_ - 1));
    }
  }

  if (memory == Memory::device) {
    table_ = Table(rows_ * neighbour_stride_, memory, Table::Contents::undefined);
    table_.copy_from(table);
    chunks_->words =
        Table(compressed(table.data(), neighbour_stride_, cells_, links, slot_stride_).span(), memory);
  } else {
    runs_ = runs_of(table.data(), neighbour_stride_, rows_, cells_);
    table_ = std::move(table);
    chunks_->links.assign(links.begin(), links.end());
  }
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
  const CellRange beyond = held_among_ghosts();
  if (n >= beyond.first && n < beyond.last) return held_places_[static_cast<std::size_t>(n - beyond.first)];
  if (n < 0 || n >= known_) {
    throw Error("IndexList::position", "no cell " + std::to_string(n) + " among " + std::to_string(known_));
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
