// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_PEER_GROUP_HPP
#define HEDDLE_TRANSPORT_PEER_GROUP_HPP

#include <memory>

#include "heddle/core/memory.hpp"
#include "heddle/transport/candidate.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// How ranks of a PeerGroup reach each other's memory.
struct PeerOptions {
  Memory memory = Memory::device;
  /// The pack kernels store straight into the memory of the other rank; else they pack into the own, and
  /// copies follow.
  bool stores = true;
};

/// Ranks of one process that share one TaskGraph: rank r is CUDA device r (or all are the host). No rank
/// waits for another on the host; the order of stores, copies and what reads them is that of the graph, by
/// events, so that a whole loop over several devices can be captured as one CUDA graph.
///
///     heddle::PeerGroup group(2);
///     for (int rank = 0; rank < 2; ++rank) {
///       const heddle::DeviceScope device(rank);
///       ... fields {.rank = rank}, sweeps, heddle::HaloExchange halo(step.before(), group.transport(rank));
///       loop.add(halo);
///       loop.add(step);
///     }
///     loop.run(n);
class PeerGroup {
public:
  /// Throws Error for less than one rank, fewer devices than ranks, or devices that cannot reach each other's
  /// memory.
  explicit PeerGroup(int ranks, PeerOptions options = {});
  ~PeerGroup();
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;
  PeerGroup(PeerGroup&&) = delete;
  PeerGroup& operator=(PeerGroup&&) = delete;

  [[nodiscard]] int ranks() const noexcept;
  [[nodiscard]] Memory memory() const noexcept;
  [[nodiscard]] Transport& transport(int rank);

private:
  class Rank;
  struct Registry;
  std::unique_ptr<Registry> registry_;
};

/// "peer", where one process sees several devices that can reach each other's memory; says why not otherwise.
/// It is made as a PeerGroup, not as one transport.
[[nodiscard]] TransportCandidate peer_candidate(int ranks);

} // namespace heddle

#endif
