// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_LIST_REPORT_HPP
#define HEDDLE_SPARSE_LIST_REPORT_HPP

#include <cstdint>
#include <string>

namespace heddle {

/// Time and memory that lists of cells needed: of one list, or of several blocks or ranks.
struct ListReport {
  int lists = 0;
  std::int64_t cells = 0; // listed; ghost cells are in bytes and seconds only
  std::int64_t bytes = 0; // tables of neighbours that there are now: entries, runs and the compressed one
  double seconds = 0;     // on the clock
  double cpu_seconds = 0; // of all threads of the process

  /// Lists that were built one after the other.
  ListReport& operator+=(const ListReport& more) noexcept;
  /// "12 lists of 3.1 million cells in 0.21 s (0.4 s of processors, 7.75 million a second): 68 ns and 74
  /// bytes per cell"
  [[nodiscard]] std::string line() const;
  /// The same of one of several ranks, each of which knows its own lists only: "rank 0 of 3: 1 list of ...".
  [[nodiscard]] std::string line(int rank, int ranks) const;
};

} // namespace heddle

#endif
