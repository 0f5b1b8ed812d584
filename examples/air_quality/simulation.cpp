// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "heddle/core/error.hpp"
#include "mechanism.hpp"

namespace air_quality {
namespace {

heddle::BlockGrid grid_of(std::int64_t cells, int ranks) {
  if (cells < ranks)
    throw heddle::Error("air_quality",
                        std::to_string(cells) + " cells are less than one for each of " +
                            std::to_string(ranks) + " ranks",
                        "start fewer ranks, or ask for more --cells");
  return heddle::BlockGrid(heddle::Box{{0, 0, 0}, {cells, 1, 1}}, {ranks, 1, 1}, {false, false, false},
                           ranks);
}

heddle::FieldOptions field(const char* name, std::size_t components, const heddle::Transport* transport,
                           heddle::Memory memory) {
  return {.components = static_cast<int>(components),
          .ghost_layers = 0,
          .memory = memory,
          .name = name,
          .rank = transport != nullptr ? transport->rank() : 0};
}

template <class T> std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T> std::vector<T> values_of(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

} // namespace

Simulation::Simulation(const Setting& setting, std::vector<std::int64_t> levels,
                       const std::string& integrator, const heddle::ChemistryOptions& options,
                       heddle::Transport* transport, heddle::Memory memory)
    : setting_(setting), levels_(std::move(levels)),
      grid_(
          grid_of(static_cast<std::int64_t>(levels_.size()), transport != nullptr ? transport->ranks() : 1)),
      concentration_(grid_, field("concentration", cb05().species.size(), transport, memory)),
      temperature_(grid_, field("temperature", 1, transport, memory)),
      pressure_(grid_, field("pressure", 1, transport, memory)),
      rates_(grid_, field("rates", cb05().inputs.size(), transport, memory)),
      chemistry_(memory == heddle::Memory::device
                     ? heddle::Chemistry(cb05(), device_integrator(integrator),
                                         {concentration_, temperature_, pressure_, &rates_}, options)
                     : heddle::Chemistry(cb05(), air_quality::integrator(integrator),
                                         {concentration_, temperature_, pressure_, &rates_}, options,
                                         transport)),
      graph_({.name = "air_quality", .memory = memory, .capture = false}), ranks_(transport, "air_quality") {
  const Column& column = setting_.column;
  const auto level = [this](std::int64_t z) { return levels_[static_cast<std::size_t>(z)]; };
  concentration_.fill([&](std::int64_t z, std::int64_t, std::int64_t, int s) {
    return setting_.fractions[static_cast<std::size_t>(s)] * column.air_density(level(z));
  });
  temperature_.fill([&](std::int64_t z, std::int64_t, std::int64_t, int) {
    return column.temperature[static_cast<std::size_t>(level(z))];
  });
  pressure_.fill([&](std::int64_t z, std::int64_t, std::int64_t, int) {
    return column.pressure[static_cast<std::size_t>(level(z))];
  });
  graph_.add(chemistry_);
}

/// Photolysis in the middle of the call.
void Simulation::set_rates() {
  const double middle = seconds() + chemistry_.options.interval / 2;
  const std::vector<std::string>& names = cb05().inputs;
  const std::vector<double>& usual = setting_.rates;
  const Column& column = setting_.column;
  const bool one_sun = setting_.longitude == Longitude::same;
  std::vector<int> emitted;
  std::vector<double> sun;
  for (const std::string& name : names) {
    emitted.push_back(emitted_species(name));
    sun.push_back(emitted.back() < 0 && one_sun ? setting_.sun.photolysis(name, middle) : 1);
  }
  const auto level = [this](std::int64_t z) { return levels_[static_cast<std::size_t>(z)]; };
  const auto emission = [&](std::size_t q, std::int64_t z) {
    return column.emission_rate(q, level(z), seconds(), usual[q]);
  };
  const bool as_rates = setting_.emit && !setting_.kick;
  rates_.fill([&](std::int64_t z, std::int64_t, std::int64_t, int input) {
    const auto q = static_cast<std::size_t>(input);
    if (emitted[q] >= 0) return as_rates ? emission(q, z) : 0;
    if (one_sun) return usual[q] * sun[q];
    const double ahead = seconds_ahead(setting_.longitude, level(z), column.levels());
    return usual[q] * setting_.sun.photolysis(names[q], middle + ahead);
  });
  if (!setting_.emit || !setting_.kick) return;
  for (std::size_t q = 0; q < names.size(); ++q) {
    if (emitted[q] < 0) continue;
    concentration_.edit(0, [&](heddle::FieldView<double> view) {
      for (std::int64_t z = 0; z < view.extent(0); ++z)
        view(z, 0, 0, emitted[q]) +=
            emission(q, z + concentration_.box(0).lower[0]) * chemistry_.options.interval;
    });
  }
}

void Simulation::advance() {
  set_rates();
  graph_.run();
  ++calls_;
  const heddle::ChemistryReport& report = chemistry_.report();
  work_.attempts += report.attempts;
  work_.lent += report.lent;
  work_.lowest = std::fmin(work_.lowest, report.lowest_concentration); // NaN: unknown
  work_.lanes.add(report.lanes);
  work_.warps.add(chemistry_.steps().read(), heddle::LaneUse::warp);
}

std::vector<double> Simulation::gather() {
  std::vector<double> mine; // species after species
  for (int s = 0; s < concentration_.components(); ++s) {
    const std::vector<double> one = concentration_.read(0, s);
    mine.insert(mine.end(), one.begin(), one.end());
  }
  const std::vector<std::string> all = ranks_.gather(bytes_of(mine));
  if (all.empty()) return {};
  const std::size_t cells = levels_.size();
  const std::size_t species = cb05().species.size();
  std::vector<double> result(cells * species);
  std::size_t first = 0;
  for (const std::string& bytes : all) {
    const std::vector<double> part = values_of<double>(bytes);
    const std::size_t here = part.size() / species;
    for (std::size_t s = 0; s < species; ++s)
      std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(s * here), here,
                  result.begin() + static_cast<std::ptrdiff_t>(s * cells + first));
    first += here;
  }
  return result;
}

Simulation::Work Simulation::work() {
  Work sum;
  for (const std::string& bytes : ranks_.gather(bytes_of(std::vector<Work>{work_}))) {
    const Work part = values_of<Work>(bytes).front();
    sum.attempts += part.attempts;
    sum.lent += part.lent;
    sum.lowest = std::min(sum.lowest, part.lowest);
    sum.lanes.add(part.lanes);
    sum.warps.add(part.warps);
  }
  return sum;
}

} // namespace air_quality
