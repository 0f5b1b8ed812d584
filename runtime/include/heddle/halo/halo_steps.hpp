// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_HALO_STEPS_HPP
#define HEDDLE_HALO_HALO_STEPS_HPP

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_state.hpp"

namespace heddle {

/// An exchange split into steps for TaskGraph: start and finish handle the border (BlockPart) and the ghost
/// cells beyond it, wrap handles copies between blocks of this rank along the other axes. A border lies
/// across the axes that are decomposed across ranks, and, next to these, across the axes along which the
/// lanes of a vector are consecutive.
struct HaloSteps {
  const BlockGrid* grid = nullptr; // null: nothing crosses
  int rank = 0;
  int depth = 0;                                    // cells that it reaches beyond a block
  HaloState::Cells layers = HaloState::every_layer; // of ghost cells that it brings up to date
  std::array<bool, 3>
      border{};               // axes across which blocks have a border besides those that lead to other ranks
  bool toward_owners = false; // from ghost cells to their owners
  bool messages = false;      // goes to other ranks
  bool apart = false;         // ranks of one graph: start of all of them comes before finish of any
  Memory memory = Memory::host; // device: the steps only put work into the stream
  std::vector<FieldAccess> fields;
  std::function<void(Stream&)> start;
  std::function<void(Stream&)> wrap;
  std::function<void(Stream&)> finish;
  /// Lets messages move on while something else is computed; empty where they do so alone. It does so for all
  /// exchanges of one network (null: for this one).
  std::function<void()> progress;
  const void* network = nullptr;
  /// "rank 0, 'heat::step before': rank 1 (1280 bytes)": who waits for whom while finish waits within its
  /// stream, and what to do when that takes too long (StreamWait::abort); empty for other exchanges.
  std::function<std::string()> waits_for;
  std::function<void()> abort;
  /// Throws Error for a message in device memory that was not the expected one; called when the streams of
  /// all steps have been waited for. Empty for other exchanges.
  std::function<void()> verify;
  /// Mailboxes that start fills and finish empties, where ranks of one process write to each other's memory.
  std::vector<const void*> filled;
  std::vector<const void*> emptied;
  /// Those that start fills not before nothing here reads or writes any more what was there: it stores into
  /// the fields themselves.
  std::vector<const void*> opened;
};

} // namespace heddle

#endif
