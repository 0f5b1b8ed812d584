// SPDX-License-Identifier: Apache-2.0
// How many calls of a pack kernel an exchange is, each one launch on a device, and where its messages begin.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Direction;
using heddle::Field;
using heddle::HaloExchange;
using heddle::HaloPlan;
using heddle::IndexList;
using heddle::Message;
using heddle::Stamps;

constexpr int ranks = 3;

/// The one in the middle of three ranks: notes what it is to send and to receive, and moves nothing.
class Listener final : public heddle::Transport {
public:
  [[nodiscard]] std::string_view name() const noexcept override { return "listener"; }
  [[nodiscard]] int rank() const noexcept override { return 1; }
  [[nodiscard]] int ranks() const noexcept override { return ::ranks; }
  [[nodiscard]] heddle::Memory memory() const noexcept override { return heddle::Memory::host; }
  void start(const heddle::ExchangeRequest& request, heddle::Stream&) override {
    sent.assign(request.send.begin(), request.send.end());
    received.assign(request.receive.begin(), request.receive.end());
  }
  void finish(const heddle::ExchangeRequest&, heddle::Stream&) override {}

  std::vector<Message> sent, received;
};

struct Calls {
  int pack = 0;
  int unpack = 0;
  friend bool operator==(const Calls&, const Calls&) = default;
};

/// Counts the calls instead of packing.
template <class Kind> Kind counted(Kind exchange, Calls& calls) {
  exchange.pack = [&](const auto&...) { ++calls.pack; };
  exchange.unpack = [&](const auto&...) { ++calls.unpack; };
  return exchange;
}

/// A list of all cells, and two slots through which it reaches along x.
class List {
public:
  explicit List(const BlockGrid& grid)
      : flags_(static_cast<std::size_t>(grid.domain().volume()), 1),
        list_(grid, 1, heddle::flags_in_memory(flags_, grid.domain(), grid.periodic()), links), f_(list_, 2) {
  }
  heddle::SparseExchange exchange() {
    static constexpr std::array<heddle::HaloLink, 2> halo_links{{{0, 0}, {0, 1}}};
    heddle::SparseExchange result("list", Direction::owner_to_ghost, halo_links, sizeof(double));
    result.add(f_);
    return result;
  }

private:
  static inline const std::vector<heddle::Link> links{{0, {-1, 0, 0}, 1}, {1, {1, 0, 0}, 0}};
  std::vector<std::uint8_t> flags_;
  IndexList list_;
  heddle::SparseField<double> f_;
};

/// Messages begin at lines of 64 bytes, and no two lie in one.
void expect_lines(const Listener& listener) {
  std::vector<Message> all = listener.sent;
  all.insert(all.end(), listener.received.begin(), listener.received.end());
  ASSERT_EQ(all.size(), 4U); // to two ranks, and from two
  std::uintptr_t free = 0;
  for (const Message& message : all) {
    const auto begin = reinterpret_cast<std::uintptr_t>(message.data);
    EXPECT_EQ(begin % 64, 0U);
    EXPECT_NE(message.bytes % 64, 0U); // else any way to lay them out would do
    EXPECT_GE(begin, free);
    free = (begin + message.bytes + 63) / 64 * 64;
  }
}

TEST(ExchangeCalls, MessagesBeginAtLines) {
  const BlockGrid grid({{0, 0, 0}, {9, 5, 3}}, {3, 1, 1}, {true, false, false}, ranks);
  for (const Stamps stamps : {Stamps::off, Stamps::order, Stamps::checksums}) {
    heddle::Stream stream;
    Listener listener;
    Field<std::uint16_t> field(grid, {.components = 3, .rank = 1});
    const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(3, field.ghost_layers());
    HaloExchange dense(packing::exchange(field, shell, Direction::owner_to_ghost), listener,
                       {.stamps = stamps});
    dense.start(stream);
    expect_lines(listener);
    Calls calls;
    List list(grid);
    HaloExchange listed(counted(list.exchange(), calls), listener, {.stamps = stamps});
    listed.start(stream);
    expect_lines(listener);
  }
}

/// The calls of start and of finish, wrap between them.
template <class Kind> std::array<Calls, 3> calls_of(Kind exchange, bool as_on_device = false) {
  Calls calls;
  Listener listener;
  HaloExchange halo(counted(std::move(exchange), calls), listener,
                    {.stamps = Stamps::off, .as_on_device = as_on_device});
  std::array<Calls, 3> result;
  heddle::Stream stream;
  const auto step = [&](std::size_t number, const auto& run) {
    calls = {};
    run();
    result[number] = calls;
  };
  step(0, [&] { halo.start(stream); });
  step(1, [&] { halo.wrap(stream); });
  step(2, [&] { halo.finish(stream); });
  return result;
}

TEST(ExchangeCalls, OfOneDenseBlockAreOneForAllMessages) {
  const BlockGrid grid({{0, 0, 0}, {9, 6, 4}}, {3, 1, 1}, {true, true, false}, ranks);
  Field<float> field(grid, {.components = 3, .rank = 1});
  const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(3, field.ghost_layers());
  const auto [start, wrap, finish] = calls_of(packing::exchange(field, shell, Direction::owner_to_ghost));
  EXPECT_EQ(start, (Calls{1, 0})); // three components, eighteen boxes, two ranks
  EXPECT_EQ(wrap, Calls());        // across y, within the block: copied at once
  EXPECT_EQ(finish, (Calls{0, 1}));
}

TEST(ExchangeCalls, OfPlainDenseBlocksAreOneEach) {
  const BlockGrid grid({{0, 0, 0}, {12, 6, 4}}, {4, 3, 1}, {true, false, false}, ranks);
  ASSERT_EQ(grid.first_block(2) - grid.first_block(1), 4);
  Field<float> middle(grid, {.components = 3, .rank = 1});
  const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(3, middle.ghost_layers());
  const auto [start, wrap, finish] = calls_of(packing::exchange(middle, shell, Direction::owner_to_ghost));
  EXPECT_EQ(start, (Calls{4, 0}));
  EXPECT_EQ(wrap, Calls());
  EXPECT_EQ(finish, (Calls{0, 4}));
}

TEST(ExchangeCalls, WithinARankTakeTheBufferWhereMessagesHaveOtherValues) {
  const BlockGrid grid({{0, 0, 0}, {12, 6, 4}}, {4, 3, 1}, {true, false, false}, ranks);
  Field<float> field(grid, {.rank = 1});
  const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, field.ghost_layers());
  heddle::DenseExchange wider("wider", Direction::owner_to_ghost, shell, 1, sizeof(double));
  wider.add(field);
  EXPECT_EQ(calls_of(std::move(wider))[1], (Calls{4, 4}));
}

TEST(ExchangeCalls, OfPlainDenseBlocksThatLieAlikeAreOneOnADevice) {
  const auto calls = [](const BlockGrid& grid, std::size_t layouts) {
    Field<float> middle(grid, {.components = 3, .rank = 1});
    std::set<std::array<std::int64_t, 4>> strides;
    for (int block = 0; block < middle.blocks(); ++block)
      strides.insert(middle.view(block).strides());
    EXPECT_EQ(strides.size(), layouts);
    const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(3, middle.ghost_layers());
    return calls_of(packing::exchange(middle, shell, Direction::owner_to_ghost), true);
  };
  const std::array<Calls, 3> one{{{1, 0}, {1, 1}, {0, 1}}};
  EXPECT_EQ(calls(BlockGrid({{0, 0, 0}, {12, 6, 4}}, {4, 3, 1}, {true, false, false}, ranks), 1), one);
  const std::array<Calls, 3> two{{{2, 0}, {2, 2}, {0, 2}}}; // one block has two cells across y, one has three
  EXPECT_EQ(calls(BlockGrid({{0, 0, 0}, {4, 15, 4}}, {1, 6, 1}, {true, false, false}, ranks), 2), two);
}

TEST(ExchangeCalls, KeepTheirTablesForARecordingWhenFieldsSwapTheirMemory) {
  using Rows = std::vector<std::int32_t>;
  const BlockGrid grid({{0, 0, 0}, {4, 4, 4}}, {2, 2, 1}, {true, true, true});
  Field<double> field(grid);
  Field<double> other(grid);
  const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, field.ghost_layers());
  std::vector<heddle::MessageBoxes> calls;
  const auto note = [&](int, const heddle::MessageBoxes& boxes, const void*, heddle::Stream&) {
    calls.push_back(boxes);
  };
  heddle::DenseExchange exchange = packing::exchange(field, shell, Direction::owner_to_ghost);
  exchange.pack = note;
  exchange.unpack = note;
  HaloExchange halo(std::move(exchange), {.as_on_device = true});
  const auto recorded = [&] {
    heddle::Stream stream;
    calls.clear();
    halo(stream);
    return calls;
  };
  const auto rows = [](const heddle::MessageBoxes& boxes) {
    return Rows(boxes.rows, boxes.rows + boxes.count * heddle::MessageBoxes::columns);
  };
  const std::vector<heddle::MessageBoxes> first = recorded();
  ASSERT_EQ(first.size(), 2U); // pack and unpack, within the rank
  const std::array<Rows, 2> read{rows(first[0]), rows(first[1])};
  std::swap(field, other);
  const std::vector<heddle::MessageBoxes> second = recorded();
  ASSERT_EQ(second.size(), 2U);
  std::swap(field, other);
  const std::vector<heddle::MessageBoxes> third = recorded();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NE(second[i].rows, first[i].rows);
    EXPECT_EQ(third[i].rows, first[i].rows);
    EXPECT_EQ(rows(first[i]), read[i]);
  }
}

TEST(ExchangeCalls, OfInterleavedBlocksAreOneForTheVectors) {
  // Vectors along y, ranks along z: whole vectors cross, in one move for all four blocks, and no kernel
  // packs.
  const BlockGrid grid({{0, 0, 0}, {4, 8, 9}}, {1, 4, 3}, {false, false, false}, ranks);
  Field<float> field(grid, {.components = 3, .rank = 1, .interleaved = 4});
  const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(3, field.ghost_layers());
  const HaloPlan plan(packing::exchange(field, shell, Direction::owner_to_ghost));
  EXPECT_EQ(plan.sent_vectors().size(), 1U);
  EXPECT_EQ(plan.received_vectors().size(), 1U);
  EXPECT_EQ(plan.borders().shifts.size() + plan.wrap().shifts.size(), 1U); // of all lanes
  const auto [start, wrap, finish] = calls_of(packing::exchange(field, shell, Direction::owner_to_ghost));
  EXPECT_EQ(start, Calls());
  EXPECT_EQ(wrap, Calls());
  EXPECT_EQ(finish, Calls());
}

TEST(ExchangeCalls, OfAListAreOneForAllMessages) {
  List list(BlockGrid({{0, 0, 0}, {9, 5, 3}}, {3, 1, 1}, {true, false, false}, ranks));
  const auto [start, wrap, finish] = calls_of(list.exchange());
  EXPECT_EQ(start, (Calls{1, 0}));
  EXPECT_EQ(wrap, Calls());
  EXPECT_EQ(finish, (Calls{0, 1}));
}

} // namespace
