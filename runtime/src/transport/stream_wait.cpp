// SPDX-License-Identifier: Apache-2.0
#include "stream_wait.hpp"

#include <string>

#include "heddle/core/gpu/cuda.hpp"
#include "heddle/core/timeout_hint.hpp"
#include "heddle/core/wait_until.hpp"

namespace heddle {

Error late(const Transport& transport, const ExchangeRequest& traffic, std::chrono::milliseconds limit) {
  std::string text = traffic.on(transport.rank()) + ": waited " + std::to_string(limit.count()) + " ms";
  if (!traffic.receive.empty()) text += " for " + to_string(traffic.receive);
  if (traffic.receive.empty()) text += " to be rid of what goes to " + to_string(traffic.send);
  return {std::string(transport.name()), text, timeout_hint};
}

void wait_for(Transport& transport, const ExchangeRequest& traffic, Stream& stream,
              std::chrono::milliseconds limit) {
  if (!wait_until(limit, [&] { return cuda::idle(stream.native()); })) {
    if (auto* const waits = transport.capability<StreamWait>()) waits->abort();
    throw late(transport, traffic, limit);
  }
  stream.synchronise(); // says what went wrong, if anything did
}

} // namespace heddle
