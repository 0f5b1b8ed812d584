// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_COMMAND_LINE_HPP
#define HEDDLE_EXAMPLES_COMMAND_LINE_HPP

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "heddle/core/error.hpp"

/// What the example programs add to CLI11, which reads their command lines.
namespace command_line {

/// Of an option that is given twice the last value counts, and the help says the default.
inline void set_up(CLI::App& app) {
  app.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.get_formatter()->column_width(34);
}

/// A number from lower to upper; NaN lies outside.
inline CLI::Validator between(double lower, double upper) {
  char range[64];
  std::snprintf(range, sizeof range, "from %g to %g", lower, upper);
  const auto check = [lower, upper, text = std::string(range)](const std::string& word) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(word, value) && value >= lower && value <= upper) return {};
    return "'" + word + "' is not a number " + text;
  };
  return CLI::Validator(check, "");
}

/// An option that takes one of some words. set: gets the number of the word.
inline CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
                               const std::function<void(std::size_t)>& set, const std::string& help) {
  const auto chosen = [words, set](const std::string& word) {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == word) set(i);
  };
  return app.add_option_function<std::string>(name, chosen, help)->check(CLI::IsMember(words));
}

/// Reads the arguments of main. Returns false after --help, which it prints on stdout. Throws heddle::Error
/// with what CLI11 says of a wrong argument.
inline bool read(CLI::App& app, int count, const char* const* arguments) {
  try {
    app.parse(count, arguments);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw heddle::Error("command line", error.what(), "see --help");
  }
}

} // namespace command_line

#endif
