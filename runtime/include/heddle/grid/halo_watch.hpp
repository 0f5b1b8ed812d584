// SPDX-License-Identifier: Apache-2.0
// Which sweeps see values that other blocks, or the far side of a periodic domain, have changed since.
#ifndef HEDDLE_GRID_HALO_WATCH_HPP
#define HEDDLE_GRID_HALO_WATCH_HPP

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_state.hpp"

namespace heddle {

/// Where a sweep runs.
struct SweepCover {
  const BlockGrid* grid = nullptr;
  int rank = 0;
  int dimensions = 3;
  bool over_list = false;  ///< one list for all blocks of a rank: it reaches cells of other ranks alone
  bool some_cells = false; ///< it leaves out cells, so that what it reaches may lie outside of the domain
};

/// Where a sweep of type `Task` runs, by the constants that it has.
template <class Task> [[nodiscard]] SweepCover cover_of(const BlockGrid& grid, int rank) {
  SweepCover cover{&grid, rank};
  if constexpr (requires { Task::dimensions; }) cover.dimensions = Task::dimensions;
  if constexpr (requires { Task::over_list; }) cover.over_list = Task::over_list;
  if constexpr (requires { Task::some_cells; }) cover.some_cells = Task::some_cells;
  return cover;
}

/// How many cells beyond its blocks a sweep accesses along each axis that lie in other blocks, or in its own
/// at a periodic face. reach: beyond the cell that it computes. A list follows periodic faces itself.
[[nodiscard]] HaloState::Cells cells_of_others(const SweepCover& cover, const Reach& reach);

/// Whether fewer layers than these are up to date.
[[nodiscard]] bool beyond(const HaloState::Cells& cells, const HaloState::Cells& exchanged);

/// What is wrong where `reader` ("'m::step' of graph 'loop'") reads `field` after `writer` has changed it.
/// exchanged: the layers that an exchange has moved since. where: the class that says it.
[[nodiscard]] Error missing_exchange(const char* where, const std::string& reader, std::string_view field,
                                     const std::string& writer, const HaloState::Cells& exchanged);
/// The same where `writer` has written some of it outside of its blocks.
[[nodiscard]] Error missing_return(const char* where, const std::string& reader, std::string_view field,
                                   const std::string& writer);

/// Follows the calls of a sweep without a graph. A graph follows its tasks itself.
class HaloWatch {
public:
  HaloWatch() = default;
  /// accesses: of the sweep, whose objects must outlive this.
  HaloWatch(std::string_view sweep, const SweepCover& cover, const std::vector<FieldAccess>& accesses);

  /// Before a call. Throws Error where it would read, beyond its blocks, what has changed since the last
  /// exchange, or what a sweep has written there and no exchange has taken to its owner. Then it notes what
  /// the call changes.
  void follow() const;

private:
  struct Watched {
    HaloState* state;
    std::string field;
    AccessMode mode;
    HaloState::Cells of_others;
    bool reaches; // at all
  };

  std::string sweep_; // "'m::step'"
  bool some_cells_ = false;
  std::vector<Watched> watched_; // what is read comes first
};

/// A call of a task without the checks of a call by itself: a graph makes them for all its tasks before it
/// runs.
template <class Task, class Stream> void call_in_graph(Task& task, Stream& stream) {
  if constexpr (requires { task.in_graph(stream); })
    task.in_graph(stream);
  else
    task(stream);
}

} // namespace heddle

#endif
