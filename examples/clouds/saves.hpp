// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_SAVES_HPP
#define HEDDLE_CLOUDS_SAVES_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/io/checkpoint.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "sample.hpp"
#include "stepper.hpp"

namespace clouds {

/// Where a run is.
struct RunState {
  double time = 0;      // s
  double last_step = 0; // s
  std::int64_t steps = 0;
  double radiated = -1;   // when longwave radiation was computed last, s; below 0: never
  double filed = -1;      // when files of fields were written last, likewise
  std::int64_t files = 0; // so many times
};

/// Where files lie until the run is over. Throws heddle::Error where --out has the checkpoints of another
/// run, or none to go on from. All ranks.
[[nodiscard]] heddle::OutputFolderOptions place_of_files(const Options& options,
                                                         heddle::Transport& transport);
/// Bytes that a run writes below --out at most.
[[nodiscard]] double bytes_of_results(const Options& options, const Case& what,
                                      const std::array<std::int64_t, 3>& cells);

/// The checkpoints of a run, with the samples until then. All ranks together.
template <class T> class Saves {
public:
  Saves(const Options& options, const Case& what, const BaseState& base, Stepper<T>& stepper,
        RunState& progress, heddle::Transport& transport);

  /// For a checkpoint in a folder of a run that may differ in the options that say how it is computed, not in
  /// the case.
  Saves(const Options& options, const Case& what, const BaseState& base, const std::filesystem::path& folder,
        Stepper<T>& stepper, RunState& progress, heddle::Transport& transport);

  /// Goes on from the newest checkpoint: sets the state and the progress, returns the samples (on rank 0).
  [[nodiscard]] History read();
  /// The state and the progress alone, of a step or of the newest checkpoint.
  void read_state(std::optional<std::int64_t> step);
  /// Writes one where it is time for it.
  void update(const History& history);

private:
  void add(const Case& what, const BaseState& base);
  [[nodiscard]] std::filesystem::path samples_of(std::int64_t step) const;

  const BaseState* base_;
  Stepper<T>* stepper_;
  RunState* progress_;
  bool first_rank_;
  std::filesystem::path folder_;
  heddle::Checkpoint checkpoint_;
  double every_;
  double written_ = 0;                                 // time of the last one
  std::vector<std::pair<std::string, double>> differ_; // options of the other run
};

} // namespace clouds

#endif
