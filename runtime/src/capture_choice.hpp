// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CAPTURE_CHOICE_HPP
#define HEDDLE_CAPTURE_CHOICE_HPP

#include <span>

#include "heddle/capture.hpp"
#include "heddle/memory.hpp"
#include "heddle/task_node.hpp"

namespace heddle {

/// Whether a graph of these tasks is recorded, as far as that is known before the first try.
[[nodiscard]] CaptureChoice choose_capture(Capture asked, Memory memory, bool traced,
                                           std::span<const TaskNode> nodes);

} // namespace heddle

#endif
