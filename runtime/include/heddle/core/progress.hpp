// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_PROGRESS_HPP
#define HEDDLE_CORE_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace heddle {

/// Where Progress writes, and in which unit it counts.
struct ProgressOptions {
  std::FILE* out = stdout;
  double work = 1.0;          // done per step, in units: cells / 1e6 with unit "MLUP"
  std::string unit = "steps"; // printed as unit/s
};

/// One line on a terminal: share done, rate, time left. Prints nothing at all where the output is no
/// terminal.
class Progress {
public:
  /// Throws Error when total is negative.
  Progress(std::string label, std::int64_t total, ProgressOptions options = {});
  /// Ends the line, if there is one.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  /// `done` of `total` steps are done. Redraws at most ten times a second, and at the end.
  void update(std::int64_t done);
  /// Ends the line; later updates print nothing.
  void finish() noexcept;

private:
  using Clock = std::chrono::steady_clock;
  void draw(double seconds);

  std::string label_;
  std::int64_t total_;
  ProgressOptions options_;
  bool terminal_;
  bool drawn_ = false;
  std::int64_t done_ = 0;
  Clock::time_point start_;
  Clock::time_point last_;
};

} // namespace heddle

#endif
