// SPDX-License-Identifier: Apache-2.0
// Heat on a torus of eight blocks, on any number of ranks or GPUs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string_view>
#include <vector>

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/program/program.hpp"
#include "heddle/reduction/reduction.hpp"
#include "torus_sweeps.hpp"

namespace {

constexpr std::int64_t n = 48;
constexpr double alpha = 0.2, k = 2 * std::numbers::pi / n;
constexpr int pairs = 100; // of steps: there and back

double mode(std::int64_t x, std::int64_t y) {
  return std::sin(k * static_cast<double>(x)) * std::cos(k * static_cast<double>(y));
}

/// What one rank has: its blocks of two fields, the steps between them, and the exchanges before these.
struct Part {
  Part(const heddle::BlockGrid& grid, heddle::Transport& transport, heddle::Memory memory)
      : u(grid, {.memory = memory, .name = "u", .rank = transport.rank()}),
        v(grid, {.memory = memory, .name = "v", .rank = transport.rank()}), there(u, v, {.alpha = alpha}),
        back(v, u, {.alpha = alpha}), before_there(there.before(), transport),
        before_back(back.before(), transport) {
    u.fill([](auto x, auto y, auto, int) { return mode(x, y); });
  }

  heddle::Field<double> u, v;
  torus::Step<double> there, back;
  heddle::HaloExchange before_there, before_back;
};

int run(heddle::Ranks& ranks, heddle::Memory memory) {
  const heddle::BlockGrid grid({{0, 0, 0}, {n, n, 1}}, {4, 2, 1}, {true, true, false}, ranks.count());
  heddle::TaskGraph loop({.memory = memory});
  std::vector<std::unique_ptr<Part>> parts;
  ranks.each([&](heddle::Transport& transport) { // once, or for each GPU that this process computes
    parts.push_back(std::make_unique<Part>(grid, transport, memory));
    Part& part = *parts.back();
    loop.add(part.before_there);
    loop.add(part.there);
    loop.add(part.before_back);
    loop.add(part.back);
  });
  loop.run(pairs);

  // The mode is an eigenvector of the stencil.
  const double decay = std::pow(1 - 8 * alpha * std::pow(std::sin(k / 2), 2), 2 * pairs);
  double error = 0;
  std::vector<const heddle::Field<double>*> fields;
  for (const auto& part : parts) {
    fields.push_back(&part->u);
    for (int block = 0; block < part->u.blocks(); ++block) {
      const heddle::Box& box = part->u.box(block);
      const std::vector<double> values = part->u.read(block); // x fastest
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto cell = static_cast<std::int64_t>(i);
        const std::int64_t x = box.lower[0] + cell % box.extent(0), y = box.lower[1] + cell / box.extent(0);
        error = std::max(error, std::abs(values[i] - decay * mode(x, y)));
      }
    }
  }
  // Its sum is 0 but for rounding. A fixed tree over all cells adds it, so that even this rest is the same.
  const heddle::Reduction<double> sum(ranks.process_grid(grid), fields, heddle::ReductionKind::sum,
                                      ranks.processes());
  const double rest = sum.value();
  if (ranks.first()) std::printf("error %.0e, rest %a\n", error, rest);
  return error < 1e-13 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  const bool device = argc > 1 && std::string_view(argv[1]) == "gpu";
  const heddle::Memory memory = device ? heddle::Memory::device : heddle::Memory::host;
  return heddle::run(argc, argv, memory, [&](heddle::Ranks& ranks) { return run(ranks, memory); });
}
