// SPDX-License-Identifier: Apache-2.0
// Incompressible flows in a plane: a decaying vortex, a cavity, a channel. Returns 1 where a result is not
// what theory or published tables say.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "cases.hpp"
#include "heddle/core/error.hpp"
#include "heddle/program/program.hpp"
#include "picture.hpp"

using namespace pressure_projection;

namespace {

constexpr const char* usage =
    "usage: pressure_projection [vortex|cavity|channel] [--cells N] [--re 100|400|1000] "
    "[--picture FILE.png]\n"
    "Without a case: all three, small (the cavity at Re = 100).\n"
    "Under mpirun the levels are shared out to its processes.\n";

struct Options {
  std::string chosen;
  int cells = 0; // 0: the case's own
  int reynolds = 100;
  std::string picture;
};

int whole(std::string_view option, std::string_view text) {
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value < 4 || value > 4096) {
    throw heddle::Error("option " + std::string(option), "'" + std::string(text) + "' is not valid",
                        "a whole number from 4 to 4096");
  }
  return value;
}

Options read(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 == count)
        throw heddle::Error("option " + std::string(argument), "its value is missing", usage);
      return arguments[++i];
    };
    if (argument == "--cells")
      options.cells = whole(argument, value());
    else if (argument == "--re")
      options.reynolds = whole(argument, value());
    else if (argument == "--picture")
      options.picture = value();
    else if (argument == "vortex" || argument == "cavity" || argument == "channel")
      options.chosen = argument;
    else
      throw heddle::Error("pressure_projection", "'" + std::string(argument) + "' is not known", usage);
  }
  return options;
}

int run(const Options& options, heddle::Transport& transport) {
  bool good = true;
  const auto show = [&](const char* name, const char* title, auto&& solve) {
    if (!options.chosen.empty() && options.chosen != name) return;
    const Result result = solve();
    good = good && result.good;
    if (transport.rank() != 0) return;
    for (const std::string& line : result.lines)
      std::printf("%s\n", line.c_str());
    if (!result.good) std::printf("  which is not as it should be\n");
    if (!options.picture.empty() && options.chosen == name) draw(result.flow, title, options.picture);
  };
  const auto cells = [&](int own) { return options.cells != 0 ? options.cells : own; };
  const int own_cells = options.reynolds == 100 ? 48 : options.reynolds == 400 ? 96 : 160;
  const std::string title = "Lid-driven cavity, Re = " + std::to_string(options.reynolds);
  show("vortex", "Taylor-Green vortex", [&] { return taylor_green(cells(16), transport); });
  show("cavity", title.c_str(), [&] { return cavity(options.reynolds, cells(own_cells), transport); });
  show("channel", "Channel", [&] { return channel(cells(16), transport); });
  return good ? 0 : 1;
}

} // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
    std::printf("%s", usage);
    return 0;
  }
  Options options;
  try {
    options = read(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return heddle::run(count, arguments, heddle::Memory::host,
                     [&](heddle::Transport& transport) { return run(options, transport); });
}
