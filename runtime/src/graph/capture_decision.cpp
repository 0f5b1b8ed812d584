// SPDX-License-Identifier: Apache-2.0
#include "capture_decision.hpp"

#include <algorithm>

namespace heddle {

CaptureDecision decide_capture(Capture asked, Memory memory, bool traced, std::span<const TaskNode> nodes) {
  if (memory != Memory::device) return {false, "it runs on the host"};
  if (asked == Capture::on || asked == Capture::off) return {asked == Capture::on, "asked for"};
  if (traced) return {false, "it is traced, step by step"};
  const auto always = std::ranges::find_if(
      nodes, [](const TaskNode& node) { return node.period.lag > 0 && node.period.every == 1; });
  if (always != nodes.end())
    return {false, "task '" + always->name + "' lags and is begun in each iteration"};
  const auto host = std::ranges::find_if(nodes, [](const TaskNode& node) { // iterations without triggers
    return node.memory != Memory::device && !node.periodic();
  });
  if (host != nodes.end()) return {false, "task '" + host->name + "' runs on the host"};
  return {true, "all tasks only put work into streams"};
}

} // namespace heddle
