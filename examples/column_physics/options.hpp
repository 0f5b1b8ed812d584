// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_OPTIONS_HPP
#define HEDDLE_COLUMN_PHYSICS_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace front {

enum class Scheme { kessler, wsm3, wsm5 };

/// What the command line says; lengths in metres, times in seconds.
struct Options {
  std::array<std::int64_t, 3> size{74, 61, 54}; ///< cells along x and y, levels
  double spacing = 3000;                        ///< of cells along x and y
  double top = 18000;                           ///< of the domain
  double time_step = 20;
  double hours = 3;
  std::optional<std::int64_t> steps; ///< instead of hours
  double ascent = 1.5;               ///< greatest upward speed at the front, m/s
  std::int64_t radiation_every = 30; ///< steps; 0: no radiation
  int radiation_lag = 1;
  Scheme scheme = Scheme::wsm3;
  std::optional<int> tracers;         ///< that are moved; none: those of the scheme
  std::filesystem::path sounding;     ///< empty: that of Weisman and Klemp
  std::filesystem::path input;        ///< with the air at the beginning; empty: that of the coarser domain
  std::int64_t checkpoint_every = 0;  ///< steps; 0: no checkpoints
  std::optional<std::int64_t> resume; ///< step of the checkpoint to go on from; negative: the newest
  std::filesystem::path out = "column_physics_output";
  std::filesystem::path trace;     ///< empty: none
  std::array<int, 2> blocks{0, 0}; ///< along x and y; 0: one per rank, along y
  std::optional<int> threads;
  int frames = 4;
  bool wind = true; ///< whether air moves through the domain
  bool picture = true;
  bool gpu = false;
  std::optional<bool> limits_at_once; ///< the limiter is one kernel; none: where it fills a GPU

  std::optional<bool> cells_apart; ///< WSM3 and WSM5 are three kernels; none: on a GPU

  [[nodiscard]] bool at_once() const { return limits_at_once.value_or(gpu && fills_a_gpu()); }
  /// Blocks of threads have 28 x 8 columns; two fit on each of some 132 multiprocessors.
  [[nodiscard]] bool fills_a_gpu() const { return size[0] * size[1] >= 60'000; }
  /// Three kernels know one substep alone.
  [[nodiscard]] bool one_substep() const { return time_step < 180; }
  [[nodiscard]] bool apart() const { return cells_apart.value_or(gpu && one_substep()); }

  [[nodiscard]] std::int64_t count_steps() const;
  /// Of the scheme: potential temperature and kinds of water. All: others are passive.
  [[nodiscard]] int scheme_tracers() const { return scheme == Scheme::wsm5 ? 6 : 4; }
  [[nodiscard]] int all_tracers() const { return tracers.value_or(scheme_tracers()); }
};

/// Reads the arguments of main; nothing after --help, which it prints. Throws heddle::Error with the option
/// and the reason.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

} // namespace front

#endif
