// SPDX-License-Identifier: Apache-2.0
#include "missing_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/halo/halo_steps.hpp"

namespace heddle {

namespace {

bool shared(const TaskNode& node) {
  return node.parts && node.parts->grid->ranks() > 1;
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
      if (nodes_[i].parts || !touches(nodes_[i], object, AccessMode::write)) continue;
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
  if (std::ranges::none_of(nodes, shared)) return;
  const Exchanged exchanged(nodes);
  /// Whether a sweep touches the object in this way before task i runs, or after it did.
  const auto meets = [&](std::size_t i, const void* object, AccessMode mode, bool before) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (nodes[j].parts && touches(nodes[j], object, mode) && (again || (before ? j < i : j > i)))
        return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // What a sweep over some cells reaches may lie outside of the domain alone, as that of a lid or an inlet.
    if (!shared(nodes[i]) || nodes[i].parts->has) continue;
    for (const TaskNode::Access& access : nodes[i].accesses) {
      if (access.reach <= 0) continue;
      const bool reads = access.mode == AccessMode::read;
      if (!meets(i, access.object, reads ? AccessMode::write : AccessMode::read, reads)) continue;
      if (exchanged.elsewhere(access.object, !reads)) continue;
      throw Error("TaskGraph",
                  "'" + nodes[i].name + "' " + (reads ? "reads" : "writes") + " '" + access.name +
                      "' outside the blocks of its rank, but no exchange of graph '" + std::string(graph) +
                      (reads ? "' updates it with the changes of other ranks"
                             : "' sends these values to the ranks that own them"),
                  std::string("add HaloExchange(step.") + (reads ? "before" : "after") +
                      "(), transport); if something else updates it, declare in a task of the graph that it "
                      "writes '" +
                      access.name + "'");
    }
  }
}

} // namespace heddle
