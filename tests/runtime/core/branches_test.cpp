// SPDX-License-Identifier: Apache-2.0
// Branches of a stream, on a GPU whose streams are threads.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/stream.hpp"

namespace heddle {
namespace {

constexpr std::size_t pieces = 40; // more than there are branches
constexpr std::size_t size = 1'000'000;
using Numbers = std::vector<int>;

void copy(Numbers& to, const Numbers& from, Stream& stream) {
  gpu::copy_later(to.data(), from.data(), size * sizeof(int), stream.native());
}

/// From `first` to `source` in the stream, from there to each piece in branches, and from these to `last`.
struct Work {
  Numbers first = Numbers(size), source = Numbers(size, -1);
  std::array<Numbers, pieces> piece;
  std::array<Numbers, pieces> last;

  Work() {
    std::iota(first.begin(), first.end(), 0);
    piece.fill(Numbers(size, -2));
    last.fill(Numbers(size, -3));
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
      EXPECT_EQ(last[n], first) << n;
  }
};

TEST(Branches, BeginAtTheForkAndEndBeforeTheJoin) {
  Work work;
  Stream stream(Memory::device);
  for (int round = 0; round < 3; ++round) {
    work.put(stream);
    stream.synchronise();
    work.check();
    std::iota(work.first.begin(), work.first.end(), round);
  }
}

TEST(Branches, AreRecorded) {
  Work work;
  Stream stream(Memory::device);
  gpu::begin_capture(stream.native());
  work.put(stream);
  void* const graph = gpu::end_capture(stream.native());
  EXPECT_EQ(work.source.front(), -1);
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

TEST(Branches, OfTheHostAreTheStreamItself) {
  Stream stream;
  stream.fork(3);
  EXPECT_EQ(&stream.branch(2), &stream);
  stream.join();
}

} // namespace
} // namespace heddle
