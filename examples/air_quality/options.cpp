// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <string>
#include <vector>

#include "command_line.hpp"
#include "heddle/core/environment.hpp"

namespace air_quality {

std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::add_choice;
  using command_line::between;
  Options o;
  CLI::App app("air_quality: chemistry of a column of polluted air over a day");
  command_line::set_up(app);
  app.add_option("--cells", o.cells, "levels of the study's column (default 1000)")
      ->check(between(1, 10'000'000));
  app.add_option("--hours", o.hours, "of the run, from 6:00 of solar time")->check(between(0.001, 10'000));
  app.add_option("--interval", o.interval, "of a call, s")->check(between(1e-3, 86'400));
  app.add_option("--rtol", o.rtol, "relative tolerance of a step")->check(between(1e-12, 0.5));
  app.add_option("--atol", o.atol, "absolute tolerance of a step, mol m-3")->check(between(1e-30, 1));
  const std::vector<std::string> methods{"ros3", "rodas3", "rodas4", "cvode"};
  add_choice(
      app, "--integrator", methods, [&](std::size_t i) { o.integrator = methods[i]; },
      "of those that were built (default rodas3)");
  app.add_option("--sample", o.sample, "cells of the converged run, 0 for none")->check(between(0, 100'000));
  app.add_option("--every", o.every, "minutes from record to record")->check(between(0.01, 1e6));
  add_choice(
      app, "--sun", {"day", "fixed", "round", "scattered"},
      [&](std::size_t i) {
        o.fixed_sun = i == 1;
        o.longitude = i == 2 ? Longitude::round : i == 3 ? Longitude::scattered : Longitude::same;
      },
      "it rises and sets, or stands as at noon; round, scattered: it rises and sets over each level at "
      "another "
      "hour (default day)");
  add_choice(
      app, "--emissions", {"rate", "kick", "none"},
      [&](std::size_t i) {
        o.kick = i == 1;
        o.emit = i != 2;
      },
      "as rates within a call, as additions before it, or none (default rate)");
  app.add_option("--concentrations", o.concentrations, "table of species and mole fractions, ppb");
  app.add_option("--rates", o.rates, "table of photolysis at noon and emissions at the ground");
  CLI::Option* const column = app.add_option(
      "--column", o.column, "table of pressure, temperature and share of emissions, or a .nc file");
  column->excludes("--cells");
  app.add_option("--out", o.out, "folder of the results");
  add_choice(
      app, "--device", {"cpu", "cuda"}, [&](std::size_t i) { o.gpu = i == 1; },
      "where cells are integrated (default cpu)");
  app.add_option("--threads", o.threads, "CPU threads (default: all)")
      ->check(between(1, heddle::most_threads()));
  if (!command_line::read(app, count, arguments)) return std::nullopt;
  return o;
}

} // namespace air_quality
