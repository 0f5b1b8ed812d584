// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_OPTIONS_HPP
#define HEDDLE_CLOUDS_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stepper.hpp"

namespace clouds {

/// What the command line says.
struct Options {
  std::string name = "bomex";                 // of the case
  std::array<std::int64_t, 3> cells{0, 0, 0}; // 0: those of the case
  std::optional<double> spacing;              // m, of cells along x and y: another size of the domain
  std::filesystem::path levels;               // file of heights; empty: equal levels, up to the case's lid
  std::optional<double> hours;
#ifdef CLOUDS_F64
  bool single = false; // precision
#else
  bool single = true;
#endif
  Scheme scheme = Scheme::fifth;
  RungeKutta runge_kutta = RungeKutta::wicker_skamarock;
  std::optional<RainScheme> rain; // in place of that of the case
  std::optional<double> threshold, droplets;
  std::optional<double> collisions;  // of droplets, m3 kg-2 s-1
  std::optional<double> evaporation; // share of the rate of rain
  std::vector<double> frame;         // along x, or x and y, m/s; empty: that of the case
  bool sinks_by_means = false;       // in place of sinking in each cell
  std::optional<double> cooling_top; // m: where the cooling that bomex is given ends
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> seeds; // so many runs, from `seed` on
  std::optional<double> longwave;     // min between calls of longwave radiation
  std::optional<int> lag;             // of these: 0 or 1
  double sample_every = 30;           // s
  double checkpoint_every = 0;        // s of simulated time; 0: no checkpoints
  double fields_every = 0;            // likewise between files of fields; 0: none
  bool resume = false;
  std::filesystem::path refine; // results or checkpoint of a coarser run; empty: none
  bool refine_levels = false;   // that run has half as many levels, too
  std::filesystem::path trace;  // empty: none
  std::filesystem::path out = "clouds_output";
  bool gpu = false;       // where the kernels run
  bool same_bits = false; // as on a CPU
  std::optional<int> threads;
  bool picture = true;
};

/// Reads the arguments of main; nothing after --help, which it prints. Throws heddle::Error with the option
/// and the reason.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

} // namespace clouds

#endif
