// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_TASK_NODE_HPP
#define HEDDLE_GRAPH_TASK_NODE_HPP

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/versions.hpp"
#include "heddle/graph/period.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_state.hpp"
#include "heddle/grid/halo_watch.hpp"
#include "heddle/halo/halo_steps.hpp"

namespace heddle {

class LaggedTask;

/// A task of a TaskGraph, as it was added.
struct TaskNode {
  struct Access {
    const void* object;
    std::string name;
    AccessMode mode;
    int reach;                                           // see FieldAccess
    Reach cells = 0;                                     // along each axis
    const VersionKind* kind = nullptr;                   // null: the object cannot be copied
    HaloState* halo = nullptr;                           // null: nothing is kept of its ghost layers
    std::optional<std::weak_ptr<const void>> lifetime{}; // empty: nobody finds out that it has ended
  };
  /// A sweep that can be computed in parts.
  struct Parts {
    const BlockGrid* grid;
    int rank;
    std::function<void(Stream&, const BlockPart&)> run;
    std::function<bool(const BlockPart&)> has; // whether it has cells there; empty: it has some everywhere
    bool boxes =
        false; // parts are boxes of cells; else all of a border is computed at once, and all of an interior

    [[nodiscard]] bool any(const BlockPart& part) const { return !has || has(part); }
  };

  std::string name;
  std::vector<Access> accesses;
  std::function<void(Stream&)> function;
  Memory memory = Memory::host;
  int device = 0;                        // the current one when it was added
  std::vector<std::size_t> predecessors; // direct, ascending, unique
  std::vector<std::size_t> ordered;      // those that order() demands
  std::optional<SweepCover> domain;      // empty: its accesses are all that is known
  std::optional<Parts> parts;
  std::function<HaloSteps()> halo;                     // empty for other tasks
  std::function<std::vector<const TaskNode*>()> tasks; // of a graph: those in it
  std::shared_ptr<void> owner;                         // of a task that was moved in
  std::optional<std::weak_ptr<const void>> lifetime;   // of one that was not, if it has one
  /// What it uses beside its fields, "a profile", and by what its end is found.
  std::vector<std::pair<std::string, std::weak_ptr<const void>>> uses;

  Period period;
  /// Whether it works on the versions of its fields that a stream names (Stream::version).
  std::function<bool()> takes_versions;
  /// A call that later changes of the task's parameters do not touch.
  std::function<std::function<void(Stream&)>()> copied;
  /// Bytes of the values that its results depend on beside its fields.
  std::function<std::string()> arguments;
  /// Objects that it reads before it writes them; none: all that it reads.
  std::optional<std::vector<const void*>> inputs;
  std::shared_ptr<LaggedTask> lagged; // with lag = 1; ends before its owner does

  /// Whether there are iterations that it is not a part of, or that differ.
  [[nodiscard]] bool periodic() const noexcept { return period.every > 1 || period.lag > 0; }
};

} // namespace heddle

#endif
