// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_COLUMN_FILE_HPP
#define HEDDLE_AIR_QUALITY_COLUMN_FILE_HPP

#include <filesystem>

#include "column.hpp"

namespace air_quality {

/// A column from a NetCDF file:
///
///     pressure(level)               Pa, from the lowest level on
///     temperature(level)            K
///     emission_NAME(hour, level)    mol m-3 s-1, for each species that is emitted; hour: 24, the first from
///     0:00
///                                   to 1:00 of local solar time, or 1 for the whole day
///
/// Each has the attribute `units` as above; other variables are not read. Throws heddle::Error with the file,
/// the variable, the reason and what to do: for what is missing or has other units or dimensions, values that
/// are missing, not finite or negative, pressures that do not fall, and species without an emission in CB05.
/// Without NetCDF, always.
[[nodiscard]] Column read_column_file(const std::filesystem::path& file);

} // namespace air_quality

#endif
