// SPDX-License-Identifier: Apache-2.0
// Stamps of messages in device memory: written by the stream that packs, checked by the one that unpacks,
// also when both are recorded as a graph.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/messages.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/halo/message_stamps.hpp"

namespace {

using heddle::HaloExchange;
using heddle::HaloPlan;
using heddle::Memory;
using heddle::Message;
using heddle::MessageStamps;
using heddle::Stamps;
using heddle::Stream;
using test::contains;

/// What `action` throws; empty if nothing.
template <class Action> std::string failure(const Action& action) {
  try {
    action();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  return {};
}

enum class Harm { none, dropped, zeroed, last_bit };

/// What two ranks on one device know of each other.
struct OneDevice {
  std::map<std::tuple<int, int>, std::byte*> places; // tag, receiver
  std::map<std::tuple<int, int>, int> mailboxes;     // tag, receiver
  std::map<std::tuple<int, int>, heddle::ExchangedArrays> arrays;
};

/// One of two ranks that write into each other's memory, by pack kernels or by copies, and harm it then.
class Rank final : public heddle::Transport, public heddle::DirectStore {
public:
  Rank(OneDevice& all, int rank, bool stores) : all_(&all), rank_(rank), stores_(stores) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "one device"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return 2; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::device; }
  [[nodiscard]] bool only_enqueues() const noexcept override { return true; }
  [[nodiscard]] bool stores() const noexcept override { return stores_; }
  void expect(const heddle::ExchangeRequest& request) override {
    for (const Message& message : request.receive)
      all_->places[{request.tag, rank_}] = message.data;
  }
  [[nodiscard]] std::byte* place(int tag, int peer) const override { return all_->places.at({tag, peer}); }
  [[nodiscard]] const void* mailbox(int tag, int, int to) override { return &all_->mailboxes[{tag, to}]; }
  void publish(int tag, heddle::ExchangedArrays&& arrays) override {
    all_->arrays[{tag, rank_}] = std::move(arrays);
  }
  [[nodiscard]] const heddle::ExchangedArrays& published(int tag, int peer) const override {
    return all_->arrays.at({tag, peer});
  }
  void start(const heddle::ExchangeRequest& request, Stream& stream) override {
    const auto native = static_cast<cudaStream_t>(stream.native());
    for (const Message& message : request.send) {
      std::byte* const there = place(request.tag, message.peer);
      std::byte* const payload = there + HaloPlan::stamp_bytes;
      if (!stores_ && harm != Harm::dropped) {
        ASSERT_EQ(cudaMemcpyAsync(there, message.data, message.bytes, cudaMemcpyDeviceToDevice, native),
                  cudaSuccess);
      }
      if (stores_ && harm == Harm::dropped) { // it has been written: the stamp of step 0 instead
        ASSERT_EQ(cudaMemsetAsync(there + 16, 0, 8, native), cudaSuccess);
      }
      if (harm == Harm::zeroed) {
        ASSERT_EQ(cudaMemsetAsync(payload, 0, message.bytes - HaloPlan::stamp_bytes, native), cudaSuccess);
      }
      if (harm == Harm::last_bit) { // of the highest byte of a float between 1 and 2, which is 0x3f
        ASSERT_EQ(cudaMemsetAsync(payload + 403, 0x3e, 1, native), cudaSuccess);
      }
    }
  }
  void finish(const heddle::ExchangeRequest&, Stream&) override {}

  Harm harm = Harm::none;

private:
  OneDevice* all_;
  int rank_;
  bool stores_;
};

/// Two ranks, and an exchange whose pack kernel copies as many values as the boxes have.
class Loop {
public:
  Loop(Stamps stamps, bool stores, heddle::Capture capture)
      : ranks_{Rank(all_, 0, stores), Rank(all_, 1, stores)},
        loop_({.memory = Memory::device, .capture = capture}) {
    const heddle::BlockGrid grid({{0, 0, 0}, {8, 16, 8}}, {2, 1, 1}, {true, false, false}, 2);
    fields_.reserve(2);
    for (int rank = 0; rank < 2; ++rank) {
      fields_.emplace_back(grid, heddle::FieldOptions{.memory = Memory::device, .rank = rank});
      fields_.back().fill([](auto x, auto, auto, int) { return 1 + static_cast<float>(x) / 16; });
      loop_.add(
          HaloExchange(exchange(fields_.back()), ranks_[static_cast<std::size_t>(rank)], {.stamps = stamps}));
    }
  }
  void run(std::int64_t steps) { loop_.run(steps); }
  [[nodiscard]] Rank& rank(std::size_t number) { return ranks_[number]; }
  [[nodiscard]] heddle::CaptureDecision capture() const { return loop_.capture(); }

private:
  static heddle::DenseExchange exchange(heddle::Field<float>& field) {
    static const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});
    heddle::DenseExchange result("halo", heddle::Direction::owner_to_ghost, shell, 1, sizeof(float));
    result.add(field);
    result.pack = [&field](int block, const heddle::MessageBoxes& boxes, void* buffer, Stream& stream) {
      const std::size_t bytes = static_cast<std::size_t>(boxes.count * boxes.longest) * sizeof(float);
      ASSERT_EQ(cudaMemcpyAsync(buffer, field.view(block).data(), std::min<std::size_t>(bytes, 512),
                                cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream.native())),
                cudaSuccess);
    };
    result.unpack = [](int, const heddle::MessageBoxes&, const void*, Stream&) {};
    return result;
  }

  OneDevice all_;
  std::array<Rank, 2> ranks_;
  std::vector<heddle::Field<float>> fields_;
  heddle::TaskGraph loop_;
};

TEST(DeviceStamps, LetRightMessagesPassInAnyLoop) {
  for (const Stamps stamps : {Stamps::off, Stamps::order, Stamps::checksums}) {
    for (const heddle::Capture capture :
         {heddle::Capture::off, heddle::Capture::on, heddle::Capture::automatic}) {
      for (const bool stores : {false, true}) {
        Loop loop(stamps, stores, capture);
        loop.run(50);
        loop.run(3);
        loop.run(64);
        EXPECT_EQ(loop.capture().capture, capture != heddle::Capture::off) << loop.capture().reason;
      }
    }
  }
}

TEST(DeviceStamps, FindMessagesOfAnotherStepAndChangedOnes) {
  struct Case {
    Harm harm;
    Stamps stamps;
    std::string words; // none: it is not found
  };
  const std::array<Case, 5> cases{{{Harm::dropped, Stamps::order, "the message from rank 1 "},
                                   {Harm::dropped, Stamps::checksums, "the message from rank 1 "},
                                   {Harm::zeroed, Stamps::order, ""},
                                   {Harm::zeroed, Stamps::checksums, "was changed on its way"},
                                   {Harm::last_bit, Stamps::checksums, "was changed on its way"}}};
  for (const auto& [harm, stamps, words] : cases) {
    for (const heddle::Capture capture : {heddle::Capture::off, heddle::Capture::automatic}) {
      for (const bool stores : {false, true}) {
        Loop loop(stamps, stores, capture);
        loop.run(20);
        loop.rank(1).harm = harm;
        const std::string error = failure([&] { loop.run(40); });
        EXPECT_EQ(error.empty(), words.empty()) << error;
        EXPECT_TRUE(contains(error, words)) << error;
        if (!words.empty()) {
          EXPECT_TRUE(contains(error, "rank 0, 'halo', step 20: ")) << error;
          EXPECT_FALSE(failure([&] { loop.run(1); }).empty()) << "it stays wrong";
        }
      }
    }
  }
}

/// The stamp of a message that lies on the host for `level`, as bytes.
std::vector<std::byte> stamped(Memory memory, Stamps level, const std::vector<std::byte>& bytes) {
  heddle::Buffer<std::byte> buffer(std::span<const std::byte>(bytes), memory);
  const Message message{1, buffer.data(), bytes.size()};
  Stream stream(memory);
  MessageStamps stamps(level, memory, 5, 0, 1);
  stamps.write({&message, 1}, stream);
  stream.synchronise();
  return buffer.to_host();
}

TEST(DeviceStamps, AreThoseOfTheHost) {
  for (const std::size_t bytes : {0U, 3U, 8U, 4099U, 100'000U}) {
    std::vector<std::byte> message(HaloPlan::stamp_bytes + bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      message[HaloPlan::stamp_bytes + i] = static_cast<std::byte>(37 * i + i / 256);
    EXPECT_EQ(stamped(Memory::device, Stamps::checksums, message),
              stamped(Memory::host, Stamps::checksums, message))
        << bytes;
  }
}

TEST(DeviceStamps, OfMoreMessagesThanOneLaunchTakes) {
  constexpr std::size_t count = 150;
  constexpr std::size_t length = 2 * HaloPlan::stamp_bytes;
  for (const Stamps level : {Stamps::order, Stamps::checksums}) {
    heddle::Buffer<std::byte> buffer(count * length, Memory::device);
    std::vector<Message> messages;
    for (std::size_t i = 0; i < count; ++i)
      messages.push_back({7, buffer.data() + i * length, length});
    Stream stream(Memory::device);
    MessageStamps there(level, Memory::device, 5, 7, count);
    MessageStamps here(level, Memory::device, 5, 7, count);
    for (int step = 0; step < 3; ++step) {
      there.write(messages, stream);
      there.check({}, stream);
      here.check(messages, stream);
      stream.synchronise();
      EXPECT_EQ(here.fault(), "");
    }
    there.write(messages, stream);
    ASSERT_EQ(cudaMemsetAsync(messages[149].data + 20, 1, 1, static_cast<cudaStream_t>(stream.native())),
              cudaSuccess);
    here.check(messages, stream);
    stream.synchronise();
    EXPECT_EQ(here.fault(), "step 3: the message from rank 7 was changed on its way");
  }
}

} // namespace
