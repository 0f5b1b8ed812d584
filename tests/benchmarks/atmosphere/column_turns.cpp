// SPDX-License-Identifier: Apache-2.0
// heddle-column-turns: runs of column_physics in turns, on the same air.
//
//     heddle-column-turns 15 --size 425x300x35 --device cuda --radiation-every 0 -- --radiation-every 30
//
// 15 turns; the options of column_physics that all runs have; after each `--` those of one more run (the
// first has no others; what is said last counts). A turn is 60 steps of each run from the air that the first
// one has then, every second turn in the opposite order. A run on other blocks goes on from its own air.
// Printed are medians and quartiles, those of the quotient to the first run within a turn, and whether the
// first three turns end in its bits. All runs have the size and the device of the first.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "air.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/program/program.hpp"
#include "heddle/transport/ranks.hpp"
#include "options.hpp"
#include "solver.hpp"
#include "weather.hpp"

namespace {

constexpr std::int64_t steps = 60;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double share(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
}

std::vector<std::vector<float>> result(const front::Solver& solver, int tracers) {
  std::vector<std::vector<float>> all{solver.gather(&front::Air::rain_fallen, 0, true)};
  for (int n = 0; n < tracers; ++n)
    all.push_back(solver.tracer(n));
  return all;
}

class Run {
public:
  Run(std::string name, const front::Options& options, heddle::Ranks& ranks)
      : name_(std::move(name)), options_(options),
        weather_(options_, front::make_levels(front::weisman_klemp(), static_cast<int>(options_.size[2]),
                                              options_.top)),
        solver_(options_, weather_, ranks, nullptr) {}

  /// Where both have the same blocks.
  void begin_as(const Run& other) {
    if (options_.blocks != other.options_.blocks) return;
    for (std::size_t n = 0; n < solver_.parts().size(); ++n) {
      front::Air& to = solver_.parts()[n]->air();
      const front::Air& from = other.solver_.parts()[n]->air();
      for (std::size_t group = 0; group < std::min(to.groups(), from.groups()); ++group)
        to.group(group).q.copy_from(from.group(group).q);
      to.rain_fallen.copy_from(from.rain_fallen);
      to.snow_fallen.copy_from(from.snow_fallen);
      to.heating.copy_from(from.heating);
    }
  }
  void turn(std::int64_t number) {
    const double begin = now();
    solver_.step(number, steps);
    seconds_.push_back((now() - begin) / steps);
  }
  void forget() { seconds_.clear(); }
  void finish() { solver_.finish(); }
  void compare(const Run& first) {
    const int tracers = std::min(options_.all_tracers(), first.options_.all_tracers());
    same_ = same_ && result(solver_, tracers) == result(first.solver_, tracers);
  }
  [[nodiscard]] const front::Options& options() const { return options_; }

  void print(const Run& first) const {
    std::vector<double> quotients;
    quotients.reserve(seconds_.size());
    for (std::size_t n = 0; n < seconds_.size(); ++n)
      quotients.push_back(100 * (seconds_[n] / first.seconds_[n] - 1));
    std::printf("%-36s %8.1f us per step (%.1f to %.1f), %+.2f %% (%+.2f to %+.2f), %.1f launches, %s\n",
                name_.c_str(), 1e6 * share(seconds_, 0.5), 1e6 * share(seconds_, 0.25),
                1e6 * share(seconds_, 0.75), share(quotients, 0.5), share(quotients, 0.25),
                share(quotients, 0.75), solver_.launches(), same_ ? "the same bits" : "other bits");
  }

private:
  std::string name_;
  front::Options options_;
  front::Weather weather_;
  front::Solver solver_;
  std::vector<double> seconds_;
  bool same_ = true;
};

std::vector<std::vector<const char*>> divided(int count, char** arguments) {
  std::vector<std::vector<const char*>> all{{arguments[0]}};
  for (int n = 2; n < count; ++n) {
    if (std::string(arguments[n]) == "--")
      all.push_back({});
    else
      all.back().push_back(arguments[n]);
  }
  return all;
}

int compare(int turns, const std::vector<std::vector<const char*>>& arguments, heddle::Ranks& ranks) {
  std::vector<std::unique_ptr<Run>> runs;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    std::vector<const char*> words = arguments[0];
    std::string name;
    if (n > 0) {
      for (const char* word : arguments[n]) {
        words.push_back(word);
        name += (name.empty() ? "" : " ") + std::string(word);
      }
    }
    const auto options = front::parse_options(static_cast<int>(words.size()), words.data());
    if (!options) return 0;
    if (n > 0 && (options->gpu != runs[0]->options().gpu || options->size != runs[0]->options().size))
      throw heddle::Error("command line", "'" + name + "' has another --size or --device than the first run",
                          "give both before the first --");
    runs.push_back(std::make_unique<Run>(n == 0 ? "first" : name, *options, ranks));
  }
  for (std::int64_t turn = -1; turn < turns; ++turn) { // the first one records graphs
    for (const auto& run : runs)
      if (run != runs.front()) run->begin_as(*runs.front());
    for (std::size_t n = 0; n < runs.size(); ++n)
      runs[turn % 2 == 0 ? n : runs.size() - 1 - n]->turn((turn + 1) * steps);
    for (const auto& run : runs) {
      if (turn < 0) run->forget();
      if (turn < 2) run->compare(*runs.front());
    }
  }
  for (const auto& run : runs)
    run->finish();
  for (const auto& run : runs)
    run->print(*runs.front());
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  int turns = 0;
  if (argc < 2 || std::from_chars(argv[1], argv[1] + std::string(argv[1]).size(), turns).ec != std::errc() ||
      turns < 1) {
    std::fprintf(stderr, "heddle-column-turns: usage: <turns> <options of column_physics> [-- <more>]...\n");
    return 2;
  }
  const auto arguments = divided(argc, argv);
  const bool gpu =
      std::ranges::any_of(arguments[0], [](const char* word) { return std::string(word) == "cuda"; });
  return heddle::run(argc, argv, gpu ? heddle::Memory::device : heddle::Memory::host,
                     [&](heddle::Ranks& ranks) { return compare(turns, arguments, ranks); });
}
