// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/transport.hpp"

#include <algorithm>
#include <optional>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/setting.hpp"

namespace heddle {

std::string Traffic::on(int rank) const {
  return "rank " + std::to_string(rank) + ", '" + std::string(plan) + "', step " + std::to_string(step);
}

void Transport::expect(const Traffic&) {}

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

void LocalTransport::start(const Traffic& traffic, Stream&) {
  if (!traffic.send.empty() || !traffic.receive.empty()) {
    throw Error("LocalTransport", traffic.on(0) + ": there is no other rank to exchange with",
                "a grid for one rank has all blocks here");
  }
}

void LocalTransport::finish(const Traffic&, Stream&) {}

TransportOffer local_offer() {
  return {"local", true, "one process has all blocks", [] { return std::make_unique<LocalTransport>(); }};
}

namespace {

/// "HEDDLE_TRANSPORT can be auto, peer or threads here".
std::string usable(const std::vector<TransportOffer>& offers) {
  std::vector<std::string> names;
  for (const TransportOffer& offer : offers) {
    if (offer.fits) names.push_back(offer.name);
  }
  if (names.empty()) return "no transport can be used here";
  std::string text = "HEDDLE_TRANSPORT can be auto";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text + " here";
}

} // namespace

OfferChoice choose_offer(const std::vector<TransportOffer>& offers, const std::string& wanted) {
  std::string known;
  for (const TransportOffer& offer : offers) {
    if (wanted == "auto" ? offer.fits : offer.name == wanted) {
      if (!offer.fits)
        throw Error("choose_transport", wanted + " cannot be used: " + offer.reason,
                    offer.hint + (offer.hint.empty() ? "" : "; ") + usable(offers));
      std::string line = "transport " + offer.name + ": " + offer.reason;
      if (wanted != "auto") line += "; asked for by name";
      if (!known.empty()) line.append(" (not ").append(known).append(")");
      return {offer.name, line};
    }
    if (!known.empty()) known += ", ";
    known += offer.name;
    known += ": ";
    known += offer.reason;
  }
  if (wanted == "auto") throw Error("choose_transport", "no transport fits", known);
  throw Error("choose_transport", "there is no transport '" + wanted + "'", usable(offers));
}

namespace {

std::string wanted_transport() {
  return setting("HEDDLE_TRANSPORT").value_or("auto");
}

} // namespace

OfferChoice choose_offer(const std::vector<TransportOffer>& offers) {
  return choose_offer(offers, wanted_transport());
}

TransportChoice choose_transport(const std::vector<TransportOffer>& offers, const std::string& wanted) {
  const OfferChoice choice = choose_offer(offers, wanted);
  const auto chosen = std::ranges::find(offers, choice.name, &TransportOffer::name);
  return {chosen->make(), choice.line};
}

TransportChoice choose_transport(const std::vector<TransportOffer>& offers) {
  return choose_transport(offers, wanted_transport());
}

std::chrono::milliseconds longest_wait() {
  const std::optional<std::string> text = setting("HEDDLE_TIMEOUT");
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
