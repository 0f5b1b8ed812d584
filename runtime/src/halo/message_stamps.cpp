// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/message_stamps.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "heddle/core/for_each.hpp"
#include "heddle/device/qualifiers.hpp"
#include "heddle/halo/halo_plan.hpp"

namespace heddle {

static_assert(sizeof(MessageStamp) == HaloPlan::stamp_bytes);

namespace {

/// "heddle" in ASCII, then the version of the stamp and the level.
constexpr std::uint64_t any_mark = 0x6865'6464'6c65'0200U;
constexpr std::uint64_t most_samples = 16;    // words of a message that Stamps::order covers
constexpr std::int64_t parts_on_device = 512; // of a message: two blocks of threads
constexpr int most_messages = 64;             // in one launch, which gets their addresses as arguments

constexpr std::uint64_t mark_of(Stamps level) {
  return any_mark + static_cast<std::uint64_t>(level);
}

/// One to one in `word`, so that a change of one word always changes a sum of these; another function for
/// each place, so that words that change places change it, too. Each multiplication carries to the left and
/// each shift to the right, twice: after one round, values that differ in their signs alone could still be
/// swapped.
HEDDLE_HOST_DEVICE inline std::uint64_t mixed(std::uint64_t word, std::uint64_t place) {
  std::uint64_t mix = (word ^ ((place + 1) * 0x9e3779b97f4a7c15U)) * 0xd6e8feb86659fd93U;
  mix = (mix ^ (mix >> 32U)) * 0xca5a826395121157U;
  return mix ^ (mix >> 29U);
}

/// A message, as the loops get it.
struct Row {
  std::byte* data; // its stamp, then its bytes; null: there is none
  std::uint64_t bytes;
  std::int32_t from;
  std::int32_t to;

  [[nodiscard]] HEDDLE_HOST_DEVICE std::uint64_t words() const { return (bytes + 7) / 8; }
  /// Beyond the last byte there are zeros.
  [[nodiscard]] HEDDLE_HOST_DEVICE std::uint64_t word(std::uint64_t place) const {
    const std::uint64_t left = bytes - 8 * place;
    std::uint64_t value = 0;
    if (left >= 8)
      memcpy(&value, data + sizeof(MessageStamp) + 8 * place, 8);
    else
      memcpy(&value, data + sizeof(MessageStamp) + 8 * place, left);
    return value;
  }
};

/// What the loops over messages, and over parts of them, have in common.
struct Job {
  Row rows[most_messages];
  std::uint64_t mark;
  std::uint64_t plan;
  std::uint64_t covered;
  std::int64_t parts;
  std::int64_t* steps;
  std::uint64_t* sums;

  /// Of every parts-th covered word, from number `part` on.
  [[nodiscard]] HEDDLE_HOST_DEVICE std::uint64_t sum(const Row& row, std::int64_t part) const {
    const std::uint64_t words = row.words();
    const std::uint64_t count = words < covered ? words : covered;
    // From one of them to the next, in 2^-32 words, rounded up: the last one is the last word.
    const std::uint64_t way =
        count < words ? ((words - 1) << 32U) / (count - 1) + 1 : std::uint64_t{1} << 32U;
    std::uint64_t total = 0;
    for (auto i = static_cast<std::uint64_t>(part); i < count; i += static_cast<std::uint64_t>(parts)) {
      const std::uint64_t place = i * way >> 32U;
      total += mixed(row.word(place), place);
    }
    return total;
  }

  /// The checksum of a message that has this stamp.
  [[nodiscard]] HEDDLE_HOST_DEVICE std::uint64_t checksum(const MessageStamp& stamp, std::int64_t i) const {
    std::uint64_t total = 0;
    for (std::int64_t part = 0; covered != 0 && part < parts; ++part)
      total += sums[i * parts + part];
    const auto from = static_cast<std::uint32_t>(stamp.from);
    const auto to = static_cast<std::uint32_t>(stamp.to);
    const std::uint64_t head[] = {stamp.mark,
                                  stamp.plan,
                                  static_cast<std::uint64_t>(stamp.step),
                                  stamp.bytes,
                                  std::uint64_t{from} << 32U | to,
                                  stamp.unused[0],
                                  stamp.unused[1]};
    std::uint64_t place = std::uint64_t{1} << 60U; // no word of a message
    for (const std::uint64_t word : head)
      total += mixed(word, place++);
    return total;
  }
};

struct AddWords {
  Job job;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    job.sums[i] = job.sum(job.rows[i / job.parts], i % job.parts);
  }
};

struct WriteStamp {
  Job job;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    const Row& row = job.rows[i];
    MessageStamp stamp;
    stamp.mark = job.mark;
    stamp.plan = job.plan;
    stamp.step = job.steps[i];
    stamp.bytes = row.bytes;
    stamp.from = row.from;
    stamp.to = row.to;
    stamp.checksum = job.checksum(stamp, i);
    memcpy(row.data, &stamp, sizeof stamp);
  }
};

struct CheckStamp {
  Job job;
  MessageStamps::Fault* faults;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    const Row& row = job.rows[i];
    const std::int64_t step = job.steps[i]++;
    if (row.data == nullptr) {
      return;
    }
    MessageStamp stamp;
    memcpy(&stamp, row.data, sizeof stamp);
    const std::uint64_t checksum = job.checksum(stamp, i);
    const bool right = stamp.mark == job.mark && stamp.plan == job.plan && stamp.step == step &&
                       stamp.bytes == row.bytes && stamp.from == row.from && stamp.to == row.to &&
                       stamp.checksum == checksum;
    MessageStamps::Fault& fault = faults[i];
    if (right || fault.found != 0) {
      return;
    }
    fault.step = step;
    fault.bytes = row.bytes;
    fault.from = row.from;
    fault.to = row.to;
    fault.checksum = checksum;
    fault.stamp = stamp;
#ifdef __CUDA_ARCH__
    __threadfence_system();
#endif
    fault.found = 1;
  }
};

std::uint64_t covered_words(Stamps level, Memory memory) {
  if (level == Stamps::checksums) return std::numeric_limits<std::uint64_t>::max();
  return memory == Memory::device ? 0 : most_samples;
}

std::string name(Stamps level) {
  return level == Stamps::checksums ? "checksums" : "order";
}

} // namespace

MessageStamps::MessageStamps(Stamps level, Memory memory, std::uint64_t plan, int rank, std::size_t messages)
    : level_(level), memory_(memory), plan_(plan), rank_(rank), covered_(covered_words(level, memory)),
      parts_(memory == Memory::device ? parts_on_device : 1) {
  if (level == Stamps::off) return;
  const auto count = static_cast<std::int64_t>(messages);
  steps_ = Buffer<std::int64_t>(count, memory);
  sums_ = Buffer<std::uint64_t>(2 * count * parts_, memory); // of messages that go, and of those that come
  faults_ = Buffer<Fault>(count, device() ? Memory::pinned : Memory::host);
}

template <class Body> void MessageStamps::run(std::int64_t count, const Body& body, Stream& stream) const {
  if (device()) return for_each(count, memory_, stream, body);
  for (std::int64_t i = 0; i < count; ++i)
    body(i);
}

namespace {

/// Calls f(job, first, count) for at most most_messages of `all` rows at a time; the first ones are those of
/// the messages, row(message).
template <class F, class R>
void for_jobs(std::span<const Message> messages, std::size_t all, Job job, const R& row, const F& f) {
  std::int64_t* const steps = job.steps;
  std::uint64_t* const sums = job.sums;
  for (std::size_t first = 0; first < all; first += most_messages) {
    const std::size_t count = std::min<std::size_t>(most_messages, all - first);
    for (std::size_t i = 0; i < count; ++i)
      job.rows[i] = first + i < messages.size() ? row(messages[first + i]) : Row{};
    job.steps = steps + first;
    job.sums = sums + static_cast<std::int64_t>(first) * job.parts;
    f(job, first, static_cast<std::int64_t>(count));
  }
}

} // namespace

void MessageStamps::write(std::span<const Message> sent, Stream& stream) {
  if (level_ == Stamps::off) return;
  const Job all{{}, mark_of(level_), plan_, covered_, parts_, steps_.data(), sums_.data()};
  const auto row = [this](const Message& message) {
    return Row{message.data, message.bytes - sizeof(MessageStamp), rank_, message.peer};
  };
  for_jobs(sent, sent.size(), all, row, [&](const Job& job, std::size_t, std::int64_t count) {
    if (covered_ != 0) run(count * parts_, AddWords{job}, stream);
    run(count, WriteStamp{job}, stream);
  });
}

void MessageStamps::check(std::span<const Message> received, Stream& stream) {
  if (level_ == Stamps::off) return;
  std::uint64_t* const sums = sums_.data() + sums_.size() / 2;
  const Job all{{}, mark_of(level_), plan_, covered_, parts_, steps_.data(), sums};
  const auto row = [this](const Message& message) {
    return Row{message.data, message.bytes - sizeof(MessageStamp), message.peer, rank_};
  };
  const auto every = static_cast<std::size_t>(steps_.size());
  for_jobs(received, every, all, row, [&](const Job& job, std::size_t first, std::int64_t count) {
    if (covered_ != 0) run(count * parts_, AddWords{job}, stream);
    run(count, CheckStamp{job, faults_.data() + first}, stream);
  });
}

std::string MessageStamps::fault() const {
  for (std::int64_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_.data()[i];
    const volatile std::uint64_t& found = fault.found; // a device may write it
    if (found != 0) return "step " + std::to_string(fault.step) + ": " + text(fault);
  }
  return {};
}

std::string MessageStamps::text(const Fault& fault) const {
  const MessageStamp& stamp = fault.stamp;
  const std::string came = "the message from rank " + std::to_string(fault.from) + " ";
  for (const Stamps other : {Stamps::order, Stamps::checksums}) {
    if (other != level_ && stamp.mark == mark_of(other))
      return came + "is stamped with HEDDLE_STAMPS=" + name(other) + ", but here that is " + name(level_);
  }
  if (stamp.mark != mark_of(level_)) return came + "has no stamp";
  if (stamp.bytes != fault.bytes) {
    return came + "says that it has " + std::to_string(stamp.bytes) + " bytes, not " +
           std::to_string(fault.bytes);
  }
  if (stamp.checksum != fault.checksum) return came + "was changed on its way";
  if (stamp.from != fault.from || stamp.to != fault.to) {
    return came + "went from rank " + std::to_string(stamp.from) + " to rank " + std::to_string(stamp.to);
  }
  if (stamp.plan != plan_) return came + "belongs to another exchange, or its fields are cut in another way";
  return came + "belongs to step " + std::to_string(stamp.step);
}

} // namespace heddle
