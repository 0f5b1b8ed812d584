// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_TABLES_HPP
#define HEDDLE_AIR_QUALITY_TABLES_HPP

#include <filesystem>
#include <vector>

#include "column.hpp"

namespace air_quality {

/// Files are text: values in a line are separated by blanks or commas, # begins a comment. All readers throw
/// heddle::Error with file, line, reason and what to do.

/// Lines "name value": mole fractions in ppb (1e-9). Species that the file does not name keep their value in
/// `fractions` (1).
void read_mole_fractions(const std::filesystem::path& file, std::vector<double>& fractions);

/// Lines "name value": photolysis at noon (s-1) and emissions at the ground (mol m-3 s-1), all of them: a
/// rate that is missing is no 0.
[[nodiscard]] std::vector<double> read_rates(const std::filesystem::path& file);

/// Lines "pressure temperature share": a level each, in Pa, K and parts of the emissions at the ground; the
/// lowest level first.
[[nodiscard]] Column read_column(const std::filesystem::path& file);

} // namespace air_quality

#endif
