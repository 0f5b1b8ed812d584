// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_FAULT_INJECTOR_HPP
#define HEDDLE_TESTS_FAULT_INJECTOR_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/core/hash.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/transport/thread_group.hpp"
#include "heddle/transport/transport.hpp"

namespace test {

/// What becomes of all messages that one rank sends in one step of an exchange.
enum class Harm {
  dropped,
  duplicated,
  truncated, // by a byte
  grown,     // by a byte
  swapped,   // those to two ranks
  replayed,  // what went this way two steps before comes instead
  foreign,   // what went this way in another exchange comes instead
  last_bit,  // of a word
  sign_bit,
  two_bits, // of one word
  zeroed,
  words_swapped, // two of them
  rotated,       // by a word
  shifted,       // by a byte
  stale          // the bytes of the step before, stamped as those of this one
};
inline constexpr std::array every_harm{Harm::dropped,  Harm::duplicated, Harm::truncated, Harm::grown,
                                       Harm::swapped,  Harm::replayed,   Harm::foreign,   Harm::last_bit,
                                       Harm::sign_bit, Harm::two_bits,   Harm::zeroed,    Harm::words_swapped,
                                       Harm::rotated,  Harm::shifted,    Harm::stale};

[[nodiscard]] inline std::string_view to_string(Harm harm) {
  constexpr std::array<std::string_view, every_harm.size()> names{
      "dropped",  "duplicated", "truncated", "grown",         "swapped", "replayed", "foreign", "last bit",
      "sign bit", "two bits",   "zeroed",    "words swapped", "rotated", "shifted",  "stale"};
  return names[static_cast<std::size_t>(harm)];
}

/// Once, on purpose.
struct Strike {
  Harm harm = Harm::dropped;
  int rank = 0;
  std::int64_t step = 0;
  int tag = 0; // of the exchange
};

/// Does a Strike, and remembers for that what went to whom.
class Striker {
public:
  using Bytes = std::vector<std::byte>;
  static constexpr std::size_t stamp = heddle::HaloPlan::stamp_bytes;

  explicit Striker(const std::optional<Strike>& strike) : strike_(strike) {}

  /// What arrives instead of `messages` of a rank, in this order: none, one or several per receiver.
  [[nodiscard]] std::vector<std::pair<int, Bytes>>
  arrivals(std::vector<std::pair<int, Bytes>> messages, const heddle::ExchangeRequest& request, int rank) {
    const std::vector<std::pair<int, Bytes>> sent = messages;
    if (strike_ && strike_->rank == rank && strike_->step == request.step && strike_->tag == request.tag) {
      if (strike_->harm == Harm::dropped) messages.clear();
      if (strike_->harm == Harm::duplicated) messages.insert(messages.end(), sent.begin(), sent.end());
      if (strike_->harm == Harm::swapped) std::swap(messages.at(0).second, messages.at(1).second);
      for (auto& [peer, bytes] : messages)
        harm(
            strike_->harm, bytes, [&](int tag, std::int64_t step) { return known_.at({tag, peer, step}); },
            request);
    }
    for (const auto& [peer, bytes] : sent)
      known_[{request.tag, peer, request.step}] = bytes;
    return messages;
  }
  /// What went to `peer` in the step before, or nothing.
  [[nodiscard]] const Bytes* before(const heddle::ExchangeRequest& request, int peer) const {
    const auto found = known_.find({request.tag, peer, request.step - 1});
    return found == known_.end() ? nullptr : &found->second;
  }

private:
  template <class Known>
  static void harm(Harm harm, Bytes& bytes, const Known& known, const heddle::ExchangeRequest& request) {
    constexpr std::ptrdiff_t word = 8;
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(stamp);
    const auto third = begin + 3 * word; // Stamps::order looks at neither of these two in a longer message
    const auto sixth = begin + 6 * word;
    const auto flip = [&](int bit) { *(third + bit / 8) ^= static_cast<std::byte>(1U << (bit % 8)); };
    switch (harm) {
    case Harm::dropped:
    case Harm::duplicated:
    case Harm::swapped:
      return;
    case Harm::truncated:
      return bytes.pop_back();
    case Harm::grown:
      return bytes.push_back({});
    case Harm::replayed:
      bytes = known(request.tag, request.step - 2);
      return;
    case Harm::foreign:
      bytes = known(1 - request.tag, request.step);
      return;
    case Harm::last_bit:
      return flip(0);
    case Harm::sign_bit:
      return flip(63);
    case Harm::two_bits:
      flip(62);
      return flip(51);
    case Harm::zeroed:
      return std::fill(begin, bytes.end(), std::byte{});
    case Harm::words_swapped:
      std::swap_ranges(third, third + word, sixth);
      return;
    case Harm::rotated:
      std::rotate(begin, begin + word, bytes.end());
      return;
    case Harm::shifted:
      for (std::size_t i = bytes.size() - 1; i > stamp; --i)
        bytes[i] = bytes[i - 1];
      return;
    case Harm::stale: {
      const Bytes old = known(request.tag, request.step - 1);
      for (std::size_t i = stamp; i < bytes.size(); ++i)
        bytes[i] = old.at(i);
      return;
    }
    }
  }

  std::optional<Strike> strike_;
  std::map<std::tuple<int, int, std::int64_t>, Bytes> known_; // tag, peer, step
};

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
  std::optional<Strike> strike = std::nullopt;
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
  FaultInjector(heddle::Transport& transport, const Faults& faults)
      : inner_(&transport), faults_(faults), striker_(faults.strike) {}

  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] int rank() const noexcept override { return inner_->rank(); }
  [[nodiscard]] int ranks() const noexcept override { return inner_->ranks(); }
  [[nodiscard]] heddle::Memory memory() const noexcept override { return inner_->memory(); }

  void start(const heddle::ExchangeRequest& request, heddle::Stream& stream) override {
    std::vector<std::pair<int, Striker::Bytes>> messages;
    for (const heddle::Message& message : request.send)
      messages.emplace_back(message.peer, Striker::Bytes(message.data, message.data + message.bytes));
    std::vector<Letter> letters;
    for (auto& [peer, bytes] : striker_.arrivals(std::move(messages), request, rank()))
      harm(peer, std::move(bytes), request, letters);
    if (std::ranges::all_of(letters, [](const Letter& letter) { return letter.delay.count() == 0; }))
      return send_together(std::move(letters), request, stream);
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
    heddle::ExchangeRequest all = request;
    all.send = under_way_[request.tag].messages;
    inner_->finish(all, stream);
  }

  [[nodiscard]] const FaultCounts& counts() const { return counts_; }

private:
  struct Letter {
    int peer;
    std::vector<std::byte> bytes;
    std::chrono::microseconds delay{}; // before it is sent; negative: before the others
  };
  /// What was sent together may be read until its exchange is finished.
  struct UnderWay {
    std::vector<Letter> letters;
    std::vector<heddle::Message> messages;
  };
  /// As MPI has it, which receives what it is told to together with what it sends.
  void send_together(std::vector<Letter> letters, const heddle::ExchangeRequest& request,
                     heddle::Stream& stream) {
    UnderWay& sent = under_way_[request.tag];
    sent = {std::move(letters), {}};
    for (Letter& letter : sent.letters)
      sent.messages.push_back({letter.peer, letter.bytes.data(), letter.bytes.size()});
    heddle::ExchangeRequest all = request;
    all.send = sent.messages;
    inner_->start(all, stream);
  }
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

  void harm(int peer, Striker::Bytes bytes, const heddle::ExchangeRequest& request,
            std::vector<Letter>& letters) {
    Dice dice(faults_.seed, rank(), peer, request.tag, request.step);
    const auto happens = [&](double probability, std::int64_t& count) {
      const bool yes = dice.roll() < probability;
      count += yes ? 1 : 0;
      return yes;
    };
    Letter letter{peer, std::move(bytes)};
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
  Striker striker_;
  std::map<int, UnderWay> under_way_; // of each tag
  FaultCounts counts_;
};

/// The same for ranks that write into each other's memory (PeerGroup, on the host): a strike changes what
/// lies there once it has been written.
class PeerFaultInjector final : public heddle::Transport, public heddle::DirectStore {
public:
  PeerFaultInjector(heddle::Transport& transport, const Faults& faults)
      : inner_(&transport), stores_(transport.capability<heddle::DirectStore>()), striker_(faults.strike) {}

  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] int rank() const noexcept override { return inner_->rank(); }
  [[nodiscard]] int ranks() const noexcept override { return inner_->ranks(); }
  [[nodiscard]] heddle::Memory memory() const noexcept override { return inner_->memory(); }
  [[nodiscard]] bool only_enqueues() const noexcept override { return inner_->only_enqueues(); }
  void expect(const heddle::ExchangeRequest& request) override { inner_->expect(request); }

  void start(const heddle::ExchangeRequest& request, heddle::Stream& stream) override {
    inner_->start(request, stream);
    std::vector<std::pair<int, Striker::Bytes>> messages;
    for (const heddle::Message& message : request.send) {
      const std::byte* const there = place(request.tag, message.peer);
      messages.emplace_back(message.peer, Striker::Bytes(there, there + message.bytes));
    }
    const std::vector<std::pair<int, Striker::Bytes>> arrived =
        striker_.arrivals(std::move(messages), request, rank());
    for (const heddle::Message& message :
         request.send) { // where nothing has arrived, the last one still lies
      const Striker::Bytes* const before = striker_.before(request, message.peer);
      if (arrived.empty() && before != nullptr) std::ranges::copy(*before, place(request.tag, message.peer));
    }
    for (const auto& [peer, bytes] : arrived)
      std::ranges::copy(bytes, place(request.tag, peer));
  }
  void finish(const heddle::ExchangeRequest& request, heddle::Stream& stream) override {
    inner_->finish(request, stream);
  }

  [[nodiscard]] bool stores() const noexcept override { return stores_->stores(); }
  [[nodiscard]] std::byte* place(int tag, int peer) const override { return stores_->place(tag, peer); }
  [[nodiscard]] const void* mailbox(int tag, int from, int to) override {
    return stores_->mailbox(tag, from, to);
  }
  void publish(int tag, heddle::ExchangedArrays&& arrays) override {
    stores_->publish(tag, std::move(arrays));
  }
  [[nodiscard]] const heddle::ExchangedArrays& published(int tag, int peer) const override {
    return stores_->published(tag, peer);
  }

private:
  heddle::Transport* inner_;
  heddle::DirectStore* stores_;
  Striker striker_;
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
