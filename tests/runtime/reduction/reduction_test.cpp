// SPDX-License-Identifier: Apache-2.0
#include "heddle/reduction/reduction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <list>
#include <optional>
#include <random>

#include "../../support/lattice.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/ranks.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Field;
using heddle::Reduction;
using heddle::ReductionKind;

const Box domain{{-2, 5, 1}, {35, 18, 12}};

/// Values whose sum depends on the order: of both signs and many magnitudes, made from the place alone.
double rough(std::int64_t x, std::int64_t y, std::int64_t z) {
  std::minstd_rand random(static_cast<unsigned>(x * 7919 + y * 104729 + z * 1299709 + 12345));
  random.discard(3);
  const double mantissa = static_cast<double>(random()) / 2147483647.0 - 0.5;
  return std::ldexp(mantissa, static_cast<int>(random() % 60) - 30);
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// The documented tree, by recursion from the top: node (height, k) holds values k 2^height … (k+1) 2^height
/// - 1.
double tree_sum(const std::vector<double>& values, std::size_t height, std::size_t k) {
  if (height == 0) return values[k];
  const double left = tree_sum(values, height - 1, 2 * k);
  const std::size_t middle = (2 * k + 1) << (height - 1);
  return middle < values.size() ? left + tree_sum(values, height - 1, 2 * k + 1) : left;
}

double tree_sum(const std::vector<double>& values) {
  std::size_t height = 0;
  while ((std::size_t{1} << height) < values.size())
    ++height;
  return tree_sum(values, height, 0);
}

TEST(Reduction, SumHasTheSameBitsForAnyBlocksAndThreads) {
  std::vector<double> rows;
  long double plain = 0.0L;
  for (std::int64_t z = domain.lower[2]; z < domain.upper[2]; ++z) {
    for (std::int64_t y = domain.lower[1]; y < domain.upper[1]; ++y) {
      std::vector<double> row;
      for (std::int64_t x = domain.lower[0]; x < domain.upper[0]; ++x) {
        row.push_back(rough(x, y, z));
        plain += static_cast<long double>(row.back());
      }
      rows.push_back(tree_sum(row));
    }
  }
  const double expected = tree_sum(rows);
  EXPECT_NEAR(expected, static_cast<double>(plain), 1e-6);

  for (const std::array<int, 3>& blocks :
       {std::array<int, 3>{1, 1, 1}, {2, 2, 2}, {5, 1, 3}, {1, 4, 1}, {37, 13, 11}}) {
    Field<double> field(BlockGrid(domain, blocks), {.components = 2, .name = "u"});
    field.fill(
        [](std::int64_t x, std::int64_t y, std::int64_t z, int c) { return c == 0 ? 1e30 : rough(x, y, z); });
    for (const int threads : {1, 2, 3, 7}) {
      std::optional<heddle::Environment> environment;
      try {
        environment.emplace(heddle::EnvironmentOptions{.threads = threads});
      } catch (const heddle::Error&) {
        continue; // built without OpenMP: there is one number of threads
      }
      const Reduction<double> sum(field, ReductionKind::sum, 1);
      EXPECT_EQ(bits(sum.value()), bits(expected)) << blocks[0] << " " << threads;
    }
  }
}

TEST(Reduction, AnyRanksAndBlocksGiveTheBitsOfOne) {
  Field<double> whole{BlockGrid(domain)};
  whole.fill([](auto x, auto y, auto z, int) { return rough(x, y, z); });
  for (const ReductionKind kind : {ReductionKind::sum, ReductionKind::min, ReductionKind::max}) {
    const double expected = Reduction<double>(whole, kind).value();
    for (const auto& [ranks, blocks] : std::vector<std::pair<int, std::array<int, 3>>>{{1, {1, 1, 1}},
                                                                                       {2, {2, 1, 1}},
                                                                                       {3, {3, 2, 1}},
                                                                                       {5, {5, 1, 2}},
                                                                                       {8, {2, 2, 2}},
                                                                                       {27, {3, 3, 3}},
                                                                                       {7, {37, 1, 1}}}) {
      heddle::ThreadGroup network(ranks);
      network.run([&, cut = blocks](heddle::Transport& transport) {
        Field<double> part(BlockGrid(domain, cut, {false, false, false}, transport.ranks()),
                           {.rank = transport.rank()});
        part.fill([](auto x, auto y, auto z, int) { return rough(x, y, z); });
        const Reduction<double> reduction(part, kind, transport);
        EXPECT_EQ(bits(reduction.value()), bits(expected)) << transport.rank() << " of " << transport.ranks();
        EXPECT_EQ(bits(reduction.value()), bits(expected)); // and again
      });
    }
  }
}

TEST(Reduction, PlacesWithoutABlockChangeNothing) {
  const std::array<int, 3> blocks{5, 3, 2};
  const auto there = [&](int place) { return place % 3 != 1; };
  std::vector<std::int64_t> weights;
  for (int place = 0; place < 30; ++place)
    weights.push_back(there(place) ? 1 + place : 0);
  const BlockGrid places(domain, blocks);
  const auto of_cell = [&](auto x, auto y, auto z) {
    return there(places.owner({x, y, z})) ? rough(x, y, z) : 0.0;
  };
  Field<double> whole{BlockGrid(domain)};
  whole.fill([&](auto x, auto y, auto z, int) { return of_cell(x, y, z); });
  const double expected = Reduction<double>(whole, ReductionKind::sum).value();
  for (const int ranks : {1, 3, 4}) {
    heddle::ThreadGroup network(ranks);
    network.run([&](heddle::Transport& transport) {
      const BlockGrid grid =
          BlockGrid::balanced(domain, blocks, {false, false, false}, transport.ranks(), weights);
      Field<double> part(grid, {.rank = transport.rank()});
      part.fill([&](auto x, auto y, auto z, int) { return of_cell(x, y, z); });
      EXPECT_EQ(bits(Reduction<double>(part, ReductionKind::sum, transport).value()), bits(expected));
      if (ranks == 1) {
        EXPECT_EQ(bits(Reduction<double>(part, ReductionKind::sum).value()), bits(expected));
      }
    });
  }
}

TEST(Reduction, TheTreeIsTheDocumentedOne) {
  for (std::int64_t n = 1; n < 80; ++n) {
    for (std::int64_t trial = 0; trial < 10; ++trial) {
      std::vector<double> values;
      for (std::int64_t i = 0; i < n; ++i)
        values.push_back(rough(i, n, trial));
      const auto row = [&](std::int64_t, std::int64_t, std::span<double> to) {
        std::copy(values.begin(), values.end(), to.begin());
      };
      const auto column = [&](std::int64_t y, std::int64_t z, std::span<double> to) {
        to[0] = values[static_cast<std::size_t>(y + z)];
      };
      const std::uint64_t expected = bits(tree_sum(values));
      ASSERT_EQ(bits(heddle::reduce_rows<double>(Box{{0, 0, 0}, {n, 1, 1}}, ReductionKind::sum, row)),
                expected);
      ASSERT_EQ(bits(heddle::reduce_rows<double>(Box{{0, 0, 0}, {1, n, 1}}, ReductionKind::sum, column)),
                expected);
      ASSERT_EQ(bits(heddle::reduce_rows<double>(Box{{0, 0, 0}, {1, 1, n}}, ReductionKind::sum, column)),
                expected);
    }
  }
}

TEST(Reduction, ListsOnAnyRanksGiveTheBitsOfOne) {
  std::vector<std::uint8_t> flags;
  for (std::int64_t n = 0; n < domain.volume(); ++n)
    flags.push_back(n % 5 != 0 ? 1 : 0);
  const std::array<bool, 3> periodic{false, true, false};
  const auto value = [](auto x, auto y, auto z, int c) { return c == 1 ? rough(x, y, z) : 0.0; };
  const std::vector<heddle::Link> links{{0, {-1, 0, 0}, 1}, {1, {1, 0, 0}, 0}};
  const heddle::IndexList whole(domain, flags, periodic, links);
  heddle::SparseField<double> field(whole, 2);
  field.fill(value);
  const double expected = Reduction<double>(field, ReductionKind::sum, 1).value();
  for (const int ranks : {1, 2, 5}) {
    heddle::ThreadGroup network(ranks);
    network.run([&](heddle::Transport& transport) {
      const BlockGrid grid = BlockGrid::slabs(domain, periodic, ranks, flags);
      const heddle::IndexList list(grid, transport.rank(), heddle::flags_in_memory(flags, domain, periodic),
                                   links);
      heddle::SparseField<double> part(list, 2);
      part.fill(value);
      const Reduction<double> sum(grid, {&part}, ReductionKind::sum, transport, 1);
      EXPECT_EQ(bits(sum.value()), bits(expected)) << transport.rank() << " of " << ranks;
      EXPECT_EQ(bits(sum.value()), bits(expected));
      EXPECT_THROW((Reduction<double>(grid, {&part}, ReductionKind::sum, transport, 2)), heddle::Error);
    });
  }
}

TEST(Reduction, OfSeveralRanksOfOneThreadGivesTheBitsOfOne) {
  const auto value = [](auto x, auto y, auto z, int) { return rough(x, y, z); };
  Field<double> whole{BlockGrid(domain)};
  whole.fill(value);
  std::vector<std::uint8_t> flags;
  for (std::int64_t n = 0; n < domain.volume(); ++n)
    flags.push_back(n % 5 != 0 ? 1 : 0);
  const std::vector<heddle::Link> links{{0, {-1, 0, 0}, 1}, {1, {1, 0, 0}, 0}};
  const heddle::IndexList all(domain, flags, {false, false, false}, links);
  heddle::SparseField<double> listed(all, 1);
  listed.fill(value);
  const double expected = Reduction<double>(whole, ReductionKind::sum).value();
  const double of_list = Reduction<double>(listed, ReductionKind::sum).value();

  heddle::PeerGroup group(3, {.memory = heddle::Memory::host});
  heddle::Ranks ranks(group);
  const BlockGrid grid(domain, {3, 2, 2}, {false, false, false}, ranks.count()); // four blocks a rank
  std::list<Field<double>> fields;
  std::list<heddle::IndexList> lists;
  std::list<heddle::SparseField<double>> on_lists;
  std::vector<const Field<double>*> parts;
  std::vector<const heddle::SparseField<double>*> listed_parts;
  ranks.each([&](heddle::Transport& transport) {
    parts.push_back(&fields.emplace_back(grid, heddle::FieldOptions{.rank = transport.rank()}));
    fields.back().fill(value);
    lists.emplace_back(grid, transport.rank(), heddle::flags_in_memory(flags, domain, grid.periodic()),
                       links);
    listed_parts.push_back(&on_lists.emplace_back(lists.back(), 1));
    on_lists.back().fill(value);
  });
  const BlockGrid here = ranks.process_grid(grid);
  EXPECT_EQ(bits(Reduction<double>(here, parts, ReductionKind::sum, ranks.processes()).value()),
            bits(expected));
  EXPECT_EQ(bits(Reduction<double>(here, listed_parts, ReductionKind::sum, ranks.processes()).value()),
            bits(of_list));
  parts.pop_back();
  EXPECT_THROW((Reduction<double>(here, parts, ReductionKind::sum, ranks.processes())), heddle::Error);
  parts.front() = &whole;
  EXPECT_THROW((Reduction<double>(here, parts, ReductionKind::sum, ranks.processes())), heddle::Error);
}

TEST(Reduction, OfOneNumberARank) {
  heddle::ThreadGroup network(3);
  network.run([](heddle::Transport& transport) {
    double mine = transport.rank() + 1;
    const auto sum = heddle::reduction_of_numbers(ReductionKind::sum, [&] { return mine; }, transport);
    const auto highest = heddle::reduction_of_numbers(ReductionKind::max, [&] { return mine; }, transport);
    EXPECT_EQ(sum(), 6);
    EXPECT_EQ(highest(), 3);
    if (transport.rank() == 1) mine = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(highest()));
  });
}

TEST(GatherCells, PutsAllBlocksInTheirPlacesOnRankZero) {
  const std::array<int, 3> blocks{3, 2, 2};
  const auto value = [](auto x, auto y, auto z) { return static_cast<float>(rough(x, y, z)); };
  heddle::ThreadGroup network(4);
  network.run([&](heddle::Transport& transport) {
    const BlockGrid grid(domain, blocks, {}, 4);
    const std::vector<float> all = heddle::gather_cells<float>(
        grid,
        [&](int block, std::int64_t y, std::int64_t z, std::span<float> row) {
          for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = value(grid.block(block).lower[0] + static_cast<std::int64_t>(x), y, z);
        },
        transport);
    if (transport.rank() != 0) {
      EXPECT_TRUE(all.empty());
      return;
    }
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), domain.volume());
    std::size_t n = 0;
    for (std::int64_t z = domain.lower[2]; z < domain.upper[2]; ++z) {
      for (std::int64_t y = domain.lower[1]; y < domain.upper[1]; ++y) {
        for (std::int64_t x = domain.lower[0]; x < domain.upper[0]; ++x)
          ASSERT_EQ(all[n++], value(x, y, z));
      }
    }
  });
}

TEST(Reduction, RefusesADomainWithoutCells) {
  const auto row = [](std::int64_t, std::int64_t, std::span<double>) {};
  for (const Box& empty : {Box{{0, 0, 0}, {0, 1, 1}}, Box{{0, 0, 0}, {1, 0, 1}}, Box{{0, 0, 0}, {1, 1, 0}}})
    EXPECT_THROW((void)heddle::reduce_rows<double>(empty, ReductionKind::sum, row), heddle::Error);
}

TEST(Reduction, ASerialSumWouldDiffer) {
  // Shows that the test above can fail: the values are such that order matters.
  double forward = 0.0;
  double backward = 0.0;
  std::vector<double> values;
  for (std::int64_t x = 0; x < 1000; ++x)
    values.push_back(rough(x, 0, 0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    forward += values[i];
    backward += values[values.size() - 1 - i];
  }
  EXPECT_NE(bits(forward), bits(backward));
}

TEST(Reduction, IsLazy) {
  Field<float> field(BlockGrid(domain, {2, 1, 1}));
  const Reduction<float> sum(field, ReductionKind::sum);
  const Reduction<float> max(field, ReductionKind::max);
  EXPECT_EQ(sum.value(), 0.0);
  field.fill([](std::int64_t, std::int64_t, std::int64_t, int) { return 0.5F; });
  EXPECT_EQ(sum.value(), 0.5 * static_cast<double>(domain.volume()));
  EXPECT_EQ(max.value(), 0.5);
}

TEST(Reduction, FindsMinAndMaxAndNaN) {
  Field<double> field(BlockGrid(domain, {3, 2, 1}));
  field.fill(1e300); // ghosts do not count
  field.fill(
      [](std::int64_t x, std::int64_t y, std::int64_t z, int) { return static_cast<double>(x - y * z); });
  const Reduction<double> min(field, ReductionKind::min);
  const Reduction<double> max(field, ReductionKind::max);
  EXPECT_EQ(min.value(), -2 - 17 * 11);
  EXPECT_EQ(max.value(), 34 - 5);
  for (const std::array<std::int64_t, 3>& bad :
       {std::array<std::int64_t, 3>{-2, 5, 1}, {34, 17, 11}, {7, 9, 4}}) {
    field.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
      return std::array<std::int64_t, 3>{x, y, z} == bad ? std::nan("") : 1.0;
    });
    EXPECT_TRUE(std::isnan(min.value()));
    EXPECT_TRUE(std::isnan(max.value()));
  }
}

TEST(Reduction, OfIntegersAndOfFunctions) {
  const BlockGrid grid(domain, {2, 2, 1});
  Field<std::int32_t> field(grid);
  field.fill([](std::int64_t x, std::int64_t, std::int64_t, int) { return static_cast<std::int32_t>(x); });
  EXPECT_EQ(Reduction<std::int32_t>(field, ReductionKind::sum).value(), (37 * (-2 + 34) / 2) * 13 * 11);
  EXPECT_EQ(Reduction<std::int32_t>(field, ReductionKind::min).value(), -2);
  const Reduction<double> squares(grid, ReductionKind::max,
                                  [&](int block, std::int64_t x, std::int64_t y, std::int64_t z) {
                                    const double value = field.view(block)(x, y, z);
                                    return value * value;
                                  });
  EXPECT_EQ(squares.value(), 34.0 * 34.0);
}

TEST(Reduction, OfAListCountsListedCellsOnly) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = i % 3 != 0;
  const std::array<bool, 3> periodic{true, true, true};
  const heddle::IndexList list(domain, flags, periodic, lattice::aa_links());
  const heddle::IndexList other(domain, flags, periodic, lattice::aa_links(), heddle::Memory::host,
                                {true, true, true, true, true, true});
  heddle::SparseField<double> field(list, 1);
  heddle::SparseField<double> reordered(other, 1);
  field.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int) { return rough(x, y, z); });
  reordered.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int) { return rough(x, y, z); });
  long double plain = 0.0L;
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : field.read()) {
    plain += static_cast<long double>(value);
    largest = std::max(largest, value);
  }
  const double sum = Reduction<double>(field, ReductionKind::sum).value();
  EXPECT_NEAR(sum, static_cast<double>(plain), 1e-6);
  EXPECT_EQ(bits(sum), bits(Reduction<double>(reordered, ReductionKind::sum).value()));
  EXPECT_EQ(Reduction<double>(field, ReductionKind::max).value(), largest);
  field.fill(-3.0);
  EXPECT_EQ(Reduction<double>(field, ReductionKind::max).value(), -3.0);
  EXPECT_THROW(Reduction<double>(field, ReductionKind::sum, 1), heddle::Error);
}

} // namespace
