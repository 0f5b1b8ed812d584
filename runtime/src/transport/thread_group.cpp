// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/thread_group.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/timeout_hint.hpp"
#include "heddle/transport/ranks.hpp"

namespace heddle {

using Clock = std::chrono::steady_clock;

/// What the ranks share.
struct ThreadGroup::Mailboxes {
  /// A message that has been sent and not yet received.
  struct Letter {
    int from;
    int tag;
    std::vector<std::byte> bytes;
  };
  /// What a rank waits for; empty when it does not.
  struct Waiting {
    std::string where;
    std::vector<Message> missing;
  };

  Mailboxes(int count, std::chrono::milliseconds limit)
      : ranks(count), timeout(limit), inbox(static_cast<std::size_t>(count)),
        waiting(static_cast<std::size_t>(count)), stopped(static_cast<std::size_t>(count)) {}

  int ranks;
  std::chrono::milliseconds timeout;
  std::mutex mutex; // guards all that follows
  std::condition_variable change;
  std::vector<std::deque<Letter>> inbox;
  std::vector<Waiting> waiting;
  std::vector<bool> stopped;

  [[nodiscard]] std::string who_waits(int but) const {
    std::string text;
    for (int rank = 0; rank < ranks; ++rank) {
      const Waiting& one = waiting[static_cast<std::size_t>(rank)];
      if (rank == but || one.missing.empty()) continue;
      text += "; " + one.where + " waits for " + to_string(one.missing);
    }
    return text;
  }
};

/// The transport of one rank.
class ThreadGroup::ThreadTransport final : public Transport {
public:
  ThreadTransport(Mailboxes& shared, int rank) : shared_(&shared), rank_(rank) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "threads"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return shared_->ranks; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::host; }

  void start(const ExchangeRequest& request, Stream&) override {
    for (const Message& message : request.send) {
      Mailboxes::Letter letter{rank_, request.tag, {message.data, message.data + message.bytes}};
      const std::lock_guard lock(shared_->mutex);
      shared_->inbox[static_cast<std::size_t>(message.peer)].push_back(std::move(letter));
      shared_->change.notify_all();
    }
  }

  void finish(const ExchangeRequest& request, Stream&) override {
    const auto self = static_cast<std::size_t>(rank_);
    const Clock::time_point deadline = Clock::now() + shared_->timeout;
    std::unique_lock lock(shared_->mutex);
    std::vector<Message>& missing = shared_->waiting[self].missing;
    missing.assign(request.receive.begin(), request.receive.end());
    shared_->waiting[self].where = request.on(rank_);
    while (!missing.empty()) {
      if (take(request, missing)) continue;
      for (const Message& message : missing) {
        if (!shared_->stopped[static_cast<std::size_t>(message.peer)]) continue;
        throw Error("threads", request.on(rank_) + ": waits for " + to_string(missing) + ", but rank " +
                                   std::to_string(message.peer) + " has stopped");
      }
      if (Clock::now() >= deadline) {
        throw Error("threads",
                    request.on(rank_) + ": waited " + std::to_string(shared_->timeout.count()) + " ms for " +
                        to_string(missing) + shared_->who_waits(rank_),
                    std::string("a message was lost, ") + timeout_hint);
      }
      shared_->change.wait_until(lock, deadline);
    }
  }

private:
  /// Receives the first letter that is waited for; false where there is none.
  bool take(const ExchangeRequest& request, std::vector<Message>& missing) {
    std::deque<Mailboxes::Letter>& box = shared_->inbox[static_cast<std::size_t>(rank_)];
    for (auto letter = box.begin(); letter != box.end(); ++letter) {
      if (letter->tag != request.tag) continue;
      const auto wanted = std::ranges::find(missing, letter->from, &Message::peer);
      if (wanted == missing.end()) continue;
      if (letter->bytes.size() != wanted->bytes) {
        throw Error("threads", request.on(rank_) + ": the message from rank " + std::to_string(letter->from) +
                                   " has " + std::to_string(letter->bytes.size()) + " bytes, not " +
                                   std::to_string(wanted->bytes));
      }
      std::memcpy(wanted->data, letter->bytes.data(), letter->bytes.size());
      missing.erase(wanted);
      box.erase(letter);
      return true;
    }
    return false;
  }

  Mailboxes* shared_;
  int rank_;
};

ThreadGroup::ThreadGroup(int ranks, std::chrono::milliseconds timeout)
    : mailboxes_(ranks > 0 ? std::make_unique<Mailboxes>(ranks, timeout) : nullptr) {
  if (!mailboxes_)
    throw Error("ThreadGroup", std::to_string(ranks) + " ranks are not valid", "use at least 1");
}

ThreadGroup::~ThreadGroup() = default;

void ThreadGroup::run(const std::function<void(Transport&)>& program) {
  std::exception_ptr failure; // guarded by the mutex
  const auto work = [&](int rank) {
    ThreadTransport transport(*mailboxes_, rank);
    std::exception_ptr caught;
    try {
      program(transport);
    } catch (...) {
      caught = std::current_exception();
    }
    const std::lock_guard lock(mailboxes_->mutex);
    if (caught && !failure) failure = caught;
    mailboxes_->waiting[static_cast<std::size_t>(rank)].missing.clear();
    mailboxes_->stopped[static_cast<std::size_t>(rank)] = true;
    mailboxes_->change.notify_all();
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < mailboxes_->ranks; ++rank)
    threads.emplace_back(work, rank);
  for (std::thread& thread : threads)
    thread.join();
  std::ranges::fill(mailboxes_->inbox, std::deque<Mailboxes::Letter>());
  std::fill(mailboxes_->stopped.begin(), mailboxes_->stopped.end(), false);
  if (failure) std::rethrow_exception(failure);
}

extern "C" const RegisteredTransport heddle_transport_threads;
const RegisteredTransport
    heddle_transport_threads("threads", 50, Launcher::none, [](const LaunchRequest& request) {
      const int ranks = request.ranks;
      if (ranks == 1) return unavailable_to_one("threads");
      TransportCandidate candidate{
          "threads", true, std::to_string(ranks) + " ranks on a thread each, messages through host memory"};
      candidate.run = [ranks, memory = request.memory](const Body& body) {
        ThreadGroup group(ranks, longest_wait());
        return run_on_threads(body, [&](const auto& program) {
          group.run([&](Transport& transport) {
            std::optional<DeviceScope> device;
            if (memory == Memory::device && device_count() > 0)
              device.emplace(transport.rank() % device_count());
            program(transport);
          });
        });
      };
      return candidate;
    });

} // namespace heddle
