// SPDX-License-Identifier: Apache-2.0
// Blocks of both kinds on any number of ranks give the bits of one list.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/device_memory.hpp"
#include "../../support/numbers_of_ranks.hpp"
#include "../../support/test_folder.hpp"
#include "heddle/core/error.hpp"
#include "heddle/transport/thread_group.hpp"
#include "hybrid.hpp"
#ifndef HEDDLE_ON_DEVICE
#include "emulated.hpp"
#endif

namespace {

#ifdef HEDDLE_ON_DEVICE
template <class T> using Cuda = hybrid::Module<T>;
#else
template <class T> using Cuda = hybrid::Emulated<T>;
#endif

/// The outcome of all ranks.
template <class T, class Kernels = hybrid::Module<T>> hybrid::Outcome on(int ranks, const hybrid::Run& run) {
  static const hybrid::OneList<T> expected;
  heddle::ThreadGroup network(ranks);
  std::mutex mutex;
  hybrid::Outcome sum;
  network.run([&](heddle::Transport& transport) {
    const hybrid::Outcome one = hybrid::compare<T, Kernels>(expected, transport, run);
    const std::lock_guard lock(mutex);
    sum.different += one.different;
    sum.compared += one.compared;
    sum.dense += one.dense;
    sum.listed += one.listed;
  });
  return sum;
}

template <class T> class Hybrid : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(Hybrid, Precisions);

TYPED_TEST(Hybrid, AnyRanksBlocksAndKindsGiveTheBitsOfOneList) {
  for (const auto& [ranks, blocks] : std::vector<std::pair<int, std::array<int, 3>>>{{1, {1, 1, 1}},
                                                                                     {1, {3, 2, 2}},
                                                                                     {2, {4, 1, 1}},
                                                                                     {3, {3, 4, 1}},
                                                                                     {5, {6, 2, 2}},
                                                                                     {8, {4, 4, 2}},
                                                                                     {27, {6, 4, 3}}}) {
    for (const heddle::CellCosts& costs : {hybrid::mixed, hybrid::all_listed, hybrid::all_dense}) {
      const bool overlap = (ranks + blocks[1]) % 2 == 0 || costs.dense < 2;
      const hybrid::Outcome outcome =
          on<TypeParam>(ranks, {.blocks = blocks, .costs = costs, .overlap = overlap});
      EXPECT_EQ(outcome.different, 0) << ranks << " ranks, dense at " << costs.dense;
      EXPECT_GT(outcome.compared, 50000);
    }
  }
}

TYPED_TEST(Hybrid, AnyNumberOfRanksGivesTheBitsOfOneList) {
  for (const int ranks : test::numbers_of_ranks()) {
    const hybrid::Outcome outcome =
        on<TypeParam>(ranks, {.blocks = {6, 4, 3}, .costs = hybrid::mixed, .overlap = ranks % 2 == 0});
    EXPECT_EQ(outcome.different, 0) << ranks << " ranks";
    EXPECT_GT(outcome.dense, 0);
    EXPECT_GT(outcome.listed, 0);
  }
}

template <class T> class HybridCuda : public testing::Test {};
using CudaPrecisions = testing::Types<float, std::uint16_t>;
TYPED_TEST_SUITE(HybridCuda, CudaPrecisions);

// The CUDA text of both kernels, on the device or emulated; on the device tables and lists lie there, too.
TYPED_TEST(HybridCuda, KernelsGiveTheBitsOfOneList) {
  for (const auto& [ranks, blocks] :
       std::vector<std::pair<int, std::array<int, 3>>>{{1, {3, 2, 2}}, {3, {3, 4, 1}}}) {
    for (const bool overlap : {true, false}) {
      const hybrid::Outcome outcome = on<TypeParam, Cuda<TypeParam>>(
          ranks,
          {.blocks = blocks, .costs = hybrid::mixed, .memory = test::device_memory, .overlap = overlap});
      EXPECT_EQ(outcome.different, 0) << ranks << " ranks, overlap " << overlap;
      EXPECT_GT(outcome.dense, 0);
      EXPECT_GT(outcome.listed, 0);
    }
  }
}

/// Of the exchanges around an odd step neither may be left out.
TEST(HybridBlocks, AMissingExchangeIsFound) {
  const std::vector<std::uint8_t> listed = hybrid::flags();
  const heddle::FlagReader reader = heddle::flags_in_memory(listed, hybrid::domain, hybrid::periodic);
  constexpr std::array<int, 3> blocks{3, 2, 2};
  const heddle::BlockChoice choice = heddle::choose_blocks(hybrid::domain, blocks, reader, hybrid::mixed);
  const auto grid = heddle::BlockGrid::balanced(hybrid::domain, blocks, hybrid::periodic, 1, choice.weights);
  const auto refusal = [&](bool with_before, bool with_after, bool in_two_graphs) {
    heddle::HybridField<double> f(grid, choice, reader, lbm_hybrid::links, 19);
    heddle::HybridSweep<lbm_hybrid::DenseEven<double>, lbm_hybrid::ListedEven<double>> even(
        f, {1e-4, 0.1875, 1.3}, {1e-4, 0.1875, 1.3});
    heddle::HybridSweep<lbm_hybrid::DenseOdd<double>, lbm_hybrid::ListedOdd<double>> odd(
        f, {1e-4, 0.1875, 1.3}, {1e-4, 0.1875, 1.3});
    heddle::HaloExchange before(odd.before()), after(odd.after());
    heddle::TaskGraph first({.name = "first"}), second({.name = "second"});
    heddle::TaskGraph& rest = in_two_graphs ? second : first;
    first.add(even);
    first.add(f.to_walls());
    if (with_before) rest.add(before);
    rest.add(odd);
    rest.add(f.from_walls());
    if (with_after) rest.add(after);
    try {
      for (int pair = 0; pair < 2; ++pair) {
        first.run();
        if (in_two_graphs) second.run();
      }
    } catch (const heddle::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const bool in_two_graphs : {false, true}) {
    EXPECT_EQ(refusal(true, true, in_two_graphs), "");
    EXPECT_NE(refusal(false, true, in_two_graphs).find("reads 'f' outside of its blocks"), std::string::npos);
    EXPECT_NE(refusal(true, false, in_two_graphs).find("wrote some of it outside of its blocks"),
              std::string::npos);
  }
}

TEST(HybridBlocks, ACheckpointServesOtherBlocksAndKinds) {
  std::string folder = (std::filesystem::temp_directory_path() / "heddle-hybrid-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  on<float, Cuda<float>>(3, {.blocks = {6, 2, 2},
                             .costs = hybrid::mixed,
                             .memory = test::device_memory,
                             .to = 1,
                             .folder = folder});
  for (const auto& [ranks, blocks, costs] : {std::tuple(2, std::array<int, 3>{3, 4, 1}, hybrid::all_listed),
                                             std::tuple(5, std::array<int, 3>{4, 2, 3}, hybrid::all_dense),
                                             std::tuple(1, std::array<int, 3>{6, 4, 3}, hybrid::mixed)}) {
    const hybrid::Outcome outcome =
        on<float>(ranks, {.blocks = blocks, .costs = costs, .from = 1, .folder = folder});
    EXPECT_EQ(outcome.different, 0) << ranks;
    EXPECT_GT(outcome.compared, 50000);
  }
  std::filesystem::remove_all(folder);
}

TEST(HybridBlocks, RanksOfOneThreadShareACheckpoint) {
  const test::Folder folder;
  const std::vector<std::uint8_t> listed = hybrid::flags();
  const heddle::FlagReader reader = heddle::flags_in_memory(listed, hybrid::domain, hybrid::periodic);
  const auto make = [&](const std::array<int, 3>& blocks, int ranks, int rank) {
    const heddle::BlockChoice choice = heddle::choose_blocks(hybrid::domain, blocks, reader, hybrid::mixed);
    return std::make_unique<heddle::HybridField<float>>(
        heddle::BlockGrid::balanced(hybrid::domain, blocks, hybrid::periodic, ranks, choice.weights), choice,
        reader, lbm_hybrid::links, 19, rank);
  };
  std::vector<std::unique_ptr<heddle::HybridField<float>>> parts;
  heddle::Checkpoint written(folder.path(), "hybrid");
  for (int rank = 0; rank < 3; ++rank) {
    parts.push_back(make({6, 2, 2}, 3, rank));
    parts.back()->fill(hybrid::start<float>);
    written.add(*parts.back());
  }
  EXPECT_THROW(written.add(*parts.back()), heddle::Error);
  written.write(1);

  const auto found = make({3, 4, 1}, 1, 0);
  const auto expected = make({3, 4, 1}, 1, 0);
  expected->fill(hybrid::start<float>);
  heddle::Checkpoint checkpoint(folder.path(), "hybrid");
  checkpoint.add(*found);
  checkpoint.read();
  for (int b = 0; b < found->grid().size(); ++b) {
    const heddle::Box& box = found->grid().block(b);
    std::vector<double> one(static_cast<std::size_t>(box.extent(0)));
    std::vector<double> other(one.size());
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        found->read_row(b, y, z, 7, one, -1.0);
        expected->read_row(b, y, z, 7, other, -1.0);
        ASSERT_EQ(one, other) << b << ' ' << y << ' ' << z;
      }
    }
  }
}

// Tables belong to the boxes, not to where these lie in memory.
TEST(HybridBlocks, TablesFollowTheBoxes) {
  const heddle::Box box{{0, 0, 0}, {4, 4, 4}};
  const std::vector<std::uint8_t> flags(64, 1);
  const std::array<bool, 3> around{true, true, true};
  const heddle::FlagReader reader = heddle::flags_in_memory(flags, box, around);
  const heddle::BlockChoice choice = heddle::choose_blocks(box, {1, 1, 1}, reader, hybrid::all_dense);
  heddle::HybridField<float> f(heddle::BlockGrid(box, {1, 1, 1}, around), choice, reader, lbm_hybrid::links,
                               19);
  f.fill([](std::int64_t x, std::int64_t y, std::int64_t, int q) {
    return static_cast<float>(x + 10 * y + 100 * q);
  });
  heddle::Field<float> any(heddle::BlockGrid(heddle::Box{{0, 0, 0}, {1, 1, 1}}), {.components = 19});
  const lbm_hybrid::DenseOdd<float> pattern(any, {.g_x = 0, .magic = 0.1875, .omega = 1});
  const heddle::BoundExchange exchange = f.exchange(pattern.before());
  std::array<std::int32_t, heddle::MessageBoxes::columns> row{0, 2, 1, 1, 1, 2, 1, 1, 0};
  heddle::Stream stream;
  std::array<float, 2> buffer{};
  const std::array<heddle::BoundExchange::BlockBoxes, 1> boxes{{{0, {row.data(), 1, 2}}}};
  exchange.pack(boxes)(buffer.data(), stream);
  EXPECT_EQ(buffer, (std::array<float, 2>{211, 212}));
  row[1] = 5; // other boxes at the same place
  row[3] = 3;
  exchange.pack(boxes)(buffer.data(), stream);
  EXPECT_EQ(buffer, (std::array<float, 2>{531, 532}));
}

TEST(HybridBlocks, BothKindsAndPlacesWithoutABlockOccur) {
  const hybrid::Outcome outcome = on<float>(5, {.blocks = {6, 2, 2}, .costs = hybrid::mixed});
  EXPECT_GT(outcome.dense, 2);
  EXPECT_GT(outcome.listed, 5);
  EXPECT_LT(outcome.dense + outcome.listed, 24);
  EXPECT_EQ(on<float>(1, {.blocks = {6, 2, 2}, .costs = hybrid::all_listed}).dense, 0);
  EXPECT_EQ(on<float>(1, {.blocks = {6, 2, 2}, .costs = hybrid::all_dense}).listed, 0);
}

TEST(HybridBlocks, BlocksAreChosenByWhatIsInThem) {
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
