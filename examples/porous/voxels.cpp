// SPDX-License-Identifier: Apache-2.0
#include "voxels.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/printable.hpp"
#include "heddle/core/size.hpp"
#include "heddle/geometry/npy.hpp"
#include "vtk_image.hpp"

namespace porous {
namespace {

Image from_numpy(const std::filesystem::path& path, heddle::geometry::Array array) {
  if (array.shape.size() != 3)
    refuse(path, "the array has " + std::to_string(array.shape.size()) + " axes", "an image has three");
  return {{array.shape[2], array.shape[1], array.shape[0]}, std::move(array.values)};
}

/// The array of that name, or the only one with three axes: the others may be of any type.
Image read_npz(const std::filesystem::path& path, const std::string& wanted) {
  namespace geometry = heddle::geometry;
  if (!wanted.empty()) return from_numpy(path, geometry::read_npz(path, wanted));
  std::vector<std::string> fitting;
  std::vector<std::string> unreadable;
  std::string known;
  for (const geometry::ArrayInfo& array : geometry::npz_arrays(path)) {
    known += (known.empty() ? "" : ", ") + array.name;
    if (!array.shape) unreadable.push_back(array.name);
    if (array.shape && array.shape->size() == 3) fitting.push_back(array.name);
  }
  if (fitting.empty() && !unreadable.empty()) fitting = {unreadable.front()}; // which says why
  if (fitting.empty()) refuse(path, "none of its arrays has three axes", "it has: " + known);
  require_one(path, fitting);
  return from_numpy(path, geometry::read_npz(path, fitting.front()));
}

Image read_raw(const std::filesystem::path& path, const std::array<std::int64_t, 3>& size) {
  if (size[0] < 1 || size[1] < 1 || size[2] < 1)
    refuse(path, "a raw file does not say how large the image is", "give --size NX,NY,NZ");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "it cannot be read", "does it exist?");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::optional<std::int64_t> wanted = heddle::checked_product(size);
  if (!wanted || static_cast<std::int64_t>(bytes.size()) != *wanted)
    refuse(path,
           "it has " + std::to_string(bytes.size()) + " bytes, and --size asks for " +
               (wanted ? std::to_string(*wanted) : "more than 9e18"),
           "one byte per voxel, x fastest");
  Image image{size, std::vector<double>(bytes.size())};
  std::transform(bytes.begin(), bytes.end(), image.values.begin(),
                 [](char byte) { return static_cast<double>(static_cast<unsigned char>(byte)); });
  return image;
}

Image read_any(const std::filesystem::path& path, const ImageOptions& options) {
  const std::string ending = path.extension().string();
  if (ending == ".npz") return read_npz(path, options.array);
  if (ending == ".npy") return from_numpy(path, heddle::geometry::read_npy(path));
  if (ending == ".raw") return read_raw(path, options.size);
  if (ending == ".vti") return read_vti(path, options.array);
  if (ending == ".vtk") return read_vtk(path, options.array);
  refuse(path, "the ending '" + ending + "' is not known", "one of .npz .npy .raw .vti .vtk");
}

/// The cells that faces join to the layer at one end of an axis, through pores.
std::vector<std::uint8_t> reached(const Voxels& image, std::size_t axis, bool from_the_end) {
  std::vector<std::uint8_t> seen(image.pore.size(), 0);
  std::vector<std::array<std::int64_t, 3>> open;
  const auto visit = [&](const std::array<std::int64_t, 3>& cell) {
    const std::size_t i = image.index(cell[0], cell[1], cell[2]);
    if (image.pore[i] == 0 || seen[i] != 0) return;
    seen[i] = 1;
    open.push_back(cell);
  };
  const std::size_t b = (axis + 1) % 3;
  const std::size_t c = (axis + 2) % 3;
  std::array<std::int64_t, 3> cell{};
  cell[axis] = from_the_end ? image.extent[axis] - 1 : 0;
  for (cell[b] = 0; cell[b] < image.extent[b]; ++cell[b])
    for (cell[c] = 0; cell[c] < image.extent[c]; ++cell[c])
      visit(cell);
  while (!open.empty()) {
    const std::array<std::int64_t, 3> here = open.back();
    open.pop_back();
    for (std::size_t d = 0; d < 3; ++d) {
      for (const int way : {-1, 1}) {
        std::array<std::int64_t, 3> next = here;
        next[d] += way;
        if (next[d] >= 0 && next[d] < image.extent[d]) visit(next);
      }
    }
  }
  return seen;
}

} // namespace

double Voxels::porosity() const {
  const auto pores = std::accumulate(pore.begin(), pore.end(), std::int64_t{0});
  return static_cast<double>(pores) / static_cast<double>(pore.size());
}

Voxels read_image(const std::filesystem::path& path, const ImageOptions& options) {
  const Image image = read_any(path, options);
  Voxels voxels{image.extent, std::vector<std::uint8_t>(image.values.size()),
                heddle::printable(path.filename().string())};
  std::transform(image.values.begin(), image.values.end(), voxels.pore.begin(),
                 [&](double value) { return static_cast<std::uint8_t>(value == options.pore_value); });
  if (voxels.pore.empty()) refuse(path, "the image has no voxels", "");
  if (std::find(voxels.pore.begin(), voxels.pore.end(), 1) == voxels.pore.end())
    refuse(path, "no voxel has the value of pores", "say which value it is: --pore VALUE");
  return voxels;
}

Voxels in_a_duct(const Voxels& image, int axis, std::int64_t layers) {
  Voxels duct;
  duct.title = image.title;
  std::array<std::int64_t, 3> shift{1, 1, 1};
  shift[static_cast<std::size_t>(axis)] = layers;
  for (std::size_t d = 0; d < 3; ++d)
    duct.extent[d] = image.extent[d] + 2 * shift[d];
  const std::int64_t cells = heddle::require_size(
      {"image '" + image.title + "'", "voxels of the duct", {duct.extent[0], duct.extent[1], duct.extent[2]}},
      heddle::memory_limit(), "use fewer --layers");
  duct.pore.assign(static_cast<std::size_t>(cells), 0);
  std::array<std::int64_t, 3> cell{};
  for (cell[2] = 0; cell[2] < duct.extent[2]; ++cell[2]) {
    for (cell[1] = 0; cell[1] < duct.extent[1]; ++cell[1]) {
      for (cell[0] = 0; cell[0] < duct.extent[0]; ++cell[0]) {
        bool side = false;
        bool open = false;
        for (std::size_t d = 0; d < 3; ++d) {
          const bool outside = cell[d] < shift[d] || cell[d] >= duct.extent[d] - shift[d];
          (d == static_cast<std::size_t>(axis) ? open : side) |= outside;
        }
        duct.pore[duct.index(cell[0], cell[1], cell[2])] =
            side   ? 0
            : open ? 1
                   : image.pore[image.index(cell[0] - shift[0], cell[1] - shift[1], cell[2] - shift[2])];
      }
    }
  }
  return duct;
}

std::int64_t close_dead_ends(Voxels& image, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  const std::vector<std::uint8_t> before = reached(image, a, false);
  const std::vector<std::uint8_t> behind = reached(image, a, true);
  std::int64_t closed = 0;
  for (std::size_t i = 0; i < image.pore.size(); ++i) {
    const auto joined = static_cast<std::uint8_t>(before[i] & behind[i]);
    closed += image.pore[i] - joined;
    image.pore[i] = joined;
  }
  return closed;
}

} // namespace porous
