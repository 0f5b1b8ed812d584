// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <cmath>
#include <span>

namespace terrain_wind {
namespace {

using heddle::Memory;

/// Directions of the lattice, from the links of the generated kernels: row q - 1 looks against direction q.
std::vector<std::array<int, 3>> velocities() {
  std::vector<std::array<int, 3>> all{{0, 0, 0}};
  for (const heddle::Link& link : wind::links)
    all.push_back({-link.offset[0], -link.offset[1], -link.offset[2]});
  return all;
}

heddle::IndexList make_list(const Domain& domain, Memory memory) {
  return {heddle::Box{{0, 0, 0}, {domain.nx, domain.ny, domain.nz}},
          domain.fluid,
          {false, true, false},
          wind::links,
          memory};
}

BoundaryList make_boundary(const BoundaryCells& found, const Domain& domain, const heddle::IndexList& list,
                           const LogProfile& wind, const Units& units) {
  std::vector<std::uint32_t> cells;
  std::vector<float> speed;
  for (const std::int64_t cell : found.cell) {
    const std::int64_t i = cell % domain.nx;
    const std::int64_t j = cell / domain.nx % domain.ny;
    const std::int64_t k = cell / domain.nx / domain.ny;
    cells.push_back(static_cast<std::uint32_t>(list.cell_of(i, j, k)));
    speed.push_back(static_cast<float>(wind(domain.centre(k) - domain.base) / units.speed()));
  }
  const Memory memory = list.memory();
  return {heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(cells), memory),
          heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(found.directions), memory),
          heddle::Buffer<float>(std::span<const float>(speed), memory)};
}

heddle::TaskGraph make_graph(std::string name, Memory memory) {
  return heddle::TaskGraph({.name = std::move(name), .memory = memory, .capture = memory == Memory::device});
}

} // namespace

Solver::Solver(const Domain& domain, const LogProfile& wind, const Units& units, Memory memory)
    : list_(make_list(domain, memory)), f_(list_, 19, memory, "f"), rho_(list_, 1, memory, "rho"),
      u_(list_, 3, memory, "u"), mean_(list_, 3, memory, "mean"),
      average_(mean_, u_, list_.all(), {.share = 1}), loop_(make_graph("two steps", memory)),
      moments_graph_(make_graph("moments", memory)),
      // Not captured: the share of a sample changes from call to call.
      average_graph_({.name = "average", .memory = memory}) {
  const Boundaries found = find_boundaries(domain, velocities());
  inlet_ = make_boundary(found.inlet, domain, list_, wind, units);
  open_ = make_boundary(found.open, domain, list_, wind, units);

  rho_.fill(1.0F);
  u_.fill([&](std::int64_t i, std::int64_t j, std::int64_t k, int c) {
    return first_guess(domain, wind, i, j, k)[static_cast<std::size_t>(c)] / units.speed();
  });
  heddle::TaskGraph start({.name = "start", .memory = memory});
  start.add(wind::Initialise<float>(rho_, u_, f_, list_.all()));
  start.run();

  const double omega = units.omega();
  // The outflow comes first: it takes the velocity from the populations of its cells, and where outlet and
  // top meet the inflow changes some of them.
  loop_.add(wind::StreamCollideEven<float>(f_, list_.all(), {.omega = omega}));
  loop_.add(wind::OutflowAfterEven<float>(f_, u_, open_.cells, open_.mask));
  loop_.add(wind::InflowAfterEven<float>(f_, inlet_.cells, inlet_.speed, inlet_.mask));
  loop_.add(wind::StreamCollideOdd<float>(f_, list_.all(), {.omega = omega}));
  loop_.add(wind::OutflowAfterOdd<float>(u_, f_, open_.cells, open_.mask));
  loop_.add(wind::InflowAfterOdd<float>(f_, inlet_.cells, inlet_.speed, inlet_.mask));
  moments_graph_.add(wind::MomentsEven<float>(f_, rho_, u_, list_.all()));
  average_graph_.add(average_);
}

void Solver::sample() {
  average_.parameters.share = 1.0 / static_cast<double>(++samples_);
  average_graph_.run();
}

void Solver::add_to(heddle::Checkpoint& checkpoint) {
  checkpoint.add(f_);
  checkpoint.add(mean_);
  checkpoint.add("samples", samples_);
}

double Solver::highest_speed() const {
  double highest = 0;
  u_.inspect([&](heddle::SparseView<const float> u) {
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      const double square = static_cast<double>(u(n, 0) * u(n, 0) + u(n, 1) * u(n, 1) + u(n, 2) * u(n, 2));
      if (!(square <= highest)) highest = square; // also takes a NaN, and then keeps it
    }
  });
  return std::sqrt(highest);
}

} // namespace terrain_wind
