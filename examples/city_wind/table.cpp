// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <charconv>
#include <cmath>
#include <fstream>

#include "heddle/core/error.hpp"

namespace city_wind {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

} // namespace

double parse_number(std::string_view text, const std::string& place) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw heddle::Error(place, "'" + std::string(text) + "' is not a number");
  return value;
}

double Row::number(std::size_t n) const {
  if (n >= words.size())
    throw heddle::Error(place, "it has " + std::to_string(words.size()) + " values, but at least " +
                                   std::to_string(n + 1) + " are needed");
  return parse_number(words[n], place);
}

std::vector<Row> read_table(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw heddle::Error("file '" + file.string() + "'", "it cannot be opened", "check the name");
  std::vector<Row> rows;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    Row row{file.string() + ", line " + std::to_string(number), {}};
    for (std::string_view rest = line;;) {
      const std::size_t comma = rest.find(',');
      row.words.push_back(trimmed(rest.substr(0, comma)));
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace city_wind
