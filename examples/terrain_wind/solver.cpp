// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <cmath>
#include <string>

#include "heddle/reduction/reduction.hpp"

namespace terrain_wind {

Solver::Solver(const Domain& domain, const LogProfile& wind, const Units& units, heddle::Memory memory,
               heddle::Ranks& ranks)
    : ranks_(&ranks), grid_(heddle::BlockGrid::slabs({{0, 0, 0}, {domain.nx, domain.ny, domain.nz}},
                                                     {false, true, false}, ranks.count(), domain.fluid)),
      loop_({.name = "two steps", .memory = memory, .capture = heddle::Capture::once}),
      moments_graph_({.name = "moments", .memory = memory}),
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
      ranks.processes());
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

heddle::ListReport Solver::lists() const {
  heddle::ListReport all;
  for (const auto& part : parts_)
    all += part->list().report();
  return all;
}

std::int64_t Solver::cells_here() const {
  std::int64_t cells = 0;
  for (const auto& part : parts_)
    cells += part->list().count();
  return cells;
}

} // namespace terrain_wind
