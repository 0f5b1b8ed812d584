// SPDX-License-Identifier: Apache-2.0
#include "watchdog.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <utility>

#include "heddle/transport/abort_job.hpp"

namespace heddle {

Watchdog::Watchdog(std::chrono::milliseconds limit, std::function<Error()> late) {
  const auto guard = [limit, late = std::move(late)](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, over, limit, [] { return false; });
    if (!over.stop_requested()) abort_job(late().what());
  };
  try {
    guard_ = std::jthread(guard);
  } catch (const std::system_error&) {
    // No thread is to be had: the call has no limit, which is no reason not to make it.
  }
}

} // namespace heddle
