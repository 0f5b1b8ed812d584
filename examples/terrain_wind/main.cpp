// SPDX-License-Identifier: Apache-2.0
// Wind over real terrain. The kernels are generated from model.py; see README.md.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "domain.hpp"
#include "flow.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/progress.hpp"
#include "heddle/core/size.hpp"
#include "heddle/io/output.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/program/program.hpp"
#include "heddle/reduction/reduction.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "roofline.hpp"
#include "saves.hpp"
#include "solver.hpp"
#include "start.hpp"
#include "units.hpp"
#include "wide_fetches.hpp"

namespace terrain_wind {
namespace {

constexpr double spin_up = 0.5;             // of the time, before the mean begins
constexpr std::int64_t steps_a_sample = 20; // even
constexpr double passage_height = 300;      // its wind defines one passage of the air, m

class Clock {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::int64_t count_steps(const Options& options, const Domain& domain, const LogProfile& wind,
                         const Units& units) {
  const double passage = static_cast<double>(domain.nx) * domain.cell / wind(passage_height);
  const double steps = options.steps ? static_cast<double>(*options.steps)
                                     : std::ceil(options.duration.value_or(passage) / units.step);
  return 2 * static_cast<std::int64_t>(std::ceil(steps / 2));
}

/// Volume flow of the mean wind in at the inlet, and out at outlet and top, m^3/s.
struct Balance {
  double in = 0;
  double outlet = 0;
  double top = 0;
};

Balance balance(const std::array<std::vector<float>, 3>& velocity, const Domain& domain) {
  Balance sums;
  const double area = domain.cell * domain.cell;
  for (std::int64_t j = 0; j < domain.ny; ++j) {
    for (std::int64_t k = 0; k < domain.nz; ++k) {
      sums.in += area * static_cast<double>(velocity[0][domain.index(0, j, k)]);
      sums.outlet += area * static_cast<double>(velocity[0][domain.index(domain.nx - 1, j, k)]);
    }
    for (std::int64_t i = 1; i + 1 < domain.nx; ++i)
      sums.top += area * static_cast<double>(velocity[2][domain.index(i, j, domain.nz - 1)]);
  }
  return sums;
}

void require_stable(const Solver& solver, const Units& units, std::int64_t step) {
  const double highest = solver.highest_speed();
  if (highest < broken_speed) return;
  throw heddle::Error(
      "step " + std::to_string(step),
      std::isfinite(highest)
          ? "the flow became unstable: " + std::to_string(std::lround(highest * units.speed())) + " m/s"
          : "the flow became unstable: values that are not finite",
      "choose a shorter --time-step than " + std::to_string(units.step) + " s, or a larger --height");
}

std::string compass(double degrees) {
  static const std::array<const char*, 8> names{"north", "north-east", "east", "south-east",
                                                "south", "south-west", "west", "north-west"};
  const double turns = degrees / 360 - std::floor(degrees / 360);
  return names[static_cast<std::size_t>(std::lround(turns * 8)) % 8];
}

/// Bytes a second that the processors of all ranks move together, see roofline.hpp; 0 for devices.
double bandwidth_of_all(const Options& options, const Solver& solver, heddle::Transport& processes) {
  const auto all = heddle::reduction_of_numbers(
      heddle::ReductionKind::sum,
      [&] { return stream_bandwidth(std::min<std::int64_t>(solver.cells_here(), 4'000'000)); }, processes);
  return options.gpu ? 0 : all();
}

void print_head(const Options& options, const Domain& domain, const Units& units, double fastest,
                std::int64_t steps) {
  std::printf("terrain   %s\n", domain.title.c_str());
  std::printf("domain    %lld x %lld x %lld cells of %g m, %.2f million of air, height %.0f to %.0f m\n",
              static_cast<long long>(domain.nx), static_cast<long long>(domain.ny),
              static_cast<long long>(domain.nz), domain.cell, static_cast<double>(domain.fluid_cells()) / 1e6,
              domain.bottom, domain.top());
  std::printf("wind      %s, %g m/s at %g m, %.1f m/s aloft\n", compass(options.direction).c_str(),
              options.wind, options.reference, fastest);
  std::printf("time      %lld steps of %.4g s: %.0f s\n", static_cast<long long>(steps), units.step,
              static_cast<double>(steps) * units.step);
}

void print_resumed(std::int64_t step, std::int64_t frames, bool frames_are_there) {
  std::printf("resumed   at step %lld%s\n", static_cast<long long>(step),
              frames > 0 && !frames_are_there ? ", without the frames before it: they are not there" : "");
}

/// What makes this run, for the series of files: one that goes on has to be of the same run.
std::string about(const Options& options, const Domain& domain, const Units& units, std::int64_t steps) {
  std::ostringstream text;
  text << std::setprecision(10) << "terrain_wind: " << domain.title << ", " << domain.nx << " x " << domain.ny
       << " x " << domain.nz << " cells of " << domain.cell << " m; wind from " << options.direction
       << " degrees, " << options.wind << " m/s at " << options.reference << " m, roughness "
       << options.roughness << " m; " << steps << " steps of " << units.step << " s, " << options.frames
       << " frames";
  return text.str();
}

void print_balance(const Balance& mass) {
  std::printf("mass      million m^3/s: in %.1f, out %.1f and %.1f through the top, left over %.2f %%\n",
              mass.in / 1e6, mass.outlet / 1e6, mass.top / 1e6,
              100 * (mass.in - mass.outlet - mass.top) / mass.in);
}

void draw(const Options& options, const Domain& domain, std::array<std::vector<float>, 3> velocity,
          double minutes, double seconds, const std::filesystem::path& file) {
  char subtitle[256];
  std::snprintf(subtitle, sizeof subtitle,
                "Wind from the %s, %g m/s at %g m. Large-eddy simulation, D3Q19, %.1f million cells of %g m, "
                "%.0f minutes "
                "of wind in %.0f s, kernels generated by Heddle.",
                compass(options.direction).c_str(), options.wind, options.reference,
                static_cast<double>(domain.fluid_cells()) / 1e6, domain.cell, minutes, seconds);
  const Flow flow(domain, std::move(velocity));
  draw_picture(flow, options, {"Wind over the " + domain.title, subtitle}, file);
}

/// Throws where the cells of one rank do not fit into this machine: the system would end the program later.
void require_memory(const Options& options, const Domain& domain, const heddle::Transport& processes) {
  if (options.gpu) return;                        // devices say it themselves
  constexpr std::int64_t values = 19 + 1 + 3 + 3; // populations, density, velocity and its mean
  (void)heddle::require_size({"option --cell-size",
                              "cells of air per rank",
                              {domain.fluid_cells() / processes.ranks()},
                              values * sizeof(float)},
                             heddle::memory_limit(), "choose larger cells, a smaller window or more ranks");
}

void run(const Options& options, heddle::Ranks& ranks) {
  const Clock clock;
  heddle::Environment environment({.threads = options.threads.value_or(0)});
  const WideFetches fetches(ranks, options.gpu);
  heddle::Transport& processes = ranks.processes();
  const bool prints = ranks.first();
  const Domain domain = make_domain(options);
  require_memory(options, domain, processes);
  const LogProfile wind(options.wind, options.reference, options.roughness);
  const double fastest = wind(domain.top() - domain.base);
  const Units units = choose_units(domain.cell, fastest, options.time_step.value_or(0));
  const std::int64_t steps = count_steps(options, domain, wind, units);
  const std::int64_t cells = domain.fluid_cells();
  heddle::OutputFolder results(options.out, bytes_of_results(options, domain), processes,
                               place_of_files(options, processes));
  if (prints) {
    print_head(options, domain, units, fastest, steps);
    std::fputs(environment.describe().c_str(), stdout);
  }

  const heddle::Memory memory = options.gpu ? heddle::Memory::device : heddle::Memory::host;
  Solver solver(domain, wind, units, memory, ranks);
  if (prints) std::printf("lists     %s\n", solver.lists().line(processes.rank(), processes.ranks()).c_str());
  const double bandwidth = bandwidth_of_all(options, solver, processes);
  Saves saves(options, units, steps, solver, processes);
  std::int64_t first = 0;
  std::int64_t frame = 0;
  if (options.resume) saves.read(*options.resume, first, frame);
  const std::string run_text = about(options, domain, units, steps);
  const bool resume = frame > 0 && results.keep_series("wind", frame, run_text);
  if (prints && options.resume) print_resumed(first, frame, resume);

  heddle::OutputOptions place{
      .origin = {0, 0, domain.bottom}, .spacing = {domain.cell, domain.cell, domain.cell}, .about = run_text};
  heddle::Output mean_output(results.unfinished(), "mean", solver.process_grid(), processes, place);
  place.resume = resume;
  heddle::Output output(results.unfinished(), "wind", solver.process_grid(), processes, place);
  VelocityBoxes velocity(solver, units);
  velocity.add_to(output, domain);
  velocity.add_to(mean_output, domain);

  std::optional<heddle::Progress> progress;
  if (prints)
    progress.emplace("wind", steps,
                     heddle::ProgressOptions{.work = static_cast<double>(cells) / 1e6, .unit = "M updates"});
  double in_steps = 0;
  for (std::int64_t step = first; step < steps;) {
    const std::int64_t next = std::min(step + steps_a_sample, steps);
    const Clock stretch;
    solver.run((next - step) / 2);
    in_steps += stretch.seconds();
    step = next;
    const bool sampled = static_cast<double>(step) >= spin_up * static_cast<double>(steps) || step == steps;
    const bool writes = step * options.frames >= (frame + 1) * steps;
    if (sampled || writes || step % (10 * steps_a_sample) == 0) {
      solver.measure();
      require_stable(solver, units, step);
    }
    if (sampled) solver.sample();
    if (writes) {
      velocity.take(&Part::velocity);
      output.write(frame, static_cast<double>(step) * units.step);
      ++frame;
    }
    saves.update(step, frame);
    if (progress) progress->update(step);
  }
  if (progress) progress->finish();

  velocity.take(&Part::mean);
  mean_output.write(0, static_cast<double>(steps) * units.step);
  std::array<std::vector<float>, 3> mean = velocity.gather(processes); // on rank 0
  if (prints) {
    print_balance(balance(mean, domain));
    const double updates = static_cast<double>(steps - first) * static_cast<double>(cells);
    if (first < steps) std::printf("%s\n", roofline_line(updates, in_steps, bandwidth).c_str());
    if (options.picture)
      draw(options, domain, std::move(mean), static_cast<double>(steps) * units.step / 60, clock.seconds(),
           results.unfinished() / "wind.png");
  }
  results.publish();
  if (prints)
    std::printf("written   %s%s (%.0f s in all)\n", (options.out / "wind.pvd").string().c_str(),
                options.picture ? (", " + (options.out / "wind.png").string()).c_str() : "", clock.seconds());
}

} // namespace
} // namespace terrain_wind

int main(int argc, char** argv) {
  const auto start = example::start("terrain_wind", terrain_wind::parse_options, argc, argv);
  if (start.status) return heddle::end_together(argc, argv, *start.status);
  const heddle::Memory memory = start.options.gpu ? heddle::Memory::device : heddle::Memory::host;
  return heddle::run(argc, argv, memory, [&](heddle::Ranks& ranks) {
    example::within_memory("choose larger cells with --cell-size",
                           [&] { terrain_wind::run(start.options, ranks); });
    return 0;
  });
}
