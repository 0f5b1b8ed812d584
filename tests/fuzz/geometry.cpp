// SPDX-License-Identifier: Apache-2.0
// Elevation models and meshes, with what programs do with them at once.
#include <algorithm>
#include <array>
#include <cmath>

#include "heddle/core/size.hpp"
#include "heddle/geometry/elevation.hpp"
#include "heddle/geometry/mesh.hpp"
#include "heddle/geometry/npy.hpp"
#include "heddle/geometry/voxelise.hpp"
#include "reader.hpp"

namespace {

namespace geometry = heddle::geometry;

void use(const geometry::Elevation& model) {
  fuzz::require(model.columns > 0 && model.rows > 0, "an elevation model has cells");
  fuzz::require(model.height.size() == static_cast<std::size_t>(model.columns * model.rows),
                "as many heights as cells");
  fuzz::require(std::ranges::none_of(model.height, [](double h) { return std::isinf(h); }),
                "heights are finite, or missing");
  const geometry::Window window{model.width() / 2, model.depth() / 2, model.width(), model.depth(), 0};
  geometry::HeightMap map = geometry::resample(model, window, std::max(model.cell_x, model.cell_y) / 2);
  geometry::blend_edges(map, {map.cell, map.cell, map.cell}, 0);
  (void)geometry::below_ground(map, 0, 8);
}

void elevation_file(const char* name, fuzz::Bytes bytes) {
  use(geometry::read_elevation(fuzz::write(name, bytes), {30, 30}));
}

const fuzz::Reader asc("asc", [](fuzz::Bytes bytes) { elevation_file("a.asc", bytes); });
const fuzz::Reader npy("npy", [](fuzz::Bytes bytes) { elevation_file("a.npy", bytes); });
const fuzz::Reader npz("npz", [](fuzz::Bytes bytes) {
  const std::string file = fuzz::write("a.npz", bytes);
  for (const geometry::ArrayInfo& info : geometry::npz_arrays(file)) {
    if (!info.shape) continue;
    const geometry::Array array = geometry::read_npz(file, info.name);
    fuzz::require(array.shape == *info.shape, "an array has the shape of its header");
    fuzz::require(heddle::checked_product(array.shape) == array.size(), "an array has all its values");
  }
  use(geometry::read_elevation(file));
});

void mesh_file(const char* name, fuzz::Bytes bytes) {
  const geometry::Mesh mesh = geometry::read_mesh(fuzz::write(name, bytes));
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle)
      fuzz::require(corner < mesh.vertices.size(), "a corner is a vertex");
  const auto [lower, upper] = geometry::bounds(mesh);
  const bool leaks = !geometry::leaks(mesh).empty();
  double size = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    fuzz::require(std::isfinite(lower[d]) && lower[d] <= upper[d], "a mesh has a box");
    size = std::max(size, upper[d] - lower[d]);
  }
  (void)geometry::voxelise(mesh, {lower, size / 8, {9, 9, 9}}); // refuses a mesh with leaks
  fuzz::require(!leaks, "only a closed mesh has voxels");
}

const fuzz::Reader stl("stl", [](fuzz::Bytes bytes) { mesh_file("a.stl", bytes); });
const fuzz::Reader obj("obj", [](fuzz::Bytes bytes) { mesh_file("a.obj", bytes); });

} // namespace
