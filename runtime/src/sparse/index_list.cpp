// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/index_list.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "heddle/core/error.hpp"
#include "implicit_bounce_back.hpp"
#include "solid_boundary_nodes.hpp"
#include "specular_links.hpp"

namespace heddle {

namespace {

bool leads_to_cell(const Link& link) {
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
    : grid_(box), box_(box) {
  const Stopwatch stopwatch(seconds_, cpu_seconds_);
  check_flags(flags, "IndexList");
  numbers_ = CellNumbering(box, RowPieces(box, communicates), flags);
  if (order != CellOrder::rows) numbers_.sort(order);
  build_table(periodic, links, memory, slips);
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
  Box around = box_;
  std::array<bool, 3> periodic{};
  std::array<bool, 6> mirrors{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.periodic()[d] && (slips[2 * d] || slips[2 * d + 1])) refuse_slip(d);
    around.lower[d] -= border_;
    around.upper[d] += border_;
    const bool meets_itself = around.upper[d] - around.lower[d] > domain.upper[d] - domain.lower[d];
    if (grid.blocks()[d] == 1 || grid.ranks() == 1 || (several && grid.periodic()[d] && meets_itself)) {
      box_.lower[d] = around.lower[d] = domain.lower[d];
      box_.upper[d] = around.upper[d] = domain.upper[d];
      periodic[d] = grid.periodic()[d];
    } else if (!grid.periodic()[d]) {
      around.lower[d] = std::max(around.lower[d], domain.lower[d]);
      around.upper[d] = std::min(around.upper[d], domain.upper[d]);
    }
    mirrors[2 * d] = slips[2 * d] && around.lower[d] == domain.lower[d]; // else another rank's
    mirrors[2 * d + 1] = slips[2 * d + 1] && around.upper[d] == domain.upper[d];
  }
  std::vector<std::uint8_t> listed(static_cast<std::size_t>(around.volume()));
  flags(around, listed);
  numbers_ = CellNumbering(around, RowPieces(around, box_, grid, rank, border_), listed);
  build_table(periodic, links, memory, mirrors);
}

void IndexList::build_table(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory,
                            const std::array<bool, 6>& slips) {
  if (links.empty() || links.size() > 1024) {
    throw Error("IndexList", std::to_string(links.size()) + " links are not supported", "use 1 to 1024");
  }
  if (count() == 0) {
    throw Error("IndexList", "no cell of " + to_string(box_) + " is listed",
                "all flags are 0: check that not all cells are solid");
  }
  const std::int64_t known = numbers_.ghosts().last;
  if (std::ranges::none_of(links, leads_to_cell)) {
    table_ = implicit_bounce_back(numbers_, ListLayout(known, memory), periodic, links, slips);
    return;
  }
  if (!std::ranges::all_of(links, leads_to_cell))
    throw Error(
        "IndexList",
        "some links lead to stored cells behind walls, but others reflect into elements of their own cell",
        "use the links of one streaming pattern");
  if (std::ranges::find(slips, true) != slips.end())
    throw Error("IndexList", "free-slip faces cannot be combined with links to stored cells behind walls",
                "use a sweep of lbm.FreeSlip with a normal, or the links of pull, push or AA");
  SolidBoundaryNodes nodes(numbers_, box_, periodic, links);
  constexpr std::int64_t last_number = 0xFFFFFFFELL;
  if (known + nodes.size() > last_number) {
    throw Error("IndexList",
                "the numbers of " + std::to_string(known + nodes.size()) +
                    " cells do not fit into 32-bit indices",
                "split the domain into blocks");
  }
  solid_places_ = nodes.among_ghosts();
  table_ = nodes.table(ListLayout(known + nodes.size(), memory));
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
  const std::int64_t inside = interior().last;
  if (part.cells == BlockPart::Cells::interior)
    own = {inside * part.slice / part.slices, inside * (part.slice + 1) / part.slices};
  const std::int64_t first = std::max(range.first, own.first);
  return {first, std::max(first, std::min(range.last, own.last))};
}

std::array<std::int64_t, 3> IndexList::position(std::int64_t n) const {
  const CellRange beyond = solid_among_ghosts();
  if (n >= beyond.first && n < beyond.last) return solid_places_[static_cast<std::size_t>(n - beyond.first)];
  return numbers_.position(n);
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
