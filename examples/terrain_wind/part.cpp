// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <array>
#include <span>
#include <vector>

#include "heddle/grid/block_kinds.hpp"

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

/// What of the boundary lies in the list.
BoundaryList make_boundary(const BoundaryCells& found, const Domain& domain, const heddle::IndexList& list,
                           const LogProfile& wind, const Units& units) {
  std::vector<std::uint32_t> cells;
  std::vector<std::uint32_t> mask;
  std::vector<float> speed;
  for (std::size_t b = 0; b < found.cell.size(); ++b) {
    const std::int64_t i = found.cell[b] % domain.nx;
    const std::int64_t j = found.cell[b] / domain.nx % domain.ny;
    const std::int64_t k = found.cell[b] / domain.nx / domain.ny;
    if (!list.box().contains({i, j, k})) continue;
    cells.push_back(static_cast<std::uint32_t>(list.cell_of(i, j, k)));
    mask.push_back(found.directions[b]);
    speed.push_back(static_cast<float>(wind(domain.centre(k) - domain.base) / units.speed()));
  }
  const Memory memory = list.memory();
  return {heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(cells), memory),
          heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(mask), memory),
          heddle::Buffer<float>(std::span<const float>(speed), memory)};
}

} // namespace

Part::Part(const Domain& domain, const LogProfile& wind, const Units& units, const heddle::BlockGrid& grid,
           heddle::Transport& transport, Memory memory)
    : list_(grid, transport.rank(), heddle::flags_in_memory(domain.fluid, grid.domain(), grid.periodic()),
            wind::links, memory),
      f_(list_, 19, memory, "f"), rho_(list_, 1, memory, "rho"), u_(list_, 3, memory, "u"),
      mean_(list_, 3, memory, "mean"), even_(f_, list_.all(), {.omega = units.omega()}),
      odd_(f_, list_.all(), {.omega = units.omega()}), before_odd_(odd_.before(), transport),
      after_odd_(odd_.after(), transport), moments_(f_, rho_, u_, list_.all()),
      average_(mean_, u_, list_.all(), {.share = 1}) {
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
}

void Part::add_steps(heddle::TaskGraph& loop) {
  // The outflow comes first: it takes the velocity from the populations of its cells, and where outlet and
  // top meet the inflow changes some of them.
  loop.add(even_);
  loop.add(wind::OutflowAfterEven<float>(f_, u_, open_.cells, open_.mask));
  loop.add(wind::InflowAfterEven<float>(f_, inlet_.cells, inlet_.speed, inlet_.mask));
  loop.add(before_odd_);
  loop.add(odd_);
  loop.add(after_odd_);
  loop.add(wind::OutflowAfterOdd<float>(u_, f_, open_.cells, open_.mask));
  loop.add(wind::InflowAfterOdd<float>(f_, inlet_.cells, inlet_.speed, inlet_.mask));
}

double Part::highest_square() const {
  double highest = 0;
  u_.inspect([&](heddle::SparseView<const float> u) {
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      highest =
          higher(highest, static_cast<double>(u(n, 0) * u(n, 0) + u(n, 1) * u(n, 1) + u(n, 2) * u(n, 2)));
    }
  });
  return highest;
}

void Part::add_to(heddle::Checkpoint& checkpoint) {
  checkpoint.add(f_);
  checkpoint.add(mean_);
}

} // namespace terrain_wind
