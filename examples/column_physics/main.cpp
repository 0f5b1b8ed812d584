// SPDX-License-Identifier: Apache-2.0
// A front with clouds, rain and radiation. The kernels are generated from model.py; see README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "air.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/progress.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/program/program.hpp"
#include "options.hpp"
#include "output.hpp"
#include "solver.hpp"
#include "start.hpp"
#include "weather.hpp"

namespace front {
namespace {

constexpr std::int64_t steps_between_checks = 50;

void run(const Options& options, heddle::Ranks& ranks) {
  heddle::Environment environment({.threads = options.threads.value_or(0)});
  const bool prints = ranks.first();
  const Sounding sounding = options.sounding.empty() ? weisman_klemp() : read_sounding(options.sounding);
  const Weather weather(options, make_levels(sounding, static_cast<int>(options.size[2]), options.top));
  const std::int64_t steps = options.count_steps();
  heddle::OutputFolder results(options.out, 0, ranks.processes());
  heddle::Trace trace;
  Solver solver(options, weather, ranks, trace);
  const double courant = solver.check(0);
  if (prints) std::printf("courant   %.2f at the start\n", courant);
  std::optional<File> file;
  if (prints && File::available()) file.emplace(results.unfinished() / "front.nc", options, weather.levels());
  std::optional<heddle::Progress> progress;
  if (prints) progress.emplace("front", steps);
  for (std::int64_t step = 0; step < steps; ++step) {
    solver.step(step);
    if ((step + 1) % steps_between_checks == 0 || step + 1 == steps) solver.check(step);
    if (progress) progress->update(step + 1);
  }
  const Snapshot end = snapshot(solver, static_cast<double>(steps) * options.time_step);
  if (file) {
    file->write(end);
    file->close();
  }
  if (prints) std::printf("rain %g\n", static_cast<double>(*std::max_element(end.rain.begin(), end.rain.end())));
  results.publish();
}

} // namespace
} // namespace front

int main(int argc, char** argv) {
  const auto start = example::start("column_physics", front::parse_options, argc, argv);
  if (start.status) return heddle::end_together(argc, argv, *start.status);
  const heddle::Memory memory = start.options.gpu ? heddle::Memory::device : heddle::Memory::host;
  return heddle::run(argc, argv, memory, [&](heddle::Ranks& ranks) {
    example::within_memory("choose a smaller --size", [&] { front::run(start.options, ranks); });
    return 0;
  });
}
