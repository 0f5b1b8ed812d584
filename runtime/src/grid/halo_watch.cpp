// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/halo_watch.hpp"

#include <algorithm>
#include <cstddef>

namespace heddle {

HaloState::Cells cells_of_others(const SweepCover& cover, const Reach& reach) {
  HaloState::Cells found{};
  if (reach.most() <= 0) return found;
  const BlockGrid& grid = *cover.grid;
  if (cover.over_list) return grid.ranks() > 1 ? reach.cells : found;
  for (int block = grid.first_block(cover.rank); block < grid.first_block(cover.rank + 1); ++block) {
    for (int axis = 0; axis < cover.dimensions; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      for (const int side : {-1, 1}) {
        std::array<int, 3> offset{};
        offset[d] = side;
        if (grid.neighbour(block, offset) >= 0) found[d] = reach.cells[d];
      }
    }
  }
  return found;
}

bool beyond(const HaloState::Cells& cells, const HaloState::Cells& exchanged) {
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (cells[d] > exchanged[d]) return true;
  }
  return false;
}

Error missing_exchange(const char* where, const std::string& reader, std::string_view field,
                       const std::string& writer, const HaloState::Cells& exchanged) {
  const std::string name = "'" + std::string(field) + "'";
  const std::string hint =
      "in one of the graphs or by itself; if other code has filled them, call .halo_state().filled() of " +
      name;
  const int layers = *std::ranges::max_element(exchanged);
  if (layers > 0)
    return {where,
            reader + " reads " + name + " outside of its blocks, further than the " + std::to_string(layers) +
                (layers == 1 ? " ghost layer" : " ghost layers") + " that exchanges have updated since " +
                writer + " changed it",
            "run the exchange of the sweep that reaches furthest, HaloExchange(step.before(), transport), " +
                hint};
  return {where,
          reader + " reads " + name + " outside of its blocks, but " + writer +
              " changed it, and no exchange has updated the ghost layers since, from other blocks or at "
              "periodic faces",
          "run HaloExchange(step.before(), transport) in between, for which the model calls add_halo(), " +
              hint};
}

Error missing_return(const char* where, const std::string& reader, std::string_view field,
                     const std::string& writer) {
  const std::string name = "'" + std::string(field) + "'";
  return {where,
          reader + " reads " + name + ", but " + writer +
              " wrote some of it outside of its blocks, and no exchange has sent these values to the blocks "
              "that own them",
          "run HaloExchange(step.after(), transport) in between, for which the model calls add_halo(); if "
          "other code has moved them, call .halo_state().returned() of " +
              name};
}

HaloWatch::HaloWatch(std::string_view sweep, const SweepCover& cover,
                     const std::vector<FieldAccess>& accesses)
    : sweep_("'" + std::string(sweep) + "'"), some_cells_(cover.some_cells) {
  for (const FieldAccess& access : accesses) {
    if (access.object.halo() == nullptr || access.reach == FieldAccess::anywhere) continue;
    watched_.push_back({access.object.halo(), std::string(access.name), access.mode,
                        cells_of_others(cover, access.cells()), access.reach > 0});
  }
  std::ranges::stable_partition(watched_, [](const Watched& w) { return w.mode == AccessMode::read; });
}

void HaloWatch::follow() const {
  for (const Watched& field : watched_) {
    HaloState& state = *field.state;
    if (field.mode == AccessMode::write) {
      // What a sweep over some cells reaches may lie outside of the domain alone, as that of a lid.
      if (some_cells_ && field.reaches) continue;
      state.changed(sweep_);
      if (beyond(field.of_others, {})) state.pushed(sweep_);
      continue;
    }
    if (some_cells_) continue;
    if (!state.pushed_by().empty()) throw missing_return("Sweep", sweep_, field.field, state.pushed_by());
    if (!state.changed_by().empty() && beyond(field.of_others, state.exchanged()))
      throw missing_exchange("Sweep", sweep_, field.field, state.changed_by(), state.exchanged());
  }
}

} // namespace heddle
