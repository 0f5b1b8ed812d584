// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_ELEVATION_HPP
#define HEDDLE_GEOMETRY_ELEVATION_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::geometry {

/// A digital elevation model: heights on a west-east, south-north grid of rectangular cells.
struct Elevation {
  std::int64_t columns = 0;   ///< cells west to east
  std::int64_t rows = 0;      ///< cells south to north
  double cell_x = 0;          ///< west-east size of a cell, m
  double cell_y = 0;          ///< south-north size of a cell, m
  std::vector<double> height; ///< m; height[column + columns * row], row 0 is the SOUTH edge; NaN: no data
  std::string source;         ///< the file, for messages

  [[nodiscard]] double at(std::int64_t column, std::int64_t row) const {
    return height[static_cast<std::size_t>(column + columns * row)];
  }
  [[nodiscard]] double width() const { return cell_x * static_cast<double>(columns); }
  [[nodiscard]] double depth() const { return cell_y * static_cast<double>(rows); }
};

/// Cell sizes for files that carry none (a plain array); 0 where the file says it.
struct CellSize {
  double x = 0;
  double y = 0;
};

/// Lengths of one degree on the WGS 84 ellipsoid at a latitude, m (series in the cosine of the latitude).
struct DegreeLength {
  double latitude;
  double longitude;
};
[[nodiscard]] DegreeLength degree_length(double latitude_degrees);

/// Reads an elevation model by its suffix:
///   .npz  array `elevation` (or the only 2-D array), row 0 = north edge; cell size from `dx`, `dy`, in
///   degrees where
///         `ymin` and `ymax` are latitudes and dx < 0.1, else in metres
///   .npy  2-D array, row 0 = north edge; cell size from `cell`
///   .asc  ESRI ASCII grid, NODATA_value becomes NaN; cell size in degrees where it is below 0.1 and the
///   corner is a
///         longitude and latitude
/// Throws heddle::Error: missing or corrupt file, wrong shape, no cell size, unknown suffix, a header entry
/// of an .asc that is unknown or stands there twice, a height that is infinite, below -12 km or above 100 km.
[[nodiscard]] Elevation read_elevation(const std::filesystem::path& path, CellSize cell = {});

/// A rectangle on the ground, in metres from the south-west corner of the model. The grid that is laid on it
/// has its x axis turned by `angle` from east, counter-clockwise.
struct Window {
  double centre_x = 0;
  double centre_y = 0;
  double length = 0; ///< along the grid's x axis
  double width = 0;  ///< along the grid's y axis
  double angle = 0;  ///< radians
};

/// Heights on a grid of square cells; height[i + nx * j] is the mean over cell (i, j), j grows to the left of
/// x.
struct HeightMap {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  double cell = 0; ///< m
  std::vector<double> height;

  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
    return height[static_cast<std::size_t>(i + nx * j)];
  }
  [[nodiscard]] double& at(std::int64_t i, std::int64_t j) {
    return height[static_cast<std::size_t>(i + nx * j)];
  }
};

/// Samples the model on `window` with square cells of size `cell`: bilinear between cell centres, constant
/// over the outer half cell, averaged over sub-samples where `cell` is coarser than the model. Throws
/// heddle::Error: a window that leaves the model (by how much, on which side), fewer than 4 cells along a
/// side, more heights than memory_limit(), a height without data that the window needs (row and column,
/// counted as in the file).
[[nodiscard]] HeightMap resample(const Elevation& model, const Window& window, double cell);

/// Widths over which `blend_edges` acts, m.
struct Margins {
  double upstream = 0;   ///< from x = 0
  double downstream = 0; ///< from the other end of x
  double side = 0;       ///< both ends of y
};

/// Draws the heights to `base` at the edges: half a cosine wave over each margin, so that height and slope
/// are continuous, and what lies inside the margins is untouched.
void blend_edges(HeightMap& map, Margins margins, double base);

} // namespace heddle::geometry

#endif
