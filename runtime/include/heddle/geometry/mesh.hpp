// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_MESH_HPP
#define HEDDLE_GEOMETRY_MESH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::geometry {

using Point = std::array<double, 3>;

/// A triangle surface: corners as indices into `vertices`, counter-clockwise seen from outside.
struct Mesh {
  std::vector<Point> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::string source; ///< the file, for messages
};

/// Reads a mesh by its suffix: .stl (binary or ASCII) or .obj (polygons are split into fans; negative indices
/// count from the end). Vertices nearer to each other than `weld` are made one and triangles that collapse
/// are dropped; a negative `weld` stands for 1e-7 of the diagonal of the bounding box. Throws heddle::Error:
/// missing file, unknown suffix, corrupt or truncated text, an index that points nowhere, a coordinate that
/// is not finite or beyond 1e15, no triangle.
[[nodiscard]] Mesh read_mesh(const std::filesystem::path& path, double weld = -1);

/// Makes vertices nearer than `distance` one, equal ones where it is 0, and drops triangles that collapse.
/// Throws heddle::Error where the mesh is more than 2^53 times as large as the distance.
void weld(Mesh& mesh, double distance);

/// Lower and upper corner of the bounding box.
[[nodiscard]] std::array<Point, 2> bounds(const Mesh& mesh);

/// A hole: a connected set of edges at which the surface ends.
struct Leak {
  Point centre;
  double length;     ///< sum of the lengths of its edges
  std::size_t edges; ///< how many
};

/// The holes of the surface, longest first; empty where every edge belongs to an even number of triangles.
[[nodiscard]] std::vector<Leak> leaks(const Mesh& mesh);

} // namespace heddle::geometry

#endif
