// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/link_reach.hpp"

#include <optional>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/sparse/wall_masks.hpp"

namespace heddle {

namespace {

/// f(link) for those of a field that lead to cells.
template <class F> void for_paths(const SparseExchange& exchange, const void* object, F&& f) {
  for (const HaloLink& link : exchange.links()) {
    const bool here = exchange.fields()[static_cast<std::size_t>(link.field)].object == object;
    if (here && link.slot != HaloLink::none) f(link);
  }
}

} // namespace

LinkPaths::LinkPaths(const SparseExchange& step, const SparseExchange& other_step, const void* object,
                     int components) {
  constexpr int none = HaloLink::none;
  rows_.assign(static_cast<std::size_t>(components), {none, none, none});
  std::vector<std::optional<std::array<int, 3>>> others(static_cast<std::size_t>(components));
  for_paths(step, object, [&](const HaloLink& link) {
    const auto slot = static_cast<std::size_t>(link.slot);
    if (others[slot]) {
      throw Error(step.name(), "component " + std::to_string(slot) + " is accessed at two offsets",
                  "pass the two steps of an in-place pattern");
    }
    rows_[slot] = {link.row, link.then[0], link.then[1]};
    others[slot] = link.other;
  });
  for_paths(other_step, object, [&](const HaloLink& link) { // from the other end
    std::array<int, 3> back{};
    for (std::size_t d = 0; d < 3; ++d)
      back[d] = -link.other[d];
    others[static_cast<std::size_t>(link.slot)] = back;
  });
  for (int c = 0; c < components; ++c) {
    if (!others[static_cast<std::size_t>(c)]) continue;
    linked_.push_back(c);
    others_.push_back(*others[static_cast<std::size_t>(c)]);
  }
}

SparseField<std::uint32_t> LinkPaths::walls(const IndexList& list) const {
  std::vector<std::array<int, 3>> velocities{{0, 0, 0}};
  for (const std::array<int, 3>& other : others_)
    velocities.push_back({-other[0], -other[1], -other[2]});
  SparseField<std::uint32_t> masks(list, 1, Memory::host, "walls");
  mark_walls(masks, velocities, list.grid().periodic());
  return masks;
}

LinkReach::LinkReach(const IndexList& list, const LinkPaths& paths) : stride_(list.slot_stride()) {
  rows_.resize(static_cast<std::size_t>(paths.components()));
  for (int c = 0; c < paths.components(); ++c) {
    for (std::size_t i = 0; i < 3 && paths.rows(c)[i] != HaloLink::none; ++i) {
      const int row = paths.rows(c)[i];
      const std::uint32_t* entries = list.neighbour() + row * list.neighbour_stride();
      if (list.memory() == Memory::device) {
        std::vector<std::uint32_t>& copy = copies_[row];
        if (copy.empty()) {
          copy.resize(static_cast<std::size_t>(list.neighbour_stride()));
          copy_bytes(copy.data(), Memory::host, entries, list.memory(), copy.size() * sizeof(std::uint32_t));
        }
        entries = copy.data();
      }
      rows_[static_cast<std::size_t>(c)][i] = entries;
    }
  }
}

} // namespace heddle
