// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_COMMAND_LINE_HPP
#define HEDDLE_EXAMPLES_COMMAND_LINE_HPP

#include <algorithm>
#include <array>
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

/// Numbers that a letter joins, such as 64x64x75: no fewer and no more than these many, each from lower to
/// upper. (Of values that CLI11 parts itself, it drops the first ones where there are too many.)
struct Joined {
  char by;
  std::size_t fewest, most;
  double lower, upper;
};

template <class Number>
CLI::Option* add_joined(CLI::App& app, const std::string& name, const Joined& form,
                        const std::function<void(const std::vector<Number>&)>& set, const std::string& help) {
  const auto parts_of = [form](const std::string& word) { return CLI::detail::split(word, form.by); };
  const auto check = [form, parts_of](const std::string& word) -> std::string {
    const std::vector<std::string> parts = parts_of(word);
    if (parts.size() < form.fewest || parts.size() > form.most) {
      const std::string many = form.fewest == form.most
                                   ? std::to_string(form.most)
                                   : std::to_string(form.fewest) + " to " + std::to_string(form.most);
      return "'" + word + "' is not " + many + " numbers with '" + form.by + "' between them";
    }
    Number number{};
    for (const std::string& part : parts) {
      std::string wrong = between(form.lower, form.upper)(part);
      if (!wrong.empty()) return wrong;
      if (!CLI::detail::lexical_cast(part, number)) return "'" + part + "' is not a whole number";
    }
    return {};
  };
  const auto read = [set, parts_of](const std::string& word) {
    std::vector<Number> numbers;
    for (const std::string& part : parts_of(word)) {
      numbers.emplace_back();
      CLI::detail::lexical_cast(part, numbers.back());
    }
    set(numbers);
  };
  return app.add_option_function<std::string>(name, read, help)->check(CLI::Validator(check, ""));
}

/// As many numbers as an array has, each from lower to upper, which go into it; the help says what it has
/// now.
template <class Number, std::size_t count>
CLI::Option* add_joined(CLI::App& app, const std::string& name, char by, std::array<Number, count>& numbers,
                        double lower, double upper, const std::string& help) {
  std::string now;
  for (const Number number : numbers)
    now += (now.empty() ? "" : std::string(1, by)) + CLI::detail::to_string(number);
  return add_joined<Number>(
             app, name, {by, count, count, lower, upper},
             [&numbers](const std::vector<Number>& read) { std::ranges::copy(read, numbers.begin()); }, help)
      ->default_str(now);
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
