// SPDX-License-Identifier: Apache-2.0
// A standing wave on blocks, alone or on any number of ranks: the program of generator/docs/embedding.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/program/program.hpp"
#include "wave_sweeps.hpp"

namespace {

int run(heddle::Transport& transport) {
  constexpr std::int64_t n = 96;
  const heddle::BlockGrid grid({{0, 0, 0}, {n, n, 1}}, {2, 2, 1}, {true, true, false}, transport.ranks());
  heddle::Field<double> u(grid, {.name = "u", .rank = transport.rank()});
  heddle::Field<double> v(grid, {.name = "v", .rank = transport.rank()});

  // The discrete mode oscillates with an angle per step that is known exactly.
  const double courant = 0.3, k = 2 * std::numbers::pi * 3 / n;
  const double angle = std::acos(1 - 4 * courant * std::pow(std::sin(k / 2), 2));
  const auto mode = [&](std::int64_t x, std::int64_t y) {
    return std::sin(k * static_cast<double>(x)) * std::sin(k * static_cast<double>(y));
  };
  u.fill([&](auto x, auto y, auto, int) { return std::cos(angle) * mode(x, y); }); // time level 1
  v.fill([&](auto x, auto y, auto, int) { return mode(x, y); });                   // time level 0

  const wave::StepParameters parameters{.courant = courant};
  wave::Step<double> to_v(u, v, parameters), to_u(v, u, parameters);
  heddle::HaloExchange ghosts_of_u(to_v.before(), transport), ghosts_of_v(to_u.before(), transport);
  heddle::TaskGraph loop;
  loop.add(ghosts_of_u);
  loop.add(to_v);
  loop.add(ghosts_of_v);
  loop.add(to_u);
  loop.run(200); // u: time level 401

  double error = 0;
  for (int block = 0; block < u.blocks(); ++block) {
    const auto view = u.view(block);
    for (std::int64_t y = 0; y < view.extent(1); ++y)
      for (std::int64_t x = 0; x < view.extent(0); ++x) {
        const auto [x_begin, y_begin, z_begin] = u.box(block).lower;
        const double exact = std::cos(401 * angle) * mode(x + x_begin, y + y_begin);
        error = std::max(error, std::abs(view(x, y, 0, 0) - exact));
      }
  }
  std::printf("rank %d of %d: largest error %.1e\n", transport.rank(), transport.ranks(), error);
  return error < 1e-11 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return heddle::run(argc, argv, heddle::Memory::host, run);
}
