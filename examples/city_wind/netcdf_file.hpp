// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_NETCDF_FILE_HPP
#define HEDDLE_CITY_WIND_NETCDF_FILE_HPP

#include <filesystem>
#include <memory>
#include <string>

#include "grid.hpp"
#include "wind.hpp"

namespace city_wind {

/// A NetCDF file with the names that QES-Winds uses (u, v, w, mag, icell, terrain on x, y, z, t, at the
/// centres of cells) and the attributes of the CF conventions.
class NetcdfFile {
public:
  /// Whether this program was built with libnetcdf.
  static bool available();

  /// Throws heddle::Error where the file cannot be made.
  NetcdfFile(const std::filesystem::path& file, const Grid& grid, const Ground& ground);
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  /// The wind of the next time, s. Throws heddle::Error where it cannot be written.
  void write(double time, const CellWind& wind);
  /// Nothing can be written afterwards. Throws heddle::Error as write does.
  void close();

private:
  struct File;
  std::unique_ptr<File> file_;
};

} // namespace city_wind

#endif
