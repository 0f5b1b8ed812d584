// SPDX-License-Identifier: Apache-2.0
#include "row_cells.hpp"

namespace heddle {

void RowCells::take(const std::uint32_t* row, std::int64_t columns) {
  constexpr std::int64_t long_run = 8;
  runs_.clear();
  singles_.clear();
  std::int64_t x = 0;
  while (x < columns) {
    if (row[x] == nobody) {
      ++x;
      continue;
    }
    const std::int64_t start = x++;
    while (x < columns && row[x] == row[x - 1] + 1 && row[x] != nobody)
      ++x;
    if (x - start >= long_run) {
      runs_.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(x)});
    } else {
      for (std::int64_t i = start; i < x; ++i)
        singles_.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

void RowCells::fill(const std::uint32_t* row, const std::uint32_t* from, std::uint32_t slot,
                    std::uint32_t wall, std::uint32_t* entries) const {
  for (const Run& run : runs_) {
    const std::uint32_t own = wall + row[run.first];
    std::uint32_t* const to = entries + row[run.first];
    const std::uint32_t* const neighbour = from + run.first;
    for (std::uint32_t i = 0; i < run.last - run.first; ++i)
      to[i] = neighbour[i] == nobody ? own + i : slot + neighbour[i];
  }
  for (const std::uint32_t x : singles_) {
    const std::uint32_t n = row[x];
    const std::uint32_t neighbour = from[x];
    entries[n] = neighbour == nobody ? wall + n : slot + neighbour;
  }
}

} // namespace heddle
