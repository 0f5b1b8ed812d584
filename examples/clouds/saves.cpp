// SPDX-License-Identifier: Apache-2.0
#include "saves.hpp"

#include <algorithm>
#include <cmath>

#include "checkpoint_folder.hpp"
#include "heddle/core/error.hpp"
#include "output.hpp"

namespace clouds {
namespace {

constexpr const char* checkpoint_name = "clouds";

/// The options that say how a case is computed.
std::vector<std::pair<std::string, double>> how_computed(const Options& options) {
  return {{"advection scheme", static_cast<double>(options.scheme)},
          {"Runge-Kutta stages", static_cast<double>(options.runge_kutta)},
          {"minutes between longwave radiation", options.longwave.value_or(0)},
          {"seconds between statistics", options.sample_every},
          {"seed", static_cast<double>(options.seed)}};
}

} // namespace

double bytes_of_results(const Options& options, const Case& what, const std::array<std::int64_t, 3>& cells) {
  const double samples = options.hours.value_or(what.hours) * 3600 / options.sample_every + 2;
  const double profiles =
      samples * static_cast<double>((cells[2] + 1) * (std::int64_t{centre::count} + face::count)) * 8;
  if (options.checkpoint_every == 0) return 2 * profiles;
  const int at_once = heddle::CheckpointOptions().keep + 1;
  return (2 + at_once) * profiles + at_once * (what.rain == RainScheme::none ? 5.0 : 7.0) *
                                        static_cast<double>(cells[0] * cells[1] * cells[2]) * 8;
}

heddle::OutputFolderOptions place_of_files(const Options& options, heddle::Transport& transport) {
  return example::place_of_files(options.out, checkpoint_name, options.checkpoint_every != 0, options.resume,
                                 transport);
}

template <class T>
Saves<T>::Saves(const Options& options, const Case& what, const BaseState& base, Stepper<T>& stepper,
                RunState& progress, heddle::Transport& transport)
    : base_(&base), stepper_(&stepper), progress_(&progress), first_rank_(transport.rank() == 0),
      folder_(example::checkpoint_folder(options.out)), checkpoint_(folder_, checkpoint_name, transport),
      every_(options.checkpoint_every) {
  add(what, base);
  for (const auto& [name, value] : how_computed(options))
    checkpoint_.require(name, value);
}

template <class T>
Saves<T>::Saves(const Options& options, const Case& what, const BaseState& base,
                const std::filesystem::path& folder, Stepper<T>& stepper, RunState& progress,
                heddle::Transport& transport)
    : base_(&base), stepper_(&stepper), progress_(&progress), first_rank_(transport.rank() == 0),
      folder_(folder), checkpoint_(folder, checkpoint_name, transport), every_(options.checkpoint_every) {
  add(what, base);
  differ_ = how_computed(options);
  for (auto& [name, value] : differ_)
    checkpoint_.add(name, value);
}

template <class T> void Saves<T>::add(const Case& what, const BaseState& base) {
  stepper_->add_to(checkpoint_);
  checkpoint_.add("time", progress_->time);
  checkpoint_.add("last step", progress_->last_step);
  checkpoint_.add("steps", progress_->steps);
  checkpoint_.add("time of longwave radiation", progress_->radiated);
  checkpoint_.add("time of files of fields", progress_->filed);
  checkpoint_.add("files of fields", progress_->files);
  const auto number = std::ranges::find(case_names(), what.name) - case_names().begin();
  checkpoint_.require("number of the case", static_cast<double>(number));
  checkpoint_.require("width of the domain", what.size[0]);
  double levels = 0; // of their heights: a number that other levels do not have
  for (const double face : base.face)
    levels += face * face;
  checkpoint_.require("sum of the squares of heights", levels);
  checkpoint_.require("frame along x", what.u_frame);
  checkpoint_.require("subsidence on means", what.sinks_by_means ? 1 : 0);
  checkpoint_.require("frame along y", what.v_frame);
  checkpoint_.require("heating at 2500 m", what.heating.at(2500));
  checkpoint_.require("collisions of droplets", what.collisions);
  checkpoint_.require("share of evaporation", what.evaporation);
  checkpoint_.require("rain scheme", static_cast<double>(what.rain));
  checkpoint_.require("rain threshold", what.rain_threshold);
  checkpoint_.require("droplets", what.droplets);
  checkpoint_.require("longwave radiation with a lag", what.longwave ? 1 + *what.longwave : 0);
}

template <class T> std::filesystem::path Saves<T>::samples_of(std::int64_t step) const {
  return folder_ / ("samples_" + std::to_string(step));
}

template <class T> History Saves<T>::read() {
  checkpoint_.read();
  stepper_->restored();
  written_ = progress_->time;
  return first_rank_ ? read_history(samples_of(progress_->steps), *base_) : History();
}

template <class T> void Saves<T>::read_state(std::optional<std::int64_t> step) {
  if (checkpoint_.steps().empty())
    throw heddle::Error("--refine", "there is no checkpoint in '" + folder_.string() + "'",
                        "give the --out of a run that used --checkpoint-every");
  if (step)
    checkpoint_.read(*step);
  else
    checkpoint_.read();
  stepper_->restored();
}

template <class T> void Saves<T>::update(const History& history) {
  if (every_ == 0 || std::floor(progress_->time / every_) == std::floor(written_ / every_)) return;
  written_ = progress_->time;
  stepper_->settle();
  if (first_rank_) {
    std::filesystem::create_directories(folder_);
    save_history(history, samples_of(progress_->steps));
  }
  checkpoint_.write(progress_->steps);
  if (!first_rank_) return;
  const std::vector<std::int64_t> kept = checkpoint_.steps();
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) { // those of removed checkpoints
    const std::string file = entry.path().filename().string();
    const bool needed = std::ranges::any_of(
        kept, [&](std::int64_t step) { return file == samples_of(step).filename().string(); });
    if (file.starts_with("samples_") && !needed) std::filesystem::remove(entry.path());
  }
}

#ifdef CLOUDS_F64
template class Saves<double>;
#endif
#ifdef CLOUDS_F32
template class Saves<float>;
#endif

} // namespace clouds
