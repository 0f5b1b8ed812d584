// SPDX-License-Identifier: Apache-2.0
// All that it takes to add a transport: this file. Ranks of one process, a thread each, which read each
// other's messages where they lie.
#include <barrier>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "heddle/transport/ranks.hpp"

namespace {

using heddle::Message;

struct Table {
  explicit Table(int count) : ranks(count), all(count) {}

  int ranks;
  std::barrier<> all;
  std::mutex mutex;                                      // guards the map
  std::map<std::tuple<int, int, int>, Message> messages; // tag, from, to
};

/// Every rank takes part in every exchange, so all may wait for all.
class ToyTransport final : public heddle::Transport {
public:
  ToyTransport(Table& table, int rank) : table_(&table), rank_(rank) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "toy"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return table_->ranks; }
  [[nodiscard]] heddle::Memory memory() const noexcept override { return heddle::Memory::host; }

  void start(const heddle::ExchangeRequest& request, heddle::Stream&) override {
    const std::lock_guard lock(table_->mutex);
    for (const Message& message : request.send)
      table_->messages[{request.tag, rank_, message.peer}] = message;
  }
  void finish(const heddle::ExchangeRequest& request, heddle::Stream&) override {
    table_->all.arrive_and_wait(); // all have started
    for (const Message& message : request.receive) {
      const std::lock_guard lock(table_->mutex);
      const Message& there = table_->messages.at({request.tag, message.peer, rank_});
      std::memcpy(message.data, there.data, message.bytes);
    }
    table_->all.arrive_and_wait(); // all have read
  }

private:
  Table* table_;
  int rank_;
};

const heddle::RegisteredTransport
    registered("toy", 90, heddle::Launcher::none, [](const heddle::LaunchRequest& request) {
      const int ranks = request.ranks;
      if (ranks == 1) return heddle::unavailable_to_one("toy");
      heddle::TransportCandidate candidate{"toy", true, "it is a test"};
      candidate.run = [ranks](const heddle::Body& body) {
        return heddle::run_on_threads(body, [&](const auto& program) {
          Table table(ranks);
          std::vector<std::jthread> threads;
          for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
              ToyTransport transport(table, rank);
              program(transport);
            });
          }
        });
      };
      return candidate;
    });

} // namespace
