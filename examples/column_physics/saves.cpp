// SPDX-License-Identifier: Apache-2.0
#include "saves.hpp"

#include <algorithm>
#include <limits>

#include "checkpoint_folder.hpp"
#include "constants.hpp"

namespace front {
namespace {

constexpr const char* name = "front";

} // namespace

double bytes_of_results(const Options& options) {
  const double columns = static_cast<double>(options.size[0] * options.size[1]);
  const double cells = columns * static_cast<double>(options.size[2]);
  const double frames =
      (options.frames + 1) * ((2 + options.all_tracers()) * cells + 2 * columns) * sizeof(float);
  if (options.checkpoint_every == 0) return frames;
  const int at_once = heddle::CheckpointOptions().keep + 1;
  return frames + at_once * (options.all_tracers() + tracers + 3) * cells * sizeof(float);
}

heddle::OutputFolderOptions place_of_files(const Options& options, heddle::Transport& transport) {
  return example::place_of_files(options.out, name, options.checkpoint_every != 0, options.resume.has_value(),
                                 transport);
}

Saves::Saves(const Options& options, Solver& solver, heddle::Transport& transport)
    : checkpoint_(example::checkpoint_folder(options.out), name, transport),
      every_(options.checkpoint_every) {
  solver.add_to(checkpoint_);
  checkpoint_.add("step", step_);
  checkpoint_.require("spacing", options.spacing);
  checkpoint_.require("top", options.top);
  checkpoint_.require("time step", options.time_step);
  checkpoint_.require("microphysics", static_cast<double>(options.scheme));
  checkpoint_.require("tracers", static_cast<double>(options.all_tracers()));
  checkpoint_.require("steps between calls of radiation", static_cast<double>(options.radiation_every));
  checkpoint_.require("lag of radiation", static_cast<double>(options.radiation_lag));
  checkpoint_.require("ascent", options.ascent);
}

std::int64_t Saves::read(std::int64_t wanted) {
  if (wanted < 0)
    checkpoint_.read();
  else
    checkpoint_.read(wanted);
  return step_;
}

std::int64_t Saves::next(std::int64_t step) const {
  if (every_ == 0) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t due = std::max((step_ / every_ + 1) * every_, step + 1);
  return (due + ratio - 1) / ratio * ratio;
}

void Saves::update(std::int64_t step) {
  if (every_ == 0 || step % ratio != 0 || step / every_ == step_ / every_) return;
  step_ = step;
  checkpoint_.write(step);
}

} // namespace front
