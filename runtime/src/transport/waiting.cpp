// SPDX-License-Identifier: Apache-2.0
#include "waiting.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/timeout_hint.hpp"
#include "heddle/core/wait_until.hpp"
#include "heddle/transport/job.hpp"

namespace heddle {

Error late(const Transport& transport, const ExchangeRequest& request, std::chrono::milliseconds limit) {
  std::string text = request.on(transport.rank()) + ": waited " + std::to_string(limit.count()) + " ms";
  if (!request.receive.empty()) text += " for " + to_string(request.receive);
  if (request.receive.empty()) text += " to be rid of what goes to " + to_string(request.send);
  return {std::string(transport.name()), text, timeout_hint};
}

void wait_for(Transport& transport, const ExchangeRequest& request, Stream& stream,
              std::chrono::milliseconds limit) {
  if (!wait_until(limit, [&] { return gpu::idle(stream.native()); })) {
    if (auto* const waits = transport.capability<StreamWait>()) waits->abort();
    throw late(transport, request, limit);
  }
  stream.synchronise(); // says what went wrong, if anything did
}

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
