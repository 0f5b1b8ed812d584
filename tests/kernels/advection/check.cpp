// SPDX-License-Identifier: Apache-2.0
// The kernels of a limiter over blocks and ranks: with what they read of neighbouring blocks exchanged, the
// mass of columns among it, they give the bits of one block.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "../../support/noise.hpp"
#include "../lbm_common/exchanged_step.hpp"
#include "advection_sweeps.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::Field;
using heddle::Profile;

constexpr std::int64_t n_x = 13, n_y = 12, n_z = 7;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const heddle::Box domain{{0, 0, 0}, {n_x, n_y, n_z}};

std::int64_t number(std::int64_t x, std::int64_t y, std::int64_t z) {
  return x + n_x * (y + n_y * z);
}

/// The fields of one rank. Ghost cells are not a number until they are filled.
struct Air {
  Air(const heddle::BlockGrid& blocks, int rank)
      : grid(blocks), ru(grid, {.name = "ru", .rank = rank}), rv(grid, {.name = "rv", .rank = rank}),
        om(grid, {.name = "om", .rank = rank}), q(grid, {.ghost_layers = 3, .name = "q", .rank = rank}),
        q_old(grid, {.name = "q_old", .rank = rank}), keep(grid, {.name = "keep", .rank = rank}),
        q_next(grid, {.name = "q_next", .rank = rank}),
        excess(grid, {.components = 3, .name = "excess", .rank = rank}),
        mu(grid, {.name = "mu", .rank = rank, .same_along = 2}),
        mu_old(grid, {.name = "mu_old", .rank = rank, .same_along = 2}) {
    for (Field<double>* field : {&ru, &rv, &om, &q, &q_old, &keep, &q_next, &excess, &mu, &mu_old})
      field->fill(nan);
    for (Field<double>* flux : {&ru, &rv, &om}) {
      const double size = flux == &om ? 2e3 : 1e6;
      flux->fill([=](auto x, auto y, auto z, int) { return size * test::noise(3 * number(x, y, z)); });
    }
    for (Field<double>* tracer : {&q, &q_old})
      tracer->fill(
          [](auto x, auto y, auto z, int) { return std::max(0.0, test::noise(7 * number(x, y, z) + 1)); });
    mu.fill([](auto x, auto y, auto, int) { return 9e4 + 1e4 * test::noise(x + n_x * y); });
    mu_old.fill([](auto x, auto y, auto, int) { return 9e4 + 1e4 * test::noise(x + n_x * y + 500); });
  }

  static Profile<double> profile(double value) { return {domain, 2, 1, std::vector<double>(n_z + 2, value)}; }

  heddle::BlockGrid grid;
  Field<double> ru, rv, om, q, q_old, keep, q_next, excess, mu, mu_old;
  Profile<double> c1 = profile(1), c2 = profile(0), rdnw = profile(-n_z), half = profile(0.5);
  Profile<double> order_z{domain, 2, 1, std::vector<double>{0, 0, 2, 3, 3, 3, 3, 2, 0}};
};

/// q_next and keep of all cells, x fastest, after a limited stage. stored: in three kernels.
std::vector<double> stage(const std::array<int, 3>& blocks, int ranks, bool stored = false) {
  std::vector<double> found(static_cast<std::size_t>(2 * n_x * n_y * n_z), nan);
  std::mutex writing;
  const heddle::BlockGrid grid(domain, blocks, {true, true, false}, ranks);
  heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
    Air a(grid, transport.rank());
    const double dt = 20, rdx = 1e-3, rdy = 1.25e-3;
    test::ExchangedStep scale(advection::Scale<double>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q, a.q_old, a.keep,
                                                       a.c1, a.c2, a.rdnw, a.half, a.half, a.order_z,
                                                       {dt, rdx, rdy}),
                              transport);
    test::ExchangedStep limited(advection::LimitedStage<double>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q,
                                                                a.q_old, a.keep, a.q_next, a.c1, a.c2, a.rdnw,
                                                                a.half, a.half, a.order_z, {dt, rdx, rdy}),
                                transport);
    test::ExchangedStep excess(advection::Excess<double>(a.ru, a.rv, a.om, a.mu, a.q, a.q_old, a.excess, a.c1,
                                                         a.c2, a.rdnw, a.half, a.half, a.order_z,
                                                         {dt, rdx, rdy}),
                               transport);
    test::ExchangedStep scale_stored(advection::ScaleStored<double>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q_old,
                                                                    a.keep, a.excess, a.c1, a.c2, a.rdnw,
                                                                    a.order_z, {dt, rdx, rdy}),
                                     transport);
    test::ExchangedStep limited_stored(
        advection::LimitedStored<double>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q_old, a.keep, a.q_next,
                                         a.excess, a.c1, a.c2, a.rdnw, a.order_z, {dt, rdx, rdy}),
        transport);
    heddle::TaskGraph loop;
    if (stored) {
      excess.add_to(loop);
      scale_stored.add_to(loop);
      limited_stored.add_to(loop);
    } else {
      scale.add_to(loop);
      limited.add_to(loop);
    }
    loop.run(1);
    const std::lock_guard lock(writing);
    for (const Field<double>* field : {&a.q_next, &a.keep}) {
      for (int block = 0; block < field->blocks(); ++block) {
        const auto view = field->view(block);
        const auto& first = field->box(block).lower;
        for (std::int64_t z = 0; z < n_z; ++z)
          for (std::int64_t y = 0; y < view.extent(1); ++y)
            for (std::int64_t x = 0; x < view.extent(0); ++x)
              found[static_cast<std::size_t>(number(x + first[0], y + first[1], z) +
                                             (field == &a.keep ? n_x * n_y * n_z : 0))] = view(x, y, z);
      }
    }
  });
  return found;
}

TEST(LimitedAdvection, HasTheBitsOfOneBlock) {
  const std::vector<double> expected = stage({1, 1, 1}, 1);
  const auto shares = expected.begin() + n_x * n_y * n_z;
  EXPECT_TRUE(std::none_of(expected.begin(), expected.end(), [](double value) { return std::isnan(value); }));
  EXPECT_TRUE(std::any_of(shares, expected.end(), [](double share) { return share < 1; }));
  for (const auto& [blocks, ranks] :
       {std::pair{std::array{2, 2, 1}, 1}, {std::array{2, 2, 1}, 4}, {std::array{1, 2, 1}, 2}}) {
    for (const bool stored : {false, true})
      EXPECT_EQ(stage(blocks, ranks, stored), expected)
          << blocks[0] << " x " << blocks[1] << ", " << ranks << " ranks" << (stored ? ", stored" : "");
  }
}

} // namespace
