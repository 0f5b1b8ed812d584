// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <cmath>
#include <string>

#include "heddle/reduction.hpp"

namespace terrain_wind {
namespace {

/// On devices recorded where messages can be, so that a run is a launch a few steps; the end of one iteration
/// overlaps with the next.
heddle::TaskGraph make_graph(std::string name, heddle::Memory memory, bool recorded, int unroll = 1) {
  const bool device = memory == heddle::Memory::device;
  return heddle::TaskGraph(
      {.name = std::move(name), .memory = memory, .capture = device && recorded, .unroll = device ? unroll : 1});
}

} // namespace

Solver::Solver(const Domain& domain, const LogProfile& wind, const Units& units, heddle::Memory memory,
               heddle::Ranks& ranks)
    : ranks_(&ranks), grid_(heddle::BlockGrid::slabs({{0, 0, 0}, {domain.nx, domain.ny, domain.nz}},
                                                     {false, true, false}, ranks.count(), domain.fluid)),
      loop_(make_graph("two steps", memory, ranks.only_enqueue(), 2)),
      moments_graph_(make_graph("moments", memory, true)),
      // Not captured: the share of a sample changes from call to call.
      average_graph_({.name = "average", .memory = memory}) {
  ranks.each([&](heddle::Transport& transport) {
    parts_.push_back(std::make_unique<Part>(domain, wind, units, grid_, transport, memory));
    parts_.back()->add_steps(loop_);
    parts_.back()->add_moments(moments_graph_);
    parts_.back()->add_average(average_graph_);
  });
  highest_square_ = heddle::reduction_of_numbers(
      heddle::ReductionKind::max,
      [this] {
        double highest = 0;
        for (const auto& part : parts_)
          highest = higher(highest, part->highest_square());
        return highest;
      },
      ranks.parties());
}

void Solver::sample() {
  ++samples_;
  for (const auto& part : parts_)
    part->set_share(1.0 / static_cast<double>(samples_));
  average_graph_.run();
}

void Solver::add_to(heddle::Checkpoint& checkpoint) {
  for (const auto& part : parts_)
    part->add_to(checkpoint);
  checkpoint.add("samples", samples_);
}

double Solver::highest_speed() const {
  return std::sqrt(highest_square_());
}

std::int64_t Solver::cells_here() const {
  std::int64_t cells = 0;
  for (const auto& part : parts_)
    cells += part->list().count();
  return cells;
}

} // namespace terrain_wind
