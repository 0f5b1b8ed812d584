// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/transport.hpp"

#include <algorithm>
#include <optional>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"

namespace heddle {

std::string ExchangeRequest::on(int rank) const {
  return "rank " + std::to_string(rank) + ", '" + std::string(plan) + "', step " + std::to_string(step);
}

void Transport::expect(const ExchangeRequest&) {}

std::byte* Transport::place(int, int) const {
  return nullptr;
}

const void* Transport::mailbox(int, int, int) {
  return nullptr;
}

void Transport::publish(int, ExchangedArrays&&) {}

const ExchangedArrays& Transport::published(int, int peer) const {
  throw Error(std::string(name()), "rank " + std::to_string(peer) + " is in another process",
              "only a transport that stores() knows the arrays of other ranks");
}

void LocalTransport::start(const ExchangeRequest& traffic, Stream&) {
  if (!traffic.send.empty() || !traffic.receive.empty()) {
    throw Error("LocalTransport", traffic.on(0) + ": there is no other rank to exchange with",
                "a grid for one rank has all blocks here");
  }
}

void LocalTransport::finish(const ExchangeRequest&, Stream&) {}

TransportCandidate local_candidate() {
  return {"local", true, "one process has all blocks", [] { return std::make_unique<LocalTransport>(); }};
}

namespace {

/// "HEDDLE_TRANSPORT can be auto, peer or threads here".
std::string usable(const std::vector<TransportCandidate>& candidates) {
  std::vector<std::string> names;
  for (const TransportCandidate& candidate : candidates) {
    if (candidate.fits) names.push_back(candidate.name);
  }
  if (names.empty()) return "no transport can be used here";
  std::string text = "HEDDLE_TRANSPORT can be auto";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text + " here";
}

} // namespace

CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates,
                                 const std::string& wanted) {
  std::string known;
  for (const TransportCandidate& candidate : candidates) {
    if (wanted == "auto" ? candidate.fits : candidate.name == wanted) {
      if (!candidate.fits)
        throw Error("select_transport", wanted + " cannot be used: " + candidate.reason,
                    candidate.hint + (candidate.hint.empty() ? "" : "; ") + usable(candidates));
      std::string line = "transport " + candidate.name + ": " + candidate.reason;
      if (wanted != "auto") line += "; asked for by name";
      if (!known.empty()) line.append(" (not ").append(known).append(")");
      return {candidate.name, line};
    }
    if (!known.empty()) known += ", ";
    known += candidate.name;
    known += ": ";
    known += candidate.reason;
  }
  if (wanted == "auto") throw Error("select_transport", "no transport fits", known);
  throw Error("select_transport", "there is no transport '" + wanted + "'", usable(candidates));
}

namespace {

std::string wanted_transport() {
  return env_var("HEDDLE_TRANSPORT").value_or("auto");
}

} // namespace

CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates) {
  return select_candidate(candidates, wanted_transport());
}

TransportChoice select_transport(const std::vector<TransportCandidate>& candidates,
                                 const std::string& wanted) {
  const CandidateChoice choice = select_candidate(candidates, wanted);
  const auto chosen = std::ranges::find(candidates, choice.name, &TransportCandidate::name);
  return {chosen->make(), choice.line};
}

TransportChoice select_transport(const std::vector<TransportCandidate>& candidates) {
  return select_transport(candidates, wanted_transport());
}

std::chrono::milliseconds longest_wait() {
  const std::optional<std::string> text = env_var("HEDDLE_TIMEOUT");
  if (!text) return std::chrono::minutes(5);
  const std::optional<double> seconds = number_of<double>(*text);
  if (!seconds || !(*seconds >= 1e-3) || *seconds > 1e6)
    throw Error("HEDDLE_TIMEOUT", "'" + *text + "' is no time to wait", "give seconds, such as 30");
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
