// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_BACKGROUND_HPP
#define HEDDLE_SRC_GRAPH_BACKGROUND_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "heddle/core/stream.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/core/versions.hpp"
#include "heddle/graph/period.hpp"

namespace heddle {

/// Where a lagged task runs, one call after the other.
class Background {
public:
  using Job = std::function<void(Stream&)>;

  /// Where its calls are noted; trace may be null.
  struct Place {
    std::string name; // of the task
    Trace* trace = nullptr;
    int process = 0;
  };

  Background() = default;
  virtual ~Background() = default; // waits
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  Background(Background&&) = delete;
  Background& operator=(Background&&) = delete;

  /// Begins a call on these versions after all that is in `stream`. None is under way.
  virtual void launch(Job job, const Versions& versions, Stream& stream) = 0;
  /// What is put into `stream` from now on comes after the call. Rethrows what the call threw.
  virtual void join(Stream& stream) = 0;
  /// Waits for the call. Rethrows what it threw.
  virtual void finish() = 0;
  /// Threads of the host that it uses now.
  [[nodiscard]] virtual int busy_threads() const noexcept = 0;
  /// Adds how often join came before the end of a call, and for how long it waited.
  virtual void add_waits(LaggedReport& report) = 0;
};

/// A thread of the host, with so many of OpenMP's.
[[nodiscard]] std::unique_ptr<Background> background_thread(Background::Place place, int threads);
/// A stream of the current device, after whose work that of all others goes first.
[[nodiscard]] std::unique_ptr<Background> background_stream(Background::Place place);

} // namespace heddle

#endif
