// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_VOXELS_HPP
#define HEDDLE_POROUS_VOXELS_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace porous {

/// A voxel image of a medium, x fastest.
struct Voxels {
  std::array<std::int64_t, 3> extent{};
  std::vector<std::uint8_t> pore; ///< 1 pore, 0 solid
  std::string title;

  [[nodiscard]] std::size_t index(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>(x + extent[0] * (y + extent[1] * z));
  }
  [[nodiscard]] double porosity() const;
};

/// How to read an image.
struct ImageOptions {
  std::string array;                  ///< of an .npz, .vti or .vtk file; empty: the only one that fits
  std::array<std::int64_t, 3> size{}; ///< of a .raw file: its voxels along x, y, z, one byte each
  double pore_value = 1;              ///< voxels of this value are pores
};

/// Reads an image: `.npz` and `.npy` (a NumPy array of three axes; the last, which varies fastest, becomes
/// x), `.raw` (bytes, x fastest), `.vti` (image data of VTK's XML, uncompressed) or `.vtk` (legacy structured
/// points). Throws heddle::Error with the file, the reason and a hint: an unknown ending, a missing or
/// damaged file, an array that does not fit, an image without pores.
[[nodiscard]] Voxels read_image(const std::filesystem::path& path, const ImageOptions& options);

/// The image between `layers` open layers at both ends of `axis`, and between solid layers at its other
/// sides: a flow that is periodic then enters and leaves through open space, and no pore is cut by a side.
[[nodiscard]] Voxels in_a_duct(const Voxels& image, int axis, std::int64_t layers);

/// Pores that no path of faces joins to both ends along `axis` become solid. Returns how many.
std::int64_t close_dead_ends(Voxels& image, int axis);

} // namespace porous

#endif
