// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/peer_group.hpp"

#include <cstring>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/transport/ranks.hpp"

namespace heddle {

/// Where messages arrive, and one object for each way.
struct PeerGroup::Registry {
  using Way = std::tuple<int, int, int>; // tag, from, to

  PeerOptions options;
  int ranks;
  std::map<Way, std::byte*> places;
  std::map<Way, std::unique_ptr<int>> mailboxes;
  std::map<std::pair<int, int>, ExchangedArrays> arrays; // tag, rank
  std::vector<std::unique_ptr<Rank>> members;
};

class PeerGroup::Rank final : public Transport, public DirectStore {
public:
  Rank(Registry& registry, int rank) : registry_(&registry), rank_(rank) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "peer"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return registry_->ranks; }
  [[nodiscard]] Memory memory() const noexcept override { return registry_->options.memory; }
  [[nodiscard]] bool only_enqueues() const noexcept override { return true; }
  [[nodiscard]] bool stores() const noexcept override { return registry_->options.stores; }

  void expect(const ExchangeRequest& request) override {
    for (const Message& message : request.receive)
      registry_->places[{request.tag, message.peer, rank_}] = message.data;
  }
  [[nodiscard]] std::byte* place(int tag, int peer) const override {
    const auto found = registry_->places.find({tag, rank_, peer});
    if (found != registry_->places.end()) return found->second;
    throw unexpected(peer);
  }
  void publish(int tag, ExchangedArrays&& arrays) override {
    registry_->arrays[{tag, rank_}] = std::move(arrays);
  }
  [[nodiscard]] const ExchangedArrays& published(int tag, int peer) const override {
    const auto own = registry_->arrays.find({tag, rank_});
    const auto found = registry_->arrays.find({tag, peer});
    const bool same = found != registry_->arrays.end() && own != registry_->arrays.end() &&
                      own->second.plan == found->second.plan;
    if (same) return found->second;
    throw unexpected(peer);
  }
  [[nodiscard]] const void* mailbox(int tag, int from, int to) override {
    std::unique_ptr<int>& box = registry_->mailboxes[{tag, from, to}];
    if (!box) box = std::make_unique<int>();
    return box.get();
  }

  void start(const ExchangeRequest& request, Stream& stream) override {
    if (stores()) return; // the pack kernel has done it
    for (const Message& message : request.send) {
      std::byte* const there = place(request.tag, message.peer);
      if (stream.device())
        gpu::copy_later(there, message.data, message.bytes, stream.native());
      else
        std::memcpy(there, message.data, message.bytes);
    }
  }
  void finish(const ExchangeRequest&, Stream&) override {}

private:
  [[nodiscard]] Error unexpected(int peer) const {
    return {"PeerGroup",
            "rank " + std::to_string(peer) + " does not expect what rank " + std::to_string(rank_) + " sends",
            "all ranks construct the same exchanges, in the same order, of fields with the same lanes"};
  }

  Registry* registry_;
  int rank_;
};

PeerGroup::PeerGroup(int ranks, PeerOptions options) : registry_(std::make_unique<Registry>()) {
  if (ranks < 1) throw Error("PeerGroup", std::to_string(ranks) + " ranks are not valid", "use at least 1");
  registry_->options = options;
  registry_->ranks = ranks;
  if (options.memory == Memory::device) {
    const TransportCandidate candidate = peer_candidate(ranks);
    if (!candidate.fits) throw Error("PeerGroup", candidate.reason);
  }
  for (int rank = 0; rank < ranks; ++rank)
    registry_->members.push_back(std::make_unique<Rank>(*registry_, rank));
}

PeerGroup::~PeerGroup() = default;

int PeerGroup::ranks() const noexcept {
  return registry_->ranks;
}

Memory PeerGroup::memory() const noexcept {
  return registry_->options.memory;
}

Transport& PeerGroup::transport(int rank) {
  return *registry_->members.at(static_cast<std::size_t>(rank));
}

extern "C" const RegisteredTransport heddle_transport_peer;
const RegisteredTransport heddle_transport_peer("peer", 10, Launcher::none, [](const LaunchRequest& request) {
  const int ranks = request.ranks;
  if (ranks == 1) return unavailable_to_one("peer");
  if (request.own_threads)
    return unavailable("peer", "one thread computes all ranks, and this program needs a thread for each", "");
  TransportCandidate candidate =
      request.memory == Memory::device
          ? peer_candidate(ranks)
          : TransportCandidate{"peer", true,
                               "one graph computes " + std::to_string(ranks) + " ranks on this processor"};
  candidate.run = [ranks, memory = request.memory](const Body& body) {
    PeerGroup group(ranks, {.memory = memory});
    Ranks all(group);
    return body(all);
  };
  return candidate;
});

TransportCandidate peer_candidate(int ranks) {
  if (ranks == 1) return unavailable_to_one("peer");
  TransportCandidate candidate{.name = "peer"};
  const int devices = device_count();
  candidate.reason = "one process sees " + std::to_string(devices) + (devices == 1 ? " device" : " devices");
  if (devices < ranks) {
    candidate.reason += " for " + std::to_string(ranks) + " ranks";
    return candidate;
  }
  for (int from = 0; from < ranks; ++from) {
    const DeviceScope here(from);
    for (int to = 0; to < ranks; ++to) {
      if (from == to || gpu::reach_into(to)) continue;
      candidate.reason =
          "device " + std::to_string(from) + " cannot reach the memory of device " + std::to_string(to);
      return candidate;
    }
  }
  candidate.fits = true;
  candidate.reason += " that reach each other's memory";
  return candidate;
}

} // namespace heddle
