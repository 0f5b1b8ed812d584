// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/halo_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../support/lattice.hpp"
#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Direction;
using heddle::Error;
using heddle::Field;
using heddle::FieldView;
using heddle::HaloExchange;
using heddle::HaloRegion;
using heddle::Stream;
using heddle::ThreadGroup;
using heddle::Transport;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double wave(std::int64_t x, std::int64_t y, std::int64_t z, int c) {
  return std::sin(static_cast<double>(1 + x + 31 * y + 977 * z + 7 * c * c));
}

/// Every ghost cell of the blocks of a rank against the definition, for the whole shell; domain cells are
/// numbered by wave().
void check_shell(const BlockGrid& grid, const heddle::GhostLayers& layers, Transport& transport,
                 bool together) {
  const Box& domain = grid.domain();
  Field<double> field(grid, {.components = 2, .ghost_layers = layers, .rank = transport.rank()});
  field.fill(nan);
  field.fill(wave);
  const std::vector<HaloRegion> shell = heddle::ghost_shell(2, field.ghost_layers());
  heddle::DenseExchange packed = packing::exchange(field, shell, Direction::owner_to_ghost);
  HaloExchange exchange(std::move(packed), transport,
                        {.stamps = heddle::Stamps::checksums, .as_on_device = together});
  Stream stream;
  exchange(stream);
  const auto [gx, gy, gz] = layers.layers;
  for (int b = 0; b < field.blocks(); ++b) {
    const FieldView<double> view = field.view(b);
    const Box& box = field.box(b);
    for (int c = 0; c < 2; ++c) {
      for (std::int64_t z = -gz; z < view.extent(2) + gz; ++z) {
        for (std::int64_t y = -gy; y < view.extent(1) + gy; ++y) {
          for (std::int64_t x = -gx; x < view.extent(0) + gx; ++x) {
            std::array<std::int64_t, 3> cell{x + box.lower[0], y + box.lower[1], z + box.lower[2]};
            for (std::size_t d = 0; d < 3; ++d) {
              const std::int64_t n = domain.extent(static_cast<int>(d));
              while (grid.periodic()[d] && cell[d] < domain.lower[d])
                cell[d] += n;
              while (grid.periodic()[d] && cell[d] >= domain.upper[d])
                cell[d] -= n;
            }
            if (domain.contains(cell)) {
              ASSERT_EQ(view(x, y, z, c), wave(cell[0], cell[1], cell[2], c));
            } else {
              ASSERT_TRUE(std::isnan(view(x, y, z, c)));
            }
          }
        }
      }
    }
  }
}

TEST(HaloExchange, FillsTheShellOnAnyNumberOfRanks) {
  const auto check = [](const Box& domain, const std::array<int, 3>& blocks,
                        const std::array<bool, 3>& periodic, const heddle::GhostLayers& layers) {
    for (int ranks = 1; ranks <= blocks[0] * blocks[1] * blocks[2]; ranks += 3) {
      const BlockGrid grid(domain, blocks, periodic, ranks);
      for (const bool together : {false, true})
        ThreadGroup(ranks).run([&](Transport& transport) { check_shell(grid, layers, transport, together); });
    }
  };
  for (int p = 0; p < 8; ++p) {
    const std::array<bool, 3> periodic{(p & 1) != 0, (p & 2) != 0, (p & 4) != 0};
    check(Box{{-1, 4, 2}, {8, 11, 7}}, {1, 1, 1}, periodic, 1);
    check(Box{{-1, 4, 2}, {8, 11, 7}}, {3, 2, 2}, periodic, 2);
    // Ghost layers wider than blocks, and than the domain.
    check(Box{{0, 0, 0}, {4, 4, 3}}, {4, 2, 1}, periodic, {3, 3, 1});
    check(Box{{0, 0, 0}, {2, 1, 1}}, {2, 1, 1}, periodic, {3, 2, 0});
  }
  check(Box{{0, 0, 0}, {6, 6, 6}}, {3, 3, 3}, {true, true, true}, 1);
  check(Box{{0, 0, 0}, {40, 6, 4}}, {2, 3, 1}, {true, true, false}, 1); // rows of several lines
}

TEST(HaloExchange, LeavesOutWhatIsKnown) {
  const BlockGrid grid(Box{{0, 0, 0}, {6, 5, 8}}, {1, 1, 2}, {true, true, true}, 2);
  ThreadGroup(2).run([&](Transport& transport) {
    Field<double> field(grid, {.components = 2, .ghost_layers = 2, .rank = transport.rank()});
    field.fill(nan);
    field.fill(wave);
    const std::vector<HaloRegion> wide = heddle::ghost_shell(2, {2, 2, 2});
    const std::vector<HaloRegion> narrow = heddle::ghost_shell(2, {1, 1, 1});
    const std::vector<HaloRegion> beside = heddle::ghost_shell(1, {2, 2, 0}); // of component 0
    const auto without = [&](const std::vector<HaloRegion>& regions, const void* of,
                             const std::vector<HaloRegion>& known) {
      heddle::DenseExchange exchange = packing::exchange(field, regions, Direction::owner_to_ghost);
      exchange.leave_out(of, known);
      return exchange;
    };
    const heddle::DenseExchange nothing = without(narrow, &field, wide);
    EXPECT_TRUE(nothing.empty());
    EXPECT_TRUE(HaloExchange(nothing, transport).accesses().empty());
    EXPECT_EQ(without(wide, &field, narrow).regions().size(), wide.size()); // which end further out
    EXPECT_EQ(without(wide, &grid, wide).regions().size(), wide.size());    // those of another object

    const heddle::DenseExchange rest = without(wide, &field, beside);
    EXPECT_EQ(rest.regions().size(), wide.size() - beside.size());
    HaloExchange exchange(rest, transport);
    EXPECT_EQ(exchange.accesses().size(), 2U);
    Stream stream;
    exchange(stream);
    const FieldView<double> view = field.view(0);
    for (int c = 0; c < 2; ++c)
      for (std::int64_t z = -2; z < view.extent(2) + 2; ++z)
        for (std::int64_t y = -2; y < view.extent(1) + 2; ++y)
          for (std::int64_t x = -2; x < view.extent(0) + 2; ++x) {
            const bool inside = z >= 0 && z < view.extent(2);
            const bool ghost = x < 0 || x >= view.extent(0) || y < 0 || y >= view.extent(1);
            const std::int64_t at = (z + field.box(0).lower[2] + 8) % 8;
            if (inside && ghost && c == 0)
              EXPECT_TRUE(std::isnan(view(x, y, z, c)));
            else
              EXPECT_EQ(view(x, y, z, c), wave((x + 6) % 6, (y + 5) % 5, at, c));
          }
  });
}

TEST(HaloExchange, FollowsFieldsThatSwapTheirMemory) {
  const BlockGrid grid(Box{{0, 0, 0}, {4, 4, 4}}, {2, 2, 1}, {true, true, true});
  Field<double> one(grid);
  const std::vector<char> between(12345);
  Field<double> other(grid);
  const std::vector<HaloRegion> shell = heddle::ghost_shell(1, one.ghost_layers());
  heddle::DenseExchange packed = packing::exchange(one, shell, Direction::owner_to_ghost);
  HaloExchange exchange(std::move(packed), {.as_on_device = true});
  for (const double value : {1.0, 2.0}) {
    one.fill_ghosts(nan);
    one.fill([&](std::int64_t, std::int64_t, std::int64_t, int) { return value; });
    Stream stream;
    exchange(stream);
    for (int b = 0; b < one.blocks(); ++b)
      EXPECT_EQ(one.view(b)(-1, 2, 2), value);
    if (value == 1.0) { // the blocks of the other one lie in another order
      Field<double> third(grid);
      std::swap(one, third);
      std::swap(one, other);
    }
  }
}

TEST(HaloExchange, RefusesOtherMemoryThanOtherRanksStoreTo) {
  const BlockGrid grid(Box{{0, 0, 0}, {4, 8, 4}}, {1, 4, 2}, {false, false, false}, 2);
  heddle::PeerGroup group(2, {heddle::Memory::host, true});
  std::vector<Field<float>> fields;
  fields.reserve(2);
  const std::vector<HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});
  heddle::TaskGraph graph;
  for (int rank = 0; rank < 2; ++rank) {
    fields.emplace_back(grid, heddle::FieldOptions{.name = "f", .rank = rank, .interleaved = 4});
    graph.add(HaloExchange(packing::exchange(fields.back(), shell, Direction::owner_to_ghost),
                           group.transport(rank)));
  }
  graph.run();
  Field<float> other(grid, {.name = "f", .rank = 1, .interleaved = 4});
  std::swap(fields[1], other);
  try {
    graph.run();
    ADD_FAILURE() << "no error";
  } catch (const heddle::Error& error) {
    EXPECT_NE(std::string(error.what()).find("field 'f' has moved in memory since the exchange was made"),
              std::string::npos)
        << error.what();
  }
  std::swap(fields[1], other);
  graph.run();
}

TEST(HaloExchange, CopiesExactlyTheRegions) {
  // lbm.md, section 5: ranges are the interior shifted by the offset, never the whole ghost face.
  Field<double> field(BlockGrid(Box{{0, 0, 0}, {4, 4, 4}}, {1, 1, 1}, {true, true, true}), {.components = 2});
  field.fill(nan);
  field.fill(wave);
  std::vector<HaloRegion> regions;
  lattice::add_regions(regions, 1, {1, -1, 0});
  HaloExchange exchange(packing::exchange(field, regions, Direction::owner_to_ghost));
  Stream stream;
  exchange(stream);
  const FieldView<double> view = field.view();
  int filled = 0;
  for (std::int64_t z = -1; z <= 4; ++z) {
    for (std::int64_t y = -1; y <= 4; ++y) {
      for (std::int64_t x = -1; x <= 4; ++x) {
        const bool interior = x >= 0 && x < 4 && y >= 0 && y < 4 && z >= 0 && z < 4;
        if (interior) continue;
        EXPECT_TRUE(std::isnan(view(x, y, z, 0)));
        const bool touched = x >= 1 && x <= 4 && y >= -1 && y <= 2 && z >= 0 && z < 4;
        EXPECT_EQ(!std::isnan(view(x, y, z, 1)), touched) << x << " " << y << " " << z;
        filled += touched ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(filled, 4 * (4 + 3));
  EXPECT_EQ(exchange.local_bytes(), static_cast<std::size_t>(filled) * 8);
  EXPECT_EQ(exchange.sent_bytes(), 0U);
}

/// The blocks of a field with their ghost cells after an exchange of the whole shell on so many ranks, block
/// after block of the grid.
template <class T> std::vector<std::vector<T>> exchanged(BlockGrid grid, int interleaved, int ranks = 1) {
  grid = BlockGrid(grid.domain(), grid.blocks(), grid.periodic(), ranks);
  std::vector<std::vector<T>> values(static_cast<std::size_t>(grid.size()));
  ThreadGroup(ranks).run([&](Transport& transport) {
    Field<T> field(grid, {.components = 3, .rank = transport.rank(), .interleaved = interleaved});
    const std::vector<HaloRegion> shell = heddle::ghost_shell(3, field.ghost_layers());
    HaloExchange exchange(packing::exchange(field, shell, Direction::owner_to_ghost), transport);
    for (const bool before : {true, false}) {
      for (int b = 0; b < field.blocks(); ++b) {
        const FieldView<T> view = field.view(b);
        std::vector<T>& found = values[static_cast<std::size_t>(field.number(b))];
        int number = 1000 * field.number(b);
        for (std::int64_t z = -1; z <= view.extent(2); ++z) {
          for (std::int64_t y = -1; y <= view.extent(1); ++y) {
            for (std::int64_t x = -1; x <= view.extent(0); ++x) {
              for (int c = 0; c < 3; ++c) {
                if (before) view(x, y, z, c) = static_cast<T>(++number);
                if (!before) found.push_back(view(x, y, z, c));
              }
            }
          }
        }
      }
      Stream stream;
      if (before) exchange(stream);
    }
  });
  return values;
}

TEST(HaloExchange, MovesLanesAsItMovesBlocks) {
  const auto check = []<class T>(T, std::initializer_list<int> rank_counts) {
    for (const std::array<int, 3>& blocks :
         {std::array{1, 1, 2}, {1, 1, 4}, {1, 1, 8}, {1, 4, 1}, {8, 1, 1}, {2, 1, 2}, {2, 2, 2}, {1, 2, 8}}) {
      const Box domain{{0, 0, 0}, {3 * blocks[0], 4 * blocks[1], 2 * blocks[2]}};
      for (int p = 0; p < 8; ++p) {
        const BlockGrid grid(domain, blocks, {(p & 1) != 0, (p & 2) != 0, (p & 4) != 0});
        const std::vector<std::vector<T>> expected = exchanged<T>(grid, 1);
        for (const int lanes : {2, 4, 8}) {
          for (const int ranks : rank_counts) {
            if (grid.size() % (lanes * ranks) != 0) continue;
            ASSERT_EQ(exchanged<T>(grid, lanes, ranks), expected)
                << lanes << " lanes, " << ranks << " ranks, case " << p;
          }
        }
      }
    }
  };
  check(double{}, {1});
  check(float{}, {1, 2});
  check(std::uint16_t{}, {2, 4});
}

TEST(HaloExchange, MovesAllLanesOfAPlaneInPlace) {
  const BlockGrid grid(Box{{0, 0, 0}, {4, 4, 8}}, {1, 1, 4});
  Field<float> field(grid, {.components = 2, .interleaved = 4});
  const std::vector<HaloRegion> shell = heddle::ghost_shell(2, field.ghost_layers());
  const heddle::HaloPlan plan(packing::exchange(field, shell, Direction::owner_to_ghost));
  ASSERT_EQ(plan.wrap().shifts.size(), 1U);
  EXPECT_EQ(plan.wrap().shifts.front().rows.size(), 4U); // up and down
  EXPECT_EQ(plan.wrap().shifts.front().longest, 16);
  EXPECT_EQ(plan.bytes(), 0U); // no messages
  EXPECT_EQ(plan.local_bytes(), 2U * 2U * 3U * 16U * sizeof(float));
}

TEST(HaloExchange, SendsWholeVectorsWhereHalfOfTheirLanesCross) {
  // Vectors along y, ranks along z: faces cross whole, edges in all lanes but that at the end.
  const BlockGrid grid(Box{{0, 0, 0}, {4, 8, 6}}, {1, 4, 2}, {false, false, false}, 2);
  Field<float> field(grid, {.components = 2, .rank = 1, .interleaved = 4});
  const std::vector<HaloRegion> shell = heddle::ghost_shell(2, field.ghost_layers());
  const heddle::HaloPlan plan(packing::exchange(field, shell, Direction::owner_to_ghost));
  ASSERT_EQ(plan.sent_vectors().size(), 1U);
  ASSERT_EQ(plan.received_vectors().size(), 1U);
  EXPECT_EQ(plan.sent_vectors().front().rows.size(), 2U * 3U);
  EXPECT_EQ(plan.targets(), (std::vector<heddle::HaloPlan::Target>{{0, 0, 0}}));
  EXPECT_EQ(plan.receive().front().bytes, 2U * 4U * (4U * 2U + 2U * 4U) * sizeof(float));
  for (const heddle::HaloPlan::Table& block : plan.pack().front())
    EXPECT_TRUE(block.rows.empty());
  for (const heddle::HaloPlan::Table& block : plan.unpack().front())
    EXPECT_TRUE(block.rows.empty());
}

TEST(HaloExchange, LanesThatFollowEachOtherBelongToTheBorder) {
  const auto axes = [](const std::array<int, 3>& blocks, int ranks, int interleaved) {
    const BlockGrid grid(Box{{0, 0, 0}, {8, 8, 8}}, blocks, {false, false, false}, ranks);
    Field<float> field(grid, {.components = 2, .interleaved = interleaved});
    const std::vector<HaloRegion> shell = heddle::ghost_shell(2, field.ghost_layers());
    const heddle::HaloPlan plan(packing::exchange(field, shell, Direction::owner_to_ghost));
    EXPECT_EQ(plan.wrap().shifts.empty(), plan.border_axes()[1] || interleaved == 1);
    return plan.border_axes();
  };
  using Axes = std::array<bool, 3>;
  EXPECT_EQ(axes({1, 4, 2}, 2, 4), (Axes{false, true, true}));
  EXPECT_EQ(axes({1, 4, 2}, 2, 1), (Axes{false, false, true}));  // no vectors
  EXPECT_EQ(axes({4, 1, 2}, 2, 4), (Axes{false, false, true}));  // not across x
  EXPECT_EQ(axes({1, 4, 2}, 1, 4), (Axes{false, false, false})); // no other rank
}

TEST(HaloExchange, WritesWhatArrivesInALaneWithTheOthers) {
  // Two ranks of four blocks: only the planes toward the other rank arrive, and no block unpacks any of it.
  const BlockGrid grid(Box{{0, 0, 0}, {4, 4, 16}}, {1, 1, 8}, {false, false, false}, 2);
  Field<float> field(grid, {.components = 2, .rank = 1, .interleaved = 4});
  const std::vector<HaloRegion> shell = heddle::ghost_shell(2, field.ghost_layers());
  const heddle::HaloPlan plan(packing::exchange(field, shell, Direction::owner_to_ghost));
  ASSERT_EQ(plan.receive().size(), 1U);
  EXPECT_EQ(plan.receive().front().bytes, 2U * 16U * sizeof(float));
  for (const heddle::HaloPlan::Table& table : plan.unpack().front())
    EXPECT_TRUE(table.rows.empty());
  ASSERT_EQ(plan.borders().shifts.size(), 1U);
  const std::vector<heddle::LocalHaloRow>& rows = plan.borders().shifts.front().rows;
  ASSERT_EQ(rows.size(), 4U); // up and down
  std::vector<std::size_t> places;
  for (const heddle::LocalHaloRow& row : rows) {
    const std::uint32_t below = row.sources & 15U;
    if (row.to.z < 0) { // from the plane under this block: lane 0 arrives, the others turn
      EXPECT_EQ(below, heddle::LaneSources::arrives);
      places.push_back(static_cast<std::size_t>(row.arrives_at) * sizeof(float));
    } else {
      EXPECT_EQ(below, 1U);
    }
  }
  const std::size_t begin = plan.receive().front().begin;
  EXPECT_EQ(places, (std::vector<std::size_t>{begin, begin + 16 * sizeof(float)}));
}

TEST(HaloExchange, SendsFiveAFaceAndOneAnEdge) {
  const BlockGrid grid(Box{{0, 0, 0}, {12, 10, 14}}, {2, 1, 1}, {true, true, true}, 2);
  ThreadGroup(2).run([&](Transport& transport) {
    Field<float> field(grid, {.components = 19, .rank = transport.rank()});
    const std::vector<HaloRegion> reads = lattice::aa_odd_reads();
    HaloExchange exchange(packing::exchange(field, reads, Direction::owner_to_ghost), transport);
    // To the other rank go both x faces. There each diagonal population loses a row to an edge, and as y and
    // z are periodic, the edges go to the same rank: 5 populations a face cell in all.
    EXPECT_EQ(exchange.sent_bytes(), sizeof(float) * 2 * 5 * 10 * 14);
    // Here stay the y and z faces, less the rows that belong to x edges (14, 10) and to y-z edges (6), and
    // those.
    constexpr std::size_t y_face = 5 * 6 * 14 - 2 * 14 - 2 * 6;
    constexpr std::size_t z_face = 5 * 6 * 10 - 2 * 10 - 2 * 6;
    EXPECT_EQ(exchange.local_bytes(), sizeof(float) * (2 * y_face + 2 * z_face + 4 * 6));
  });
}

/// A made-up cell update that mixes all 19 values, so that a value in a wrong place shows; not a collision.
void mix(std::array<double, 19>& f) {
  double sum = 0.0;
  for (const double value : f)
    sum += value;
  for (std::size_t q = 0; q < 19; ++q)
    f[q] = 0.7 * f[q] + 0.01 * static_cast<double>(q + 1) * sum + 0.001;
}

void aa_even(Field<double>& field, int block) {
  const FieldView<double> a = field.view(block);
  for (std::int64_t z = 0; z < a.extent(2); ++z) {
    for (std::int64_t y = 0; y < a.extent(1); ++y) {
      for (std::int64_t x = 0; x < a.extent(0); ++x) {
        std::array<double, 19> f{};
        for (int q = 0; q < 19; ++q)
          f[static_cast<std::size_t>(q)] = a(x, y, z, q);
        mix(f);
        for (int q = 0; q < 19; ++q)
          a(x, y, z, lattice::opposite(q)) = f[static_cast<std::size_t>(q)];
      }
    }
  }
}

void aa_odd(Field<double>& field, int block) {
  const FieldView<double> a = field.view(block);
  for (std::int64_t z = 0; z < a.extent(2); ++z) {
    for (std::int64_t y = 0; y < a.extent(1); ++y) {
      for (std::int64_t x = 0; x < a.extent(0); ++x) {
        std::array<double, 19> f{};
        for (int q = 0; q < 19; ++q) {
          const std::array<int, 3>& c = lattice::d3q19[static_cast<std::size_t>(q)];
          f[static_cast<std::size_t>(q)] = a(x - c[0], y - c[1], z - c[2], lattice::opposite(q));
        }
        mix(f);
        for (int q = 0; q < 19; ++q) {
          const std::array<int, 3>& c = lattice::d3q19[static_cast<std::size_t>(q)];
          a(x + c[0], y + c[1], z + c[2], q) = f[static_cast<std::size_t>(q)];
        }
      }
    }
  }
}

/// f after two double steps, per component in domain order; ghosts are poisoned before each step.
std::vector<std::vector<double>> run_aa(const Box& domain, const std::array<int, 3>& blocks, int ranks,
                                        int threads) {
  const BlockGrid grid(domain, blocks, {true, true, true}, ranks);
  std::vector<std::vector<double>> result(19, std::vector<double>(static_cast<std::size_t>(domain.volume())));
  const std::vector<HaloRegion> reads = lattice::aa_odd_reads();
  const std::vector<HaloRegion> writes = lattice::aa_odd_writes();
  ThreadGroup(ranks).run([&](Transport& transport) {
    Field<double> field(grid, {.components = 19, .rank = transport.rank()});
    field.fill(wave);
    HaloExchange before(packing::exchange(field, reads, Direction::owner_to_ghost, "before"), transport);
    HaloExchange after(packing::exchange(field, writes, Direction::ghost_to_owner, "after"), transport);
    const std::vector<heddle::FieldAccess> in_place = before.accesses();
    heddle::TaskGraph graph({.threads = threads});
    const auto poison = [&](Stream&) { field.fill_ghosts(nan); };
    graph.add("poison", in_place, poison);
    graph.add("even", in_place, [&](Stream&) {
      for (int b = 0; b < field.blocks(); ++b)
        aa_even(field, b);
    });
    graph.add("poison", in_place, poison);
    graph.add(before);
    graph.add("odd", in_place, [&](Stream&) {
      for (int b = 0; b < field.blocks(); ++b)
        aa_odd(field, b);
    });
    graph.add(after);
    graph.run(2);
    for (int b = 0; b < field.blocks(); ++b) {
      const Box& box = field.box(b);
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
            const auto at = static_cast<std::size_t>(x + domain.upper[0] * (y + domain.upper[1] * z));
            for (int c = 0; c < 19; ++c) {
              result[static_cast<std::size_t>(c)][at] =
                  field.view(b)(x - box.lower[0], y - box.lower[1], z - box.lower[2], c);
            }
          }
        }
      }
    }
  });
  return result;
}

TEST(HaloExchange, AaOnBlocksIsBitIdenticalToPullOnOne) {
  const Box domain{{0, 0, 0}, {9, 8, 7}};
  // The reference knows nothing of blocks, ghosts or AA: two-array pull with modulo. Four steps.
  const auto cell = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>((x + 9) % 9 + 9 * ((y + 8) % 8 + 8 * ((z + 7) % 7)));
  };
  std::vector<std::array<double, 19>> arrived(static_cast<std::size_t>(domain.volume()));
  for (std::int64_t z = 0; z < 7; ++z) {
    for (std::int64_t y = 0; y < 8; ++y) {
      for (std::int64_t x = 0; x < 9; ++x) {
        for (int q = 0; q < 19; ++q)
          arrived[cell(x, y, z)][static_cast<std::size_t>(q)] = wave(x, y, z, q);
      }
    }
  }
  for (int step = 0; step < 4; ++step) {
    std::vector<std::array<double, 19>> collided = arrived;
    for (std::array<double, 19>& f : collided)
      mix(f);
    for (std::int64_t z = 0; z < 7; ++z) {
      for (std::int64_t y = 0; y < 8; ++y) {
        for (std::int64_t x = 0; x < 9; ++x) {
          for (std::size_t q = 0; q < 19; ++q) {
            const std::array<int, 3>& c = lattice::d3q19[q];
            arrived[cell(x, y, z)][q] = collided[cell(x - c[0], y - c[1], z - c[2])][q];
          }
        }
      }
    }
  }
  for (const std::array<int, 3>& blocks :
       {std::array<int, 3>{1, 1, 1}, {2, 2, 2}, {2, 1, 1}, {3, 2, 7}, {1, 8, 2}}) {
    const int ranks = std::min(4, blocks[0] * blocks[1] * blocks[2]);
    const std::vector<std::vector<double>> result = run_aa(domain, blocks, ranks, blocks[0]);
    for (std::size_t q = 0; q < 19; ++q) {
      for (std::size_t i = 0; i < arrived.size(); ++i) {
        // After an even number of steps the array holds arrived populations in their own slots.
        ASSERT_EQ(result[q][i], arrived[i][q]) << "slot " << q << " cell " << i << " blocks " << blocks[0];
      }
    }
  }
}

std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(HaloExchange, RefusesWhatCannotBe) {
  const BlockGrid grid(Box{{0, 0, 0}, {4, 4, 4}}, {2, 1, 1}, {true, true, true});
  Field<float> field(grid, {.components = 2});
  const auto make = [&](const std::vector<HaloRegion>& regions) {
    return [&field, regions] { HaloExchange(packing::exchange(field, regions, Direction::owner_to_ghost)); };
  };
  EXPECT_NE(refusal(make({{0, 2, {1, 0, 0}, {}, {1, 0, 0}}})).find("field 'f' has 2"), std::string::npos);
  EXPECT_NE(refusal(make({{0, 0, {1, 0, 0}, {}, {2, 0, 0}}})).find("but it has 1"), std::string::npos);
  const std::vector<HaloRegion> face{{0, 0, {1, 0, 0}, {}, {1, 0, 0}}};
  EXPECT_EQ(refusal(make(face)), "nothing was thrown");
  heddle::DenseExchange thick("thick", Direction::owner_to_ghost, face, 3, sizeof(float));
  thick.add(field);
  EXPECT_NE(refusal([&] {
              HaloExchange(std::move(thick));
            }).find("block 0 has 2 cells along axis 0, but 3 are needed"),
            std::string::npos);
  const BlockGrid shared(Box{{0, 0, 0}, {4, 4, 4}}, {2, 1, 1}, {true, true, true}, 2);
  Field<float> part(shared, {.components = 2, .rank = 1});
  EXPECT_NE(refusal([&] {
              HaloExchange(packing::exchange(part, face, Direction::owner_to_ghost));
            }).find("rank 1 of 2, but this is rank 0 of 1"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { Field<float>(shared, {.rank = 2}); }).find("rank 3 does not exist; there are 2 ranks"),
      std::string::npos);
  Field<float> elsewhere(shared, {.components = 2});
  heddle::DenseExchange two("two", Direction::owner_to_ghost, face, 1, sizeof(float));
  two.add(field);
  EXPECT_NE(refusal([&] { two.add(elsewhere); }).find("differ in grid, rank or memory"), std::string::npos);
}

/// Adds 1000 to each cell, of a field of whole numbers below that.
class Add {
public:
  static constexpr bool in_boxes = true;

  explicit Add(Field<float>& f) : f_(&f) {}
  std::string_view name() const { return "add"; }
  std::vector<heddle::FieldAccess> accesses() const {
    return {{f_, "f", heddle::AccessMode::read, 0}, {f_, "f", heddle::AccessMode::write, 0}};
  }
  const BlockGrid& grid() const { return f_->grid(); }
  int rank() const { return f_->rank(); }
  void operator()(Stream& stream) { (*this)(stream, heddle::BlockPart()); }
  void operator()(Stream&, const heddle::BlockPart& part) {
    for (int block = 0; block < f_->blocks(); ++block) {
      const FieldView<float> view = f_->view(block);
      for (const Box& box : part.boxes(view.extents())) {
        for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
          for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
            for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
              view(x, y, z) += 1000;
          }
        }
      }
    }
  }

private:
  Field<float>* f_;
};

/// The largest value in ghost cells.
float largest_ghost(const Field<float>& f) {
  float largest = 0;
  for (int block = 0; block < f.blocks(); ++block) {
    const FieldView<const float> view = f.view(block);
    const Box inner{{0, 0, 0}, {view.extent(0), view.extent(1), view.extent(2)}};
    for (std::int64_t z = -1; z <= view.extent(2); ++z) {
      for (std::int64_t y = -1; y <= view.extent(1); ++y) {
        for (std::int64_t x = -1; x <= view.extent(0); ++x) {
          if (!inner.contains({x, y, z})) largest = std::max(largest, view(x, y, z));
        }
      }
    }
  }
  return largest;
}

TEST(HaloExchange, WhatLanesPassOnIsReadBeforeASweepWritesIt) {
  const BlockGrid grid(Box{{0, 0, 0}, {4, 16, 16}}, {1, 4, 2}, {true, true, true}, 2);
  for (std::uint64_t order = 1; order <= 8; ++order) {
    heddle::PeerGroup group(2, {heddle::Memory::host, true});
    heddle::TaskGraph loop({.unroll = 1, .shuffle = order});
    std::vector<Field<float>> fields;
    for (int rank = 0; rank < 2; ++rank)
      fields.emplace_back(grid, heddle::FieldOptions{.name = "f", .rank = rank, .interleaved = 4});
    const std::vector<HaloRegion> shell = heddle::ghost_shell(1, fields.front().ghost_layers());
    std::vector<HaloExchange> exchanges;
    for (Field<float>& f : fields) {
      f.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int) {
        return static_cast<float>(x + 4 * y + z);
      });
      heddle::DenseExchange exchange = packing::exchange(f, shell, Direction::owner_to_ghost);
      exchanges.emplace_back(std::move(exchange), group.transport(f.rank()),
                             heddle::HaloOptions{.as_on_device = true});
    }
    for (std::size_t rank = 0; rank < 2; ++rank) {
      loop.add(exchanges[rank]);
      loop.add(Add(fields[rank]));
    }
    loop.run();
    for (const Field<float>& f : fields)
      EXPECT_LT(largest_ghost(f), 1000) << "order " << order;
  }
}

} // namespace
