// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_OPTION_RULES_HPP
#define HEDDLE_EXAMPLES_OPTION_RULES_HPP

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/error.hpp"

/// The options of a command line as a table: what an example's program reads, and what its --help prints.
namespace option_rules {

template <class Options> struct Rule {
  std::string_view name;
  std::string_view value; // what it is called in the help; empty: takes none
  std::string_view help;
  std::function<void(Options&, std::string_view)> set;
};

/// Reads `--name value` and `--name=value` of main's arguments; word: takes those that do not begin with -,
/// which else are unknown options. Throws heddle::Error for an unknown option and a missing value, and as the
/// rules do.
template <class Options>
void read(Options& options, const std::vector<Rule<Options>>& rules, int count, const char* const* first,
          const std::function<void(std::string_view)>& word = nullptr) {
  const std::vector<std::string_view> arguments(first + std::min(count, 1), first + count);
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (word && !argument->starts_with("-")) {
      word(*argument);
      continue;
    }
    const std::size_t equals = argument->find('=');
    const std::string name(argument->substr(0, equals));
    const auto rule = std::ranges::find(rules, name, &Rule<Options>::name);
    if (rule == rules.end())
      throw heddle::Error("command line", "unknown option '" + name + "'", "see --help");
    std::string_view value;
    if (!rule->value.empty()) {
      if (equals != argument->npos)
        value = argument->substr(equals + 1);
      else if (argument + 1 != arguments.end())
        value = *++argument;
      else
        throw heddle::Error("option " + name, "its value is missing", "see --help");
    }
    rule->set(options, value);
  }
}

/// A line for each rule, explanations from `column` on.
template <class Options> std::string help_lines(const std::vector<Rule<Options>>& rules, std::size_t column) {
  std::string text;
  for (const Rule<Options>& rule : rules) {
    std::string left = "  " + std::string(rule.name) + " " + std::string(rule.value);
    left.resize(std::max(left.size() + 1, column), ' ');
    text += left + std::string(rule.help) + "\n";
  }
  return text;
}

} // namespace option_rules

#endif
