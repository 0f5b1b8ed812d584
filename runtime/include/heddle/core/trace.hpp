// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_TRACE_HPP
#define HEDDLE_CORE_TRACE_HPP

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace heddle {

/// When what ran, for chrome://tracing and https://ui.perfetto.dev. A process of the picture is a rank or a
/// device, a row in it is a thread or a stream; messages under way have a row of their own. Several graphs
/// may write to one.
class Trace {
public:
  /// Seconds, from any common zero.
  struct Span {
    std::string name;
    int process = 0;
    std::string row;
    double begin = 0;
    double end = 0;
  };

  void add(Span span);
  [[nodiscard]] std::vector<Span> spans() const;
  /// The trace event format: {"traceEvents": [...]} with complete events ("ph": "X") in microseconds.
  [[nodiscard]] std::string json() const;
  /// Throws Error when the file cannot be written.
  void write(const std::filesystem::path& file) const;

  /// Seconds of the clock that host spans use.
  [[nodiscard]] static double now() noexcept;

private:
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
};

} // namespace heddle

#endif
