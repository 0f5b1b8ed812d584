// SPDX-License-Identifier: Apache-2.0
// Waits on a GPU for another rank that does not come: each has a limit, and says who waits for whom.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/halo_steps.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/transport/nccl.hpp"
#include "heddle/transport/transport.hpp"

namespace {

using heddle::AccessMode;
using heddle::BlockGrid;
using heddle::Box;
using heddle::FieldAccess;
using heddle::Memory;
using heddle::Stream;
using heddle::TaskGraph;

const Box domain{{0, 0, 0}, {37, 20, 9}};

void set_limit(const char* seconds) {
  setenv("HEDDLE_TIMEOUT", seconds, 1);
}
constexpr const char* long_enough = "60"; // for NCCL to start

/// An exchange with a rank that never answers, until it is given up.
class Unanswered {
public:
  explicit Unanswered(const BlockGrid& grid) : grid_(&grid) {}
  std::string_view name() const { return "unanswered"; }
  std::vector<FieldAccess> accesses() const { return {{this, "f", AccessMode::write}}; }
  Memory memory() const { return Memory::device; }
  void operator()(Stream& stream) {
    const auto wait = [](void* exchange) { static_cast<Unanswered*>(exchange)->wait(); };
    ASSERT_EQ(cudaLaunchHostFunc(static_cast<cudaStream_t>(stream.native()), wait, this), cudaSuccess);
  }
  /// Of the iterations that the device was given, how many are through.
  int ended() const { return ended_; }
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = grid_;
    steps.messages = true;
    steps.memory = Memory::device;
    steps.fields = accesses();
    steps.start = [](Stream&) {};
    steps.finish = [this](Stream& stream) { (*this)(stream); };
    steps.waits_for = [] { return std::string("rank 0, 'unanswered': rank 1 (8 bytes)"); };
    steps.abort = [this] {
      given_up_ = true;
      given_up_.notify_all();
    };
    return steps;
  }

private:
  void wait() {
    given_up_.wait(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // others are in the stream meanwhile
    ++ended_;
  }

  const BlockGrid* grid_;
  std::atomic<bool> given_up_ = false;
  std::atomic<int> ended_ = 0;
};

TEST(Device, AWaitInAStreamThatTakesTooLongSaysForWhom) {
  set_limit("0.2");
  const BlockGrid grid(domain, {2, 1, 1}, {false, false, false}, 2);
  for (const heddle::Capture capture :
       {heddle::Capture::off, heddle::Capture::on, heddle::Capture::automatic}) {
    for (const bool overlap : {false, true}) {
      Unanswered exchange(grid);
      std::string error;
      {
        TaskGraph loop({.memory = Memory::device, .capture = capture, .overlap = overlap});
        loop.add(exchange);
        try {
          loop.run(100); // more than the device is given at once
        } catch (const heddle::Error& thrown) {
          error = thrown.what();
        }
      }
      const int ended = exchange.ended();
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_GT(ended, 1);
      EXPECT_EQ(exchange.ended(), ended) << "the exchange could have ended before its last use";
      EXPECT_NE(error.find("waited 200 ms for messages. rank 0, 'unanswered': rank 1 (8 bytes)"),
                std::string::npos)
          << error;
    }
  }
  unsetenv("HEDDLE_TIMEOUT");
}

/// Eight bytes to the other of two ranks and back, through NCCL.
class Swap {
public:
  Swap(const BlockGrid& grid, heddle::Transport& transport)
      : grid_(&grid), transport_(&transport), bytes_(16, Memory::device),
        send_{1 - transport.rank(), bytes_.data(), 8}, receive_{1 - transport.rank(), bytes_.data() + 8, 8} {
    transport.expect(request());
  }
  std::string_view name() const { return "swap"; }
  std::vector<FieldAccess> accesses() const { return {{this, "f", AccessMode::write}}; }
  Memory memory() const { return Memory::device; }
  void operator()(Stream& stream) {
    transport_->start(request(), stream);
    transport_->finish(request(), stream);
  }
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = grid_;
    steps.messages = true;
    steps.memory = Memory::device;
    steps.fields = accesses();
    steps.start = [this](Stream& stream) { transport_->start(request(), stream); };
    steps.finish = [this](Stream& stream) { transport_->finish(request(), stream); };
    steps.waits_for = [this] {
      return request().on(transport_->rank()) + ": " + heddle::to_string(request().receive);
    };
    steps.abort = [this] { transport_->capability<heddle::StreamWait>()->abort(); };
    return steps;
  }

private:
  heddle::ExchangeRequest request() const {
    return {.plan = "swap", .send = std::span(&send_, 1), .receive = std::span(&receive_, 1)};
  }

  const BlockGrid* grid_;
  heddle::Transport* transport_;
  heddle::Buffer<std::byte> bytes_;
  heddle::Message send_;
  heddle::Message receive_;
};

TEST(Device, ARankThatNcclWaitsForInVainIsNamed) {
  if (heddle::device_count() < 2) GTEST_SKIP() << "two devices";
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  set_limit(long_enough);
  const BlockGrid grid(domain, {2, 1, 1}, {false, false, false}, 2);
  for (const heddle::Capture capture :
       {heddle::Capture::off, heddle::Capture::on, heddle::Capture::automatic}) {
    std::string error;
    std::latch there(2);
    std::atomic<bool> ended = false; // rank 1 is there, and does not run its loop
    heddle::nccl_run(2, [&](heddle::Transport& transport) {
      Swap swap(grid, transport);
      TaskGraph loop({.memory = Memory::device, .capture = capture});
      loop.add(swap);
      loop.run(3);
      there.arrive_and_wait();
      if (transport.rank() == 1) return ended.wait(false);
      set_limit("1");
      try {
        loop.run(100);
      } catch (const heddle::Error& thrown) {
        error = thrown.what();
      }
      EXPECT_THROW(loop.run(1), heddle::Error);
      set_limit(long_enough);
      ended = true;
      ended.notify_all();
    });
    EXPECT_NE(error.find("waited 1000 ms for messages. rank 0, 'swap', step 0: rank 1 (8 bytes)"),
              std::string::npos)
        << error;
  }
  unsetenv("HEDDLE_TIMEOUT");
}

/// What f() throws on rank 0 of two, while rank 1 is there and does nothing; `before` is done by both.
template <class Before, class F> std::string alone_of_two(const Before& before, const F& f) {
  set_limit(long_enough);
  std::string error;
  std::latch there(2);
  std::atomic<bool> ended = false;
  heddle::nccl_run(2, [&](heddle::Transport& transport) {
    auto common = before(transport);
    there.arrive_and_wait();
    if (transport.rank() == 1) return ended.wait(false);
    set_limit("1");
    try {
      f(transport, common);
    } catch (const heddle::Error& thrown) {
      error = thrown.what();
    }
    set_limit(long_enough);
    ended = true;
    ended.notify_all();
  });
  unsetenv("HEDDLE_TIMEOUT");
  return error;
}

TEST(Device, ARankThatDoesNotJoinASumIsNamed) {
  if (heddle::device_count() < 2) GTEST_SKIP() << "two devices";
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  const std::string error = alone_of_two(
      [](heddle::Transport& transport) {
        auto sum = heddle::reduction_of_numbers(heddle::ReductionKind::sum, [] { return 1.0; }, transport);
        EXPECT_EQ(sum(), 2.0);
        return sum;
      },
      [](heddle::Transport&, const std::function<double()>& sum) { (void)sum(); });
  EXPECT_NE(error.find("'reduction', step 4: waited 1000 ms for rank 1 ("), std::string::npos) << error;
}

/// Rank 0 of two waits for the first message of rank 1, which does something else.
void first_message(const std::function<void()>& instead) {
  set_limit(long_enough);
  const BlockGrid grid(domain, {2, 1, 1}, {false, false, false}, 2);
  std::latch there(2);
  try {
    heddle::nccl_run(2, [&](heddle::Transport& transport) {
      there.arrive_and_wait();
      if (transport.rank() == 1) return instead();
      set_limit("2");
      const Swap swap(grid, transport);
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);
  }
}

TEST(DeviceDeathTest, ARankThatNcclStartsInVainForEndsTheProgram) {
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto alone = [] {
    set_limit("3");
    const heddle::DeviceScope device(0);
    (void)heddle::nccl_transport(0, 2, heddle::nccl_id());
  };
  EXPECT_EXIT(alone(), testing::ExitedWithCode(1),
              "NCCL: rank 0, the start of a communicator: waited 3000 ms for ranks 0 to 1, some of which are "
              "missing");
}

TEST(DeviceDeathTest, ARankThatDoesNotSendItsFirstMessageEndsTheProgram) {
  if (heddle::device_count() < 2) GTEST_SKIP() << "two devices";
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(first_message([] { std::this_thread::sleep_for(std::chrono::seconds(30)); }),
              testing::ExitedWithCode(1), "rank 0, 'swap', step 0: waited 2000 ms for rank 1 .8 bytes.");
  const auto throws = [] {
    std::this_thread::sleep_for(std::chrono::seconds(1)); // rank 0 waits by now
    throw std::runtime_error("ended on purpose");
  };
  EXPECT_EXIT(first_message(throws), testing::ExitedWithCode(1), "ended on purpose");
}

} // namespace
