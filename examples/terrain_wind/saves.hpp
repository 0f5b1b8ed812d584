// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SAVES_HPP
#define HEDDLE_SAVES_HPP

#include <cstdint>

#include "domain.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "solver.hpp"
#include "units.hpp"

namespace terrain_wind {

/// Where files lie until the run is over: those of a run with checkpoints outlast its loss. Throws
/// heddle::Error where --out has the checkpoints of another run, or none to go on from. All ranks.
[[nodiscard]] heddle::OutputFolderOptions place_of_files(const Options& options,
                                                         heddle::Transport& transport);

/// Bytes that a run writes below --out at most, while all of it is there: the frames and the mean wind, and
/// with checkpoints those that are kept and the one that is being written, less those of the run before.
[[nodiscard]] double bytes_of_results(const Options& options, const Domain& domain);

/// The checkpoints of a run, and what must be the same in the run that goes on from one (on any ranks).
class Saves {
public:
  Saves(const Options& options, const Units& units, std::int64_t steps, Solver& solver,
        heddle::Transport& transport);

  /// Reads a checkpoint, the newest one where `wanted` is negative: the step and the number of frames that
  /// were written until then. Throws heddle::Error where it belongs to a run with other options.
  void read(std::int64_t wanted, std::int64_t& step, std::int64_t& frame);
  /// Writes one when it is time for it.
  void update(std::int64_t step, std::int64_t frame);

private:
  heddle::Checkpoint checkpoint_;
  std::int64_t every_;
  std::int64_t step_ = 0; // of the last checkpoint
  std::int64_t frame_ = 0;
};

} // namespace terrain_wind

#endif
