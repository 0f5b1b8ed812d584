// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <array>
#include <span>
#include <vector>

#include "heddle/grid/block_kinds.hpp"
#include "heddle/sparse/boundary_links.hpp"

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

/// The links of the list to such an opening, with the wind there.
BoundaryList make_boundary(Opening opening, const Domain& domain, const heddle::IndexList& list,
                           const LogProfile& wind, const Units& units) {
  const heddle::BoundaryLinks links = heddle::links_to(
      list, velocities(), [&](const auto& cell) { return opening_at(domain, cell) == opening; });
  std::vector<float> speed;
  for (const std::uint32_t n : links.cells) {
    const double height = domain.centre(list.position(n)[2]) - domain.base;
    speed.push_back(static_cast<float>(wind(height) / units.speed()));
  }
  const Memory memory = list.memory();
  return {heddle::Buffer<std::uint32_t>(std::span(links.cells), memory),
          heddle::Buffer<std::uint32_t>(std::span(links.mask), memory),
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
  inlet_ = make_boundary(Opening::inlet, domain, list_, wind, units);
  open_ = make_boundary(Opening::open, domain, list_, wind, units);

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
