// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BENCH_NO_EXCHANGE_HPP
#define HEDDLE_BENCH_NO_EXCHANGE_HPP

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field_access.hpp"

/// In the place of an exchange, to time the work alone. A graph that forgets an exchange is refused; this
/// task says that other code has filled the ghost layers of a field, and leaves them as they are.
inline void add_no_exchange(heddle::TaskGraph& loop, const heddle::AccessedObject& field) {
  loop.add("stale ghost cells", {{field, "f", heddle::AccessMode::write}}, [](heddle::Stream&) {});
}

#endif
