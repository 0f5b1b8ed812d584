// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/program/program.hpp"
#include "heddle/reduction/reduction.hpp"
#include "torus_sweeps.hpp"

namespace {

/// The sum after twenty steps on so many blocks.
double rest(heddle::Transport& transport, int ranks, std::array<int, 3> blocks, bool exchange_back,
            heddle::Overlap overlap) {
  const heddle::BlockGrid grid({{0, 0, 0}, {45, 45, 1}}, blocks, {true, true, false}, ranks);
  heddle::Field<double> u(grid, {.rank = transport.rank()}), v(grid, {.rank = transport.rank()});
  u.fill([](auto x, auto y, auto, int) {
    return std::sin(static_cast<double>(x)) * std::cos(static_cast<double>(y * y));
  });
  torus::Step<double> there(u, v, {.alpha = 0.2}), back(v, u, {.alpha = 0.2});
  heddle::HaloExchange before_there(there.before(), transport), before_back(back.before(), transport);
  heddle::TaskGraph loop({.overlap = overlap});
  loop.add(before_there);
  loop.add(there);
  if (exchange_back) loop.add(before_back);
  loop.add(back);
  loop.run(10);
  return heddle::Reduction<double>(u, heddle::ReductionKind::sum, transport).value();
}

int run(heddle::Transport& transport) {
  const int count = transport.ranks();

  // 1. Before the first step: the graph knows what each task reads and writes.
  std::string message;
  try {
    (void)rest(transport, count, {3, 1, 1}, false, heddle::Overlap::off);
  } catch (const heddle::Error& error) {
    message = error.what();
  }
  if (transport.rank() == 0) std::printf("%s\n", message.c_str());
  if (message.find("exchange") == std::string::npos) return 1;

  // 2. and 3. Neither how the steps are ordered nor where the domain is cut changes a bit.
  const double expected = rest(transport, count, {3, 1, 1}, true, heddle::Overlap::off);
  const double overlapped = rest(transport, count, {3, 1, 1}, true, heddle::Overlap::automatic);
  const double cut = rest(transport, count, {3, 5, 1}, true, heddle::Overlap::off);
  return expected == overlapped && expected == cut ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return heddle::run(argc, argv, heddle::Memory::host, run);
}
