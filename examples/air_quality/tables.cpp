// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "mechanism.hpp"

namespace air_quality {
namespace {

constexpr std::size_t most_lines = 1'000'000;
constexpr std::size_t longest_line = 1000;

using Words = std::vector<std::string>;

/// Calls line(place, words) for each line with words. place: "file 'x', line 3".
void read_lines(const std::filesystem::path& file,
                const std::function<void(const std::string& place, const Words& words)>& line) {
  const std::string name = "file '" + file.string() + "'";
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file))
    throw heddle::Error(name, "it cannot be read", "check the path");
  std::string text;
  std::size_t number = 0;
  bool any = false;
  while (std::getline(stream, text)) {
    const std::string place = name + ", line " + std::to_string(++number);
    if (number > most_lines || text.size() > longest_line)
      throw heddle::Error(place, "the file has too many lines, or a line too many letters",
                          "it is a table of names and numbers");
    Words words(1);
    for (const char letter : text.substr(0, text.find('#'))) {
      const bool gap = letter == ' ' || letter == '\t' || letter == ',' || letter == '\r';
      if (!gap)
        words.back() += letter;
      else if (!words.back().empty())
        words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    if (words.empty()) continue;
    any = true;
    line(place, words);
  }
  if (!any) throw heddle::Error(name, "it holds no values", "write a line for each of them");
}

/// A finite number that is not negative.
double value_of(const std::string& place, const std::string& what, const std::string& word) {
  const std::optional<double> value = heddle::number_of<double>(word);
  if (!value || !std::isfinite(*value))
    throw heddle::Error(place, what + " is '" + word + "', no finite number", "write it like 1.5e-9");
  if (*value < 0) throw heddle::Error(place, what + " is negative: " + word, "give 0 or more");
  return *value;
}

using Number = std::function<int(const std::string& name)>;

/// Lines "name value" into values; returns which of them there were.
std::vector<bool> read_named(const std::filesystem::path& file, const Number& number,
                             std::vector<double>& values) {
  std::vector<bool> given(values.size());
  read_lines(file, [&](const std::string& place, const Words& words) {
    if (words.size() != 2)
      throw heddle::Error(place, std::to_string(words.size()) + " words", "write a name and a number");
    std::size_t n = 0;
    try {
      n = static_cast<std::size_t>(number(words[0]));
    } catch (const heddle::Error& error) {
      throw heddle::Error(place, error.where() + ": " + error.reason(), error.hint());
    }
    if (given[n]) throw heddle::Error(place, "'" + words[0] + "' stands here twice", "remove one of them");
    given[n] = true;
    values[n] = value_of(place, "'" + words[0] + "'", words[1]);
  });
  return given;
}

} // namespace

void read_mole_fractions(const std::filesystem::path& file, std::vector<double>& fractions) {
  std::vector<double> parts(fractions.size());
  const std::vector<bool> given =
      read_named(file, [](const std::string& name) { return cb05().species_number(name); }, parts);
  for (std::size_t n = 0; n < parts.size(); ++n)
    if (given[n]) fractions[n] = parts[n] * 1e-9;
}

std::vector<double> read_rates(const std::filesystem::path& file) {
  std::vector<double> rates(cb05().inputs.size());
  const std::vector<bool> given =
      read_named(file, [](const std::string& name) { return cb05().input_number(name); }, rates);
  std::string missing;
  for (std::size_t n = 0; n < rates.size(); ++n)
    if (!given[n]) missing += (missing.empty() ? "" : ", ") + cb05().inputs[n];
  if (!missing.empty())
    throw heddle::Error("file '" + file.string() + "'", "rates are missing: " + missing,
                        "write 0 for those that there are none of");
  return rates;
}

Column read_column(const std::filesystem::path& file) {
  Column column;
  read_lines(file, [&](const std::string& place, const Words& words) {
    if (words.size() != 3)
      throw heddle::Error(place, std::to_string(words.size()) + " words",
                          "write pressure (Pa), temperature (K) and the share of the emissions");
    const double pressure = value_of(place, "the pressure", words[0]);
    const double temperature = value_of(place, "the temperature", words[1]);
    if (!(pressure > 0 && temperature > 0))
      throw heddle::Error(place, "pressure or temperature is 0", "give them in Pa and K");
    if (!column.pressure.empty() && pressure >= column.pressure.back())
      throw heddle::Error(place, "the pressure is not below that of the level before",
                          "begin with the lowest level");
    column.pressure.push_back(pressure);
    column.temperature.push_back(temperature);
    column.emission.push_back(value_of(place, "the share of the emissions", words[2]));
  });
  return column;
}

} // namespace air_quality
