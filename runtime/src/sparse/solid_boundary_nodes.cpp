// SPDX-License-Identifier: Apache-2.0
#include "solid_boundary_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/grid/positive_modulo.hpp"
#include "row_bits.hpp"
#include "row_cells.hpp"

namespace heddle {

namespace {

bool along_one_axis(const Link& link) {
  return std::ranges::count(link.offset, 0) == 2;
}

/// 64 bits of a row from bit `first` on, zero beyond its ends.
std::uint64_t word_from(const std::uint64_t* row, std::int64_t words, std::int64_t first) {
  const std::int64_t w = first >> 6; // rounds down below zero, too
  const auto shift = static_cast<unsigned>(first & 63);
  const auto word = [&](std::int64_t i) { return i >= 0 && i < words ? row[i] : 0; };
  return shift == 0 ? word(w) : word(w) >> shift | word(w + 1) << (64U - shift);
}

/// Sets the bits of a row `columns` further on in another.
void add_moved(const std::uint64_t* from, std::uint64_t* to, std::int64_t words, std::int64_t columns) {
  for (std::int64_t w = 0; w < words; ++w)
    to[w] |= word_from(from, words, w * 64 - columns);
}

/// f(column) for the bits of a word that are set, in ascending order.
template <class F> void for_bits(std::uint64_t word, std::int64_t first_column, F&& f) {
  for (; word != 0; word &= word - 1)
    f(first_column + std::countr_zero(word));
}

} // namespace

SolidBoundaryNodes::SolidBoundaryNodes(const CellNumbering& numbers, const Box& own,
                                       const std::array<bool, 3>& periodic, std::span<const Link> links)
    : numbers_(numbers), extent_(numbers.box().extents()), periodic_(periodic), links_(links) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t reach = 0;
    for (const Link& link : links)
      reach = std::max<std::int64_t>(reach, std::abs(link.offset[axis]));
    const std::int64_t rim = periodic[axis] ? 0 : reach;
    known_[axis] = {own.lower[axis] == numbers.box().lower[axis] ? -rim : 0,
                    extent_[axis] + (own.upper[axis] == numbers.box().upper[axis] ? rim : 0)};
    if (axis == 0) reach_ = reach;
  }
  words_ = words_of(known_[0].size());
  const auto size = static_cast<std::size_t>(rows() * words_);
  listed_.resize(size);
  bits_.resize(size);
  const std::int64_t box_words = words_of(extent_[0]);
  parallel_ranges(rows(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      if (in_rim(r)) continue;
      const std::uint64_t* const from = numbers.bits().data() + row_of_box(r) * box_words;
      for (std::int64_t w = 0; w < words_; ++w)
        listed_[static_cast<std::size_t>(r * words_ + w)] =
            word_from(from, box_words, w * 64 + known_[0].first);
    }
  });

  // Rows along axes are followed one after the other, so that the cells of earlier rows count for later ones.
  const bool in_turn = std::ranges::all_of(links, along_one_axis);
  for (const Link& link : links) {
    std::vector<std::uint64_t> from = listed_;
    for (std::size_t w = 0; in_turn && w < size; ++w)
      from[w] |= bits_[w];
    mark(link, from);
  }

  for (std::vector<std::int64_t>& before : before_)
    before.assign(static_cast<std::size_t>(rows() + 1), 0);
  parallel_ranges(rows(), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> own_bits;
    for (std::int64_t r = first; r < last; ++r) {
      mark_own(r, own_bits);
      const std::uint64_t* const nodes = bits_.data() + r * words_;
      for (std::int64_t w = 0; w < words_; ++w) {
        const std::uint64_t mask = own_bits[static_cast<std::size_t>(w)];
        before_[0][static_cast<std::size_t>(r + 1)] += std::popcount(nodes[w] & mask);
        before_[1][static_cast<std::size_t>(r + 1)] += std::popcount(nodes[w] & ~mask);
      }
    }
  });
  for (std::vector<std::int64_t>& before : before_) {
    for (std::size_t r = 1; r < before.size(); ++r)
      before[r] += before[r - 1];
    size_ += before.back();
  }
}

std::optional<std::int64_t> SolidBoundaryNodes::row_at(std::int64_t row, std::int64_t y,
                                                       std::int64_t z) const {
  std::array<std::int64_t, 3> cell{0, row % known_[1].size() + known_[1].first + y,
                                   row / known_[1].size() + known_[2].first + z};
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (periodic_[axis]) cell[axis] = positive_modulo(cell[axis], extent_[axis]);
    if (cell[axis] < known_[axis].first || cell[axis] >= known_[axis].last) return {};
  }
  return cell[1] - known_[1].first + known_[1].size() * (cell[2] - known_[2].first);
}

std::int64_t SolidBoundaryNodes::row_of_box(std::int64_t row) const {
  const std::int64_t y = row % known_[1].size() + known_[1].first;
  const std::int64_t z = row / known_[1].size() + known_[2].first;
  return std::clamp<std::int64_t>(y, 0, extent_[1] - 1) +
         extent_[1] * std::clamp<std::int64_t>(z, 0, extent_[2] - 1);
}

bool SolidBoundaryNodes::in_rim(std::int64_t row) const {
  const std::int64_t y = row % known_[1].size() + known_[1].first;
  const std::int64_t z = row / known_[1].size() + known_[2].first;
  return y < 0 || y >= extent_[1] || z < 0 || z >= extent_[2];
}

void SolidBoundaryNodes::mark(const Link& link, const std::vector<std::uint64_t>& from) {
  const std::int64_t width = known_[0].size();
  const std::uint64_t last_word = bit_range(0, width - (words_ - 1) * 64);
  parallel_ranges(rows(), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> reached(static_cast<std::size_t>(words_));
    for (std::int64_t r = first; r < last; ++r) {
      const std::optional<std::int64_t> source = row_at(r, -link.offset[1], -link.offset[2]);
      if (!source) continue;
      const std::uint64_t* const row = from.data() + *source * words_;
      std::ranges::fill(reached, 0);
      if (periodic_[0]) { // what leaves at one end comes in at the other
        const std::int64_t columns = positive_modulo(link.offset[0], width);
        add_moved(row, reached.data(), words_, columns);
        add_moved(row, reached.data(), words_, columns - width);
      } else {
        add_moved(row, reached.data(), words_, link.offset[0]);
      }
      reached.back() &= last_word;
      for (std::int64_t w = 0; w < words_; ++w) {
        const auto i = static_cast<std::size_t>(r * words_ + w);
        bits_[i] |= reached[static_cast<std::size_t>(w)] & ~listed_[i];
      }
    }
  });
}

void SolidBoundaryNodes::mark_own(std::int64_t row, std::vector<std::uint64_t>& own) const {
  own.assign(static_cast<std::size_t>(words_), 0);
  for (const auto& [begin, end, kind] : numbers_.pieces().of(row_of_box(row))) {
    if (kind == RowPieces::ghost) continue;
    const std::int64_t first = begin == 0 ? 0 : begin - known_[0].first;
    const std::int64_t last = end == extent_[0] ? known_[0].size() : end - known_[0].first;
    for (std::int64_t w = first / 64; w * 64 < last; ++w)
      own[static_cast<std::size_t>(w)] |= bit_range(first - w * 64, last - w * 64);
  }
}

std::vector<std::array<std::int64_t, 3>> SolidBoundaryNodes::among_ghosts() const {
  std::vector<std::array<std::int64_t, 3>> cells(static_cast<std::size_t>(before_[1].back()));
  std::array<std::int64_t, 3> corner = numbers_.box().lower;
  for (std::size_t axis = 0; axis < 3; ++axis)
    corner[axis] += known_[axis].first;
  parallel_ranges(rows(), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> own;
    for (std::int64_t r = first; r < last; ++r) {
      auto next = static_cast<std::size_t>(before_[1][static_cast<std::size_t>(r)]);
      if (next == static_cast<std::size_t>(before_[1][static_cast<std::size_t>(r + 1)])) continue;
      mark_own(r, own);
      const std::uint64_t* const nodes = bits_.data() + r * words_;
      for (std::int64_t w = 0; w < words_; ++w) {
        for_bits(nodes[w] & ~own[static_cast<std::size_t>(w)], w * 64, [&](std::int64_t column) {
          cells[next++] = {corner[0] + column, corner[1] + r % known_[1].size(),
                           corner[2] + r / known_[1].size()};
        });
      }
    }
  });
  return cells;
}

NeighbourTable SolidBoundaryNodes::table(const ListLayout& layout) {
  NeighbourTable::Words entries = NeighbourTable::on_host(layout, links_.size());
  number();
  fill(entries.data(), layout.neighbour_stride);
  return {layout, links_, std::move(entries)};
}

/// Gives the nodes the numbers after those of the listed cells, row by row, those in no block of this rank
/// last.
void SolidBoundaryNodes::number() {
  const std::int64_t count = numbers_.ghosts().last;
  const std::int64_t width = known_[0].size();
  pitch_ = width + 2 * reach_;
  columns_ = Buffer<std::uint32_t>(pitch_ * rows(), Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  parallel_ranges(rows(), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> own;
    for (std::int64_t r = first; r < last; ++r) {
      std::uint32_t* const row = columns_.data() + r * pitch_ + reach_;
      std::fill(row - reach_, row + width + reach_, nobody);
      if (!in_rim(r)) numbers_.write_row(row_of_box(r), row - known_[0].first);
      mark_own(r, own);
      const auto before = static_cast<std::size_t>(r);
      auto next_own = static_cast<std::uint32_t>(count + before_[0][before]);
      auto next_other = static_cast<std::uint32_t>(count + before_[0].back() + before_[1][before]);
      const std::uint64_t* const nodes = bits_.data() + r * words_;
      for (std::int64_t w = 0; w < words_; ++w) {
        const std::uint64_t mask = own[static_cast<std::size_t>(w)];
        for_bits(nodes[w] & mask, w * 64, [&](std::int64_t column) { row[column] = next_own++; });
        for_bits(nodes[w] & ~mask, w * 64, [&](std::int64_t column) { row[column] = next_other++; });
      }
      for (std::int64_t x = 1; periodic_[0] && x <= reach_; ++x) {
        row[-x] = row[positive_modulo(-x, width)];
        row[width - 1 + x] = row[positive_modulo(width - 1 + x, width)];
      }
    }
  });
}

void SolidBoundaryNodes::fill(std::uint32_t* entries, std::int64_t stride) const {
  const std::vector<std::uint32_t> outside(static_cast<std::size_t>(pitch_), nobody);
  parallel_ranges(rows(), [&](std::int64_t first, std::int64_t last) {
    RowCells cells;
    for (std::int64_t r = first; r < last; ++r) {
      const std::uint32_t* const row = columns_.data() + r * pitch_ + reach_;
      cells.take(row, known_[0].size());
      for (std::size_t l = 0; l < links_.size(); ++l) {
        const std::array<int, 3>& offset = links_[l].offset;
        const std::optional<std::int64_t> beside = row_at(r, offset[1], offset[2]);
        const std::uint32_t* const from =
            (beside ? columns_.data() + *beside * pitch_ : outside.data()) + reach_ + offset[0];
        cells.fill(row, from, 0, 0, entries + static_cast<std::int64_t>(l) * stride);
      }
    }
  });
}

} // namespace heddle
