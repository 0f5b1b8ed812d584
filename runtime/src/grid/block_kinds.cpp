// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"

namespace heddle {

FlagReader flags_in_memory(std::span<const std::uint8_t> flags, const Box& domain,
                           const std::array<bool, 3>& periodic) {
  if (static_cast<std::int64_t>(flags.size()) != domain.volume()) {
    throw Error("flags_in_memory", std::to_string(flags.size()) + " flags were given for the " +
                                       std::to_string(domain.volume()) + " cells of " + to_string(domain));
  }
  return [flags, domain, periodic](const Box& box, std::span<std::uint8_t> out) {
    const auto wrapped = [&](std::int64_t c,
                             std::size_t axis) { // from the lower corner; -1 beyond the domain
      const std::int64_t extent = domain.extent(static_cast<int>(axis));
      const std::int64_t from_lower = c - domain.lower[axis];
      if (periodic[axis]) return (from_lower % extent + extent) % extent;
      return from_lower < extent ? std::max<std::int64_t>(from_lower, -1) : -1;
    };
    auto to = out.begin();
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        const std::int64_t k = wrapped(z, 2);
        const std::int64_t j = wrapped(y, 1);
        for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
          const std::int64_t i = wrapped(x, 0);
          const bool inside = i >= 0 && j >= 0 && k >= 0;
          *to++ = inside ? flags[static_cast<std::size_t>(i + domain.extent(0) * (j + domain.extent(1) * k))]
                         : std::uint8_t{0};
        }
      }
    }
  };
}

BlockChoice choose_blocks(const Box& domain, const std::array<int, 3>& blocks, const FlagReader& flags,
                          const CellCosts& costs) {
  const BlockGrid grid(domain, blocks);
  const auto places = static_cast<std::size_t>(grid.places());
  BlockChoice choice{std::vector<std::int64_t>(places), std::vector<BlockKind>(places),
                     std::vector<std::int64_t>(places)};
  parallel_ranges(grid.places(), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint8_t> bytes;
    for (std::int64_t b = first; b < last; ++b) { // numbers are places here
      const Box& box = grid.block(static_cast<int>(b));
      const auto i = static_cast<std::size_t>(b);
      bytes.resize(static_cast<std::size_t>(box.volume()));
      flags(box, bytes);
      const std::int64_t cells = box.volume() - std::count(bytes.begin(), bytes.end(), std::uint8_t{0});
      const double listed = static_cast<double>(cells) * costs.listed;
      const double dense = static_cast<double>(box.volume()) * costs.dense;
      choice.cells[i] = cells;
      choice.kinds[i] = cells == 0 ? BlockKind::empty : listed < dense ? BlockKind::listed : BlockKind::dense;
      choice.weights[i] = std::llround(cells == 0 ? 0 : std::max(1.0, std::min(listed, dense)));
    }
  });
  if (std::all_of(choice.cells.begin(), choice.cells.end(), [](std::int64_t cells) { return cells == 0; }))
    throw Error("choose_blocks", "no cell of " + to_string(domain) + " is listed",
                "check the flags: all cells seem to be solid");
  return choice;
}

} // namespace heddle
