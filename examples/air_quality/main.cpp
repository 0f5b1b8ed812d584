// SPDX-License-Identifier: Apache-2.0
// A day of chemistry in a column of polluted air. The kernel is generated from rodas3.py; see README.md.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "accuracy.hpp"
#include "column_file.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/progress.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/program/program.hpp"
#include "mechanism.hpp"
#include "netcdf_file.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "simulation.hpp"
#include "start.hpp"
#include "tables.hpp"

namespace air_quality {
namespace {

constexpr double converged_tolerance = 1e-8;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Setting make_setting(const Options& options) {
  Setting setting;
  setting.column = options.column.empty()                ? study_column(options.cells.value_or(1000))
                   : options.column.extension() == ".nc" ? read_column_file(options.column)
                                                         : read_column(options.column);
  setting.fractions = usual_mole_fractions();
  if (!options.concentrations.empty()) read_mole_fractions(options.concentrations, setting.fractions);
  setting.rates = options.rates.empty() ? usual_rates() : read_rates(options.rates);
  setting.sun = Sun(options.fixed_sun);
  setting.longitude = options.longitude;
  setting.emit = options.emit;
  setting.kick = options.kick;
  return setting;
}

/// What rank 0 knows of a run: it writes and compares.
struct Record {
  const Setting& setting;
  std::optional<NetcdfFile> file;
  History history;
  Accuracy accuracy;
  double seconds = 0; // that writing took

  void add(double time, const std::vector<double>& concentration) {
    const double begin = air_quality::seconds();
    const Column& column = setting.column;
    const auto levels = static_cast<std::size_t>(column.levels());
    const auto ppb = [&](const char* name, std::size_t z) {
      const auto s = static_cast<std::size_t>(cb05().species_number(name));
      return concentration[s * levels + z] / column.air_density(static_cast<std::int64_t>(z)) * 1e9;
    };
    history.hours.push_back(time / 3600);
    history.ozone.emplace_back();
    history.nitrogen_oxides.emplace_back();
    for (std::size_t z = 0; z < levels; ++z) {
      history.ozone.back().push_back(ppb("O3", z));
      history.nitrogen_oxides.back().push_back(ppb("NO", z) + ppb("NO2", z));
    }
    if (file) file->write(time, setting.sun.cosine(time), concentration);
    seconds += air_quality::seconds() - begin;
  }
};

void print_atoms(const std::vector<double>& before, const std::vector<double>& after) {
  const std::size_t cells = before.size() / cb05().species.size();
  std::printf("atoms     changed by");
  for (const Element& element : conserved_elements()) {
    double sums[2] = {0, 0};
    for (const auto& [name, number] : element.atoms)
      for (std::size_t z = 0; z < cells; ++z) {
        const std::size_t n = static_cast<std::size_t>(cb05().species_number(name)) * cells + z;
        sums[0] += number * before[n];
        sums[1] += number * after[n];
      }
    std::printf(" %s %.1e", element.name.c_str(), (sums[1] - sums[0]) / sums[0]);
  }
  std::printf(" of what there was\n");
}

void print_accuracy(const Accuracy& accuracy, const Options& options, std::size_t cells, double took) {
  std::printf(
      "accuracy  rms relative error %.2e of all species in %zu cells (%s, rtol %g, against rtol %g)\n",
      accuracy.rms(), cells, options.integrator.c_str(), options.rtol, converged_tolerance);
  std::printf("          largest: O3 %.1e, NO2 %.1e, OH %.1e; the converged run took %.1f s\n",
              accuracy.largest(cb05().species_number("O3")), accuracy.largest(cb05().species_number("NO2")),
              accuracy.largest(cb05().species_number("OH")), took);
}

/// Returns the exit status.
int run(const Options& options, heddle::Transport& transport) {
  const double begin = seconds();
  const heddle::Environment environment({.threads = options.threads.value_or(0)});
  const Setting setting = make_setting(options);
  const bool first = transport.rank() == 0;
  const std::int64_t cells = setting.column.levels();
  const auto calls = static_cast<std::int64_t>(std::ceil(options.hours * 3600 / options.interval - 1e-9));
  const auto between = std::max<std::int64_t>(1, std::llround(options.every * 60 / options.interval));
  const std::int64_t records = calls / between + 2;
  const double size = static_cast<double>(cells) * static_cast<double>(cb05().species.size()) *
                      static_cast<double>(records) * sizeof(float);

  std::vector<std::int64_t> all(static_cast<std::size_t>(cells));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  heddle::ChemistryOptions chemistry{.interval = options.interval,
                                     .relative_tolerance = options.rtol,
                                     .absolute_tolerance = options.atol,
                                     // copies cost less than a fifth of a call
                                     .sort_below = options.gpu ? 0.8 : 0.0};
  const heddle::Memory memory = options.gpu ? heddle::Memory::device : heddle::Memory::host;
  Simulation column(setting, all, options.integrator, chemistry, &transport, memory);
  std::optional<Simulation> sample;
  if (options.sample > 0) {
    chemistry.relative_tolerance = converged_tolerance;
    chemistry.absolute_tolerance = std::min(options.atol, 1e-20);
    sample.emplace(setting, sample_levels(cells, std::max<std::int64_t>(options.sample, transport.ranks())),
                   options.integrator, chemistry, &transport, memory);
  }
  heddle::OutputFolder results(options.out, size, transport);
  Record record{setting, {}, {}, {}};
  if (first) {
    std::printf("case      %lld cells, %lld calls of %g s, %zu species; %s, rtol %g, atol %g mol m-3\n",
                static_cast<long long>(cells), static_cast<long long>(calls), options.interval,
                cb05().species.size(), options.integrator.c_str(), options.rtol, options.atol);
    std::fputs(environment.describe().c_str(), stdout);
    if (NetcdfFile::available())
      record.file.emplace(results.unfinished() / "air_quality.nc", setting.column,
                          "air_quality, kernels generated by Heddle: Carbon Bond 2005, " +
                              options.integrator);
  }

  const std::vector<double> start = column.gather();
  if (first) record.add(0, start);
  double computing = 0;
  double converging = 0;
  {
    std::optional<heddle::Progress> progress;
    if (first)
      progress.emplace("air_quality", calls,
                       heddle::ProgressOptions{.work = static_cast<double>(cells), .unit = "cells"});
    for (std::int64_t call = 1; call <= calls; ++call) {
      const double before = seconds();
      column.advance();
      const double between_both = seconds();
      if (sample) sample->advance();
      computing += between_both - before;
      converging += seconds() - between_both;
      if (call % between == 0 || call == calls) {
        const std::vector<double> now = column.gather();
        const std::vector<double> exact = sample ? sample->gather() : std::vector<double>{};
        if (first) record.add(column.seconds(), now);
        if (first && sample) record.accuracy.compare(now, exact, sample->levels());
      }
      if (progress) progress->update(call);
    }
  }
  const std::vector<double> end = column.gather();
  const Simulation::Work work = column.work();
  if (first) {
    if (record.file) record.file->close();
    char subtitle[200];
    std::snprintf(subtitle, sizeof subtitle,
                  "Carbon Bond 2005 in %lld cells from 1000 to 100 hPa; white lines: sunrise and sunset. "
                  "Kernels generated by Heddle.",
                  static_cast<long long>(cells));
    if (can_draw())
      draw_picture(setting.column, setting.sun, record.history, subtitle,
                   results.unfinished() / "air_quality.png");
  }
  results.publish();
  if (!first) return 0;
  const double cell_calls = static_cast<double>(cells) * static_cast<double>(calls);
  std::printf("chemistry %.2f s, %.2f us per cell and call, %.2f steps per cell and call", computing,
              computing / cell_calls * 1e6, static_cast<double>(work.attempts) / cell_calls);
  if (transport.ranks() > 1)
    std::printf("; ranks lent %.1f %% of the cells", 100 * static_cast<double>(work.lent) / cell_calls);
  std::printf("\n");
  if (options.integrator != "cvode") {
    std::printf("lanes    ");
    if (!options.gpu)
      std::printf(" %.1f %% of the time of strips of %lld cells is steps of their own;",
                  100 * work.lanes.share(), static_cast<long long>(heddle::LaneUse::strip));
    std::printf(" %.1f %% of that of warps with a thread per cell\n", 100 * work.warps.share());
  }
  if (sample) print_accuracy(record.accuracy, options, sample->levels().size(), converging);
  if (!setting.emit) print_atoms(start, end);
  if (!options.gpu) std::printf("lowest    concentration %.2g mol m-3: nothing is clipped\n", work.lowest);
  std::printf("written   %s%s (%.1f s in all)\n",
              record.file ? (options.out / "air_quality.nc").string().c_str() : "",
              can_draw() ? ((record.file ? ", " : "") + (options.out / "air_quality.png").string()).c_str()
                         : "",
              seconds() - begin);
  if (!record.file)
    std::printf("          no air_quality.nc: this program was built without NetCDF (Debian: "
                "libnetcdf-dev)\n");
  return 0;
}

} // namespace
} // namespace air_quality

int main(int argc, char** argv) {
  const auto start = example::start("air_quality", air_quality::parse_options, argc, argv);
  if (start.status) return heddle::end_together(argc, argv, *start.status);
  return heddle::run(argc, argv, start.options.gpu ? heddle::Memory::device : heddle::Memory::host,
                     [&](heddle::Transport& transport) {
                       int status = 0;
                       example::within_memory("choose fewer cells with --cells",
                                              [&] { status = air_quality::run(start.options, transport); });
                       return status;
                     });
}
