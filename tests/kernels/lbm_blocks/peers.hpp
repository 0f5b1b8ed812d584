// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_PEERS_HPP
#define HEDDLE_LBM_BLOCKS_PEERS_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "blocks.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/ranks.hpp"

namespace blocks {

/// Steps on the ranks of one graph: `options` says where their fields lie, on the host or on a device each.
struct Peers {
  int ranks = 1;
  std::array<int, 3> cut{2, 2, 2};
  std::array<bool, 3> axes = periodic;
  heddle::TaskGraphOptions options{};
  bool stores = true;
  int interleaved = 1;
  bool together = false; // blocks of a host are packed in one call, as those of a device
};

/// How many of their values are not those of one block, `whole`. Ghost cells are NaN at first where no wall
/// keeps anything in them.
template <class T>
std::int64_t differences(const Pattern<T>& pattern, const std::vector<T>& whole, const Peers& run) {
  const FieldsAre so({run.options.memory, run.interleaved, run.together});
  std::optional<heddle::PeerGroup> group; // one device is no group
  if (run.ranks > 1) group.emplace(run.ranks, heddle::PeerOptions{run.options.memory, run.stores});
  heddle::Ranks ranks = group ? heddle::Ranks(*group) : heddle::Ranks();
  const heddle::BlockGrid grid(pattern.cells, run.cut, run.axes, run.ranks);
  heddle::TaskGraph loop(run.options);
  std::vector<std::unique_ptr<Rank<T>>> parts;
  ranks.each([&](heddle::Transport& transport) {
    parts.push_back(pattern.make(grid, transport));
    if (run.axes == periodic)
      parts.back()->field().fill_ghosts(stored<T>(std::numeric_limits<double>::quiet_NaN()));
    parts.back()->add_to(loop, false);
  });
  loop.run(pairs);
  std::int64_t count = 0;
  for (const std::unique_ptr<Rank<T>>& part : parts)
    count += differences(whole, part->field());
  return count;
}

} // namespace blocks

#endif
