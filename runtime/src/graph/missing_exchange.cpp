// SPDX-License-Identifier: Apache-2.0
#include "missing_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/halo/halo_steps.hpp"

namespace heddle {

namespace {

/// Whether what a sweep accesses beyond its cells lies in other blocks, or in its own at a periodic face. A
/// list has the cells of all blocks of its rank, and follows periodic faces itself.
bool crosses(const TaskNode::Domain& domain, const TaskNode::Access& access) {
  if (access.reach <= 0) return false;
  const BlockGrid& grid = *domain.grid;
  if (domain.over_list) return grid.ranks() > 1;
  for (int block = grid.first_block(domain.rank); block < grid.first_block(domain.rank + 1); ++block) {
    for (int axis = 0; axis < domain.dimensions; ++axis) {
      if (!access.axes[static_cast<std::size_t>(axis)]) continue;
      for (const int side : {-1, 1}) {
        std::array<int, 3> offset{};
        offset[static_cast<std::size_t>(axis)] = side;
        if (grid.neighbour(block, offset) >= 0) return true;
      }
    }
  }
  return false;
}

/// Whether a task touches an object in this way.
bool touches(const TaskNode& node, const void* object, AccessMode mode) {
  return std::ranges::any_of(node.accesses, [&](const TaskNode::Access& access) {
    return access.object == object && access.mode == mode;
  });
}

class Exchanged {
public:
  explicit Exchanged(std::span<const TaskNode> nodes) : nodes_(nodes) {
    for (const TaskNode& node : nodes)
      halos_.push_back(node.halo ? node.halo() : HaloSteps{});
  }

  /// Whether anything but sweeps writes the object: an exchange of this direction, or what only its author
  /// knows.
  [[nodiscard]] bool elsewhere(const void* object, bool toward_owners) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].domain || !touches(nodes_[i], object, AccessMode::write)) continue;
      if (!nodes_[i].halo || halos_[i].toward_owners == toward_owners) return true;
    }
    return false;
  }

private:
  std::span<const TaskNode> nodes_;
  std::vector<HaloSteps> halos_;
};

} // namespace

void require_exchanges(std::string_view graph, std::span<const TaskNode> nodes, bool again) {
  const Exchanged exchanged(nodes);
  /// Whether a sweep touches the object in this way before task i runs, or after it did.
  const auto meets = [&](std::size_t i, const void* object, AccessMode mode, bool before) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (nodes[j].domain && touches(nodes[j], object, mode) && (again || (before ? j < i : j > i)))
        return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // What a sweep over some cells reaches may lie outside of the domain alone, as that of a lid or an inlet.
    if (!nodes[i].domain || nodes[i].domain->some_cells) continue;
    for (const TaskNode::Access& access : nodes[i].accesses) {
      if (!crosses(*nodes[i].domain, access)) continue;
      const bool reads = access.mode == AccessMode::read;
      if (!meets(i, access.object, reads ? AccessMode::write : AccessMode::read, reads)) continue;
      if (exchanged.elsewhere(access.object, !reads)) continue;
      throw Error("TaskGraph",
                  "'" + nodes[i].name + "' " + (reads ? "reads" : "writes") + " '" + access.name +
                      "' outside of its blocks, but no exchange of graph '" + std::string(graph) +
                      (reads ? "' updates it with the changes of other blocks, or at periodic faces"
                             : "' sends these values to the blocks that own them"),
                  std::string("add HaloExchange(step.") + (reads ? "before" : "after") +
                      "(), transport), for which the model calls add_halo(); if something else updates it, "
                      "declare in a task of the graph that it "
                      "writes '" +
                      access.name + "'");
    }
  }
}

} // namespace heddle
