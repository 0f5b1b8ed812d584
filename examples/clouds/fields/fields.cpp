// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <array>
#include <cmath>
#include <string>

#include "constants.hpp"

namespace clouds {
namespace {

constexpr const char* series_name = "fields";

std::string about(const Options& options, const Case& what, const std::array<std::int64_t, 3>& cells) {
  std::string text = "clouds " + what.name;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += (axis == 0 ? ", " : " x ") + std::to_string(cells[axis]);
  return text + " cells, seed " + std::to_string(options.seed) +
         "; times s, lengths m, wind m/s, theta_l K, q, q_c and rain kg/kg";
}

} // namespace

Fields::Fields(const Options& options, const Case& what, const std::array<std::int64_t, 3>& cells,
               RunState& progress, heddle::OutputFolder& results, heddle::Transport& transport)
    : what_(&what), every_(options.fields_every), progress_(&progress) {
  if (every_ == 0) return;
  const std::string text = about(options, what, cells);
  const bool continued = progress.files > 0 && results.keep_series(series_name, progress.files, text);
  if (transport.rank() != 0) return;
  heddle::OutputOptions place{.about = text, .resume = continued};
  for (std::size_t axis = 0; axis < 3; ++axis)
    place.spacing[axis] = what.size[axis] / static_cast<double>(cells[axis]);
  output_ = std::make_unique<heddle::Output>(results.unfinished(), series_name,
                                             heddle::BlockGrid({{0, 0, 0}, cells}, {1, 1, 1}), place);
  add_arrays(what.rain != RainScheme::none);
}

void Fields::add_arrays(bool rains) {
  const auto at = [this](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>(x + air_->cells[0] * (y + air_->cells[1] * z));
  };
  output_->add<float>("wind", 3, [this, at](int, std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    const auto [nx, ny, nz] = air_->cells;
    const std::size_t here = at(x, y, z);
    if (c == 0) return (air_->u[here] + air_->u[at((x + 1) % nx, y, z)]) / 2 + what_->u_frame;
    if (c == 1) return (air_->v[here] + air_->v[at(x, (y + 1) % ny, z)]) / 2 + what_->v_frame;
    return (air_->w[here] + (z + 1 < nz ? air_->w[at(x, y, z + 1)] : 0.0)) / 2;
  });
  const auto add = [&](const char* name, std::vector<double> Snapshot::* values, double more) {
    output_->add<float>(name, 1,
                        [this, at, values, more](int, std::int64_t x, std::int64_t y, std::int64_t z, int) {
                          return (air_->*values)[at(x, y, z)] + more;
                        });
  };
  add("theta_l", &Snapshot::th, offset);
  add("q", &Snapshot::q, 0);
  add("q_c", &Snapshot::cloud, 0);
  if (rains) add("rain", &Snapshot::rain, 0);
}

bool Fields::due(double time) const {
  if (every_ == 0) return false;
  const auto periods = [this](double of) { return std::floor(of / every_ + 1e-9); }; // against roundings
  return progress_->filed < 0 || periods(time) != periods(progress_->filed);
}

void Fields::update(const Snapshot& air) {
  if (output_) {
    air_ = &air;
    output_->write(progress_->files, air.time);
    air_ = nullptr;
  }
  progress_->filed = air.time;
  ++progress_->files;
}

double bytes_of_fields(const Options& options, const Case& what, const std::array<std::int64_t, 3>& cells) {
  if (options.fields_every == 0) return 0;
  const double times = std::floor(3600 * options.hours.value_or(what.hours) / options.fields_every) + 1;
  const double values = what.rain == RainScheme::none ? 6 : 7;
  return times * values * sizeof(float) * static_cast<double>(cells[0] * cells[1] * cells[2]);
}

} // namespace clouds
