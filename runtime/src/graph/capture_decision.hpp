// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_CAPTURE_DECISION_HPP
#define HEDDLE_SRC_GRAPH_CAPTURE_DECISION_HPP

#include <span>

#include "heddle/core/memory.hpp"
#include "heddle/graph/capture.hpp"
#include "heddle/graph/task_node.hpp"

namespace heddle {

/// Whether a graph of these tasks is recorded, as far as that is known before the first try.
[[nodiscard]] CaptureDecision decide_capture(Capture asked, Memory memory, bool traced,
                                             std::span<const TaskNode> nodes);

} // namespace heddle

#endif
