// SPDX-License-Identifier: Apache-2.0
// lbm-validation [options] [folder]: the validation table as validation.md, its curves as validation.tsv and,
// where heddle::plot is built, validation.png.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "command_line.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "report.hpp"

namespace {

struct Options {
  validation::Size size = validation::Size::full;
  std::string only;
  std::filesystem::path folder = ".";
  int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  double limit = std::numeric_limits<double>::infinity(); // seconds
  bool plan = false, fresh = false, draw = false;
};

/// Nothing after --help, which it prints.
std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::between;
  Options o;
  CLI::App app("lbm-validation: the validation table as validation.md and validation.png\n"
               "Goes on where an earlier call in the same folder stopped.");
  command_line::set_up(app);
  app.add_option("folder", o.folder, "where the results go");
  app.add_flag_callback("--small", [&] { o.size = validation::Size::small; }, "the sizes of the tests");
  command_line::add_choice(
      app, "--device", {"cuda"}, [&](std::size_t) { o.size = validation::Size::large; },
      "flows in space on the GPUs of the machine, with finer grids");
  app.add_option("--only", o.only, "the cases whose name holds this text");
  app.add_option("--cores", o.cores, "runs at once")->check(between(1, 1e6));
  app.add_option("--limit", o.limit,
                 "leave out, and name, what would end after so many seconds: first the runs that cost most")
      ->check(between(1e-9, 1e12));
  app.add_flag("--fresh", o.fresh, "forget the runs that earlier calls left in the folder (runs.tsv)");
  app.add_flag("--plan", o.plan, "say what runs when; compute nothing");
  app.add_flag("--draw", o.draw, "draw validation.tsv of an earlier run; compute nothing");
  if (!command_line::read(app, count, arguments)) return std::nullopt;
  return o;
}

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
    const std::optional<Options> options = parse_options(argc, argv);
    if (!options) return 0;
    if (!options->draw) return run(*options);
    draw_curves(options->folder);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
