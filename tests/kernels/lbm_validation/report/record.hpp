// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_RECORD_HPP
#define LBM_VALIDATION_RECORD_HPP

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "case.hpp"

namespace validation {

/// What the runs of a table gave, kept in a file as they end, so that a table can be computed in several
/// calls.
class Record {
public:
  /// Reads the file where there is one. table: all cases, of which those that are computed may be some.
  /// Throws heddle::Error where the file holds runs of another table: other flows, sizes or costs.
  Record(std::filesystem::path file, const std::vector<Case>& table);

  /// What a run of a case gave; null where it has not been done.
  [[nodiscard]] const Outcome* find(const Case& one, const Run& run) const;
  /// Keeps what a run gave, at once. Not for two threads at a time.
  void add(const Case& one, const Run& run, const Outcome& outcome);
  /// Calls that have computed something.
  [[nodiscard]] int calls() const { return calls_; }

private:
  using Key = std::pair<std::string, std::size_t>; ///< name of the case, place of the run in it

  void read();
  void write() const;

  std::filesystem::path file_;
  std::string text_; ///< of the file; the first line is a sum over all runs, by which its table is known
  std::map<Key, Outcome> outcomes_;
  int calls_ = 0;
  bool begun_ = false; ///< this call has added something
};

} // namespace validation

#endif
