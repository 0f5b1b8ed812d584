// SPDX-License-Identifier: Apache-2.0
// heddle.CellList builds the tables of heddle::IndexList in NumPy: tests/generator/load/test_cell_list.py
// compares its own with the same checksums.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "../../support/lattice.hpp"
#include "heddle/sparse/index_list.hpp"

namespace {

/// Cells of a box of which three in four are listed; planes are so large that compressed tables have
/// differences of all widths.
std::vector<std::uint8_t> scattered_flags(const heddle::Box& box) {
  std::vector<std::uint8_t> flags;
  for (std::int64_t z = 0; z < box.upper[2]; ++z) {
    for (std::int64_t y = 0; y < box.upper[1]; ++y) {
      for (std::int64_t x = 0; x < box.upper[0]; ++x) {
        const auto mixed = static_cast<std::uint32_t>((x * 73856093) ^ (y * 19349663) ^ (z * 83492791));
        const bool corner = x < 40 && y < 20; // without solid cells: whole runs, and walls at the faces
        flags.push_back(corner || (mixed * 2654435761U >> 16U) % 4U != 0U ? 1 : 0);
      }
    }
  }
  return flags;
}

/// Of words, in their order.
std::uint64_t checksum(const std::uint32_t* words, std::int64_t size) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    std::uint64_t term = words[i] + static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL;
    term ^= term >> 31U;
    sum += term * 0xBF58476D1CE4E5B9ULL;
  }
  return sum;
}

void expect_tables(const std::vector<heddle::Link>& links, std::uint64_t table, std::uint64_t runs,
                   std::uint64_t compressed) {
  const heddle::Box box{{0, 0, 0}, {203, 151, 4}};
  const heddle::IndexList list(box, scattered_flags(box), {true, false, true}, links);
  EXPECT_EQ(list.count(), 92567);
  EXPECT_EQ(list.slot_stride(), 93488);
  EXPECT_EQ(list.neighbour_stride(), 92880);
  EXPECT_EQ(checksum(list.neighbour(), list.rows() * list.neighbour_stride()), table);
  EXPECT_EQ(checksum(list.neighbour_run(), list.neighbour_run_size()), runs);
  EXPECT_EQ(checksum(list.neighbour_chunk(), list.neighbour_chunk_size()), compressed);
}

TEST(PythonTables, AreThoseOfPull) {
  expect_tables(lattice::pull_links(), 0xc108accbe2db5904ULL, 0x92d6e4b7a20a8457ULL, 0xe6b361ebae292211ULL);
}

TEST(PythonTables, AreThoseOfAA) {
  expect_tables(lattice::aa_links(), 0xd90044f952321a91ULL, 0x9d1a65f96ddfdb73ULL, 0x2773a0061c023574ULL);
}

} // namespace
