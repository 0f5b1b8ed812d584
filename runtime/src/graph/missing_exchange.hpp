// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_MISSING_EXCHANGE_HPP
#define HEDDLE_SRC_GRAPH_MISSING_EXCHANGE_HPP

#include <span>
#include <string_view>

#include "heddle/graph/task_node.hpp"

namespace heddle {

/// Throws Error for a sweep over whole blocks that looks beyond its block, into others or through a periodic
/// face, at values that sweeps of this graph have changed since, while nothing in the graph brings these from
/// their owners; and likewise for values written beyond blocks, which nothing takes to their owners. A task
/// that is no sweep and says that it writes the field counts as bringing them, whatever it does. `again`: the
/// tasks run more than once without anything in between.
void require_exchanges(std::string_view graph, std::span<const TaskNode> nodes, bool again);

} // namespace heddle

#endif
