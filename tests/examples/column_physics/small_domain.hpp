// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_COLUMN_PHYSICS_SMALL_DOMAIN_HPP
#define HEDDLE_TESTS_COLUMN_PHYSICS_SMALL_DOMAIN_HPP

#include <vector>

#include "air.hpp"
#include "fields.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/transport/ranks.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "part.hpp"
#include "solver.hpp"
#include "weather.hpp"

namespace test {

inline front::Options small_options() {
  front::Options options;
  options.size = {26, 20, 11};
  options.ascent = 3;
  options.time_step = 15;
  options.radiation_every = 3;
  return options;
}

/// One rank with all of a small domain.
struct SmallDomain {
  explicit SmallDomain(const front::Options& options)
      : weather(options,
                front::make_levels(front::weisman_klemp(), static_cast<int>(options.size[2]), options.top)),
        grid({{0, 0, 0}, options.size}),
        part(options, {grid, 0, heddle::Memory::host, options.spacing}, weather, alone) {}

  [[nodiscard]] const front::Levels& levels() const { return weather.levels(); }

  front::Weather weather;
  heddle::BlockGrid grid;
  heddle::LocalTransport alone;
  front::Part part;
};

/// Values of some fields on the whole domain.
using Values = std::vector<std::vector<float>>;

/// What a run leaves: rain, heating, tracers.
inline Values result(const front::Solver& solver, int tracers = front::tracers) {
  Values all{solver.gather(&front::Air::rain_fallen, 0, true), solver.gather(&front::Air::heating)};
  for (int n = 0; n < tracers; ++n)
    all.push_back(solver.tracer(n));
  return all;
}

/// Air with clouds from the first step on.
inline front::Sounding moist_air() {
  front::Sounding air = front::weisman_klemp();
  for (double& vapour : air.vapour)
    vapour *= 1.25;
  return air;
}

/// A run of one rank.
struct Run {
  explicit Run(const front::Options& options, heddle::Trace* trace = nullptr,
               const front::Sounding& air = moist_air())
      : weather(options, front::make_levels(air, static_cast<int>(options.size[2]), options.top)),
        solver(options, weather, here, trace) {}

  heddle::LocalTransport alone;
  heddle::Ranks here{alone};
  front::Weather weather;
  front::Solver solver;
};

} // namespace test

#endif
