// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_COLUMN_PHYSICS_SMALL_DOMAIN_HPP
#define HEDDLE_TESTS_COLUMN_PHYSICS_SMALL_DOMAIN_HPP

#include "air.hpp"
#include "fields.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "part.hpp"
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

} // namespace test

#endif
