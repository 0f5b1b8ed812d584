// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_OUTPUT_HPP
#define HEDDLE_CLOUDS_OUTPUT_HPP

#include <filesystem>

#include "base_state.hpp"
#include "case.hpp"
#include "sample.hpp"

namespace clouds {

/// series.csv: a line per sample. profiles.csv: means over a period (s), a line per level, values on its
/// lower face included. A mean over clouds where there are none is an empty field. spread: null, or the
/// standard deviation of each value over runs, which then follows it as NAME_spread. Each throws
/// heddle::Error where the file cannot be written.
void write_series(const History& history, const std::filesystem::path& file,
                  const std::vector<Sample>* spread = nullptr);
void write_profiles(const Sample& mean, const BaseState& base, const std::filesystem::path& file,
                    const Sample* spread = nullptr);
/// clouds.nc: all samples, CF conventions; what is not there is _FillValue. Nothing where the program was
/// built without NetCDF.
void write_netcdf(const History& history, const Case& what, const BaseState& base,
                  const std::filesystem::path& file, const std::vector<Sample>* spread = nullptr);

/// All samples with all digits, and back: what a run that goes on needs of the ones before.
void save_history(const History& history, const std::filesystem::path& file);
[[nodiscard]] History read_history(const std::filesystem::path& file, const BaseState& base);

} // namespace clouds

#endif
