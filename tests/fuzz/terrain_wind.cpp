// SPDX-License-Identifier: Apache-2.0
// What terrain_wind reads: a command line, and the domain of an elevation model.
#include <cstdint>

#include "domain.hpp"
#include "options.hpp"
#include "reader.hpp"
#include "units.hpp"

namespace {

const fuzz::Reader terrain("terrain", [](fuzz::Bytes bytes) {
  terrain_wind::Options options;
  options.input = fuzz::write("a.asc", bytes);
  options.whole = true;
  options.direction = 240;
  const terrain_wind::Domain domain = terrain_wind::make_domain(options);
  fuzz::require(domain.fluid.size() == static_cast<std::size_t>(domain.nx * domain.ny * domain.nz),
                "a domain has all its cells");
  std::int64_t open = 0;
  for (std::int64_t j = -1; j <= domain.ny; ++j)
    for (std::int64_t i = -1; i <= domain.nx; ++i)
      if (terrain_wind::opening_at(domain, {i, j, domain.nz}) == terrain_wind::Opening::open) ++open;
  fuzz::require(open > 0, "the top is open");
});

const fuzz::Reader command_line("terrain_options", [](fuzz::Bytes bytes) {
  const fuzz::CommandLine line("terrain_wind", bytes);
  const auto options = terrain_wind::parse_options(line.count(), line.arguments());
  if (!options) return; // --help
  const terrain_wind::LogProfile wind(options->wind, options->reference, options->roughness);
  const auto units = terrain_wind::choose_units(options->cell, wind(terrain_wind::boundary_layer),
                                                options->time_step.value_or(0));
  fuzz::require(units.step > 0, "a time step is positive");
});

} // namespace
