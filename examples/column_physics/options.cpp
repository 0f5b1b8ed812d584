// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cmath>
#include <string>

#include "command_line.hpp"
#include "heddle/core/environment.hpp"

namespace front {

std::int64_t Options::count_steps() const {
  return steps ? *steps : static_cast<std::int64_t>(std::ceil(3600 * hours / time_step));
}

std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::between;
  Options o;
  CLI::App app("column_physics: a front with clouds, rain and radiation in a nested domain");
  command_line::set_up(app);
  command_line::add_joined(app, "--size", 'x', o.size, 4, 1e5,
                           "NXxNYxNZ: cells along x and y (12 or more), levels (4 or more)");
  app.add_option("--spacing", o.spacing, "of cells along x and y, m")->check(between(10, 1e5));
  app.add_option("--top", o.top, "height of the domain, m")->check(between(1000, 3e4));
  app.add_option("--time-step", o.time_step, "length of a step, s")->check(between(1e-3, 3600));
  CLI::Option* const hours =
      app.add_option("--hours", o.hours, "simulated time, h")->check(between(1e-3, 1e4));
  app.add_option("--steps", o.steps, "number of steps instead of a time")
      ->check(between(1, 1e9))
      ->excludes(hours);
  command_line::add_choice(
      app, "--microphysics", {"kessler", "wsm3", "wsm5"},
      [&](std::size_t i) { o.scheme = std::array{Scheme::kessler, Scheme::wsm3, Scheme::wsm5}[i]; },
      "scheme of clouds and rain (default wsm3)");
  app.add_option(
         "--tracers", o.tracers,
         "tracers that are moved: potential temperature, vapour, cloud, rain, with wsm5 ice and snow; "
         "others are passive (default 4, with wsm5 6)")
      ->check(between(4, 64));
  app.add_option("--radiation-every", o.radiation_every, "steps between calls of radiation; 0: none")
      ->check(between(0, 1e6));
  app.add_option("--radiation-lag", o.radiation_lag,
                 "1: computed beside the steps, used from the next call on; 0: in its place")
      ->check(between(0, 1));
  app.add_option("--ascent", o.ascent, "greatest upward speed at the front, m/s")->check(between(0, 20));
  app.add_option(
         "--sounding", o.sounding,
         "file with the air: surface pressure (hPa), potential temperature (K) and vapour (g/kg), then "
         "lines of height (m), the latter two and the wind along x and y (m/s), as WRF's "
         "input_sounding (default: that of Weisman and Klemp)")
      ->default_str("");
  app.add_option(
         "--input", o.input,
         "NetCDF file with levels and air at the beginning, in the names of WRF's wrfinput (default: the "
         "air of the coarser domain, which is that of the sounding in any case)")
      ->default_str("");
  command_line::add_joined(app, "--blocks", 'x', o.blocks, 1, 1e4,
                           "BXxBY: blocks along x and y (default: one per rank)")
      ->default_str("");
  app.add_option("--out", o.out, "folder of the results");
  app.add_option("--frames", o.frames, "times in front.nc after the first")->check(between(1, 10000));
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "steps between checkpoints in the folder `checkpoint` of --out; 0: none")
      ->check(between(0, 1e9));
  app.add_option_function<std::string>(
         "--resume", [&](const std::string& text) { o.resume = text == "last" ? -1 : std::stoll(text); },
         "last|N: go on from the newest checkpoint, or from that of step N, with the options of that run")
      ->check(CLI::IsMember({"last"}) | between(0, 1e15));
  app.add_option("--trace", o.trace, "file for chrome://tracing: when what ran")->default_str("");
  command_line::add_choice(
      app, "--device", {"cpu", "cuda"}, [&](std::size_t i) { o.gpu = i == 1; },
      "where the kernels run (default cpu)");
  command_line::add_choice(
      app, "--limiter", {"stored", "at-once"}, [&](std::size_t i) { o.limits_at_once = i == 1; },
      "fluxes beyond first order are stored between three kernels, or one kernel has all of the limiter: the "
      "same bits (default at-once on a GPU for 60000 columns and more, else stored)");
  command_line::add_choice(
      app, "--clouds", {"columns", "cells"}, [&](std::size_t i) { o.cells_apart = i == 1; },
      "wsm3 and wsm5 are one kernel with a thread per column, or three of which two have a thread per cell; "
      "the same bits (default cells on a GPU where steps are below 180 s, else columns)");
  app.add_option("--threads", o.threads, "CPU threads (default: all)")
      ->check(between(1, heddle::most_threads()));
  app.add_flag("!--no-picture", o.picture, "leave front.png out");
  if (!command_line::read(app, count, arguments)) return std::nullopt;
  if (o.all_tracers() < o.scheme_tracers())
    throw heddle::Error("command line",
                        "--tracers " + std::to_string(o.all_tracers()) + ": wsm5 has " +
                            std::to_string(o.scheme_tracers()) + " of its own",
                        "use " + std::to_string(o.scheme_tracers()) + " or more");
  if (o.cells_apart.value_or(false) && !o.one_substep())
    throw heddle::Error("command line", "--clouds cells: steps of 180 s and more have several substeps",
                        "use --clouds columns, or a shorter --time-step");
  for (const std::size_t axis : {0U, 1U})
    if (o.size[axis] < 12)
      throw heddle::Error("command line",
                          "--size: a side of " + std::to_string(o.size[axis]) + " cells is too short",
                          "use 12 or more: the zones at the boundaries have 5 cells each");
  return o;
}

} // namespace front
