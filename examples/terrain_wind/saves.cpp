// SPDX-License-Identifier: Apache-2.0
#include "saves.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "checkpoint_folder.hpp"

namespace terrain_wind {
namespace {

constexpr const char* name = "wind";

constexpr double bytes_in_frame = 3 * sizeof(float) + 1; // per cell: velocity, and which are air
constexpr double bytes_in_checkpoint =
    (19 + 3) * sizeof(float);                   // per cell of air: populations, mean velocity
constexpr double masks_in_checkpoint = 2 / 8.0; // per cell: a bit for each of the two

double bytes_in(const std::filesystem::path& folder) {
  double bytes = 0;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none)) {
    const std::uintmax_t size = file.file_size(none);
    if (!none) bytes += static_cast<double>(size);
  }
  return bytes;
}

} // namespace

double bytes_of_results(const Options& options, const Domain& domain) {
  const auto cells = static_cast<double>(domain.fluid.size());
  const double frames = (options.frames + 1) * cells * bytes_in_frame;
  if (options.checkpoint_every == 0) return frames;
  const int at_once = heddle::CheckpointOptions().keep + 1;
  const double checkpoint =
      static_cast<double>(domain.fluid_cells()) * bytes_in_checkpoint + cells * masks_in_checkpoint;
  return frames + std::max(0.0, at_once * checkpoint - bytes_in(example::checkpoint_folder(options.out)));
}

heddle::OutputFolderOptions place_of_files(const Options& options, heddle::Transport& transport) {
  return example::place_of_files(options.out, name, options.checkpoint_every != 0, options.resume.has_value(),
                                 transport);
}

Saves::Saves(const Options& options, const Units& units, std::int64_t steps, Solver& solver,
             heddle::Transport& transport)
    : checkpoint_(example::checkpoint_folder(options.out), name, transport),
      every_(options.checkpoint_every) {
  solver.add_to(checkpoint_);
  checkpoint_.add("step", step_);
  checkpoint_.add("frame", frame_);
  checkpoint_.require("cell size", options.cell);
  checkpoint_.require("wind", options.wind);
  checkpoint_.require("reference", options.reference);
  checkpoint_.require("direction", options.direction);
  checkpoint_.require("roughness", options.roughness);
  checkpoint_.require("time step", units.step);
  checkpoint_.require("number of steps", static_cast<double>(steps));
  checkpoint_.require("number of frames", options.frames);
}

void Saves::read(std::int64_t wanted, std::int64_t& step, std::int64_t& frame) {
  if (wanted < 0) {
    checkpoint_.read();
  } else {
    checkpoint_.read(wanted);
  }
  step = step_;
  frame = frame_;
}

void Saves::update(std::int64_t step, std::int64_t frame) {
  if (every_ == 0 || step / every_ == step_ / every_) return;
  step_ = step;
  frame_ = frame;
  checkpoint_.write(step);
}

} // namespace terrain_wind
