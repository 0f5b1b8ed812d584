// SPDX-License-Identifier: Apache-2.0
// lbm-validation [options] [folder]: the validation table as validation.md, its curves as validation.tsv and,
// where heddle::plot is built, validation.png.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "option_rules.hpp"
#include "report.hpp"

namespace {

struct Options {
  validation::Size size = validation::Size::full;
  std::string only, folder = ".";
  int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  double limit = std::numeric_limits<double>::infinity(); // seconds
  bool plan = false, fresh = false, draw = false, help = false;
};

/// A positive number.
template <class T> T number(std::string_view option, std::string_view value) {
  T found{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (error != std::errc{} || end != value.data() + value.size() || found <= 0)
    throw heddle::Error("option " + std::string(option), "'" + std::string(value) + "' is no positive number",
                        "see --help");
  return found;
}

const std::vector<option_rules::Rule<Options>> rules{
    {"--small", "", "the sizes of the tests", [](Options& o, auto) { o.size = validation::Size::small; }},
    {"--device", "cuda", "flows in space on the GPUs of the machine, with finer grids",
     [](Options& o, auto value) {
       if (value != "cuda")
         throw heddle::Error("option --device", "'" + std::string(value) + "' is not known", "cuda");
       o.size = validation::Size::large;
     }},
    {"--only", "TEXT", "the cases whose name holds TEXT", [](Options& o, auto value) { o.only = value; }},
    {"--cores", "N", "runs at once; all cores of the machine if not given",
     [](Options& o, auto value) { o.cores = number<int>("--cores", value); }},
    {"--limit", "SECONDS", "leave out, and name, what would end after that: first the runs that cost most",
     [](Options& o, auto value) { o.limit = number<double>("--limit", value); }},
    {"--fresh", "", "forget the runs that calls before this one left in the folder (runs.tsv)",
     [](Options& o, auto) { o.fresh = true; }},
    {"--plan", "", "say what runs when; compute nothing", [](Options& o, auto) { o.plan = true; }},
    {"--draw", "", "draw validation.tsv of a run before this one; compute nothing",
     [](Options& o, auto) { o.draw = true; }},
    {"--help", "", "this", [](Options& o, auto) { o.help = true; }}};

void draw_curves(const std::filesystem::path& folder) {
#ifdef LBM_VALIDATION_PLOT
  validation::draw(validation::read_curves(folder / "validation.tsv"), folder / "validation.png");
#else
  std::printf("no picture: heddle::plot is not built here (Debian: libcairo2-dev); elsewhere: lbm-validation "
              "--draw %s\n",
              folder.c_str());
#endif
}

int run(const Options& options) {
  using namespace validation;
  const auto begin = std::chrono::steady_clock::now();
  const std::filesystem::path folder = options.folder;
  if (options.fresh && !options.plan) std::filesystem::remove(folder / "runs.tsv");
  std::vector<Case> chosen = cases(options.size);
  Record record(folder / "runs.tsv", chosen);
  std::erase_if(chosen, [&](const Case& one) {
    return one.runs.empty() || one.name.find(options.only) == std::string::npos;
  });
  Machine machine{options.cores, 0};
  if (options.size == Size::large) {
    machine.devices = heddle::device_count();
    if (machine.devices == 0 && !options.plan)
      throw heddle::Error("option --device", "no CUDA device, or built without CUDA", "see --help");
    machine.devices = std::max(1, machine.devices); // a plan can be made elsewhere
  }
  print_plan(chosen, machine, options.limit, record);
  if (options.plan) return 0;
  std::filesystem::create_directories(folder);
  int missed = 0;
  const auto write = [&](const std::vector<Entry>& entries) {
    missed = write_table(entries, record.calls(), folder / "validation.md");
    std::vector<Graph> graphs;
    for (const Entry& entry : entries)
      graphs.insert(graphs.end(), entry.graphs.begin(), entry.graphs.end());
    write_curves(graphs, folder / "validation.tsv");
  };
  write(compute(chosen, machine, options.limit, record, write));
  draw_curves(folder);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%s: %d values miss their tolerance, %.0f s\n", (folder / "validation.md").c_str(), missed,
              spent.count());
  return missed == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  try {
    Options options;
    option_rules::read(options, rules, argc, argv, [&](std::string_view word) { options.folder = word; });
    if (options.help) {
      std::printf(
          "lbm-validation [options] [folder]: the validation table as validation.md and validation.png\n"
          "Goes on where an earlier call in the same folder stopped.\n\n%s",
          option_rules::help_lines(rules, 18).c_str());
      return 0;
    }
    if (!options.draw) return run(options);
    draw_curves(options.folder);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
