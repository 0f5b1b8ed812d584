// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_OPTIONS_HPP
#define HEDDLE_AIR_QUALITY_OPTIONS_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "column.hpp"

namespace air_quality {

/// What the command line says.
struct Options {
  std::optional<std::int64_t> cells; ///< levels; default 1,000
  double hours = 24;
  double interval = 120; ///< s, of a call
  double rtol = 1e-3;
  double atol = 1e-15; ///< mol m-3
  std::string integrator = "rodas3";
  std::int64_t sample = 16; ///< cells of the converged run
  double every = 30;        ///< minutes from record to record
  bool fixed_sun = false;
  Longitude longitude = Longitude::same;
  bool emit = true;
  bool kick = false;
  std::filesystem::path concentrations;
  std::filesystem::path rates;
  std::filesystem::path column;
  std::filesystem::path out = "air_quality_output";
  std::optional<int> threads;
  bool gpu = false;
};

/// Reads the arguments. Nothing after --help, which it prints. Throws heddle::Error with the option and the
/// reason.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

} // namespace air_quality

#endif
