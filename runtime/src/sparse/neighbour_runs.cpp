// SPDX-License-Identifier: Apache-2.0
#include "compressed_neighbours.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include "heddle/core/parallel.hpp"
#include "heddle/device/run.hpp"

namespace heddle {

namespace {

/// Bit i: whether byte i of eight is one; the others are zero.
std::uint32_t bits_of(const std::uint8_t* ones) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, ones, sizeof bytes);
  return static_cast<std::uint32_t>((bytes * 0x0102040810204080ULL) >> 56U);
}

/// Bit l: entry l does not follow entry l - 1. Without branches, so that it becomes vector code.
std::uint32_t breaks(const std::uint32_t* entry) {
  std::uint8_t broken[run_cells] = {};
  for (std::uint32_t lane = 1; lane < run_cells; ++lane)
    broken[lane] = entry[lane] != entry[lane - 1] + 1 ? 1 : 0;
  static_assert(run_cells == 16);
  return bits_of(broken) | bits_of(broken + 8) << 8U;
}

/// The segments of one chunk and row: lanes under masks[i] lie at bases[i] + lane. A segment may have several
/// stretches of lanes, such as those at a wall on both sides of a pore.
struct Pieces {
  int count = 0;
  std::uint32_t masks[run_cells];
  std::uint32_t bases[run_cells];

  /// broken: breaks(entry).
  Pieces(const std::uint32_t* entry, std::uint32_t broken) {
    std::uint32_t first = 0;
    while (first < run_cells) {
      const auto end = static_cast<std::uint32_t>(std::countr_zero(broken | 1U << run_cells));
      const std::uint32_t lanes = (1U << end) - (1U << first);
      const std::uint32_t base = entry[first] - first; // may lie below 0
      int i = 0;
      while (i < count && bases[i] != base)
        ++i;
      masks[i] = i == count ? lanes : masks[i] | lanes;
      bases[i] = base;
      count = i == count ? count + 1 : count;
      first = end;
      broken &= broken - 1;
    }
  }

  [[nodiscard]] std::int64_t words() const { return (count + 1) / 2 * run_entry::words_of_pair; }

  /// Two segments at a time; where their number is odd, the last pair has no lanes in its second.
  void write(std::uint32_t* to) const {
    for (int i = 0; i < count; i += 2, to += run_entry::words_of_pair) {
      const bool both = i + 1 < count;
      to[0] = masks[i] | (both ? masks[i + 1] << 16U : 0U);
      to[1] = bases[i];
      to[2] = both ? bases[i + 1] : bases[i];
    }
  }
};

/// Whether the entries are small enough that a number can say something of them.
bool within_numbers(const std::uint32_t* entry) {
  std::uint32_t bits = 0;
  for (std::uint32_t lane = 0; lane < run_cells; ++lane)
    bits |= entry[lane];
  return bits < run_entry::first_of_segments;
}

} // namespace

Buffer<std::uint32_t> runs_of(const std::uint32_t* table, std::int64_t stride, int rows, std::int64_t cells) {
  const std::int64_t chunks = cells / run_cells;
  const auto entry = [&](std::int64_t c, int r) { return table + r * stride + c * run_cells; };
  std::vector<std::int64_t> begin(static_cast<std::size_t>(chunks + 1)); // of the segments of each chunk
  begin[0] = chunks * rows;
  parallel_ranges(chunks, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      std::int64_t words = 0;
      for (int r = 0; r < rows; ++r) {
        const std::uint32_t* const entries = entry(c, r);
        const std::uint32_t broken = breaks(entries);
        words += broken == 0 ? 0 : Pieces(entries, broken).words();
      }
      begin[static_cast<std::size_t>(c + 1)] = words;
    }
  });
  for (std::size_t c = 0; c < static_cast<std::size_t>(chunks); ++c)
    begin[c + 1] += begin[c];

  Buffer<std::uint32_t> result(begin.back(), Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  std::uint32_t* const numbers = result.data();
  parallel_ranges(chunks, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      std::int64_t next = begin[static_cast<std::size_t>(c)];
      for (int r = 0; r < rows; ++r) {
        const std::uint32_t* const entries = entry(c, r);
        const std::int64_t number = c * rows + r;
        const std::int64_t ahead = next - number;
        numbers[number] = run_entry::unknown;
        const std::uint32_t broken = breaks(entries);
        if (broken == 0) {
          if (within_numbers(entries)) numbers[number] = entries[0];
          continue;
        }
        const Pieces apart(entries, broken);
        apart.write(numbers + next);
        next += apart.words();
        if (within_numbers(entries) && ahead < run_entry::unknown - run_entry::first_of_segments)
          numbers[number] = run_entry::first_of_segments + static_cast<std::uint32_t>(ahead);
      }
    }
  });
  return result;
}

} // namespace heddle
