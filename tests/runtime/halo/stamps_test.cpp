// SPDX-License-Identifier: Apache-2.0
// Each fault of a network, in the messages of each rank and in several steps: found, harmless, or silently
// wrong.
#include "heddle/halo/stamps.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../support/fault_injector.hpp"
#include "../../support/full_speed.hpp"
#include "../../support/messages.hpp"
#include "../../support/struck_run.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/message_stamps.hpp"
#include "heddle/transport/peer_group.hpp"

namespace {

using heddle::HaloPlan;
using heddle::Message;
using heddle::MessageStamps;
using heddle::Stamps;
using test::Harm;
using test::Strike;
using test::StruckRun;
using namespace std::chrono_literals;

class MessageStampsTest : public testing::Test {
  heddle::Environment one_thread_{{.threads = 1}}; // the loops are short
};

using PerRank = std::vector<std::vector<double>>; // of each rank

PerRank on_threads(Stamps stamps, const std::optional<Strike>& strike) {
  test::FaultyThreads network(StruckRun::ranks, {.strike = strike}, 100ms);
  PerRank values(StruckRun::ranks);
  network.run([&](heddle::Transport& transport) {
    StruckRun run(transport, stamps);
    for (int step = 0; step < StruckRun::steps; ++step)
      run.step();
    values[static_cast<std::size_t>(transport.rank())] = run.values();
  });
  return values;
}

/// stores: pack kernels write into the memory of the other rank.
PerRank on_peers(Stamps stamps, const std::optional<Strike>& strike, bool stores) {
  heddle::PeerGroup group(StruckRun::ranks, {heddle::Memory::host, stores});
  std::vector<std::unique_ptr<test::PeerFaultInjector>> ways;
  std::vector<std::unique_ptr<StruckRun>> runs;
  heddle::TaskGraph loop;
  for (int rank = 0; rank < StruckRun::ranks; ++rank) {
    ways.push_back(
        std::make_unique<test::PeerFaultInjector>(group.transport(rank), test::Faults{.strike = strike}));
    runs.push_back(std::make_unique<StruckRun>(*ways.back(), stamps));
    StruckRun* const run = runs.back().get();
    loop.add(run->other_halo());
    loop.add(run->halo());
    std::vector<heddle::FieldAccess> fields = run->halo().accesses();
    for (const heddle::FieldAccess& field : run->other_halo().accesses())
      fields.push_back(field);
    loop.add("mix", fields, [run](heddle::Stream&) { run->compute(); });
  }
  loop.run(StruckRun::steps);
  PerRank values;
  for (const std::unique_ptr<StruckRun>& run : runs)
    values.push_back(run->values());
  return values;
}

struct Outcomes {
  int found = 0;
  int harmless = 0;
  int wrong = 0;
};
using Table = std::map<Harm, Outcomes>;

/// Steps whose messages are struck; one of each parity with sanitizers.
const std::vector<std::int64_t> struck_steps =
    test::full_speed ? std::vector<std::int64_t>{2, 3, 4, 6} : std::vector<std::int64_t>{3, 6};
const int strikes = StruckRun::ranks * static_cast<int>(struck_steps.size());

/// Every harm that `run` knows, to the messages of every rank in each of these steps.
template <class Run> Table table(const Run& run, const std::vector<Harm>& unknown = {}) {
  const PerRank right = run(std::nullopt);
  Table outcomes;
  for (const Harm harm : test::every_harm) {
    if (std::ranges::find(unknown, harm) != unknown.end()) continue;
    for (int rank = 0; rank < StruckRun::ranks; ++rank) {
      for (const std::int64_t step : struck_steps) {
        Outcomes& of = outcomes[harm];
        try {
          ++(run(Strike{harm, rank, step}) == right ? of.harmless : of.wrong);
        } catch (const heddle::Error& error) {
          ++of.found;
          EXPECT_TRUE(test::contains(error.what(), "'halo', step ") ||
                      test::contains(error.what(), "'other', step "))
              << error.what();
        }
      }
    }
  }
  return outcomes;
}

int silent(const Table& outcomes) {
  int sum = 0;
  for (const auto& [harm, of] : outcomes)
    sum += of.wrong;
  return sum;
}

/// Without stamps most faults are silently wrong; with checksums none is, nor by default those that are more
/// than one word of a message.
template <class Run> void expect_stamps_to_find(const Run& run, const std::vector<Harm>& unknown = {}) {
  const auto with = [&](Stamps stamps) {
    return table([&](const std::optional<Strike>& strike) { return run(stamps, strike); }, unknown);
  };
  EXPECT_GE(silent(with(Stamps::off)), 9 * strikes);
  for (const auto& [harm, of] : with(Stamps::checksums)) {
    EXPECT_EQ(of.found, strikes) << to_string(harm);
    EXPECT_EQ(of.wrong, 0) << to_string(harm);
  }
  for (const auto& [harm, of] : with(Stamps::order)) {
    const bool one_word = harm == Harm::last_bit || harm == Harm::sign_bit || harm == Harm::two_bits ||
                          harm == Harm::words_swapped;
    EXPECT_EQ(of.found, one_word ? 0 : strikes) << to_string(harm); // words 3 and 6 are no samples
  }
}

TEST_F(MessageStampsTest, FindTheFaultsOfANetworkOfThreads) {
  expect_stamps_to_find([](Stamps stamps, const auto& strike) { return on_threads(stamps, strike); });
}

TEST_F(MessageStampsTest, FindTheFaultsOfCopiesIntoThePeersMemory) {
  expect_stamps_to_find([](Stamps stamps, const auto& strike) { return on_peers(stamps, strike, false); },
                        {Harm::duplicated, Harm::truncated, Harm::grown}); // there are no lengths
}

TEST_F(MessageStampsTest, FindTheFaultsOfStoresIntoThePeersMemory) {
  expect_stamps_to_find([](Stamps stamps, const auto& strike) { return on_peers(stamps, strike, true); },
                        {Harm::duplicated, Harm::truncated, Harm::grown});
}

TEST_F(MessageStampsTest, DoNotChangeTheResults) {
  const PerRank right = on_threads(Stamps::off, std::nullopt);
  for (const Stamps stamps : {Stamps::order, Stamps::checksums}) {
    EXPECT_EQ(on_threads(stamps, std::nullopt), right);
    EXPECT_EQ(on_peers(stamps, std::nullopt, true), right);
    EXPECT_EQ(on_peers(stamps, std::nullopt, false), right);
  }
}

TEST_F(MessageStampsTest, AreChosenByTheEnvironment) {
  unsetenv("HEDDLE_STAMPS");
  EXPECT_EQ(heddle::stamps_of_environment(), Stamps::order);
  const std::map<std::string, Stamps> known{{"", Stamps::order},      {"0", Stamps::off},
                                            {"off", Stamps::off},     {"order", Stamps::order},
                                            {"1", Stamps::checksums}, {"checksums", Stamps::checksums}};
  for (const auto& [text, stamps] : known) {
    setenv("HEDDLE_STAMPS", text.c_str(), 1);
    EXPECT_EQ(heddle::stamps_of_environment(), stamps) << text;
  }
  setenv("HEDDLE_STAMPS", "yes\x1b", 1);
  const std::string error = test::error_of([] { (void)heddle::stamps_of_environment(); });
  EXPECT_EQ(error,
            "HEDDLE_STAMPS: 'yes\\x1b' is not known. Hint: use off (or 0), order, or checksums (or 1)");
  unsetenv("HEDDLE_STAMPS");
}

/// One message from rank 0 to rank 1 with so many bytes behind its stamp, and what rank 1 finds.
class Letter {
public:
  explicit Letter(std::size_t bytes) : bytes_(HaloPlan::stamp_bytes + bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      payload()[i] = static_cast<std::byte>(37 * i + i / 256);
  }
  [[nodiscard]] std::byte* payload() { return bytes_.data() + HaloPlan::stamp_bytes; }
  void send(Stamps stamps, std::uint64_t plan = 5) {
    heddle::Stream stream;
    const Message message{1, bytes_.data(), bytes_.size()};
    MessageStamps(stamps, heddle::Memory::host, plan, 0, 1).write({&message, 1}, stream);
  }
  [[nodiscard]] std::string fault(Stamps stamps, int from = 0) {
    heddle::Stream stream;
    const Message message{from, bytes_.data(), bytes_.size()};
    MessageStamps receiver(stamps, heddle::Memory::host, 5, 1, 1);
    receiver.check({&message, 1}, stream);
    return receiver.fault();
  }

private:
  std::vector<std::byte> bytes_;
};

TEST_F(MessageStampsTest, FindEachBitOfAShortMessage) {
  for (const std::size_t bytes : {0U, 1U, 7U, 8U, 9U, 125U, 128U, 512U}) {
    for (const Stamps stamps : {Stamps::order, Stamps::checksums}) {
      if (stamps == Stamps::order && bytes > 128) continue;
      Letter letter(bytes);
      letter.send(stamps);
      ASSERT_EQ(letter.fault(stamps), "") << bytes;
      for (std::size_t bit = 0; bit < 8 * bytes; ++bit) {
        letter.payload()[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        ASSERT_EQ(letter.fault(stamps), "step 0: the message from rank 0 was changed on its way") << bit;
        letter.payload()[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      }
    }
  }
}

TEST_F(MessageStampsTest, FindTwoValuesThatChangePlacesAndDifferInTheirSigns) {
  constexpr std::size_t words = 400;
  for (std::size_t place = 0; place + 1 < words; ++place) {
    Letter letter(8 * words);
    std::vector<double> values(words, 1.5);
    values[place] = -1.5;
    std::memcpy(letter.payload(), values.data(), 8 * words);
    letter.send(Stamps::checksums);
    std::swap(values[place], values[place + 1]);
    std::memcpy(letter.payload(), values.data(), 8 * words);
    ASSERT_EQ(letter.fault(Stamps::checksums), "step 0: the message from rank 0 was changed on its way");
  }
}

TEST_F(MessageStampsTest, SayWhatIsWrongWithAMessage) {
  Letter letter(2000);
  EXPECT_EQ(letter.fault(Stamps::order), "step 0: the message from rank 0 has no stamp");
  letter.send(Stamps::off);
  EXPECT_EQ(letter.fault(Stamps::checksums), "step 0: the message from rank 0 has no stamp");
  letter.send(Stamps::checksums);
  EXPECT_EQ(letter.fault(Stamps::order), "step 0: the message from rank 0 is stamped with "
                                         "HEDDLE_STAMPS=checksums, but here that is order");
  EXPECT_EQ(letter.fault(Stamps::checksums, 2), "step 0: the message from rank 2 went from rank 0 to rank 1");
  letter.send(Stamps::order, 6);
  EXPECT_EQ(letter.fault(Stamps::order),
            "step 0: the message from rank 0 belongs to another exchange, or its "
            "fields are cut in another way");
  EXPECT_EQ(letter.fault(Stamps::off), "");
}

} // namespace
