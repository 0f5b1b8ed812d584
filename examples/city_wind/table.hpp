// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_TABLE_HPP
#define HEDDLE_CITY_WIND_TABLE_HPP

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace city_wind {

/// A line of a table: words separated by commas, without the spaces around them.
struct Row {
  std::string place; ///< "FILE, line N", for messages
  std::vector<std::string> words;

  /// Word number n as a number. Throws heddle::Error where there is none.
  [[nodiscard]] double number(std::size_t n) const;
};

/// The lines of a text file that are neither empty nor begin with #. Throws heddle::Error where it cannot be
/// read.
[[nodiscard]] std::vector<Row> read_table(const std::filesystem::path& file);

/// The whole of `text` as a finite number; throws heddle::Error with `place` otherwise.
[[nodiscard]] double parse_number(std::string_view text, const std::string& place);

} // namespace city_wind

#endif
