// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/mesh.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "bytes.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"

namespace heddle::geometry {
namespace {

constexpr std::size_t stl_header = 84;
constexpr std::size_t stl_record = 50;
constexpr double default_weld = 1e-7;
constexpr const char* move_it = "coordinates may be up to 1e15: move or scale the mesh";
constexpr double furthest = 1e15; // of a coordinate: beyond, neighbouring numbers are further apart than 0.1

std::string place(const std::string& source) {
  return "mesh '" + source + "'";
}

std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t start = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = std::min(text.find_first_of(blanks, start), text.size());
  const std::string_view word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

template <class T> std::optional<T> number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  T value{};
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

Point parse_point(std::string_view line, const std::string& where) {
  Point point{};
  for (double& coordinate : point) {
    const std::string_view word = next_word(line);
    const std::optional<double> value = number<double>(word);
    if (!value || !std::isfinite(*value))
      throw Error(where, "'" + std::string(word.substr(0, 20)) + "' is not a coordinate",
                  "export the mesh again");
    if (std::abs(*value) > furthest)
      throw Error(where, "the coordinate " + std::string(word.substr(0, 20)) + " is too large", move_it);
    coordinate = *value;
  }
  return point;
}

/// Calls `use(line, number)` for each line of the text, numbered from 1.
template <class Use> void for_lines(std::string_view text, Use use) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end), line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void append_triangle(Mesh& mesh, const std::array<Point, 3>& corners) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
}

Mesh parse_binary_stl(Bytes bytes, const std::string& source) {
  Mesh mesh;
  mesh.source = source;
  const auto count = value_at<std::uint32_t>(bytes, 80);
  for (std::size_t n = 0; n < count; ++n) {
    std::array<Point, 3> corners;
    for (std::size_t corner = 0; corner < 3; ++corner)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t at = stl_header + n * stl_record + 12 + (corner * 3 + axis) * sizeof(float);
        const auto value = static_cast<double>(value_at<float>(bytes, at));
        if (!std::isfinite(value))
          throw Error(place(source), "triangle " + std::to_string(n) + " has a coordinate that is not finite",
                      "export the mesh again");
        if (std::abs(value) > furthest)
          throw Error(place(source), "triangle " + std::to_string(n) + " has a coordinate that is too large",
                      move_it);
        corners[corner][axis] = value;
      }
    append_triangle(mesh, corners);
  }
  return mesh;
}

Mesh parse_ascii_stl(std::string_view text, const std::string& source) {
  Mesh mesh;
  mesh.source = source;
  std::vector<Point> corners;
  bool complete = false;
  for_lines(text, [&](std::string_view line, std::size_t n) {
    const std::string where = place(source) + ", line " + std::to_string(n);
    const std::string_view word = next_word(line);
    if (word == "vertex") corners.push_back(parse_point(line, where));
    if (word == "endsolid") complete = true;
    if (word != "endfacet") return;
    if (corners.size() != 3)
      throw Error(where, "a facet has " + std::to_string(corners.size()) + " vertices",
                  "export the surface as triangles");
    append_triangle(mesh, {corners[0], corners[1], corners[2]});
    corners.clear();
  });
  if (!complete)
    throw Error(place(source), "the text ends before 'endsolid'", "the file is incomplete: copy it again");
  return mesh;
}

Mesh parse_stl(Bytes bytes, const std::string& source) {
  // Some writers start binary files with "solid" too: the size decides first, the word after it.
  const bool starts_solid = bytes.size() >= 5 && std::equal(bytes.begin(), bytes.begin() + 5, "solid");
  if (bytes.size() >= stl_header) {
    const std::uint64_t expected =
        stl_header + std::uint64_t{value_at<std::uint32_t>(bytes, 80)} * stl_record;
    if (bytes.size() == expected) return parse_binary_stl(bytes, source);
    if (!starts_solid)
      throw Error(place(source),
                  "a binary STL of " + std::to_string(value_at<std::uint32_t>(bytes, 80)) +
                      " triangles takes " + std::to_string(expected) + " bytes, the file has " +
                      std::to_string(bytes.size()),
                  "the file is damaged or incomplete: copy it again");
  }
  if (!starts_solid)
    throw Error(place(source), "this is not an STL file", "export it as binary or ASCII STL");
  return parse_ascii_stl({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source);
}

std::uint32_t obj_index(std::string_view word, std::size_t vertices, const std::string& where) {
  const std::optional<std::int64_t> value = number<std::int64_t>(word.substr(0, word.find('/')));
  const auto count = static_cast<std::int64_t>(vertices);
  const std::int64_t index = !value ? -1 : *value > 0 ? *value - 1 : *value < 0 ? count + *value : -1;
  if (index < 0 || index >= count)
    throw Error(where, "'" + std::string(word.substr(0, 20)) + "' does not refer to a vertex above this line",
                "export the mesh again");
  return static_cast<std::uint32_t>(index);
}

/// Own code: tinyobjloader would not be shorter, and does not name the faulty line (decision 0143).
Mesh parse_obj(std::string_view text, const std::string& source) {
  Mesh mesh;
  mesh.source = source;
  for_lines(text, [&](std::string_view line, std::size_t n) {
    const std::string where = place(source) + ", line " + std::to_string(n);
    const std::string_view word = next_word(line);
    if (word == "v") mesh.vertices.push_back(parse_point(line, where));
    if (word != "f") return;
    std::vector<std::uint32_t> corners;
    for (std::string_view item = next_word(line); !item.empty(); item = next_word(line))
      corners.push_back(obj_index(item, mesh.vertices.size(), where));
    if (corners.size() < 3)
      throw Error(where, "a face has " + std::to_string(corners.size()) + " vertices",
                  "export the mesh again");
    for (std::size_t k = 2; k < corners.size(); ++k)
      mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  });
  return mesh;
}

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

constexpr double most_cells = 0x1p52; // along an axis: beyond, cells would have no numbers of their own

struct CellKey {
  std::array<std::int64_t, 3> cell;
  bool operator==(const CellKey&) const = default;
};

struct CellHash {
  std::size_t operator()(const CellKey& key) const {
    std::uint64_t hash = 0;
    for (const std::int64_t c : key.cell)
      hash = (hash ^ static_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
  }
};

} // namespace

void weld(Mesh& mesh, double limit) {
  if (mesh.vertices.empty()) return;
  const std::array<Point, 2> box = bounds(mesh);
  const Point& lower = box[0];
  const double cell = 2 * limit;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (const double size = box[1][axis] - lower[axis];
        !std::isfinite(size) || (limit > 0 && size / cell > most_cells))
      throw Error(place(mesh.source),
                  "a mesh of the size " + number_text(size) + " cannot be welded over " + number_text(limit),
                  "choose a larger distance, or 0 for vertices that are equal");
  std::unordered_map<CellKey, std::vector<std::uint32_t>, CellHash> kept;
  std::vector<std::uint32_t> target(mesh.vertices.size());
  std::vector<Point> vertices;
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
    const Point& point = mesh.vertices[n];
    // Without a distance, equal coordinates have a cell of their own; + 0.0 makes the zeros equal.
    const auto cell_of = [&](double shift, std::size_t axis) {
      return limit > 0 ? static_cast<std::int64_t>(std::floor((point[axis] - lower[axis] + shift) / cell))
                       : std::bit_cast<std::int64_t>(point[axis] + 0.0);
    };
    // The ball of radius `limit` around the point touches at most two cells along an axis.
    std::optional<std::uint32_t> match;
    for (std::int64_t x = cell_of(-limit, 0); x <= cell_of(limit, 0); ++x)
      for (std::int64_t y = cell_of(-limit, 1); y <= cell_of(limit, 1); ++y)
        for (std::int64_t z = cell_of(-limit, 2); z <= cell_of(limit, 2); ++z)
          if (const auto found = kept.find(CellKey{{x, y, z}}); found != kept.end())
            for (const std::uint32_t other : found->second)
              if (!match && distance(vertices[other], point) <= limit) match = other;
    if (!match) {
      match = static_cast<std::uint32_t>(vertices.size());
      vertices.push_back(point);
      kept[CellKey{{cell_of(0, 0), cell_of(0, 1), cell_of(0, 2)}}].push_back(*match);
    }
    target[n] = *match;
  }
  mesh.vertices = std::move(vertices);
  for (auto& triangle : mesh.triangles)
    for (std::uint32_t& corner : triangle)
      corner = target[corner];
  std::erase_if(mesh.triangles, [](const auto& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

std::array<Point, 2> bounds(const Mesh& mesh) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<Point, 2> box{Point{infinity, infinity, infinity}, Point{-infinity, -infinity, -infinity}};
  for (const Point& point : mesh.vertices)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box[0][axis] = std::min(box[0][axis], point[axis]);
      box[1][axis] = std::max(box[1][axis], point[axis]);
    }
  return box;
}

Mesh read_mesh(const std::filesystem::path& path, double weld_distance) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix != ".stl" && suffix != ".obj")
    throw Error(place(path.string()), "unknown suffix '" + suffix + "'", "use .stl or .obj");
  const std::vector<std::uint8_t> bytes = read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Mesh mesh = suffix == ".stl" ? parse_stl(bytes, path.string()) : parse_obj(text, path.string());
  if (!mesh.vertices.empty()) {
    const auto [lower, upper] = bounds(mesh);
    weld(mesh, weld_distance < 0 ? default_weld * distance(lower, upper) : weld_distance);
  }
  if (mesh.triangles.empty())
    throw Error(place(path.string()), "the file contains no triangles", "export the surface as triangles");
  return mesh;
}

std::vector<Leak> leaks(const Mesh& mesh) {
  using Edge = std::array<std::uint32_t, 2>;
  std::vector<Edge> edges;
  edges.reserve(mesh.triangles.size() * 3);
  for (const auto& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(edges.begin(), edges.end());
  std::vector<Edge> open;
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    while (last < edges.size() && edges[last] == edges[first])
      ++last;
    if ((last - first) % 2 == 1) open.push_back(edges[first]);
  }

  // Open edges that share a vertex belong to the same hole: union of the vertices.
  std::unordered_map<std::uint32_t, std::uint32_t> parent;
  const auto root = [&](std::uint32_t vertex) {
    parent.try_emplace(vertex, vertex);
    while (parent[vertex] != vertex)
      vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (const Edge& edge : open) {
    const std::uint32_t a = root(edge[0]);
    const std::uint32_t b = root(edge[1]);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::unordered_map<std::uint32_t, std::size_t> hole_of;
  std::vector<Leak> holes;
  for (const Edge& edge : open) {
    const auto [found, fresh] = hole_of.try_emplace(root(edge[0]), holes.size());
    if (fresh) holes.push_back({});
    Leak& hole = holes[found->second];
    const Point& a = mesh.vertices[edge[0]];
    const Point& b = mesh.vertices[edge[1]];
    const double length = distance(a, b);
    for (std::size_t axis = 0; axis < 3; ++axis)
      hole.centre[axis] += length * (a[axis] + b[axis]) / 2;
    hole.length += length;
    ++hole.edges;
  }
  for (Leak& hole : holes)
    for (double& coordinate : hole.centre)
      coordinate /= hole.length;
  std::stable_sort(holes.begin(), holes.end(),
                   [](const Leak& a, const Leak& b) { return a.length > b.length; });
  return holes;
}

} // namespace heddle::geometry
