// SPDX-License-Identifier: Apache-2.0
// Where NCCL waits for a rank that does not come, the program ends and says so: with a library that takes
// longer than the limit.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <thread>

#include "heddle/transport/nccl.hpp"

namespace {

using heddle::Message;
using testing::ExitedWithCode;

/// Sends eight bytes to rank 1 of three, and gets as many from rank 2.
void start(heddle::Transport& transport, std::int64_t step) {
  std::byte bytes[16]{};
  const Message send{1, bytes, 8};
  const Message receive{2, bytes + 8, 8};
  heddle::Stream stream;
  transport.start(
      {.plan = "swap", .step = step, .send = std::span(&send, 1), .receive = std::span(&receive, 1)}, stream);
}

/// A rank of three that ends with status 0, unless a call takes too long.
[[noreturn]] void run(const char* slow) {
  setenv("HEDDLE_TIMEOUT", "0.2", 1);
  setenv("HEDDLE_FAKE_NCCL", slow, 1);
  {
    const std::unique_ptr<heddle::Transport> transport = heddle::nccl_transport(0, 3, heddle::nccl_id());
    start(*transport, 0);
  }
  std::exit(0);
}

TEST(NcclWaitsDeathTest, ARankThatIsNotThereAtTheStart) {
  EXPECT_EXIT(run("ncclCommInitRank"), ExitedWithCode(1),
              "the program ends: NCCL: rank 0, the start of a communicator: waited 200 ms for ranks 0 to 2, "
              "some of which are missing. Hint: .*HEDDLE_TIMEOUT");
}

TEST(NcclWaitsDeathTest, ARankThatDoesNotTakeTheFirstMessage) {
  EXPECT_EXIT(run("ncclGroupEnd"), ExitedWithCode(1),
              "the program ends: nccl: rank 0, 'swap', step 0: waited 200 ms for rank 2 .8 bytes.. Hint: ");
}

TEST(NcclWaitsDeathTest, ARankThatDoesNotComeToTheEnd) {
  EXPECT_EXIT(run("ncclCommDestroy"), ExitedWithCode(1),
              "rank 0, the end of a communicator: waited 200 ms for ranks 0");
}

TEST(NcclWaitsDeathTest, WhoGivesUpSaysSoBeforeTheOthersEnd) {
  const auto gives_up = [] {
    setenv("HEDDLE_TIMEOUT", "0.2", 1);
    setenv("HEDDLE_FAKE_NCCL", "ncclCommAbort", 1);
    const std::unique_ptr<heddle::Transport> transport = heddle::nccl_transport(0, 3, heddle::nccl_id());
    transport->capability<heddle::StreamWait>()->abort();
    std::fputs("gave up; ", stderr);
  };
  EXPECT_EXIT(
      gives_up(), ExitedWithCode(1),
      "gave up; the program ends: NCCL: rank 0, the end of a communicator: waited 200 ms for ranks 0");
}

TEST(NcclWaitsDeathTest, CallsThatReturnHaveNoLimitAfterwards) {
  const auto longer_than_the_limit = [] {
    setenv("HEDDLE_TIMEOUT", "0.1", 1);
    const std::unique_ptr<heddle::Transport> transport = heddle::nccl_transport(0, 3, heddle::nccl_id());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    start(*transport, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::exit(0);
  };
  EXPECT_EXIT(longer_than_the_limit(), ExitedWithCode(0), "");
}

} // namespace
