// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_FAKE_NETWORK_HPP
#define HEDDLE_TRANSPORT_FAKE_NETWORK_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// What a FakeNetwork does to messages: a probability each, decided anew for every message by the seed and by
/// what the message is, so that a run can be repeated whatever the threads do.
struct Faults {
  std::uint64_t seed = 1;
  double drop = 0;
  double delay = 0;   // by up to longest_delay; what follows on the same way waits
  double reorder = 0; // delivered before what other ranks sent earlier
  double duplicate = 0;
  double truncate = 0;
  double corrupt = 0; // one bit
  std::chrono::milliseconds longest_delay{20};
};

/// How often each happened.
struct FaultCounts {
  std::int64_t messages = 0;
  std::int64_t dropped = 0;
  std::int64_t delayed = 0;
  std::int64_t reordered = 0;
  std::int64_t duplicated = 0;
  std::int64_t truncated = 0;
  std::int64_t corrupted = 0;
};

/// Ranks of one process, each a thread, that talk through memory: to test programs of many ranks, and what
/// they do when messages are harmed.
class FakeNetwork {
public:
  /// timeout: how long a rank waits for a message. Throws Error for less than one rank.
  explicit FakeNetwork(int ranks, const Faults& faults = {},
                       std::chrono::milliseconds timeout = std::chrono::seconds(30));
  ~FakeNetwork();
  FakeNetwork(const FakeNetwork&) = delete;
  FakeNetwork& operator=(const FakeNetwork&) = delete;
  FakeNetwork(FakeNetwork&&) = delete;
  FakeNetwork& operator=(FakeNetwork&&) = delete;

  /// Calls program(transport) for each rank, on a thread each, and rethrows what was thrown first. When one
  /// rank throws, those that wait for it stop, too.
  void run(const std::function<void(Transport&)>& program);

  [[nodiscard]] FaultCounts counts() const;

private:
  class Rank;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace heddle

#endif
