// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_CAPTURE_HPP
#define HEDDLE_GRAPH_CAPTURE_HPP

#include <string>

namespace heddle {

/// Whether a TaskGraph of a device records its tasks as a CUDA graph: one launch then takes a few
/// microseconds, instead of a few per task. While a graph is recorded, the host code of each task runs once,
/// and all launches repeat the work that it enqueues in its stream.
class Capture {
public:
  /// on: recorded once, with the parameters that the tasks have in the first run; a task that cannot be
  /// recorded is an Error. automatic: recorded anew in each run, so that parameters may change between runs;
  /// only in runs of four launches and more, after one launch without, and not where a task runs on the host,
  /// does something that cannot be recorded, or is to be traced. once: the same, but kept for later runs, for
  /// tasks that change no parameters, and fields that do not swap their memory (a recording goes on with what
  /// they had when it was made): runs that are short or many do not pay for it again.
  enum Way { off, on, automatic, once };

  constexpr Capture(Way way) noexcept : way_(way) {}
  constexpr Capture(bool capturing) noexcept : way_(capturing ? on : off) {}

  friend constexpr bool operator==(Capture, Capture) noexcept = default;

private:
  Way way_;
};

/// What a TaskGraph does, and why.
struct CaptureDecision {
  bool capture = false;
  std::string reason;
};

} // namespace heddle

#endif
