// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/fake_network.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"
#include "heddle/core/timeout_hint.hpp"

namespace heddle {

using Clock = std::chrono::steady_clock;

struct FakeNetwork::State {
  /// A message on its way.
  struct Letter {
    int from;
    int tag;
    Clock::time_point arrival;
    std::vector<std::byte> bytes;
  };
  /// What a rank waits for; empty when it does not.
  struct Waiting {
    std::string where;
    std::vector<Message> missing;
  };

  State(int count, const Faults& harm, std::chrono::milliseconds limit)
      : ranks(count), faults(harm), timeout(limit), inbox(static_cast<std::size_t>(count)),
        waiting(static_cast<std::size_t>(count)), stopped(static_cast<std::size_t>(count)) {}

  int ranks;
  Faults faults;
  std::chrono::milliseconds timeout;
  mutable std::mutex mutex; // guards all that follows
  std::condition_variable change;
  std::vector<std::deque<Letter>> inbox;
  std::vector<Waiting> waiting;
  std::vector<bool> stopped;
  FaultCounts counts;

  void post(int from, const Message& message, const ExchangeRequest& traffic);
  [[nodiscard]] std::string who_waits(int but) const;
};

namespace {

/// Numbers in [0, 1) that belong to one message.
class Dice {
public:
  Dice(std::uint64_t seed, int from, int to, int tag, std::int64_t step) {
    hash_.add(seed);
    for (const std::int64_t part : {std::int64_t{from}, std::int64_t{to}, std::int64_t{tag}, step})
      hash_.add(static_cast<std::uint64_t>(part));
  }
  [[nodiscard]] double roll() {
    hash_.add(0x9e3779b97f4a7c15U);
    return static_cast<double>(hash_.value() >> 11U) * 0x1p-53;
  }
  /// A number below `end`.
  [[nodiscard]] std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(roll() * static_cast<double>(end));
  }

private:
  Hash hash_;
};

} // namespace

void FakeNetwork::State::post(int from, const Message& message, const ExchangeRequest& traffic) {
  Dice dice(faults.seed, from, message.peer, traffic.tag, traffic.step);
  Letter letter{from, traffic.tag, Clock::now(), {message.data, message.data + message.bytes}};
  const std::lock_guard lock(mutex);
  std::deque<Letter>& box = inbox[static_cast<std::size_t>(message.peer)];
  const auto happens = [&](double probability, std::int64_t& count) {
    const bool yes = dice.roll() < probability;
    count += yes ? 1 : 0;
    return yes;
  };
  ++counts.messages;
  if (happens(faults.drop, counts.dropped)) return;
  if (happens(faults.truncate, counts.truncated)) letter.bytes.resize(dice.below(letter.bytes.size()));
  if (happens(faults.corrupt, counts.corrupted) && !letter.bytes.empty()) {
    const std::size_t bit = dice.below(8 * letter.bytes.size());
    letter.bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
  if (happens(faults.delay, counts.delayed)) {
    letter.arrival += std::chrono::microseconds(
        static_cast<std::int64_t>(1000.0 * dice.roll() * static_cast<double>(faults.longest_delay.count())));
  }
  auto place = box.end();
  if (happens(faults.reorder, counts.reordered)) {
    const auto same_way = [&](const Letter& other) { return other.from == from && other.tag == letter.tag; };
    const auto last = std::find_if(box.rbegin(), box.rend(), same_way).base();
    place = last + static_cast<std::ptrdiff_t>(dice.below(static_cast<std::size_t>(box.end() - last) + 1));
  }
  const bool twice = happens(faults.duplicate, counts.duplicated);
  place = box.insert(place, letter);
  if (twice) box.insert(place, std::move(letter));
  change.notify_all();
}

std::string FakeNetwork::State::who_waits(int but) const {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    const Waiting& one = waiting[static_cast<std::size_t>(rank)];
    if (rank == but || one.missing.empty()) continue;
    text += "; " + one.where + " waits for " + to_string(one.missing);
  }
  return text;
}

/// The transport of one rank.
class FakeNetwork::Rank final : public Transport {
public:
  Rank(State& state, int rank) : state_(&state), rank_(rank) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "fake"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return state_->ranks; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::host; }

  void start(const ExchangeRequest& traffic, Stream&) override {
    for (const Message& message : traffic.send)
      state_->post(rank_, message, traffic);
  }

  void finish(const ExchangeRequest& traffic, Stream&) override {
    const auto self = static_cast<std::size_t>(rank_);
    const Clock::time_point deadline = Clock::now() + state_->timeout;
    std::unique_lock lock(state_->mutex);
    std::vector<Message>& missing = state_->waiting[self].missing;
    missing.assign(traffic.receive.begin(), traffic.receive.end());
    state_->waiting[self].where = traffic.on(rank_);
    while (!missing.empty()) {
      Clock::time_point next = deadline;
      if (take(traffic, missing, next)) continue;
      for (const Message& message : missing) {
        if (state_->stopped[static_cast<std::size_t>(message.peer)] && next == deadline) {
          throw Error("FakeNetwork", traffic.on(rank_) + ": waits for " + to_string(missing) + ", but rank " +
                                         std::to_string(message.peer) + " has stopped");
        }
      }
      if (Clock::now() >= deadline) {
        throw Error("FakeNetwork",
                    traffic.on(rank_) + ": waited " + std::to_string(state_->timeout.count()) + " ms for " +
                        to_string(missing) + state_->who_waits(rank_),
                    std::string("a message was lost, ") + timeout_hint);
      }
      state_->change.wait_until(lock, next);
    }
  }

private:
  /// Takes the first letter that has arrived and is waited for. Else lowers `next` to the time when one
  /// arrives.
  bool take(const ExchangeRequest& traffic, std::vector<Message>& missing, Clock::time_point& next) {
    std::deque<State::Letter>& box = state_->inbox[static_cast<std::size_t>(rank_)];
    std::vector<int> behind; // ranks from which an earlier letter is still on its way
    for (auto letter = box.begin(); letter != box.end(); ++letter) {
      if (letter->tag != traffic.tag || std::ranges::find(behind, letter->from) != behind.end()) continue;
      const auto wanted =
          std::ranges::find_if(missing, [&](const Message& message) { return message.peer == letter->from; });
      if (wanted == missing.end()) continue;
      if (letter->arrival > Clock::now()) {
        behind.push_back(letter->from);
        next = std::min(next, letter->arrival);
        continue;
      }
      if (letter->bytes.size() != wanted->bytes) {
        throw Error("FakeNetwork", traffic.on(rank_) + ": the message from rank " +
                                       std::to_string(letter->from) + " has " +
                                       std::to_string(letter->bytes.size()) + " bytes, not " +
                                       std::to_string(wanted->bytes));
      }
      std::memcpy(wanted->data, letter->bytes.data(), letter->bytes.size());
      missing.erase(wanted);
      box.erase(letter);
      return true;
    }
    return false;
  }

  State* state_;
  int rank_;
};

FakeNetwork::FakeNetwork(int ranks, const Faults& faults, std::chrono::milliseconds timeout)
    : state_(ranks > 0 ? std::make_unique<State>(ranks, faults, timeout) : nullptr) {
  if (!state_) throw Error("FakeNetwork", std::to_string(ranks) + " ranks are too few");
}

FakeNetwork::~FakeNetwork() = default;

void FakeNetwork::run(const std::function<void(Transport&)>& program) {
  std::exception_ptr failure; // guarded by the mutex
  const auto work = [&](int rank) {
    Rank transport(*state_, rank);
    std::exception_ptr caught;
    try {
      program(transport);
    } catch (...) {
      caught = std::current_exception();
    }
    const std::lock_guard lock(state_->mutex);
    if (caught && !failure) failure = caught;
    state_->waiting[static_cast<std::size_t>(rank)].missing.clear();
    state_->stopped[static_cast<std::size_t>(rank)] = true;
    state_->change.notify_all();
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < state_->ranks; ++rank)
    threads.emplace_back(work, rank);
  for (std::thread& thread : threads)
    thread.join();
  std::ranges::fill(state_->inbox, std::deque<State::Letter>());
  std::fill(state_->stopped.begin(), state_->stopped.end(), false);
  if (failure) std::rethrow_exception(failure);
}

FaultCounts FakeNetwork::counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}

} // namespace heddle
