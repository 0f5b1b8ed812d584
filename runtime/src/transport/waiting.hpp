// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_TRANSPORT_WAITING_HPP
#define HEDDLE_SRC_TRANSPORT_WAITING_HPP

#include <chrono>
#include <functional>
#include <thread>

#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// Who waits for whom: "rank 0, 'swap', step 0: waited 1000 ms for rank 1 (8 bytes)".
[[nodiscard]] Error late(const Transport& transport, const ExchangeRequest& request,
                         std::chrono::milliseconds limit);

/// Waits until `stream` has done what a transport that has StreamWait has put there for `request`. When
/// that takes longer than `limit`, lets the transport give up and throws late().
void wait_for(Transport& transport, const ExchangeRequest& request, Stream& stream,
              std::chrono::milliseconds limit);

/// A limit for a call that cannot be given up, as NCCL's are where a rank does not come: for as long as a
/// watchdog lives, at most `limit`; then it ends the job (abort_job), since the thread that is blocked
/// cannot throw.
///
///     const Watchdog limit(longest_wait(), [&] { return Error("NCCL", "rank 0: waited ...", ...); });
///     ncclCommInitRank(...);
///
/// late: who waits for whom, in what, and what to do; called on a thread of the watchdog's.
class Watchdog {
public:
  Watchdog(std::chrono::milliseconds limit, std::function<Error()> late);

private:
  std::jthread guard_; // told to stop when this is destroyed
};

} // namespace heddle

#endif
