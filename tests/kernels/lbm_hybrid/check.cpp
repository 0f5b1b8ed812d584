// SPDX-License-Identifier: Apache-2.0
// Blocks of both kinds on any number of ranks give the bits of one list.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/error.hpp"
#include "heddle/fake_network.hpp"
#include "hybrid.hpp"

namespace {

/// The outcome of all ranks.
template <class T>
hybrid::Outcome on(int ranks, const std::array<int, 3>& blocks, const heddle::CellCosts& costs, int from = 0,
                   int to = hybrid::pairs, const std::string& folder = {}) {
  static const hybrid::OneList<T> expected;
  heddle::FakeNetwork network(ranks);
  std::mutex mutex;
  hybrid::Outcome sum;
  network.run([&](heddle::Transport& transport) {
    const hybrid::Outcome one = hybrid::compare(expected, transport, blocks, costs, from, to, folder);
    const std::lock_guard lock(mutex);
    sum.different += one.different;
    sum.compared += one.compared;
    sum.dense += one.dense;
    sum.listed += one.listed;
  });
  return sum;
}

template <class T> void expect_equal() {
  for (const auto& [ranks, blocks] : std::vector<std::pair<int, std::array<int, 3>>>{{1, {1, 1, 1}},
                                                                                     {1, {3, 2, 2}},
                                                                                     {2, {4, 1, 1}},
                                                                                     {3, {3, 4, 1}},
                                                                                     {5, {6, 2, 2}},
                                                                                     {8, {4, 4, 2}},
                                                                                     {27, {6, 4, 3}}}) {
    for (const heddle::CellCosts& costs : {hybrid::mixed, hybrid::all_listed, hybrid::all_dense}) {
      const hybrid::Outcome outcome = on<T>(ranks, blocks, costs);
      EXPECT_EQ(outcome.different, 0) << ranks << " ranks, dense at " << costs.dense;
      EXPECT_GT(outcome.compared, 50000);
    }
  }
}

TEST(Hybrid, AnyRanksBlocksAndKindsGiveTheBitsOfOneListDouble) {
  expect_equal<double>();
}

TEST(Hybrid, AnyRanksBlocksAndKindsGiveTheBitsOfOneListSingle) {
  expect_equal<float>();
}

TEST(Hybrid, ACheckpointServesOtherBlocksAndKinds) {
  std::string folder = (std::filesystem::temp_directory_path() / "heddle-hybrid-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  on<float>(3, {6, 2, 2}, hybrid::mixed, 0, 1, folder);
  for (const auto& [ranks, blocks, costs] : {std::tuple(2, std::array<int, 3>{3, 4, 1}, hybrid::all_listed),
                                             std::tuple(5, std::array<int, 3>{4, 2, 3}, hybrid::all_dense),
                                             std::tuple(1, std::array<int, 3>{6, 4, 3}, hybrid::mixed)}) {
    const hybrid::Outcome outcome = on<float>(ranks, blocks, costs, 1, hybrid::pairs, folder);
    EXPECT_EQ(outcome.different, 0) << ranks;
    EXPECT_GT(outcome.compared, 50000);
  }
  std::filesystem::remove_all(folder);
}

TEST(Hybrid, BothKindsAndPlacesWithoutABlockOccur) {
  const hybrid::Outcome outcome = on<float>(5, {6, 2, 2}, hybrid::mixed);
  EXPECT_GT(outcome.dense, 2);
  EXPECT_GT(outcome.listed, 5);
  EXPECT_LT(outcome.dense + outcome.listed, 24);
  EXPECT_EQ(on<float>(1, {6, 2, 2}, hybrid::all_listed).dense, 0);
  EXPECT_EQ(on<float>(1, {6, 2, 2}, hybrid::all_dense).listed, 0);
}

TEST(Hybrid, BlocksAreChosenByWhatIsInThem) {
  const heddle::Box box{{0, 0, 0}, {40, 10, 1}};
  std::vector<std::uint8_t> flags(400);
  for (std::size_t i = 0; i < 400; ++i) { // columns of blocks: none, 80 of 100, 90 of 100, all
    const std::size_t block = i % 40 / 10;
    const std::size_t cell = i % 10 + 10 * (i / 40);
    flags[i] = block == 0 ? 0 : block == 1 ? (cell >= 20) : block == 2 ? (cell >= 10) : 1;
  }
  const std::array<bool, 3> walls{false, false, false};
  const heddle::BlockChoice choice =
      heddle::choose_blocks(box, {4, 1, 1}, heddle::flags_in_memory(flags, box, walls));
  using heddle::BlockKind;
  EXPECT_EQ(choice.cells, (std::vector<std::int64_t>{0, 80, 90, 100}));
  EXPECT_EQ(choice.kinds, (std::vector<BlockKind>{BlockKind::empty, BlockKind::listed, BlockKind::dense,
                                                  BlockKind::dense}));
  EXPECT_EQ(choice.weights, (std::vector<std::int64_t>{0, 80 * 188, 15200, 15200}));
  EXPECT_THROW((void)heddle::flags_in_memory({}, box, walls), heddle::Error);
  const std::vector<std::uint8_t> solid(400);
  EXPECT_THROW((void)heddle::choose_blocks(box, {4, 1, 1}, heddle::flags_in_memory(solid, box, walls)),
               heddle::Error);
}

} // namespace
