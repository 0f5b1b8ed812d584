// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/neighbour_table.hpp"

#include <algorithm>
#include <utility>

#include "compressed_neighbours.hpp"

namespace heddle {

namespace {

constexpr std::int64_t padding = 32;       // cells are a multiple: a warp, or a vector of 16-bit values
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

std::int64_t round_up(std::int64_t cells, std::int64_t multiple) {
  return (cells + multiple - 1) / multiple * multiple;
}

} // namespace

ListLayout::ListLayout(std::int64_t count, Memory where)
    : memory(where), numbered(count), cells(round_up(count, padding)),
      slot_stride(where == Memory::device ? round_up(cells, device_piece) : spread(cells, 19)),
      neighbour_stride(where == Memory::device ? slot_stride : spread(cells, 45)) {}

NeighbourTable::Words NeighbourTable::on_host(const ListLayout& layout, std::size_t rows) {
  return Words(static_cast<std::int64_t>(rows) * layout.neighbour_stride,
               layout.memory == Memory::device ? Memory::host : layout.memory, Words::Contents::undefined);
}

NeighbourTable::NeighbourTable(const ListLayout& layout, std::span<const Link> links, Words entries)
    : layout_(layout), rows_(static_cast<int>(links.size())) {
  const bool to_cells = links.front().wall_slot == Link::to_cell;
  const auto& [memory, numbered, cells, slot_stride, stride] = layout;
  for (std::size_t l = 0; l < links.size(); ++l) { // padding: own cell
    const std::int64_t own = to_cells ? 0 : links[l].wall_slot * slot_stride;
    std::uint32_t* const row = entries.data() + static_cast<std::int64_t>(l) * stride;
    for (std::int64_t n = numbered; n < stride; ++n)
      row[n] = static_cast<std::uint32_t>(own + std::min(n, cells - 1));
  }
  if (memory == Memory::device) {
    if (!to_cells)
      compressed_->words =
          Words(heddle::compressed(entries.data(), stride, cells, links, slot_stride).span(), memory);
    entries_ = Words(entries.span(), memory);
    return;
  }
  if (!to_cells) {
    runs_ = runs_of(entries.data(), stride, rows_, cells);
    compressed_->links.assign(links.begin(), links.end());
  }
  entries_ = std::move(entries);
}

const NeighbourTable::Words& NeighbourTable::compressed() const {
  if (!compressed_->links.empty()) {
    std::call_once(compressed_->once, [this] {
      compressed_->words = heddle::compressed(entries_.data(), layout_.neighbour_stride, layout_.cells,
                                              compressed_->links, layout_.slot_stride);
    });
  }
  return compressed_->words;
}

std::int64_t NeighbourTable::bytes() const noexcept {
  const std::int64_t words = entries_.size() + runs_.size() + compressed_->words.size();
  return words * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

} // namespace heddle
