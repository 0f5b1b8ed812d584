// SPDX-License-Identifier: Apache-2.0
#include "list_runs.hpp"

#include <vector>

#include "heddle/device/run.hpp"
#include "heddle/parallel.hpp"

namespace heddle {

namespace {

/// The pieces of one chunk and row: lanes under masks[i] lie at bases[i] + lane.
struct Pieces {
  int count = 0;
  std::uint32_t masks[run_cells] = {};
  std::uint32_t bases[run_cells] = {};

  explicit Pieces(const std::uint32_t* entry) {
    for (std::uint32_t lane = 0; lane < run_cells; ++lane) {
      const std::uint32_t base = entry[lane] - lane; // may lie below 0
      int i = 0;
      while (i < count && bases[i] != base)
        ++i;
      bases[i] = base;
      masks[i] |= std::uint32_t{1} << lane;
      count = i == count ? count + 1 : count;
    }
  }

  [[nodiscard]] std::int64_t words() const { return (count + 1) / 2 * words_of_pair; }

  /// Two pieces at a time; where their number is odd, the last pair has no lanes in its second.
  void write(std::uint32_t* to) const {
    for (int i = 0; i < count; i += 2, to += words_of_pair) {
      const bool both = i + 1 < count;
      to[0] = masks[i] | (both ? masks[i + 1] << 16U : 0U);
      to[1] = bases[i];
      to[2] = both ? bases[i + 1] : bases[i];
    }
  }
};

bool follow_each_other(const std::uint32_t* entry) {
  std::uint32_t difference = 0;
  for (std::uint32_t lane = 0; lane < run_cells; ++lane)
    difference |= entry[lane] ^ (entry[0] + lane);
  return difference == 0;
}

/// Whether the entries are small enough that a number can say something of them.
bool within_numbers(const std::uint32_t* entry) {
  std::uint32_t bits = 0;
  for (std::uint32_t lane = 0; lane < run_cells; ++lane)
    bits |= entry[lane];
  return bits < pieces;
}

} // namespace

Buffer<std::uint32_t> runs_of(const std::uint32_t* table, std::int64_t stride, int rows, std::int64_t cells) {
  const std::int64_t chunks = cells / run_cells;
  const auto entry = [&](std::int64_t c, int r) { return table + r * stride + c * run_cells; };
  std::vector<std::int64_t> begin(static_cast<std::size_t>(chunks + 1)); // of the pieces of each chunk
  begin[0] = chunks * rows;
  parallel_ranges(chunks, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      std::int64_t words = 0;
      for (int r = 0; r < rows; ++r) {
        const std::uint32_t* const entries = entry(c, r);
        words += follow_each_other(entries) ? 0 : Pieces(entries).words();
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
        numbers[number] = scattered;
        if (follow_each_other(entries)) {
          if (within_numbers(entries)) numbers[number] = entries[0];
          continue;
        }
        const Pieces apart(entries);
        apart.write(numbers + next);
        next += apart.words();
        if (within_numbers(entries) && ahead < scattered - pieces)
          numbers[number] = pieces + static_cast<std::uint32_t>(ahead);
      }
    }
  });
  return result;
}

} // namespace heddle
