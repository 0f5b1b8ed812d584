// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/mesh.hpp"

#include <chrono>
#include <cmath>
#include <sstream>

#include "files.hpp"
#include "shapes.hpp"

namespace heddle::geometry {
namespace {

using test::contains;
using test::error_of;
using test::joined;

std::string binary_stl(const Mesh& mesh, const std::string& start) {
  std::string bytes = start;
  bytes.resize(80, ' ');
  bytes += test::raw(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    bytes.append(12, '\0');
    for (const std::uint32_t corner : triangle)
      for (const double x : mesh.vertices[corner])
        bytes += test::raw(static_cast<float>(x));
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string ascii_stl(const Mesh& mesh) {
  std::ostringstream text;
  text << "solid test\n";
  for (const auto& triangle : mesh.triangles) {
    text << "  facet normal 0 0 0\r\n    outer loop\n";
    for (const std::uint32_t corner : triangle) {
      const Point& p = mesh.vertices[corner];
      text << "      vertex " << p[0] << ' ' << p[1] << "\t" << p[2] << "\n";
    }
    text << "    endloop\n  endfacet\n";
  }
  text << "endsolid test\n";
  return text.str();
}

void expect_box(const Mesh& mesh) {
  EXPECT_EQ(mesh.vertices.size(), 8U);
  EXPECT_EQ(mesh.triangles.size(), 12U);
  EXPECT_TRUE(leaks(mesh).empty());
  const auto [lower, upper] = bounds(mesh);
  EXPECT_EQ(lower, (Point{0, -1, 2}));
  EXPECT_EQ(upper, (Point{1.5, 1, 4}));
}

TEST(Mesh, StlBothWays) {
  const test::Folder folder;
  const Mesh mesh = test::box({0, -1, 2}, {1.5, 1, 4});
  expect_box(read_mesh(folder.write("b.stl", binary_stl(mesh, "made by a test"))));
  expect_box(read_mesh(folder.write("b.STL", binary_stl(mesh, "solid, yet binary"))));
  expect_box(read_mesh(folder.write("a.stl", ascii_stl(mesh))));
}

TEST(Mesh, ObjWithQuadsNegativeIndicesAndNormals) {
  const test::Folder folder;
  const std::string vertices = "# a box\no box\nv 0 -1 2\nv 1.5 -1 2\nv 0 1 2\nv 1.5 1 2\nv 0 -1 4\nv 1.5 -1 "
                               "4\nv 0 1 4\nv 1.5 1 4\nvn 0 0 1\n";
  expect_box(read_mesh(folder.write("q.obj", vertices + "f 1 3 4 2\nf 5//1 6//1 8//1 7//1\nf 1 2 6 5\nf 3 7 "
                                                        "8 4\nf -8 -4 -2 -6\nf 2/1/1 4/1/1 8/1/1 6/1/1\n")));
  const auto message = [&](const std::string& face) {
    const auto path = folder.write("bad.obj", vertices + face);
    return error_of([&] { (void)read_mesh(path); });
  };
  EXPECT_TRUE(contains(message("f 1 2 9\n"), "line 12"));
  EXPECT_TRUE(contains(message("f 1 2 9\n"), "'9' does not refer to a vertex"));
  EXPECT_TRUE(contains(message("f 1 2 0\n"), "'0' does not refer to a vertex"));
  EXPECT_TRUE(contains(message("f 1 2\n"), "a face has 2 vertices"));
  EXPECT_TRUE(contains(message("v 1 nan 2\n"), "not a coordinate"));
  EXPECT_TRUE(contains(message(""), "no triangle"));
}

TEST(Mesh, RefusesDamagedStl) {
  const test::Folder folder;
  const Mesh mesh = test::box({0, -1, 2}, {1.5, 1, 4});
  const auto message = [&](const std::string& bytes) {
    const auto path = folder.write("bad.stl", bytes);
    return error_of([&] { (void)read_mesh(path); });
  };
  const std::string binary = binary_stl(mesh, "x");
  EXPECT_TRUE(contains(message(binary.substr(0, binary.size() - 7)), "takes 684 bytes, the file has 677"));
  EXPECT_TRUE(contains(message("x"), "not an STL file"));
  const std::string ascii = ascii_stl(mesh);
  EXPECT_TRUE(contains(message(ascii.substr(0, ascii.size() / 2)), "ends before 'endsolid'"));
  EXPECT_TRUE(contains(message("solid\nvertex 1 2 3\nendfacet\nendsolid\n"), "a facet has 1 vertices"));
  const auto unknown = folder.write("a.ply", "ply");
  EXPECT_TRUE(contains(error_of([&] { (void)read_mesh(unknown); }), "unknown suffix '.ply'"));
}

TEST(Mesh, WeldClosesCracksBelowItsDistanceOnly) {
  Mesh mesh = test::box({0, 0, 0}, {1, 1, 1});
  // Triangle 0 gets corners of its own, 1e-4 away.
  for (std::uint32_t& corner : mesh.triangles[0]) {
    mesh.vertices.push_back(mesh.vertices[corner]);
    mesh.vertices.back()[0] += 1e-4;
    corner = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  }
  Mesh fine = mesh;
  weld(fine, 1e-5);
  EXPECT_EQ(leaks(fine).size(), 2U); // the rim of the hole and the rim of the loose triangle
  weld(mesh, 2e-4);
  EXPECT_EQ(mesh.vertices.size(), 8U);
  EXPECT_TRUE(leaks(mesh).empty());
}

TEST(Mesh, CoordinatesThatCannotBeWeldedAreRefused) {
  const test::Folder folder;
  for (const char* const far : {"1e308", "-1e16"}) {
    const std::string text = joined({"v 0 0 0\nv ", far, " 0 0\nv 0 ", far, " 0\nf 1 2 3\n"});
    EXPECT_TRUE(contains(error_of([&] { (void)read_mesh(folder.write("far.obj", text)); }),
                         "line 2: the coordinate"));
  }
  Mesh huge;
  huge.vertices = {{0, 0, 0}, {3e38, 0, 0}, {0, 3e38, 0}};
  huge.triangles = {{0, 1, 2}};
  EXPECT_TRUE(contains(error_of([&] { (void)read_mesh(folder.write("far.stl", binary_stl(huge, "far"))); }),
                       "triangle 0"));
  // So fine a distance that cells of it cannot be numbered.
  Mesh box = test::box({0, 0, 0}, {1e9, 1, 1});
  EXPECT_TRUE(contains(error_of([&] { weld(box, 1e-12); }), "cannot be welded"));
}

TEST(Mesh, WeldOfDistanceZeroJoinsEqualVerticesInLinearTime) {
  // Vertices on a line of length 1e-3, each given twice, one of them with a negative zero.
  constexpr std::uint32_t count = 100'000;
  Mesh mesh;
  for (std::uint32_t n = 0; n < count; ++n) {
    mesh.vertices.push_back({1e-8 * n, 0, 0});
    mesh.vertices.push_back({1e-8 * n, -0.0, 0});
    mesh.triangles.push_back({2 * n, 2 * n + 1, 0});
  }
  mesh.triangles.push_back({1, 3, 5});
  const auto start = std::chrono::steady_clock::now();
  weld(mesh, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)); // by pairs: minutes
  EXPECT_EQ(mesh.vertices.size(), count);
  ASSERT_EQ(mesh.triangles.size(), 1U);
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{0, 1, 2}));
}

TEST(Mesh, LeaksAreFoundWhereTheyAre) {
  Mesh mesh = test::sphere({1, 2, 3}, 1, 16);
  // Remove the fan around the north pole: one hole at the top.
  std::erase_if(mesh.triangles, [](const auto& t) { return t[0] == 0; });
  const std::vector<Leak> holes = leaks(mesh);
  ASSERT_EQ(holes.size(), 1U);
  EXPECT_EQ(holes[0].edges, 32U);
  EXPECT_NEAR(holes[0].centre[0], 1, 1e-9);
  EXPECT_NEAR(holes[0].centre[1], 2, 1e-9);
  EXPECT_NEAR(holes[0].centre[2], 3 + std::cos(std::numbers::pi / 16), 1e-9);
  EXPECT_NEAR(holes[0].length, 2 * std::numbers::pi * std::sin(std::numbers::pi / 16), 0.01);
}

} // namespace
} // namespace heddle::geometry
