// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_REPORT_HPP
#define LBM_VALIDATION_REPORT_HPP

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "case.hpp"

namespace validation {

/// What one case gave, by precision.
struct Entry {
  Case one;
  std::map<Precision, Outcome> outcomes;
};

/// Writes the table as Markdown: a row a quantity; value and error of each precision. Returns how many values
/// are off.
int write_table(const std::vector<Entry>& entries, const std::filesystem::path& path);

/// Draws the graphs of all cases, f64 before the others, as one PNG.
void draw(const std::vector<Entry>& entries, const std::filesystem::path& path);

} // namespace validation

#endif
