// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/transport.hpp"

#include <optional>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/transport/candidate.hpp"

namespace heddle {

std::string ExchangeRequest::on(int rank) const {
  return "rank " + std::to_string(rank) + ", '" + std::string(plan) + "', step " + std::to_string(step);
}

void LocalTransport::start(const ExchangeRequest& request, Stream&) {
  if (!request.send.empty() || !request.receive.empty()) {
    throw Error("LocalTransport", request.on(0) + ": there is no other rank to exchange with",
                "use a grid for one rank");
  }
}

void LocalTransport::finish(const ExchangeRequest&, Stream&) {}

TransportCandidate local_candidate() {
  return {"local", true, "one process has all blocks", [] { return std::make_unique<LocalTransport>(); }};
}

extern "C" const RegisteredTransport heddle_transport_local;
const RegisteredTransport
    heddle_transport_local("local", 0, Launcher::none, [](const LaunchRequest& request) {
      if (request.ranks == 1) return local_candidate();
      return unavailable("local", "there are " + std::to_string(request.ranks) + " ranks",
                         "HEDDLE_RANKS=1 makes one");
    });

std::chrono::milliseconds longest_wait() {
  const std::optional<std::string> text = env_var("HEDDLE_TIMEOUT");
  if (!text) return std::chrono::minutes(5);
  const std::optional<double> seconds = number_of<double>(*text);
  if (!seconds || !(*seconds >= 1e-3) || *seconds > 1e6)
    throw Error("HEDDLE_TIMEOUT", "'" + *text + "' is not a valid timeout", "give seconds, such as 30");
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * *seconds));
}

std::string to_string(std::span<const Message> waiting) {
  std::string text;
  for (const Message& message : waiting) {
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(message.peer) + " (" +
            std::to_string(message.bytes) + " bytes)";
  }
  return text;
}

} // namespace heddle
