// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_FAULT_INJECTOR_HPP
#define HEDDLE_TESTS_FAULT_INJECTOR_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "heddle/core/hash.hpp"
#include "heddle/transport/thread_group.hpp"
#include "heddle/transport/transport.hpp"

namespace test {

/// What a FaultInjector does to messages: a probability each, decided anew for every message by the seed and
/// by what the message is, so that a run can be repeated whatever the threads do.
struct Faults {
  std::uint64_t seed = 1;
  double drop = 0;
  double delay = 0;   // by up to longest_delay
  double reorder = 0; // sent at once, before the other messages of its exchange
  double duplicate = 0;
  double truncate = 0;
  double corrupt = 0; // one bit
  std::chrono::milliseconds longest_delay{20};
};

/// How often each happened.
struct FaultCounts {
  std::int64_t messages = 0;
  std::int64_t dropped = 0;
  std::int64_t delayed = 0;
  std::int64_t reordered = 0;
  std::int64_t duplicated = 0;
  std::int64_t truncated = 0;
  std::int64_t corrupted = 0;

  FaultCounts& operator+=(const FaultCounts& more) {
    for (std::int64_t FaultCounts::* const count :
         {&FaultCounts::messages, &FaultCounts::dropped, &FaultCounts::delayed, &FaultCounts::reordered,
          &FaultCounts::duplicated, &FaultCounts::truncated, &FaultCounts::corrupted})
      this->*count += more.*count;
    return *this;
  }
};

/// A transport through host memory whose messages are harmed before another one sends them.
class FaultInjector final : public heddle::Transport {
public:
  FaultInjector(heddle::Transport& transport, const Faults& faults) : inner_(&transport), faults_(faults) {}

  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] int rank() const noexcept override { return inner_->rank(); }
  [[nodiscard]] int ranks() const noexcept override { return inner_->ranks(); }
  [[nodiscard]] heddle::Memory memory() const noexcept override { return inner_->memory(); }

  void start(const heddle::ExchangeRequest& request, heddle::Stream& stream) override {
    std::vector<Letter> letters;
    for (const heddle::Message& message : request.send)
      harm(message, request, letters);
    std::ranges::stable_sort(letters, {}, &Letter::delay);
    const auto begin = std::chrono::steady_clock::now();
    for (Letter& letter : letters) {
      std::this_thread::sleep_until(begin + letter.delay);
      const heddle::Message message{letter.peer, letter.bytes.data(), letter.bytes.size()};
      heddle::ExchangeRequest one = request;
      one.send = {&message, 1};
      one.receive = {};
      inner_->start(one, stream);
    }
  }
  void finish(const heddle::ExchangeRequest& request, heddle::Stream& stream) override {
    inner_->finish(request, stream);
  }

  [[nodiscard]] const FaultCounts& counts() const { return counts_; }

private:
  struct Letter {
    int peer;
    std::vector<std::byte> bytes;
    std::chrono::microseconds delay{}; // before it is sent; negative: before the others
  };
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
    heddle::Hash hash_;
  };

  void harm(const heddle::Message& message, const heddle::ExchangeRequest& request,
            std::vector<Letter>& letters) {
    Dice dice(faults_.seed, rank(), message.peer, request.tag, request.step);
    const auto happens = [&](double probability, std::int64_t& count) {
      const bool yes = dice.roll() < probability;
      count += yes ? 1 : 0;
      return yes;
    };
    Letter letter{message.peer, {message.data, message.data + message.bytes}};
    ++counts_.messages;
    if (happens(faults_.drop, counts_.dropped)) return;
    if (happens(faults_.truncate, counts_.truncated)) letter.bytes.resize(dice.below(letter.bytes.size()));
    if (happens(faults_.corrupt, counts_.corrupted) && !letter.bytes.empty()) {
      const std::size_t bit = dice.below(8 * letter.bytes.size());
      letter.bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
    if (happens(faults_.delay, counts_.delayed)) {
      const auto longest = static_cast<double>(std::chrono::microseconds(faults_.longest_delay).count());
      letter.delay = std::chrono::microseconds(static_cast<std::int64_t>(dice.roll() * longest));
    }
    if (happens(faults_.reorder, counts_.reordered)) letter.delay = std::chrono::microseconds(-1);
    if (happens(faults_.duplicate, counts_.duplicated)) letters.push_back(letter);
    letters.push_back(std::move(letter));
  }

  heddle::Transport* inner_;
  Faults faults_;
  FaultCounts counts_;
};

/// A ThreadGroup whose messages are harmed.
class FaultyThreads {
public:
  FaultyThreads(int ranks, const Faults& faults, std::chrono::milliseconds timeout = std::chrono::seconds(30))
      : group_(ranks, timeout), faults_(faults) {}

  void run(const std::function<void(heddle::Transport&)>& program) {
    group_.run([&](heddle::Transport& transport) {
      FaultInjector injector(transport, faults_);
      const Counted counted{*this, injector};
      program(injector);
    });
  }

  [[nodiscard]] FaultCounts counts() const { return counts_; }

private:
  /// Adds what was counted, also where a program throws.
  struct Counted {
    FaultyThreads& all;
    const FaultInjector& one;
    Counted(FaultyThreads& to, const FaultInjector& from) : all(to), one(from) {}
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
      const std::lock_guard lock(all.mutex_);
      all.counts_ += one.counts();
    }
  };

  heddle::ThreadGroup group_;
  Faults faults_;
  std::mutex mutex_; // guards counts_ while threads run
  FaultCounts counts_;
};

} // namespace test

#endif
