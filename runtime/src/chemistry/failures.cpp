// SPDX-License-Identifier: Apache-2.0
// Names of a mechanism, and what is said of cells that fail.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "heddle/chemistry/chemistry.hpp"
#include "heddle/core/error.hpp"

namespace heddle {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

int number_of(const std::vector<std::string>& names, std::string_view wanted, const std::string& what,
              const std::string& mechanism) {
  const auto found = std::ranges::find(names, wanted);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::string alike;
  const std::string asked = lower(wanted);
  for (const std::string& name : names)
    if (lower(name) == asked) alike = name;
  for (const std::string& name : names) {
    if (!alike.empty() && lower(alike) == asked) break;
    if (!asked.empty() && lower(name).find(asked) != std::string::npos)
      alike += (alike.empty() ? "" : ", ") + name;
  }
  throw Error("mechanism '" + mechanism + "'", "it has no " + what + " '" + std::string(wanted) + "'",
              alike.empty() ? "its first is '" + (names.empty() ? "" : names.front()) + "'"
                            : "alike are: " + alike);
}

std::string text(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

} // namespace

int ChemicalMechanism::species_number(std::string_view wanted) const {
  return number_of(species, wanted, "species", name);
}

int ChemicalMechanism::input_number(std::string_view wanted) const {
  return number_of(inputs, wanted, "host value", name);
}

void CellFailure::explain(const ChemicalMechanism& mechanism) {
  if (outcome == 1) {
    reason = "max_steps of the kernel did not do: " + std::to_string(steps) + " attempts";
  } else if (outcome == 2) {
    reason = "the step became too short after " + std::to_string(steps) + " attempts";
  } else {
    reason = "a value has no meaning";
    if (!(temperature > 0)) {
      reason = "the temperature is " + text("%g K", temperature);
    } else if (!(pressure > 0)) {
      reason = "the pressure is " + text("%g Pa", pressure);
    } else {
      const auto name = [&](const std::vector<double>& values, const std::vector<std::string>& names) {
        for (std::size_t n = 0; n < values.size(); ++n)
          if (!std::isfinite(values[n])) reason = "'" + names[n] + "' is " + text("%g", values[n]);
      };
      name(rate_input, mechanism.inputs);
      name(concentration, mechanism.species);
    }
  }
}

std::string CellFailure::describe(const ChemicalMechanism& mechanism) const {
  std::string result = "cell (" + std::to_string(cell[0]) + ", " + std::to_string(cell[1]) + ", " +
                       std::to_string(cell[2]) + "): " + reason + "; T = " + text("%g K", temperature) +
                       ", p = " + text("%g Pa", pressure);
  std::vector<std::size_t> order(concentration.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min<std::size_t>(order.size(), 6);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::abs(concentration[a]) > std::abs(concentration[b]);
  });
  for (std::size_t n = 0; n < shown; ++n)
    result += ", " + mechanism.species[order[n]] + " = " + text("%.3g", concentration[order[n]]);
  return result + (shown > 0 ? " mol m-3" : "");
}

} // namespace heddle
