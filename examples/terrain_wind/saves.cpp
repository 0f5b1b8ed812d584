// SPDX-License-Identifier: Apache-2.0
#include "saves.hpp"

#include <string>

#include "heddle/error.hpp"

namespace terrain_wind {
namespace {

constexpr std::array<const char*, 5> names{"wind", "reference", "roughness", "time step", "steps"};

} // namespace

Saves::Saves(const Options& options, const Units& units, std::int64_t steps, Solver& solver,
             heddle::Transport& transport)
    : checkpoint_(options.out / "checkpoint", "wind", transport), every_(options.checkpoint_every),
      run_{options.wind, options.reference, options.roughness, units.step, static_cast<double>(steps)} {
  solver.add_to(checkpoint_);
  checkpoint_.add("step", step_);
  checkpoint_.add("frame", frame_);
  for (std::size_t i = 0; i < run_.size(); ++i)
    checkpoint_.add(names[i], run_[i]);
  if (!options.resume && every_ > 0 && !checkpoint_.steps().empty()) {
    throw heddle::Error("folder '" + (options.out / "checkpoint").string() + "'",
                        "it has checkpoints of another run",
                        "go on from it with --resume last, choose another --out, or remove them");
  }
}

void Saves::read(std::int64_t wanted, std::int64_t& step, std::int64_t& frame) {
  const std::array<double, 5> ours = run_;
  if (wanted < 0) {
    checkpoint_.read();
  } else {
    checkpoint_.read(wanted);
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (run_[i] != ours[i])
      throw heddle::Error("--resume",
                          "the checkpoint has the " + std::string(names[i]) + " " + std::to_string(run_[i]) +
                              ", this run " + std::to_string(ours[i]),
                          "give the options of the run that wrote it");
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
