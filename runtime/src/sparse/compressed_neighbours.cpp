// SPDX-License-Identifier: Apache-2.0
#include "compressed_neighbours.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/device/compressed_neighbours.hpp"

namespace heddle {

namespace {

constexpr std::int64_t aligned_words =
    8; // 32 bytes: deltas of 8 bits of one link, a sector of a GPU's memory

/// What is known of a chunk before its deltas are written.
struct Chunk {
  std::uint32_t apart = 0; // bit r: the entries of link r do not follow each other
  DeltaWidth width = DeltaWidth::eight;
  std::uint32_t base[most_compressed_neighbours] = {};

  [[nodiscard]] std::int64_t delta_words() const {
    const std::int64_t bytes = width == DeltaWidth::eight ? 1 : width == DeltaWidth::sixteen ? 2 : 0;
    return bytes * compressed_row_cells / 4 * std::popcount(apart);
  }
};

/// The table that is compressed.
struct Table {
  const std::uint32_t* entries;
  std::int64_t stride;
  std::span<const Link> links;
  std::int64_t slot_stride;

  [[nodiscard]] const std::uint32_t* row(std::size_t link, std::int64_t chunk) const {
    return entries + static_cast<std::int64_t>(link) * stride + chunk * compressed_row_cells;
  }
  /// The entry of the first cell of a chunk where all its links of one kind end at walls.
  [[nodiscard]] std::uint32_t own(std::size_t link, std::int64_t chunk) const {
    return static_cast<std::uint32_t>(links[link].wall_slot * slot_stride + chunk * compressed_row_cells);
  }

  [[nodiscard]] Chunk look_at(std::int64_t number) const {
    Chunk chunk;
    for (std::size_t r = 0; r < links.size(); ++r) {
      const std::uint32_t* const entry = row(r, number);
      chunk.base[r] = entry[0];
      std::uint32_t difference = 0;
      for (std::uint32_t lane = 0; lane < compressed_row_cells; ++lane)
        difference |= entry[lane] ^ (entry[0] + lane);
      if (difference == 0) continue;
      chunk.apart |= std::uint32_t{1} << r;
      // Without branches, so that it becomes vector code. An entry below its lane would wrap around, and make
      // the chunk a plain one; there is none but in the first 32 cells of slot 0.
      const std::uint32_t wall = own(r, number);
      std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
      std::uint32_t largest = 0;
      for (std::uint32_t lane = 0; lane < compressed_row_cells; ++lane) {
        const std::uint32_t from_lane = entry[lane] - lane;
        const bool at_own = from_lane == wall;
        least = std::min(least, at_own ? std::numeric_limits<std::uint32_t>::max() : from_lane);
        largest = std::max(largest, at_own ? 0U : from_lane);
      }
      if (least > largest) continue; // walls only
      chunk.base[r] = least;
      const std::uint32_t span = largest - least;
      const auto needed = span < 0xFF     ? DeltaWidth::eight
                          : span < 0xFFFF ? DeltaWidth::sixteen
                                          : DeltaWidth::plain;
      chunk.width = std::max(chunk.width, needed);
    }
    return chunk;
  }

  template <class Delta> void write_deltas(const Chunk& chunk, std::int64_t number, std::uint32_t* to) const {
    for (std::size_t r = 0; r < links.size(); ++r) {
      if (((chunk.apart >> r) & 1U) == 0) continue;
      const std::uint32_t* const entry = row(r, number);
      const std::uint32_t wall = own(r, number);
      Delta deltas[compressed_row_cells];
      for (std::uint32_t lane = 0; lane < compressed_row_cells; ++lane) {
        const bool at_own = entry[lane] == wall + lane;
        deltas[lane] = static_cast<Delta>(at_own ? at_wall : entry[lane] - lane - chunk.base[r]);
      }
      std::memcpy(to, deltas, sizeof deltas);
      to += compressed_row_cells * sizeof(Delta) / sizeof *to;
    }
  }
};

} // namespace

Buffer<std::uint32_t> compressed(const std::uint32_t* table, std::int64_t stride, std::int64_t cells,
                                 std::span<const Link> links, std::int64_t slot_stride) {
  if (links.size() > most_compressed_neighbours) return {};
  const Table plain{table, stride, links, slot_stride};
  const std::int64_t chunks = cells / compressed_row_cells;
  const int words = compressed_row_words(static_cast<int>(links.size()));
  const std::int64_t heads = (chunks * words + aligned_words - 1) / aligned_words * aligned_words;

  // First the heads, with the number of words of each chunk's deltas; from these the places of the deltas
  // follow.
  Buffer<std::uint32_t> head(chunks * words, Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  std::vector<std::int64_t> begin(static_cast<std::size_t>(chunks + 1)); // of the deltas of each chunk
  begin[0] = heads;
  parallel_ranges(chunks, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      const Chunk chunk = plain.look_at(c);
      std::uint32_t* const row = head.data() + c * words;
      std::fill(row, row + words, 0U);
      std::copy_n(chunk.base, links.size(), row);
      row[links.size()] = chunk.apart | static_cast<std::uint32_t>(chunk.width) << most_compressed_neighbours;
      begin[static_cast<std::size_t>(c + 1)] = chunk.delta_words();
    }
  });
  for (std::size_t c = 0; c < static_cast<std::size_t>(chunks); ++c)
    begin[c + 1] += begin[c];
  if (begin.back() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("IndexList",
                "the compressed table of " + std::to_string(cells) + " cells needs " +
                    std::to_string(begin.back()) + " words, which 32-bit offsets cannot address",
                "split the domain into blocks");
  }

  Buffer<std::uint32_t> result(begin.back(), Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  std::uint32_t* const data = result.data();
  std::fill(data + chunks * words, data + heads, 0U);
  parallel_ranges(chunks, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      std::uint32_t* const row = data + c * words;
      std::copy_n(head.data() + c * words, words, row);
      const std::int64_t deltas = begin[static_cast<std::size_t>(c)];
      row[links.size() + 1] = static_cast<std::uint32_t>(deltas);
      Chunk chunk;
      std::copy_n(row, links.size(), chunk.base);
      chunk.apart = row[links.size()] & ((std::uint32_t{1} << most_compressed_neighbours) - 1);
      chunk.width = static_cast<DeltaWidth>(row[links.size()] >> most_compressed_neighbours);
      if (chunk.width == DeltaWidth::eight) plain.write_deltas<std::uint8_t>(chunk, c, data + deltas);
      if (chunk.width == DeltaWidth::sixteen) plain.write_deltas<std::uint16_t>(chunk, c, data + deltas);
    }
  });
  return result;
}

} // namespace heddle
