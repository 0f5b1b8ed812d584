// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BENCH_EXCHANGE_OR_NOT_HPP
#define HEDDLE_BENCH_EXCHANGE_OR_NOT_HPP

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/halo/halo_exchange.hpp"

/// Adds an exchange of a field, or, to time the work alone, a task in its place. A graph that forgets an
/// exchange is refused; the task says that other code has filled the ghost layers, and leaves them as they
/// are.
inline void add_exchange(heddle::TaskGraph& loop, heddle::HaloExchange& exchange, bool wanted,
                         const heddle::AccessedObject& field) {
  if (wanted)
    loop.add(exchange);
  else
    loop.add(
        "stale ghost cells", {{field, "f", heddle::AccessMode::write}}, [](heddle::Stream&) {},
        exchange.memory());
}

#endif
