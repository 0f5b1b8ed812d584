// SPDX-License-Identifier: Apache-2.0
// What only a GPU shows: memory, and fields that lie there.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "../../support/lattice.hpp"
#include "../../support/test_folder.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_walls.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Field;
using heddle::Memory;

const Box domain{{0, 0, 0}, {37, 20, 9}};

double wave(std::int64_t x, std::int64_t y, std::int64_t z, int c) {
  return static_cast<double>(x + 41 * y + 977 * z + 100'000 * c);
}

TEST(Device, FieldsComeBackAsTheyWent) {
  const BlockGrid grid(domain, {2, 2, 1}, {true, true, false});
  for (const Memory memory : {Memory::device, Memory::pinned}) {
    Field<double> host(grid, {.components = 3});
    Field<double> other(grid, {.components = 3, .memory = memory});
    host.fill(wave);
    EXPECT_EQ(other.read(1, 2), std::vector<double>(host.read(1, 2).size(), 0.0));
    other.fill(wave);
    for (int b = 0; b < grid.size(); ++b)
      EXPECT_EQ(other.read(b, 2), host.read(b, 2));
    other.fill(1.0);
    other.copy_from(Field<double>(grid, {.components = 3}));
    EXPECT_EQ(other.read(0, 0)[5], 0.0);
    EXPECT_EQ(heddle::Reduction<double>(host, heddle::ReductionKind::sum, 1).value(), [&] {
      other.fill(wave);
      return heddle::Reduction<double>(other, heddle::ReductionKind::sum, 1).value();
    }());
  }
}

TEST(Device, ListsAndTheirFields) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = static_cast<std::uint8_t>(i % 4);
  const heddle::IndexList host(domain, flags, {true, true, true}, lattice::aa_links());
  const heddle::IndexList device(domain, flags, {true, true, true}, lattice::aa_links(), Memory::device);
  std::vector<std::uint32_t> table(static_cast<std::size_t>(device.rows() * device.neighbour_stride()));
  heddle::copy_bytes(table.data(), Memory::host, device.neighbour(), Memory::device, table.size() * 4);
  for (std::int64_t row = 0; row < host.rows();
       ++row) { // the same slot and cell, whatever lies between slots
    for (std::int64_t n = 0; n < host.cells(); ++n) {
      const std::int64_t here = host.neighbour()[row * host.neighbour_stride() + n];
      const std::int64_t there = table[static_cast<std::size_t>(row * device.neighbour_stride() + n)];
      ASSERT_EQ(there / device.slot_stride(), here / host.slot_stride()) << row << " " << n;
      ASSERT_EQ(there % device.slot_stride(), here % host.slot_stride()) << row << " " << n;
    }
  }
  EXPECT_EQ(device.select(flags, 3).memory(), Memory::device);
  EXPECT_EQ(device.select(flags, 3).to_host(), host.select(flags, 3).to_host());
  heddle::SparseField<float> there(device, 2, Memory::device);
  heddle::SparseField<float> here(host, 2);
  there.fill([](auto x, auto y, auto z, int c) { return wave(x, y, z, c); });
  here.fill([](auto x, auto y, auto z, int c) { return wave(x, y, z, c); });
  EXPECT_EQ(there.read(1), here.read(1));
}

TEST(Device, RanksOfOneThreadReduceAndKeepTheirFields) {
  const BlockGrid grid(domain, {2, 2, 1}, {false, false, false}, 2);
  const test::Folder folder;
  Field<double> whole(BlockGrid(domain), {.components = 2});
  whole.fill(wave);
  std::list<Field<double>> fields;
  std::vector<const Field<double>*> parts;
  heddle::Checkpoint written(folder.path(), "run");
  for (int rank = 0; rank < 2; ++rank) {
    fields.emplace_back(grid, heddle::FieldOptions{.components = 2, .memory = Memory::device, .rank = rank});
    fields.back().fill(wave);
    parts.push_back(&fields.back());
    written.add(fields.back());
  }
  heddle::LocalTransport local;
  const heddle::Reduction<double> sum(grid.on_one_rank(), parts, heddle::ReductionKind::sum, local, 1);
  EXPECT_EQ(sum.value(), heddle::Reduction<double>(whole, heddle::ReductionKind::sum, 1).value());
  fields.front().fill(0.0);
  EXPECT_NE(sum.value(), heddle::Reduction<double>(whole, heddle::ReductionKind::sum, 1).value());
  fields.front().fill(wave);
  written.write(1);
  Field<double> one(BlockGrid(domain), {.components = 2, .memory = Memory::device});
  heddle::Checkpoint checkpoint(folder.path(), "run");
  checkpoint.add(one);
  checkpoint.read();
  EXPECT_EQ(one.read(0, 1), whole.read(0, 1));
}

/// A step over a list that holds cells: component `slot` is reached at (1, 0, 0), what else there is in the
/// own cell.
struct Reaching {
  heddle::SparseField<double>* field;
  std::array<heddle::HaloLink, 1> links;

  heddle::SparseExchange before() const { return exchange("before", heddle::Direction::owner_to_ghost); }
  heddle::SparseExchange after() const { return exchange("after", heddle::Direction::ghost_to_owner); }
  heddle::SparseExchange exchange(const char* name, heddle::Direction direction) const {
    heddle::SparseExchange result(name, direction, links, sizeof(double));
    result.add(*field);
    return result;
  }
};

TEST(Device, ACheckpointKeepsWhatCellsReach) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = static_cast<std::uint8_t>(i % 4);
  const std::vector<heddle::Link> pointer{{0, {1, 0, 0}, heddle::Link::to_cell}};
  const heddle::IndexList host(domain, flags, {false, false, false}, pointer);
  const heddle::IndexList device(domain, flags, {false, false, false}, pointer, Memory::device);
  const auto reached = [&](std::int64_t n) { return host.neighbour()[n]; };
  heddle::SparseField<double> f(device, 3, Memory::device);
  const auto value = [](std::int64_t n, int c) { return static_cast<double>(10 * n + c); };
  f.edit([&](heddle::SparseView<double> view) {
    for (std::int64_t n = 0; n < host.count() + host.solid_nodes(); ++n) {
      for (int c = 0; c < 3; ++c)
        view(n, c) = value(n, c);
    }
  });
  heddle::LocalTransport local;
  const Reaching next{&f, {{{0, 0, 1, {1, 0, 0}}}}};
  const Reaching then{&f, {{{0, 0, 2, {1, 0, 0}}}}};
  const test::Folder folder;
  heddle::Checkpoint checkpoint(folder.path(), "run");
  checkpoint.add(f, next, then, local);
  checkpoint.write(1);
  f.fill(-1.0);
  checkpoint.read();
  std::int64_t behind = 0;
  f.inspect([&](heddle::SparseView<const double> view) {
    for (std::int64_t n = 0; n < host.count(); ++n) {
      EXPECT_EQ(view(n, 0), value(n, 0));
      EXPECT_EQ(view(n, 2), value(n, 2)); // in the next step the own one
      EXPECT_EQ(view(reached(n), 1), value(reached(n), 1));
      if (reached(n) < host.count()) continue;
      EXPECT_EQ(view(reached(n), 2), value(reached(n), 2)); // behind a wall
      ++behind;
    }
  });
  EXPECT_GT(behind, 100);
}

TEST(Device, BlocksOfAVectorHaveTheSameWalls) {
  const BlockGrid grid(domain, {1, 2, 1}); // along y, where the halves are equal
  const Field<float> f(grid, {.memory = Memory::device, .interleaved = 2});
  EXPECT_NO_THROW(heddle::require_same_walls(f, 1U + 2U, "step"));
  EXPECT_THROW(heddle::require_same_walls(f, 1U + 4U, "step"), heddle::Error);
}

TEST(Device, TooMuchMemoryIsReported) {
  EXPECT_THROW(heddle::Buffer<char>(std::int64_t{1} << 50, Memory::device), heddle::Error);
  heddle::Buffer<char> small(1 << 20, Memory::device); // and later requests work
  EXPECT_EQ(small.to_host()[77], 0);
}

TEST(Device, IsDescribedAndChosen) {
  const heddle::Environment environment({.device = 0});
  EXPECT_NE(environment.describe().find("(used)"), std::string::npos) << environment.describe();
}

TEST(Device, FetchesAreChosenAndPutBack) {
  const auto fetches = [] {
    std::size_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity), cudaSuccess);
    return bytes;
  };
  const std::size_t before = fetches();
  const int other = before == 128 ? 64 : 128;
  {
    const heddle::Environment environment({.fetch_bytes = other});
    EXPECT_EQ(fetches(), static_cast<std::size_t>(other));
    EXPECT_NE(environment.describe().find("fetches of " + std::to_string(other) + " bytes"),
              std::string::npos)
        << environment.describe();
  }
  EXPECT_EQ(fetches(), before);
}

} // namespace
