// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_NETCDF_FILE_HPP
#define HEDDLE_AIR_QUALITY_NETCDF_FILE_HPP

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "column.hpp"

namespace air_quality {

/// A NetCDF file by the CF conventions: mole fractions of all species by time and pressure.
class NetcdfFile {
public:
  /// Whether this program was built with libnetcdf.
  static bool available();

  /// source: what made the numbers. Throws heddle::Error where the file cannot be made.
  NetcdfFile(const std::filesystem::path& file, const Column& column, const std::string& source);
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  /// The next record. seconds: since the start. concentration: mol m-3, species after species. Throws
  /// heddle::Error where it cannot be written.
  void write(double seconds, double cosine_of_zenith, std::span<const double> concentration);
  /// Nothing can be written afterwards. Throws heddle::Error as write does.
  void close();

private:
  struct Netcdf;
  std::unique_ptr<Netcdf> netcdf_;
};

} // namespace air_quality

#endif
