// SPDX-License-Identifier: Apache-2.0
#include "heddle/local_exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "heddle/error.hpp"
#include "heddle/task_graph.hpp"
#include "lattice.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Error;
using heddle::ExchangePhase;
using heddle::Field;
using heddle::FieldView;
using heddle::LocalExchange;
using heddle::SlotOffset;
using heddle::Stream;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double wave(std::int64_t x, std::int64_t y, std::int64_t z, int c) {
  return std::sin(static_cast<double>(1 + x + 31 * y + 977 * z + 7 * c * c));
}

/// Every ghost cell against the definition, for the whole shell; domain cells are numbered by wave().
void check_shell(const Box& domain, const std::array<int, 3>& blocks, const std::array<bool, 3>& periodic,
                 const heddle::GhostLayers& layers) {
  Field<double> field(BlockGrid(domain, blocks, periodic), {.components = 2, .ghost_layers = layers});
  field.fill(nan);
  field.fill(wave);
  const std::vector<SlotOffset> shell = heddle::ghost_shell(2, field.ghost_layers());
  const LocalExchange exchange(field, shell, ExchangePhase::before);
  Stream stream;
  exchange(stream);
  const auto [gx, gy, gz] = layers.layers;
  for (int b = 0; b < field.blocks(); ++b) {
    const FieldView<double> view = field.view(b);
    const Box& box = field.grid().block(b);
    for (int c = 0; c < 2; ++c) {
      for (std::int64_t z = -gz; z < view.extent(2) + gz; ++z) {
        for (std::int64_t y = -gy; y < view.extent(1) + gy; ++y) {
          for (std::int64_t x = -gx; x < view.extent(0) + gx; ++x) {
            std::array<std::int64_t, 3> cell{x + box.lower[0], y + box.lower[1], z + box.lower[2]};
            for (std::size_t d = 0; d < 3; ++d) {
              const std::int64_t n = domain.extent(static_cast<int>(d));
              while (periodic[d] && cell[d] < domain.lower[d])
                cell[d] += n;
              while (periodic[d] && cell[d] >= domain.upper[d])
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

TEST(LocalExchange, FillsTheShell) {
  for (int p = 0; p < 8; ++p) {
    const std::array<bool, 3> periodic{(p & 1) != 0, (p & 2) != 0, (p & 4) != 0};
    check_shell(Box{{-1, 4, 2}, {8, 11, 7}}, {1, 1, 1}, periodic, 1);
    check_shell(Box{{-1, 4, 2}, {8, 11, 7}}, {3, 2, 2}, periodic, 2);
    // Ghost layers wider than blocks, and than the domain.
    check_shell(Box{{0, 0, 0}, {4, 4, 3}}, {4, 2, 1}, periodic, {3, 3, 1});
    check_shell(Box{{0, 0, 0}, {2, 1, 1}}, {2, 1, 1}, periodic, {3, 2, 0});
  }
}

TEST(LocalExchange, CopiesExactlyTheShiftedInterior) {
  // lbm.md, section 5: ranges are the interior shifted by the offset, never the whole ghost face.
  Field<double> field(BlockGrid(Box{{0, 0, 0}, {4, 4, 4}}, {1, 1, 1}, {true, true, true}), {.components = 2});
  field.fill(nan);
  field.fill(wave);
  const std::vector<SlotOffset> touches{{1, {1, -1, 0}}};
  const LocalExchange exchange(field, touches, ExchangePhase::before);
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
  EXPECT_EQ(exchange.bytes(), filled * 8);
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
std::vector<std::vector<double>> run_aa(const Box& domain, const std::array<int, 3>& blocks, int threads) {
  Field<double> field(BlockGrid(domain, blocks, {true, true, true}), {.components = 19});
  field.fill(wave);
  const LocalExchange before(field, lattice::aa_odd_reads(), ExchangePhase::before, "before");
  const LocalExchange after(field, lattice::aa_odd_writes(), ExchangePhase::after, "after");
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

  std::vector<std::vector<double>> result;
  for (int c = 0; c < 19; ++c) {
    std::vector<double>& values = result.emplace_back();
    for (std::int64_t z = domain.lower[2]; z < domain.upper[2]; ++z) {
      for (std::int64_t y = domain.lower[1]; y < domain.upper[1]; ++y) {
        for (std::int64_t x = domain.lower[0]; x < domain.upper[0]; ++x) {
          const int b = field.grid().owner({x, y, z});
          const Box& box = field.grid().block(b);
          values.push_back(field.view(b)(x - box.lower[0], y - box.lower[1], z - box.lower[2], c));
        }
      }
    }
  }
  return result;
}

TEST(LocalExchange, AaOnBlocksIsBitIdenticalToPullOnOne) {
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
    const std::vector<std::vector<double>> result = run_aa(domain, blocks, blocks[0]);
    for (std::size_t q = 0; q < 19; ++q) {
      for (std::size_t i = 0; i < arrived.size(); ++i) {
        // After an even number of steps the array holds arrived populations in their own slots.
        ASSERT_EQ(result[q][i], arrived[i][q]) << "slot " << q << " cell " << i << " blocks " << blocks[0];
      }
    }
  }
}

TEST(LocalExchange, RefusesWhatCannotBe) {
  Field<float> field(BlockGrid(Box{{0, 0, 0}, {4, 4, 4}}, {1, 1, 1}, {true, true, true}), {.components = 2});
  const auto make = [&](const std::vector<SlotOffset>& touches, ExchangePhase phase) {
    LocalExchange exchange(field, touches, phase);
  };
  EXPECT_THROW(make({{2, {1, 0, 0}}}, ExchangePhase::before), Error);
  EXPECT_THROW(make({{0, {2, 0, 0}}}, ExchangePhase::before), Error);
  EXPECT_NO_THROW(make({{0, {1, 0, 0}}, {0, {0, 1, 0}}, {0, {1, 1, 0}}}, ExchangePhase::before));
  try {
    make({{0, {1, 0, 0}}, {0, {1, 1, 0}}}, ExchangePhase::after);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("belong to one owner"), std::string::npos) << error.what();
  }
}

} // namespace
