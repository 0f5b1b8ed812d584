// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_START_HPP
#define HEDDLE_EXAMPLES_START_HPP

#include <cstdio>
#include <exception>
#include <new>
#include <optional>

#include "heddle/core/error.hpp"

/// What the main of a program with a command line does before it computes.
namespace example {

/// Exit status of a program that has written its results, and they are not as accurate as was asked for: it
/// ran out of steps or iterations.
inline constexpr int not_converged = 2;

/// Its options, or the status with which it ends at once.
template <class Options> struct Start {
  Options options;
  std::optional<int> status;
};

/// Reads the command line: parse(count, arguments) gives the options, or nothing after --help (status 0). An
/// error is printed on stderr (status 1). Lines of stdout appear as they are printed from here on, in a file
/// too.
template <class Options>
Start<Options> start(const char* program, std::optional<Options> (*parse)(int, const char* const*), int count,
                     const char* const* arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    if (const auto options = parse(count, arguments)) return {*options, std::nullopt};
    return {{}, 0};
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return {{}, 1};
  }
}

/// Calls `compute`. Throws heddle::Error with the hint where memory does not suffice.
template <class Compute> void within_memory(const char* hint, Compute compute) {
  try {
    compute();
  } catch (const std::bad_alloc&) {
    throw heddle::Error("memory", "there is not enough memory", hint);
  }
}

} // namespace example

#endif
