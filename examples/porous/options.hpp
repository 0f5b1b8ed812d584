// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_OPTIONS_HPP
#define HEDDLE_POROUS_OPTIONS_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "flow.hpp"
#include "voxels.hpp"

namespace porous {

/// What the command line says; the values here are the defaults.
struct Options {
  std::filesystem::path image; ///< empty: a packing of spheres
  ImageOptions reading;
  std::int64_t layers = 4; ///< open ones before and behind an image

  bool cubic = false; ///< one sphere instead of many
  std::int64_t edge = 100;
  double diameter = 20;
  double porosity = 0.4;
  unsigned seed = 1;

  Drive drive;
  double tolerance = 1e-5;
  std::int64_t steps = 100'000; ///< at most
  double voxel_size = 0;        ///< metres; 0: unknown
  bool doubles = false;

  bool compare = false;
  bool gpu = false;
  int threads = 0;
  std::filesystem::path out = "porous_output";
};

/// Nothing after --help, which it prints. Throws heddle::Error with the option and the reason.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

} // namespace porous

#endif
