// SPDX-License-Identifier: Apache-2.0
#include "heddle/index_list.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "chunk_links.hpp"
#include "heddle/error.hpp"
#include "heddle/parallel.hpp"
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

/// Links that come back from faces without friction.
class Mirror {
public:
  Mirror(std::span<const Link> links, const std::array<bool, 3>& periodic, const std::array<bool, 6>& slips)
      : slips_(slips), images_(links.size()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (periodic[axis] && (slips[2 * axis] || slips[2 * axis + 1]))
        throw Error("IndexList",
                    std::string("a face along ") + "xyz"[axis] + " slips, and the axis is periodic",
                    "choose one of them");
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

  /// Adds the columns first <= x < last, whose listed cells have consecutive numbers.
  void add(const std::uint32_t* row, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t long_run = 8;
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
                     const std::array<bool, 6>& slips)
    : box_(box), communicates_(communicates) {
  check_flags(flags, "IndexList");
  if (links.empty() || links.size() > 1024) {
    throw Error("IndexList", "cannot have " + std::to_string(links.size()) + " links", "1 to 1024");
  }
  number_cells(flags, memory);
  if (count_ == 0) {
    throw Error("IndexList", "no cell of " + to_string(box) + " is listed",
                "all flags are 0: is all of it solid?");
  }
  build_table(periodic, links, memory, slips);
}

void IndexList::check_flags(std::span<const std::uint8_t> flags, const char* where) const {
  if (static_cast<std::int64_t>(flags.size()) != box_.volume()) {
    throw Error(where, std::to_string(flags.size()) + " flags came for the " + std::to_string(box_.volume()) +
                           " cells of " + to_string(box_));
  }
}

CellRange IndexList::inner_columns(std::int64_t row) const noexcept {
  const std::int64_t y = row % box_.extent(1);
  const std::int64_t z = row / box_.extent(1);
  const bool border = (communicates_[2] && y == 0) || (communicates_[3] && y == box_.extent(1) - 1) ||
                      (communicates_[4] && z == 0) || (communicates_[5] && z == box_.extent(2) - 1);
  if (border) return {0, 0};
  const std::int64_t first = communicates_[0] ? 1 : 0;
  return {first, std::max(first, box_.extent(0) - (communicates_[1] ? 1 : 0))};
}

std::int64_t IndexList::listed(std::int64_t row, std::int64_t first, std::int64_t last) const noexcept {
  std::int64_t cells = 0;
  const std::uint64_t* words = bits_.data() + row * words_;
  for (std::int64_t w = first / 64; w * 64 < last; ++w) {
    cells += std::popcount(words[w] & bit_range(first - w * 64, last - w * 64));
  }
  return cells;
}

void IndexList::number_cells(std::span<const std::uint8_t> flags, Memory memory) {
  const std::int64_t nx = box_.extent(0);
  const std::int64_t rows = box_.extent(1) * box_.extent(2);
  words_ = (nx + 63) / 64;
  bits_.resize(static_cast<std::size_t>(rows * words_));
  interior_before_.assign(static_cast<std::size_t>(rows + 1), 0);
  border_before_.assign(static_cast<std::size_t>(rows + 1), 0);

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
      const CellRange inner = inner_columns(r);
      const std::int64_t interior = listed(r, inner.first, inner.last);
      interior_before_[static_cast<std::size_t>(r + 1)] = interior;
      border_before_[static_cast<std::size_t>(r + 1)] = listed(r, 0, nx) - interior;
    }
  });
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    interior_before_[r + 1] += interior_before_[r];
    border_before_[r + 1] += border_before_[r];
  }
  interior_ = interior_before_.back();
  count_ = interior_ + border_before_.back();
  cells_ = (count_ + padding - 1) / padding * padding;
  if (memory == Memory::device) {
    slot_stride_ = neighbour_stride_ = (cells_ + device_piece - 1) / device_piece * device_piece;
    return;
  }
  slot_stride_ = spread(cells_, 19);
  neighbour_stride_ = spread(cells_, 45);
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
                      std::to_string(count_) + " cells does not fit 32 bits",
                  "cut the domain into blocks of at most " + std::to_string(last_index / (highest + 1)) +
                      " listed cells");
    }
    reach = std::max<std::int64_t>(reach, std::abs(static_cast<std::int64_t>(links[r].offset[0])));
  }
  rows_ = static_cast<int>(links.size());

  // The number of every cell of the box, `nobody` where it is not listed; in x with as many columns beyond
  // each end as links reach, so that a row of the table is read from it without a test at the ends.
  const std::int64_t nx = box_.extent(0);
  const std::int64_t ny = box_.extent(1);
  const std::int64_t nz = box_.extent(2);
  const std::int64_t pitch = nx + 2 * reach;
  Buffer<std::uint32_t> numbers(pitch * ny * nz, Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  parallel_ranges(ny * nz, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      std::uint32_t* row = numbers.data() + r * pitch + reach;
      const std::uint64_t* words = bits_.data() + r * words_;
      const CellRange inner = inner_columns(r);
      auto interior = static_cast<std::uint32_t>(interior_before_[static_cast<std::size_t>(r)]);
      auto border = static_cast<std::uint32_t>(interior_ + border_before_[static_cast<std::size_t>(r)]);
      const auto number = [&](std::int64_t from, std::int64_t to, std::uint32_t& next) {
        for (std::int64_t x = from; x < to; ++x) {
          const auto bit = static_cast<std::uint32_t>((words[x / 64] >> (x % 64)) & 1U);
          row[x] = bit != 0 ? next : nobody;
          next += bit;
        }
      };
      number(0, inner.first, border);
      number(inner.first, inner.last, interior);
      number(inner.last, nx, border);
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
      if (interior_before_[i] + border_before_[i] < n) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  parallel_ranges(count_, [&](std::int64_t first_cell, std::int64_t last_cell) {
    const std::int64_t first_row = row_before(first_cell);
    const std::int64_t last_row = last_cell == count_ ? ny * nz : row_before(last_cell);
    RowCells cells;
    for (std::int64_t r = first_row; r < last_row; ++r) {
      const std::uint32_t* row = numbers.data() + r * pitch + reach;
      const CellRange inner = inner_columns(r);
      cells.clear();
      cells.add(row, 0, inner.first); // border, interior, border: in each, numbers are consecutive
      cells.add(row, inner.first, inner.last);
      cells.add(row, inner.last, nx);
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
    for (std::int64_t n = count_; n < stride; ++n) {
      to[n] = static_cast<std::uint32_t>(links[l].wall_slot * slot_stride_ + std::min(n, cells_ - 1));
    }
  }

  chunks_ = compressed(table.data(), neighbour_stride_, cells_, links, slot_stride_);
  if (memory == Memory::device) {
    table_ = Table(rows_ * neighbour_stride_, memory, Table::Contents::undefined);
    table_.copy_from(table);
    chunks_ = Table(chunks_.span(), memory);
  } else {
    runs_ = runs_of(table.data(), neighbour_stride_, rows_, cells_);
    table_ = std::move(table);
  }
}

std::int64_t IndexList::cell_of(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept {
  if (!box_.contains({x, y, z})) return -1;
  const std::int64_t row = row_of(y, z);
  const std::int64_t column = x - box_.lower[0];
  if (listed(row, column, column + 1) == 0) return -1;
  const CellRange inner = inner_columns(row);
  const auto r = static_cast<std::size_t>(row);
  if (column >= inner.first && column < inner.last) {
    return interior_before_[r] + listed(row, inner.first, column);
  }
  const std::int64_t left = listed(row, 0, std::min(column, inner.first));
  const std::int64_t right = column < inner.first ? 0 : listed(row, inner.last, column);
  return interior_ + border_before_[r] + left + right;
}

std::array<std::int64_t, 3> IndexList::position(std::int64_t n) const {
  if (n < 0 || n >= count_) {
    throw Error("IndexList::position", "no cell " + std::to_string(n) + " among " + std::to_string(count_));
  }
  const bool interior = n < interior_;
  const std::vector<std::int64_t>& before = interior ? interior_before_ : border_before_;
  std::int64_t rest = interior ? n : n - interior_;
  const auto row = std::upper_bound(before.begin(), before.end(), rest) - before.begin() - 1;
  rest -= before[static_cast<std::size_t>(row)];
  const CellRange inner = inner_columns(row);
  for (std::int64_t w = 0; w < words_; ++w) {
    const std::uint64_t inside = bit_range(inner.first - w * 64, inner.last - w * 64);
    std::uint64_t word = bits_[static_cast<std::size_t>(row * words_ + w)] & (interior ? inside : ~inside);
    if (std::popcount(word) <= rest) {
      rest -= std::popcount(word);
      continue;
    }
    for (; rest > 0; --rest)
      word &= word - 1; // drops the lowest one
    return {box_.lower[0] + w * 64 + std::countr_zero(word), box_.lower[1] + row % box_.extent(1),
            box_.lower[2] + row / box_.extent(1)};
  }
  throw Error("IndexList::position", "the list is damaged"); // the rows hold count() cells by construction
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
