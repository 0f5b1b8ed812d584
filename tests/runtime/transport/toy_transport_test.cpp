// SPDX-License-Identifier: Apache-2.0
// A transport of a program's own, which nothing but its file (toy_transport.cpp) knows, is chosen by its
// name.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/ranks.hpp"

namespace {

struct Ending {
  int status = 0;
  std::string out;
  std::string errors;
};

/// Runs a body on so many ranks by the transport called `transport`.
Ending run_with(const char* ranks, const char* transport, const heddle::Body& body) {
  setenv("HEDDLE_RANKS", ranks, 1);
  setenv("HEDDLE_TRANSPORT", transport, 1);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ending run;
  run.status = heddle::run_in_one_process("program", heddle::Memory::host, body);
  std::fflush(stdout);
  run.out = testing::internal::GetCapturedStdout();
  run.errors = testing::internal::GetCapturedStderr();
  return run;
}

int nothing(heddle::Ranks&) {
  return 0;
}

TEST(ToyTransport, IsChosenByItsNameAndCarriesMessages) {
  std::mutex mutex;
  std::set<int> ranks_seen;
  const Ending run = run_with("3", "toy", [&](heddle::Ranks& ranks) {
    heddle::Transport& transport = ranks.only();
    EXPECT_EQ(transport.name(), "toy");
    const heddle::BlockGrid grid({{0, 0, 0}, {12, 1, 1}}, {3, 1, 1}, {true, false, false}, ranks.count());
    heddle::Field<double> field(grid, {.rank = transport.rank()});
    field.fill([](std::int64_t x, std::int64_t, std::int64_t, int) { return static_cast<double>(x); });
    const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});
    heddle::HaloExchange halo(packing::exchange(field, shell, heddle::Direction::owner_to_ghost), transport);
    heddle::Stream stream(heddle::Memory::host);
    halo(stream);
    const double first = 4.0 * transport.rank();
    const std::lock_guard lock(mutex);
    ranks_seen.insert(transport.rank());
    EXPECT_EQ(field.view(0)(-1, 0, 0), transport.rank() == 0 ? 11.0 : first - 1);
    EXPECT_EQ(field.view(0)(4, 0, 0), transport.rank() == 2 ? 0.0 : first + 4);
    return 0;
  });
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(ranks_seen, (std::set<int>{0, 1, 2}));
  EXPECT_NE(run.out.find("transport toy: it is a test; asked for by name"), std::string::npos) << run.out;
}

TEST(ToyTransport, ComesLastAndIsNamedInHints) {
  EXPECT_EQ(run_with("2", "auto", nothing).out,
            "transport peer: one graph computes 2 ranks on this processor\n");
  const std::string unknown = run_with("2", "smoke", nothing).errors;
  EXPECT_NE(unknown.find("HEDDLE_TRANSPORT can be auto, peer, threads or toy here"), std::string::npos)
      << unknown;
  const std::string alone = run_with("1", "toy", nothing).errors;
  EXPECT_NE(alone.find("toy cannot be used: there is one rank"), std::string::npos) << alone;
}

TEST(ToyTransport, HasNoCapabilityOfOthers) {
  EXPECT_EQ(run_with("2", "toy",
                     [](heddle::Ranks& ranks) {
                       heddle::Transport& transport = ranks.only();
                       EXPECT_EQ(transport.capability<heddle::DirectStore>(), nullptr);
                       EXPECT_EQ(transport.capability<heddle::StreamWait>(), nullptr);
                       EXPECT_EQ(transport.capability<heddle::MessageProgress>(), nullptr);
                       return 0;
                     })
                .status,
            0);
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  EXPECT_NE(group.transport(0).capability<heddle::DirectStore>(), nullptr);
}

TEST(ToyTransport, ANameIsTakenOnce) {
  EXPECT_DEATH(
      heddle::RegisteredTransport("toy", 1, heddle::Launcher::none,
                                  [](const heddle::LaunchRequest&) { return heddle::local_candidate(); }),
      "two transports are registered as 'toy'");
}

} // namespace
