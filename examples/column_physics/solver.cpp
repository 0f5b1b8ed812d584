// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "check.hpp"
#include "heddle/reduction/reduction.hpp"

namespace front {
namespace {

heddle::BlockGrid make_grid(const Options& options, int ranks) {
  const auto [n_x, n_y, n_z] = options.size;
  std::array<int, 3> blocks{options.blocks[0], options.blocks[1], 1};
  if (blocks[0] == 0) blocks = {1, ranks, 1};
  const int least = least_block(options);
  for (const std::size_t axis : {0U, 1U})
    if (options.size[axis] / blocks[axis] < least)
      throw heddle::Error("--blocks",
                          std::to_string(blocks[axis]) + " blocks along an axis of " +
                              std::to_string(options.size[axis]) + " cells are too many",
                          "leave at least " + std::to_string(least) + " cells to each block");
  return heddle::BlockGrid({{0, 0, 0}, {n_x, n_y, n_z}}, blocks, {false, false, false}, ranks);
}

heddle::Memory memory_of(const Options& options) {
  return options.gpu ? heddle::Memory::device : heddle::Memory::host;
}

} // namespace

Solver::Solver(const Options& options, const Weather& weather, heddle::Ranks& ranks, heddle::Trace* trace)
    : options_(&options), ranks_(&ranks), grid_(make_grid(options, ranks.count())),
      loop_({.name = "step",
             .memory = memory_of(options),
             .capture = heddle::Capture::once,
             .unroll = options.gpu ? ratio : 1,
             .trace = trace}),
      checks_({.name = "check", .memory = memory_of(options)}) {
  ranks.each([&](heddle::Transport& transport) {
    parts_.push_back(std::make_unique<Part>(
        options, Place{grid_, transport.rank(), memory_of(options), options.spacing}, weather, transport));
    Part& part = *parts_.back();
    part.add_wind(look_);
    part.add_look(look_, [this, &part] {
      found_.negative += require_finite(part.air());
      found_.courant = std::max(found_.courant, require_courant(part.air(), *options_));
    });
    part.add_wind(loop_);
    part.add_boundary(loop_);
    part.add_advection(loop_);
    part.add_microphysics(loop_);
    radiation_.add(part.radiation());
  });
  if (options.radiation_every > 0)
    loop_.add(radiation_, {.every = options.radiation_every, .lag = options.radiation_lag});
  for (const auto& part : parts_)
    part->add_end(loop_);
  look_.add_to(checks_);
}

void Solver::set_clocks(std::int64_t steps) {
  if (clock_at_ == steps) return;
  for (const auto& part : parts_)
    part->clock().set(steps);
  clock_at_ = steps;
}

void Solver::step(std::int64_t number, std::int64_t count) {
  set_clocks(number);
  loop_.run(count);
  clock_at_ += count;
}

Solver::Found Solver::check(std::int64_t number) {
  set_clocks(number);
  found_ = {};
  clock_at_ = -1; // not known if a check throws: the clock ticks in this graph, too
  checks_.run(1);
  clock_at_ = number + 1;
  return found_;
}

void Solver::add_to(heddle::Checkpoint& checkpoint) {
  for (const auto& part : parts_)
    part->add_to(checkpoint);
  checkpoint.add(loop_);
}

std::vector<float> Solver::tracer(int number) const {
  return gather(
      [number](const Air& air) -> const heddle::Field<float>& {
        return air.group(static_cast<std::size_t>(number / tracers)).q;
      },
      number % tracers);
}

std::vector<float> Solver::gather(const std::function<const heddle::Field<float>&(const Air&)>& field,
                                  int component, bool plane) const {
  const heddle::BlockGrid all = process_grid();
  heddle::Box domain = all.domain();
  if (plane) domain.upper[2] = 1;
  const heddle::BlockGrid grid(domain, all.blocks(), all.periodic(), all.ranks());
  std::vector<std::vector<float>> values; // of each block that is here
  for (const auto& part : parts_) {
    const heddle::Field<float>& one = field(part->air());
    for (int b = 0; b < one.blocks(); ++b)
      values.push_back(one.read(b, component));
  }
  const int first = grid.first_block(ranks_->processes().rank());
  return heddle::gather_cells<float>(
      grid,
      [&](int block, std::int64_t y, std::int64_t z, std::span<float> row) {
        const heddle::Box& box = grid.block(block);
        const auto& from = values[static_cast<std::size_t>(block - first)];
        const std::int64_t at = box.extent(0) * (y - box.lower[1] + box.extent(1) * (z - box.lower[2]));
        std::copy_n(from.begin() + at, row.size(), row.begin());
      },
      ranks_->processes());
}

std::string shares(const heddle::Trace& trace) {
  struct Share {
    const char* name;
    double seconds = 0;
  };
  std::array<Share, 6> parts{
      {{"advection"}, {"microphysics"}, {"radiation"}, {"wind"}, {"boundary"}, {"exchange"}}};
  const auto part_of = [&](const std::string& task) -> Share& {
    const auto has = [&](const char* word) { return task.find(word) != std::string::npos; };
    if (has("before")) return parts[5];
    if (has("kessler") || has("wsm")) return parts[1];
    if (has("radiation")) return parts[2];
    if (has("wind")) return parts[3];
    if (has("boundary")) return parts[4];
    return parts[0];
  };
  double all = 0, beside = 0;
  for (const heddle::Trace::Span& span : trace.spans()) {
    const double seconds = span.end - span.begin;
    if (span.row.find("background") != std::string::npos) {
      beside += seconds;
      continue;
    }
    part_of(span.name).seconds += seconds;
    all += seconds;
  }
  std::string text;
  for (const Share& part : parts) {
    if (part.seconds < 1e-3 * all) continue;
    char words[64];
    std::snprintf(words, sizeof words, "%s%s %.0f %%", text.empty() ? "" : ", ", part.name,
                  100 * part.seconds / all);
    text += words;
  }
  char words[96];
  std::snprintf(words, sizeof words, " of %.2f s; beside them, radiation %.2f s", all, beside);
  return text + words;
}

} // namespace front
