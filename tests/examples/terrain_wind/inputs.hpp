// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_INPUTS_HPP
#define HEDDLE_INPUTS_HPP

#include <functional>
#include <sstream>
#include <string>

#include "../../support/messages.hpp"
#include "../../support/test_folder.hpp"

namespace terrain_wind::test {

using ::test::bytes_of;
using ::test::contains;
using ::test::error_of;
using ::test::Folder;

/// An ESRI ASCII grid of height(column, row), row 0 in the north.
inline std::string ascii_grid(int columns, int rows, double cell,
                              const std::function<std::string(int column, int row)>& height) {
  std::ostringstream text;
  text << "ncols " << columns << "\nnrows " << rows << "\nxllcorner 5000\nyllcorner 7000\ncellsize " << cell
       << "\nNODATA_value -9999\n";
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      text << height(column, row) << ' ';
    text << '\n';
  }
  return text.str();
}

inline std::string flat_grid(int columns, int rows, double cell, double height) {
  return ascii_grid(columns, rows, cell, [height](int, int) { return std::to_string(height); });
}

} // namespace terrain_wind::test

#endif
