// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_VTK_IMAGE_HPP
#define HEDDLE_POROUS_VTK_IMAGE_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace porous {

/// Throws heddle::Error about a file.
[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, const std::string& hint);

/// Scalars on a box of voxels, x fastest.
struct Image {
  std::array<std::int64_t, 3> extent{};
  std::vector<double> values;
};

/// Reads scalars of a VTK image. `.vti`: one piece, the array written in ASCII or as raw appended data, as
/// heddle::Output does; `.vtk`: version 2 to 5, STRUCTURED_POINTS, ASCII or BINARY. Values of cells, or of
/// points where there are none of cells: then each point is a voxel. array: its name; empty: the only one
/// with one component. Throws heddle::Error: no such array or several, a header that does not fit the values,
/// an axis longer than 100000 voxels. Formats: "VTK File Formats", Kitware.
[[nodiscard]] Image read_vti(const std::filesystem::path& path, const std::string& array);
[[nodiscard]] Image read_vtk(const std::filesystem::path& path, const std::string& array);

/// Of arrays that fit, where none was named, there may be one. Throws heddle::Error for more of them.
void require_one(const std::filesystem::path& path, const std::vector<std::string>& fitting);

} // namespace porous

#endif
