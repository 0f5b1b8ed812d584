// SPDX-License-Identifier: Apache-2.0
#include "saves.hpp"

#include <filesystem>

#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace front {
namespace {

constexpr const char* name = "front";

std::filesystem::path folder_of(const Options& options) {
  return options.out / "checkpoint";
}

} // namespace

double bytes_of_results(const Options& options) {
  const double columns = static_cast<double>(options.size[0] * options.size[1]);
  const double cells = columns * static_cast<double>(options.size[2]);
  const double frames = (options.frames + 1) * (6 * cells + 2 * columns) * sizeof(float);
  if (options.checkpoint_every == 0) return frames;
  const int at_once = heddle::CheckpointOptions().keep + 1;
  return frames + at_once * (tracers + 2 + 2) * cells * sizeof(float);
}

heddle::OutputFolderOptions place_of_files(const Options& options, heddle::Transport& transport) {
  if (!options.resume && options.checkpoint_every == 0) return {};
  const bool any = !heddle::Checkpoint(folder_of(options), name, transport).steps().empty();
  if (any && !options.resume)
    throw heddle::Error("folder '" + folder_of(options).string() + "'", "it has checkpoints of another run",
                        "continue from it with --resume last, choose another --out, or remove them");
  if (!any && options.resume)
    throw heddle::Error("--resume", "there is no checkpoint in '" + folder_of(options).string() + "'",
                        "give the --out of a run that used --checkpoint-every");
  return {.unfinished = "checkpoint/unfinished", .stays = true, .resume = options.resume.has_value()};
}

Saves::Saves(const Options& options, Solver& solver, heddle::Transport& transport)
    : checkpoint_(folder_of(options), name, transport), every_(options.checkpoint_every) {
  solver.add_to(checkpoint_);
  checkpoint_.add("step", step_);
  checkpoint_.require("spacing", options.spacing);
  checkpoint_.require("top", options.top);
  checkpoint_.require("time step", options.time_step);
  checkpoint_.require("microphysics", static_cast<double>(options.scheme));
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

void Saves::update(std::int64_t step) {
  if (every_ == 0 || step % ratio != 0 || step / every_ == step_ / every_) return;
  step_ = step;
  checkpoint_.write(step);
}

} // namespace front
