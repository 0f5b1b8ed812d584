// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/list_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace heddle {

ListReport& ListReport::operator+=(const ListReport& more) noexcept {
  lists += more.lists;
  cells += more.cells;
  bytes += more.bytes;
  seconds += more.seconds;
  cpu_seconds += more.cpu_seconds;
  return *this;
}

std::string ListReport::line() const {
  const double count = std::max(1.0, static_cast<double>(cells));
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "%d list%s of %.3g million cells in %.3g s (%.3g s of processors, %.3g million a second): "
                "%.0f ns and %.0f "
                "bytes a cell",
                lists, lists == 1 ? "" : "s", static_cast<double>(cells) / 1e6, seconds, cpu_seconds,
                count / 1e6 / std::max(cpu_seconds, 1e-9), 1e9 * seconds / count,
                static_cast<double>(bytes) / count);
  return text.data();
}

std::string ListReport::line(int rank, int ranks) const {
  if (ranks == 1) return line();
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks) + ": " + line();
}

} // namespace heddle
