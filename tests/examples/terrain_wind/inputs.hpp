// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_INPUTS_HPP
#define HEDDLE_INPUTS_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "heddle/error.hpp"

namespace terrain_wind::test {

/// A folder of its own for each test, removed at the end.
class Folder {
public:
  Folder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            ("heddle_terrain_" + std::string(info->test_suite_name()) + "_" + info->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

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

/// The message of the heddle::Error that `action` throws.
template <class Action> std::string error_of(Action action) {
  try {
    action();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no heddle::Error was thrown";
  return {};
}

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in '" << text << "'";
}

} // namespace terrain_wind::test

#endif
