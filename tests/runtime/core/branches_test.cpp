// SPDX-License-Identifier: Apache-2.0
// Branches of a stream, and sweeps whose blocks go side by side: on a device (test_runtime_device) and on a
// GPU whose streams are threads (test_lagged_streams, support/fake_gpu.cpp).
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/region_sweep.hpp"
#include "heddle/solvers/coloured_sweep.hpp"

namespace heddle {
namespace {

constexpr std::size_t pieces = 40; // more than there are branches
constexpr std::size_t size = 1'000'000;
using Numbers = std::vector<int>;

void copy(Buffer<int>& to, const Buffer<int>& from, Stream& stream) {
  gpu::copy_later(to.data(), from.data(), size * sizeof(int), stream.native());
}
Buffer<int> on_device(const Numbers& numbers) {
  return Buffer<int>(std::span(numbers), Memory::device);
}

/// From `first` to `source` in the stream, from there to each piece in branches, and from these to `last`.
struct Work {
  Numbers expected = Numbers(size);
  Buffer<int> first, source = on_device(Numbers(size, -1));
  std::vector<Buffer<int>> piece, last;

  explicit Work(int begin = 0) {
    std::iota(expected.begin(), expected.end(), begin);
    first = on_device(expected);
    for (std::size_t n = 0; n < pieces; ++n) {
      piece.push_back(on_device(Numbers(size, -2)));
      last.push_back(on_device(Numbers(size, -3)));
    }
  }
  void put(Stream& stream) {
    copy(source, first, stream);
    stream.fork(pieces);
    for (std::size_t n = 0; n < pieces; ++n)
      copy(piece[n], source, stream.branch(static_cast<int>(n)));
    stream.join();
    for (std::size_t n = 0; n < pieces; ++n)
      copy(last[n], piece[n], stream);
  }
  void check() const {
    for (std::size_t n = 0; n < pieces; ++n)
      EXPECT_EQ(last[n].to_host(), expected) << n;
  }
};

TEST(Branches, BeginAtTheForkAndEndBeforeTheJoin) {
  Stream stream(Memory::device);
  for (int round = 0; round < 3; ++round) {
    Work work(round);
    work.put(stream);
    stream.synchronise();
    work.check();
  }
}

TEST(Branches, AreRecorded) {
  Work work;
  Stream stream(Memory::device);
  gpu::begin_capture(stream.native());
  work.put(stream);
  void* const graph = gpu::end_capture(stream.native());
  EXPECT_EQ(work.source.to_host().front(), -1);
  gpu::launch(graph, stream.native());
  stream.synchronise();
  work.check();
  gpu::destroy_graph(graph);
}

TEST(Branches, AreStreamsOfTheirOwnBetweenForkAndJoin) {
  Stream stream(Memory::device);
  EXPECT_EQ(&stream.branch(1), &stream);
  stream.fork(3);
  const Versions versions;
  EXPECT_EQ(&stream.branch(0), &stream);
  EXPECT_NE(stream.branch(1).native(), stream.native());
  EXPECT_NE(stream.branch(1).native(), stream.branch(2).native());
  EXPECT_EQ(&stream.branch(3), &stream);
  void* const second = stream.branch(1).native();
  stream.join();
  EXPECT_EQ(&stream.branch(1), &stream);
  stream.use(&versions); // what a lagged task works on
  stream.fork(2);
  EXPECT_EQ(stream.branch(1).native(), second);
  EXPECT_EQ(stream.branch(1).versions(), &versions);
  stream.join();
  Stream moved = std::move(stream);
  moved.fork(2);
  EXPECT_EQ(moved.branch(1).native(), second);
  moved.join();
}

/// The streams of all calls of a kernel.
std::vector<void*> called; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

template <class... Arguments> void note(const Arguments&... arguments) {
  called.push_back(std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)));
}
struct Dense : DenseSweep<Dense, 3> {
  explicit Dense(Field<double>& u) : Dense::base("m::dense", updates(u)) {}
  static void device(const auto&... arguments) { note(arguments...); }
};
struct Coloured : ColouredSweep<Coloured, 3> {
  explicit Coloured(Field<double>& u)
      : Coloured::base("m::coloured", {0, 2}, updates(u), heddle::colours(u)) {}
  static void device(const auto&... arguments) { note(arguments...); }
};

const BlockGrid four_blocks(Box{{0, 0, 0}, {8, 8, 2}}, {2, 2, 1});

template <class Sweep> std::size_t streams_of(const Sweep& sweep) {
  Stream stream(Memory::device);
  called.clear();
  sweep(stream);
  stream.synchronise();
  EXPECT_EQ(called.size(), 4U);
  return std::set(called.begin(), called.end()).size();
}

TEST(Branches, HaveTheBlocksOfSweeps) {
  Field<double> u(four_blocks, {.memory = Memory::device});
  EXPECT_EQ(streams_of(Dense(u)), 4U);
  EXPECT_EQ(streams_of(Coloured(u)), 4U);
  EXPECT_EQ(streams_of(RegionSweep("lid", u, four_blocks.domain(), 0,
                                   [](int, const Box&, Stream& stream) { note(stream.native()); })),
            4U);
}

TEST(Branches, OfABranchAreItsOwn) {
  Stream stream(Memory::device);
  std::set<void*> streams;
  int calls = 0;
  side_by_side(stream, 3, [&](int outer, Stream& branch) {
    EXPECT_TRUE(stream.forked());
    side_by_side(branch, 3, [&](int inner, Stream& twig) {
      ++calls;
      EXPECT_EQ(&twig == &stream, outer == 0) << inner; // the stream has forked already
      streams.insert(twig.native());
    });
  });
  EXPECT_FALSE(stream.forked());
  EXPECT_EQ(calls, 9);
  EXPECT_EQ(streams.size(), 7U);
  EXPECT_THROW(side_by_side(stream, 2,
                            [](int piece, Stream&) {
                              if (piece == 1) throw 1;
                            }),
               int);
  EXPECT_FALSE(stream.forked());
  stream.synchronise();
}

TEST(Branches, OfTheHostAreTheStreamItself) {
  Stream stream;
  stream.fork(3);
  EXPECT_EQ(&stream.branch(2), &stream);
  stream.join();
}

} // namespace
} // namespace heddle
