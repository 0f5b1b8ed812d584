// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_SAVES_HPP
#define HEDDLE_COLUMN_PHYSICS_SAVES_HPP

#include <cstdint>

#include "heddle/io/checkpoint.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "solver.hpp"

namespace front {

/// Where files lie until the run is over. Throws heddle::Error where --out has the checkpoints of another
/// run, or none to go on from. All ranks.
[[nodiscard]] heddle::OutputFolderOptions place_of_files(const Options& options,
                                                         heddle::Transport& transport);
/// Bytes that a run writes below --out at most.
[[nodiscard]] double bytes_of_results(const Options& options);

/// The checkpoints of a run, and what must be the same in the run that goes on from one (on any ranks). They
/// are written between steps of the coarser domain, when no tendency is under way.
class Saves {
public:
  Saves(const Options& options, Solver& solver, heddle::Transport& transport);

  /// Reads the checkpoint that the options name. Returns the number of steps that were done until then.
  /// Throws heddle::Error where it belongs to a run with other options.
  [[nodiscard]] std::int64_t read(std::int64_t wanted);
  /// The first number of steps above this one after which one is written.
  [[nodiscard]] std::int64_t next(std::int64_t step) const;
  /// Writes one when it is time for it. step: the number of steps that are done.
  void update(std::int64_t step);

private:
  heddle::Checkpoint checkpoint_;
  std::int64_t every_;
  std::int64_t step_ = 0; // of the last checkpoint
};

} // namespace front

#endif
