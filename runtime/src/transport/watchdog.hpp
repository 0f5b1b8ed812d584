// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_TRANSPORT_WATCHDOG_HPP
#define HEDDLE_SRC_TRANSPORT_WATCHDOG_HPP

#include <chrono>
#include <functional>
#include <thread>

#include "heddle/core/error.hpp"

namespace heddle {

/// A limit for a call that cannot be given up, as NCCL's are where a rank does not come: for as long as a
/// watchdog lives, at most `limit`; then it ends the job (abort_job.hpp), since the thread that is blocked
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
