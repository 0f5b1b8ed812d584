// SPDX-License-Identifier: Apache-2.0
// lbm-validation [--small] [--only <part of a name>] [folder]: the validation table as validation.md and
// validation.png.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "heddle/error.hpp"
#include "report.hpp"

namespace {

struct Options {
  validation::Size size = validation::Size::full;
  std::string only, folder = ".";
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--small")
      options.size = validation::Size::small;
    else if (argument == "--only" && i + 1 < argc)
      options.only = argv[++i];
    else if (argument.starts_with("--")) {
      throw heddle::Error("lbm-validation",
                          "there is no option '" + argument +
                              "'; usage: lbm-validation [--small] [--only <part of a name>] [folder]");
    } else
      options.folder = argument;
  }
  return options;
}

int run(const Options& options) {
  using namespace validation;
  std::filesystem::create_directories(options.folder);
  std::vector<Entry> entries;
  for (const Case& one : cases()) {
    if (one.name.find(options.only) == std::string::npos) continue;
    Entry entry{one, {}};
    for (const Precision precision : one.precisions) {
      const auto begin = std::chrono::steady_clock::now();
      entry.outcomes[precision] = one.run(precision, options.size);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      std::printf("%s, %s: %.1f s\n", one.name.c_str(), name_of(precision), spent.count());
      for (const Quantity& quantity : entry.outcomes[precision].quantities)
        std::printf("    %-60s %.8g (%.8g)\n", quantity.name.c_str(), quantity.value, quantity.reference);
      std::fflush(stdout);
    }
    entries.push_back(std::move(entry));
  }
  const std::filesystem::path folder = options.folder;
  const int missed = write_table(entries, folder / "validation.md");
  draw(entries, folder / "validation.png");
  std::printf("%s: %d values miss their tolerance\n", (folder / "validation.md").c_str(), missed);
  return missed == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
