// SPDX-License-Identifier: Apache-2.0
// lbm-validation [options] [folder]: the validation table as validation.md and validation.png.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "heddle/error.hpp"
#include "option_rules.hpp"
#include "report.hpp"

namespace {

struct Options {
  validation::Size size = validation::Size::full;
  std::string only, folder = ".";
  int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool help = false;
};

void set_cores(Options& options, std::string_view value) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.cores);
  if (error != std::errc{} || end != value.data() + value.size() || options.cores < 1)
    throw heddle::Error("option --cores", "'" + std::string(value) + "' is no number of cores", "a number from 1 on");
}

const std::vector<option_rules::Rule<Options>> rules{
    {"--small", "", "the sizes of the tests", [](Options& o, auto) { o.size = validation::Size::small; }},
    {"--only", "TEXT", "the cases whose name holds TEXT", [](Options& o, auto value) { o.only = value; }},
    {"--cores", "N", "runs at once; all cores of the machine if not given", set_cores},
    {"--help", "", "this", [](Options& o, auto) { o.help = true; }}};

int run(const Options& options) {
  using namespace validation;
  const auto begin = std::chrono::steady_clock::now();
  const std::filesystem::path folder = options.folder;
  std::filesystem::create_directories(folder);
  std::vector<Case> chosen = cases(options.size);
  std::erase_if(chosen, [&](const Case& one) {
    return one.runs.empty() || one.name.find(options.only) == std::string::npos;
  });
  const std::vector<Entry> entries = compute(chosen, options.cores);
  const int missed = write_table(entries, folder / "validation.md");
  draw(entries, folder / "validation.png");
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
      std::printf("lbm-validation [options] [folder]: the validation table as validation.md and validation.png\n%s",
                  option_rules::help_lines(rules, 16).c_str());
      return 0;
    }
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
