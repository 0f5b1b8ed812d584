// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <array>

#include "case.hpp"
#include "command_line.hpp"
#include "heddle/core/environment.hpp"

namespace clouds {
namespace {

constexpr double most_seed = 0x1p53 - 1; // a checkpoint keeps it as a number in double precision

/// Throws heddle::Error for what belongs to one run alone, together with --seeds.
void require_one_run_per_seed(const Options& o) {
  if (o.resume || o.checkpoint_every > 0)
    throw heddle::Error("command line", "--seeds: checkpoints belong to one run",
                        "leave --resume and --checkpoint-every out, or give each run a --seed and an --out, "
                        "and join them with compare.py");
  if (!o.trace.empty())
    throw heddle::Error("command line", "--seeds: --trace writes one file for one run",
                        "leave one of both out");
  const Case what = case_named(o.name);
  if (what.theta_noise == 0 && what.water_noise == 0)
    throw heddle::Error("command line",
                        "--seeds: " + o.name + " starts without noise, so seeds do not differ",
                        "use cbl, bomex or rico, or leave --seeds out");
}

/// Throws heddle::Error for options that change nothing, because what they are of is not there.
void require_effect(const Options& o) {
  const auto refuse = [](const char* option, const std::string& reason, const char* hint) {
    throw heddle::Error("command line", option + (": " + reason), hint);
  };
  const RainScheme rain = o.rain.value_or(case_named(o.name).rain);
  if (o.threshold && rain != RainScheme::kessler)
    refuse("--threshold", "rain does not form as Kessler has it", "give --rain kessler, or leave it out");
  if ((o.droplets || o.collisions) && rain != RainScheme::seifert_beheng)
    refuse(o.droplets ? "--droplets" : "--collisions", "rain does not form as Seifert and Beheng have it",
           "give --rain sb, or leave it out");
  if (o.evaporation && rain == RainScheme::none)
    refuse("--evaporation", o.name + " has no rain", "give --rain, or leave it out");
  if (o.same_bits && !o.gpu)
    refuse("--same-bits", "on a CPU the bits are those of a CPU", "give --device cuda, or leave it out");
  if (o.cooling_top && o.name != "bomex")
    refuse("--cooling-top", o.name + " has no cooling that ends at a height", "use it with bomex");
  if (o.lag && !o.longwave)
    refuse("--lag", "no longwave radiation is computed that could lag",
           "give --longwave, or leave --lag out");
  if (o.refine_levels && o.refine.empty())
    refuse("--refine-levels", "there is no coarser run to begin from",
           "give --refine, or leave --refine-levels out");
}

} // namespace

std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::between;
  Options o;
  CLI::App app("clouds: a moist large-eddy simulation. Ends with status 1 where a case asks for a value and "
               "the run misses it");
  command_line::set_up(app);
  app.add_option("case", o.name,
                 "cbl: dry convective layer; bomex: shallow cumulus clouds; bubble: warm bubble; "
                 "moist_bubble: the same in a cloud; density: cold current; rico: cumulus clouds that rain; "
                 "wave: inertia-gravity waves")
      ->check(CLI::IsMember(case_names()));
  command_line::add_joined(
      app, "--cells", 'x', o.cells, 0, 4096,
      "NXxNYxNZ: cells along x, y and z; 0: as many as the case has (default: those of the case)")
      ->default_str("");
  app.add_option(
         "--spacing", o.spacing,
         "of cells along x and y, m: the domain is then as wide as the cells (default: they share that "
         "of the case)")
      ->check(between(1, 1e5));
  app.add_option("--levels", o.levels,
                 "file with the heights of the faces between levels, m: rising numbers, one per line, the "
                 "last one for the lid (default: equal levels)")
      ->default_str("");
  command_line::add_joined<double>(
      app, "--frame", {'x', 1, 2, -1000, 1000}, [&](const auto& frame) { o.frame = frame; },
      "U or UxV: velocity of the frame in which wind is stored, m/s: results differ by roundings and by the "
      "error of advection (default: that of the case)");
  app.add_option(
         "--cooling-top", o.cooling_top,
         "bomex: height where the cooling that is given ends, m: 3000, or 2500 as some models have it "
         "(default 3000)")
      ->check(between(1501, 1e5));
  command_line::add_choice(
      app, "--subsidence", {"local", "mean"}, [&](std::size_t i) { o.sinks_by_means = i == 1; },
      "whether the air that sinks on a large scale changes each cell by the difference to the one above, or "
      "all cells of a level by that of the means (default local)");
  app.add_option("--hours", o.hours, "simulated time, h (default: that of the case)")
      ->check(between(1e-4, 1e4));
  command_line::add_choice(
      app, "--precision", {"f64", "f32"}, [&](std::size_t i) { o.single = i == 1; },
      o.single ? "numbers of fields and kernels (default f32, the only one of this build)"
               : "numbers of fields and kernels (default f64)");
  command_line::add_choice(
      app, "--scheme", {"2i5", "2"},
      [&](std::size_t i) { o.scheme = i == 0 ? Scheme::fifth : Scheme::second; },
      "advection: order 5 upwind, or means of two cells (default 2i5)");
  command_line::add_choice(
      app, "--rk", {"wrf", "williamson"},
      [&](std::size_t i) { o.runge_kutta = i == 0 ? RungeKutta::wicker_skamarock : RungeKutta::williamson; },
      "stages of a step: Wicker and Skamarock's, or Williamson's, of third order; not with rain or a sea "
      "(default wrf)");
  command_line::add_choice(
      app, "--rain", {"none", "kessler", "sb"},
      [&](std::size_t i) {
        o.rain = std::array{RainScheme::none, RainScheme::kessler, RainScheme::seifert_beheng}[i];
      },
      "how cloud water becomes rain: not, as Kessler has it, or Seifert and Beheng (default: that of the "
      "case)");
  app.add_option("--threshold", o.threshold, "kessler: cloud water from which rain forms by itself, kg/kg")
      ->check(between(0, 0.1));
  app.add_option("--droplets", o.droplets, "sb: droplets of a cloud, per cm3")->check(between(1, 1e5));
  app.add_option("--collisions", o.collisions,
                 "sb: how often droplets collide with each other, k_cc, m3 kg-2 s-1: 4.44e9 by Seifert and "
                 "Beheng in 2006, 9.44e9 in 2001 (default 4.44e9)")
      ->check(between(1e8, 1e11));
  app.add_option("--evaporation", o.evaporation, "share of the rate at which rain evaporates (default 1)")
      ->check(between(0, 10));
  app.add_option("--longwave", o.longwave,
                 "longwave radiation of vapour and clouds in place of the cooling that the case gives, "
                 "computed every so many minutes (5 where none are given)")
      ->expected(0, 1)
      ->check(between(0.01, 1440))
      ->default_str("5");
  app.add_option(
         "--lag", o.lag,
         "of --longwave: 0 for heating from the latest state; 1 for that of one call before, while the "
         "next one is computed beside the steps (default 1)")
      ->check(CLI::IsMember({0, 1}))
      ->default_str("");
  app.add_option("--seed", o.seed, "of the noise at the start")->check(between(0, most_seed));
  app.add_option(
         "--seeds", o.seeds,
         "so many runs one after the other, with seeds from --seed on, each in a folder of its own in "
         "--out; then their mean and spread, and what is demanded of the mean")
      ->check(between(2, 1000));
  app.add_option("--sample-every", o.sample_every, "s between statistics")->check(between(1, 1e5));
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "s of simulated time between checkpoints in the folder `checkpoint` of --out; 0: none")
      ->check(between(0, 1e9));
  app.add_option("--fields-every", o.fields_every,
                 "s of simulated time between files of the whole air for ParaView (fields.pvd), each at the "
                 "first statistics from a multiple on; 0: none")
      ->check(between(0, 1e9));
  app.add_flag("--resume", o.resume, "go on from the newest checkpoint, with the options of that run");
  app.add_option("--refine", o.refine,
                 "begin where a run with half as many cells along x and y ended: its --out, or one of its "
                 "checkpoints")
      ->default_str("");
  app.add_flag("--refine-levels", o.refine_levels,
               "with --refine: that run had half as many levels, too, each as high as two of this one");
  app.add_option("--out", o.out, "folder of the results");
  command_line::add_choice(
      app, "--device", {"cpu", "cuda"}, [&](std::size_t i) { o.gpu = i == 1; },
      "where the kernels run (default cpu)");
  app.add_flag(
      "--same-bits", o.same_bits,
      "with --device cuda: the CPU solves for the pressure, so that a run has the bits of the CPU's; slow");
  app.add_option("--trace", o.trace,
                 "file for chrome://tracing: when what ran; the tasks of a GPU then follow each other")
      ->default_str("");
  app.add_option("--threads", o.threads, "CPU threads (default: all)")
      ->check(between(1, heddle::most_threads()));
  app.add_flag("!--no-picture", o.picture, "leave clouds.png out");
  if (!command_line::read(app, count, arguments)) return std::nullopt;
  for (const std::size_t axis : {0U, 1U})
    if (o.cells[axis] != 0 && o.cells[axis] < 6)
      throw heddle::Error("command line",
                          "--cells: a side of " + std::to_string(o.cells[axis]) + " cells is too short",
                          "use 6 or more: fluxes reach three cells to both sides");
  if (o.gpu && o.cells[0] % 2 != 0)
    throw heddle::Error("command line",
                        "--cells: a GPU takes pairs of cells along x, and " + std::to_string(o.cells[0]) +
                            " is odd",
                        "use an even number of cells along x, or --device cpu");
  if (o.cells[2] != 0 && o.cells[2] < 6)
    throw heddle::Error("command line", "--cells: " + std::to_string(o.cells[2]) + " levels are too few",
                        "use 6 or more: fluxes of order 5 need them");
  if (!o.levels.empty() && (o.cells[2] != 0 || o.fields_every > 0))
    throw heddle::Error("command line",
                        o.cells[2] != 0 ? "--levels: the file says how many levels there are, as --cells does"
                                        : "--levels: the images of --fields-every have equal levels",
                        o.cells[2] != 0 ? "leave one of both out, or give --cells NXxNYx0"
                                        : "leave one of both out");
  if (!o.refine.empty() && (o.resume || o.seeds))
    throw heddle::Error("command line",
                        o.resume ? "--refine: --resume goes on from a checkpoint of its own"
                                 : "--refine: the start has no noise, so --seeds do not differ",
                        "leave one of both out");
  require_effect(o);
  if (o.seeds) require_one_run_per_seed(o);
  return o;
}

} // namespace clouds
