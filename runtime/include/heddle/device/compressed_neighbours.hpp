// SPDX-License-Identifier: MIT-0
// The compressed neighbour table of a list of cells: one row of words for 32 cells and all links.
//
// Row c, for the cells n = 32 c + lane, begins at word c * chunk_words(links):
//   words 0 .. links - 1      the base of each link
//   word  links               bit r: the entries of link r do not follow each other;
//                             bits 30, 31: width of the deltas
//   word  links + 1           where the deltas of the chunk begin, in words from the table's start
//   then up to 2 unused words, so that a row is a number of 16-byte pieces.
//
// The entry of link r is base + lane where bit r is not set. Else it is base + lane + delta, with
// 32 deltas a link whose bit is set, link after link, of 8 bits (width 0) or 16 bits (width 1); the
// largest number stands for a wall. With width 2 the deltas of a chunk fit neither, and its entries
// are read from the plain table.
#ifndef HEDDLE_DEVICE_COMPRESSED_NEIGHBOURS_HPP
#define HEDDLE_DEVICE_COMPRESSED_NEIGHBOURS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heddle/device/interleaved_vector.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// Cells of a chunk: the lanes of a warp.
inline constexpr int compressed_row_cells = 32;
/// The number of links that the bits of a word can mark.
inline constexpr int most_compressed_neighbours = 30;
/// Marks the entry of a wall; no element has this index.
inline constexpr std::uint32_t at_wall = 0xFFFFFFFFU;

enum class DeltaWidth : std::uint32_t { eight = 0, sixteen = 1, plain = 2 };

HEDDLE_HOST_DEVICE constexpr int compressed_row_words(int links) {
  return (links + 2 + 3) / 4 * 4;
}

/// The element that a link leads to: `entry`, or at a wall `own`, an element of the cell itself.
HEDDLE_HOST_DEVICE inline std::uint32_t neighbour_or_wall(std::uint32_t entry, std::uint32_t own) {
  return entry == at_wall ? own : entry;
}

namespace detail {

/// Four words at once: the rows of the table are aligned to 16 bytes.
HEDDLE_HOST_DEVICE inline void load_words(std::uint32_t* local, const std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(from));
  local[0] = words.x;
  local[1] = words.y;
  local[2] = words.z;
  local[3] = words.w;
#else
  std::memcpy(local, from, 4 * sizeof(*local));
#endif
}

template <typename Delta>
HEDDLE_HOST_DEVICE inline Delta load_delta(const Delta* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(from);
#else
  Delta delta;
  std::memcpy(&delta, from, sizeof(delta));
  return delta;
#endif
}

/// Links whose deltas have the type Delta; header: the words of the chunk.
template <int links, typename Delta>
HEDDLE_HOST_DEVICE inline void add_deltas(std::uint32_t* link, const std::uint32_t* header,
                                          const Delta* delta, std::uint32_t lane) {
  constexpr std::uint32_t wall = static_cast<Delta>(-1);
  std::uint32_t at = lane;
  HEDDLE_UNROLL
  for (int r = 0; r < links; ++r) {
    const bool apart = ((header[links] >> static_cast<unsigned>(r)) & 1U) != 0U;
    const std::uint32_t own = apart ? load_delta(delta + at) : Delta{0};
    link[r] = own == wall ? at_wall : header[r] + lane + own;
    at += apart ? compressed_row_cells : 0;
  }
}

#if defined(__CUDA_ARCH__)
/// Prefetches the words of a chunk into the L2 cache, and earlier those of its row: no other thread
/// loads these lines, so a warp would wait for them twice before it could load a population. count:
/// chunks of the table.
template <int links>
__device__ inline void prefetch_compressed_row(const std::uint32_t* chunks, std::uint32_t chunk,
                                               std::uint32_t count, std::uint32_t lane) {
  constexpr std::uint32_t ahead =
      2048;  // measured on an H200: 1 to 3 % for halves; 4096 and 8192 give less
  constexpr std::int64_t words = compressed_row_words(links);
  if (chunk + ahead >= count) {
    return;
  }
  const std::uint32_t* const row = chunks + (chunk + ahead) * words;
  if (lane == 0 && chunk + 2 * ahead < count) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(row + ahead * words));
  }
  const std::uint32_t marks = __ldg(row + links);
  const auto width = marks >> most_compressed_neighbours;
  const std::uint32_t bytes =
      width >= 2 ? 0 : static_cast<std::uint32_t>(__popc(marks)) * compressed_row_cells << width;
  if (lane * 128 < bytes) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(chunks + __ldg(row + links + 1) + lane * 32));
  }
}
#endif

}  // namespace detail

/// link[r] = the entry of link r of cell n, or at_wall, for 0 <= r < links. chunks: the compressed
/// table. neighbour: the plain table, with entry (r, n) at neighbour[r * neighbour_stride + n]; it
/// is read for chunks that are not compressed. last: cells from `last` on are never loaded.
template <int links>
HEDDLE_HOST_DEVICE inline void decode_neighbours(std::uint32_t* link, const std::uint32_t* chunks,
                                                 const std::uint32_t* neighbour,
                                                 std::int64_t neighbour_stride, std::int64_t n,
                                                 [[maybe_unused]] std::int64_t last) {
  const auto cell = static_cast<std::uint32_t>(n);
  const std::uint32_t lane = cell % compressed_row_cells;
  constexpr int words = compressed_row_words(links);
  const std::uint32_t* const row =
      chunks + static_cast<std::int64_t>(cell / compressed_row_cells) * words;
#if defined(__CUDA_ARCH__)
  detail::prefetch_compressed_row<links>(chunks, cell / compressed_row_cells,
                                         static_cast<std::uint32_t>((last + 31) / 32), lane);
#endif
  std::uint32_t header[static_cast<std::size_t>(words)];
  HEDDLE_UNROLL
  for (int w = 0; w < words; w += 4) {
    detail::load_words(header + w, row + w);
  }
  if (header[links] == 0U) {  // all entries follow each other, as in open space
    HEDDLE_UNROLL
    for (int r = 0; r < links; ++r) {
      link[r] = header[r] + lane;
    }
    return;
  }
  const auto width = static_cast<DeltaWidth>(header[links] >> most_compressed_neighbours);
  const std::uint32_t* const deltas = chunks + header[links + 1];
  if (width == DeltaWidth::eight) {
    detail::add_deltas<links>(link, header, reinterpret_cast<const std::uint8_t*>(deltas), lane);
  } else if (width == DeltaWidth::sixteen) {
    detail::add_deltas<links>(link, header, reinterpret_cast<const std::uint16_t*>(deltas), lane);
  } else {
    HEDDLE_UNROLL
    for (int r = 0; r < links; ++r) {
      link[r] = neighbour[r * neighbour_stride + n];
    }
  }
}

}  // namespace heddle

#endif
