// SPDX-License-Identifier: Apache-2.0
// Voxel images: every format gives the same voxels, and bad files say what is wrong with them.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "../../support/messages.hpp"
#include "../../support/test_folder.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/io/output.hpp"
#include "packing.hpp"
#include "voxels.hpp"

namespace porous {
namespace {

namespace fs = std::filesystem;
using test::contains;

/// 4 x 3 x 2 voxels, x fastest; every fourth is solid.
std::vector<std::uint8_t> voxels() {
  std::vector<std::uint8_t> values(24, 1);
  for (std::size_t i = 0; i < values.size(); i += 4)
    values[i] = 0;
  return values;
}

class Images : public testing::Test {
protected:
  fs::path write(const std::string& name, const std::string& text) { return folder_.write(name, text); }
  /// A NumPy array of bytes; shape slowest axis first.
  fs::path write_npy(const std::string& name, const std::string& shape, const std::string& bytes) {
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(118, ' ');
    return write(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + bytes);
  }
  std::string bytes() const {
    const auto values = voxels();
    return {values.begin(), values.end()};
  }
  static std::string text() {
    std::string result;
    for (const std::uint8_t value : voxels())
      result += std::to_string(value) + " ";
    return result;
  }

  static void expect_the_voxels(const Voxels& image) {
    EXPECT_EQ(image.extent, (std::array<std::int64_t, 3>{4, 3, 2}));
    EXPECT_EQ(image.pore, voxels());
    EXPECT_NEAR(image.porosity(), 0.75, 1e-15);
  }

  static std::string refusal(const fs::path& path, const ImageOptions& options = {}) {
    return test::error_of([&] { static_cast<void>(read_image(path, options)); });
  }

  const test::Folder folder_;
};

const std::string legacy = "# vtk DataFile Version 3.0\nvoxels\n";

TEST_F(Images, AreTheSameInEveryFormat) {
  expect_the_voxels(read_image(write_npy("a.npy", "(2, 3, 4)", bytes()), {}));
  expect_the_voxels(read_image(write("a.raw", bytes()), {.array = "", .size = {4, 3, 2}}));
  expect_the_voxels(
      read_image(write("points.vtk",
                       legacy +
                           "ASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 4 3 2\nORIGIN 0 0 0\nSPACING 1 1 1\n"
                           "POINT_DATA 24\nSCALARS v unsigned_char 1\nLOOKUP_TABLE default\n" +
                           text()),
                 {}));
  expect_the_voxels(read_image(
      write("cells.vtk",
            legacy +
                "BINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 5 4 3\nSPACING 1 1 1\nORIGIN 0 0 0\n"
                "CELL_DATA 24\nSCALARS other unsigned_char\nLOOKUP_TABLE default\n" +
                std::string(24, 'x') + "\nSCALARS v unsigned_char\nLOOKUP_TABLE default\n" + bytes()),
      {.array = "v"}));
  expect_the_voxels(read_image(
      write("a.vti",
            "<?xml version=\"1.0\"?><VTKFile type=\"ImageData\" byte_order=\"LittleEndian\"><ImageData "
            "WholeExtent=\"0 4 0 3 0 2\"><Piece Extent=\"0 4 0 3 0 2\"><PointData/><CellData><DataArray "
            "type=\"Int32\" Name=\"v\" format=\"ascii\">" +
                text() + "</DataArray></CellData></Piece></ImageData></VTKFile>"),
      {}));
}

TEST_F(Images, AreReadFromWhatOutputWrites) {
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {4, 3, 2}});
  heddle::Output output(folder_.path(), "image", grid);
  const auto values = voxels();
  output.add<float>("vector", 3, [](int, std::int64_t, std::int64_t, std::int64_t, int) { return 7.0F; });
  output.add<std::uint8_t>("pore", 1, [&](int, std::int64_t x, std::int64_t y, std::int64_t z, int) {
    return values[static_cast<std::size_t>(x + 4 * (y + 3 * z))];
  });
  expect_the_voxels(read_image(output.write(0, 0), {}));
}

TEST_F(Images, MayCallAnyValueAPore) {
  EXPECT_NEAR(read_image(write_npy("a.npy", "(2, 3, 4)", bytes()), {.array = "", .pore_value = 0}).porosity(),
              0.25, 1e-15);
}

TEST_F(Images, SayWhatIsWrong) {
  EXPECT_TRUE(contains(refusal(folder_ / "missing.npy"), "missing.npy"));
  EXPECT_TRUE(contains(refusal(write("a.tif", "x")), "the ending '.tif' is not known"));
  EXPECT_TRUE(contains(refusal(write_npy("flat.npy", "(6, 4)", bytes())), "the array has 2 axes"));
  EXPECT_TRUE(contains(refusal(write_npy("short.npy", "(2, 3, 5)", bytes())), "ends after 24 of 30"));
  EXPECT_TRUE(contains(refusal(write("a.raw", bytes())), "give --size"));
  EXPECT_TRUE(contains(refusal(write("a.raw", bytes()), {.array = "", .size = {4, 3, 3}}),
                       "has 24 bytes, and --size asks for 36"));
  EXPECT_TRUE(
      contains(refusal(write_npy("a.npy", "(2, 3, 4)", bytes()), {.array = "", .pore_value = 9}), "--pore"));
  EXPECT_TRUE(contains(refusal(write("a.vtk", "nonsense")), "no VTK file"));
  EXPECT_TRUE(
      contains(refusal(write("b.vtk", legacy + "ASCII\nDATASET POLYDATA\n")), "its data set is POLYDATA"));
  const std::string head = legacy + "ASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 4 3 2\nPOINT_DATA 24\n";
  EXPECT_TRUE(contains(refusal(write("c.vtk", head + "SCALARS v unsigned_char\nLOOKUP_TABLE default\n1 0 1")),
                       "has 3 of 24 values"));
  EXPECT_TRUE(
      contains(refusal(write("d.vtk", head + "SCALARS v unsigned_char\nLOOKUP_TABLE default\n" + text()),
                       {.array = "w"}),
               "no SCALARS 'w' of one component. Hint: it has: v"));
  EXPECT_TRUE(contains(refusal(write("e.vtk", head + "SCALARS v bit\nLOOKUP_TABLE default\n" + text())),
                       "type 'bit'"));
  EXPECT_TRUE(contains(refusal(write("a.vti", "<VTKFile type=\"PolyData\">")), "no image data"));
  EXPECT_TRUE(
      contains(refusal(write("b.vti", "<VTKFile type=\"ImageData\" compressor=\"vtkZLibDataCompressor\">")),
               "compressed"));
}

/// One byte a voxel, of cells, behind AppendedData.
std::string appended(const std::string& extent, const std::string& offset, const std::string& bytes) {
  return "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\"><ImageData><Piece Extent=\"" + extent +
         "\"><CellData><DataArray type=\"UInt8\" Name=\"v\" format=\"appended\" offset=\"" + offset +
         "\"/></CellData></Piece></ImageData><AppendedData encoding=\"raw\">_" + bytes;
}

TEST_F(Images, MayNotPromiseWhatTheyDoNotHave) {
  const std::string size("\x18\0\0\0", 4); // 24 bytes
  expect_the_voxels(read_image(write("good.vti", appended("0 4 0 3 0 2", "0", size + bytes())), {}));
  for (const std::string offset : {"", "x", "-1", "99", "99999999999999999999"})
    EXPECT_TRUE(contains(refusal(write("a.vti", appended("0 4 0 3 0 2", offset, size + bytes()))),
                         "begins at byte '" + offset + "' of the appended data"))
        << offset;
  EXPECT_TRUE(contains(refusal(write("b.vti", appended("0 4 0 3 0 3", "0", size + bytes()))),
                       "its array has 24 bytes, and its extent 36 voxels of 1"));
  std::string wide = appended("0 4 0 3 0 2", "0", std::string(8, '\xff') + bytes());
  wide.replace(wide.find("byte_order"), 0, "header_type=\"UInt64\" "); // which no double holds
  EXPECT_TRUE(contains(refusal(write("d.vti", wide)),
                       "its array has 18446744073709551615 bytes, and its extent 24 voxels of 1"));
  EXPECT_TRUE(contains(refusal(write("c.vti", appended("4 0 3 0 0 2", "0", size + bytes()))),
                       "an axis of -4 voxels"));
  const auto legacy_points = [](const std::string& dimensions, const std::string& scalars) {
    return legacy + "BINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS " + dimensions + "\nPOINT_DATA 24\n" +
           scalars;
  };
  const std::string scalars = "SCALARS v unsigned_char 1\nLOOKUP_TABLE default\n" + bytes();
  expect_the_voxels(read_image(write("good.vtk", legacy_points("4 3 2", scalars)), {}));
  for (const auto& [dimensions, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"4 3 3", "it has 24 values, and its DIMENSIONS ask for 36"},
           {"-4 -3 2", "an axis of -4 voxels"},
           {"4294967296 4294967296 24", "an axis of 4294967296 voxels"},
           {"four 3 2", "its DIMENSIONS are not three numbers"}})
    EXPECT_TRUE(contains(refusal(write("a.vtk", legacy_points(dimensions, scalars))), message)) << message;
  EXPECT_TRUE(
      contains(refusal(write("e.vtk", legacy_points("4 3 2", "SCALARS v unsigned_char 1\nLOOKUP_TABLE"))),
               "it ends after 0 of 24 values"));
  EXPECT_TRUE(contains(refusal(write("b.vtk", legacy + "binary\nDATASET STRUCTURED_POINTS\n")),
                       "its values are written as 'binary'"));
}

TEST_F(Images, OfLegacyVtkHaveComponentsThatAreCounted) {
  const std::string head = "# vtk DataFile Version 3.0\n" + std::string(200, 'x') +
                           "\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 4 3 2\nPOINT_DATA 24\n";
  // A negative number of components led back to words before the line, for ever.
  for (const std::string components : {"-7", "0", "-9223372036854775808", "three"})
    EXPECT_TRUE(contains(refusal(write("a.vtk", head + "SCALARS p unsigned_char " + components +
                                                    "\nLOOKUP_TABLE default\n" + bytes())),
                         "SCALARS 'p' has '" + components + "' components"))
        << components;
  // More than the file holds: the next array would begin behind its end, or somewhere before it.
  for (const std::string components : {"2", "768614336404564651"})
    EXPECT_TRUE(contains(refusal(write("b.vtk", head + "SCALARS p unsigned_char " + components +
                                                    "\nLOOKUP_TABLE default\n" + bytes())),
                         "it ends after 24 of"))
        << components;
  const std::string twice = legacy + "ASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 4 3 2\nDIMENSIONS 4 3 2\n";
  EXPECT_TRUE(contains(refusal(write("c.vtk", twice)), "DIMENSIONS stands there twice"));
}

TEST_F(Images, HaveExtentsWithoutOverflow) {
  const std::string size("\x18\0\0\0", 4); // 24 bytes
  for (const std::string extent :
       {"-9223372036854775808 5 0 3 0 2", "-1 9223372036854775807 0 3 0 2", "5 -9223372036854775808 0 3 0 2"})
    EXPECT_TRUE(contains(refusal(write("a.vti", appended(extent, "0", size + bytes()))),
                         "its piece has the extent '" + extent + "'"))
        << extent;
  const std::string points =
      "<VTKFile type=\"ImageData\"><ImageData><Piece Extent=\"0 9223372036854775807 0 2 "
      "0 1\"><PointData><DataArray type=\"UInt8\" Name=\"v\" format=\"ascii\">";
  EXPECT_TRUE(contains(refusal(write("b.vti", points + text() + "</DataArray></PointData></Piece>")),
                       "its piece has the extent"));
  EXPECT_TRUE(contains(refusal(write("c.vtk", legacy +
                                                  "ASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS "
                                                  "-9223372036854775808 4 3\nCELL_DATA 24\nSCALARS v "
                                                  "unsigned_char\nLOOKUP_TABLE default\n" +
                                                  text())),
                       "an axis of -9223372036854775808 voxels"));
}

TEST_F(Images, ThatAnnounceMoreThanMemoryHoldsAreRefused) {
  EXPECT_TRUE(contains(refusal(write_npy("a.npy", "(2000, 2000, 2000)", bytes())),
                       "2000 x 2000 x 2000 values would need 72 GB of memory, and the limit is 1.5 GB"));
  EXPECT_TRUE(contains(refusal(write("a.raw", bytes()), {.array = "", .size = {100000, 100000, 100000}}),
                       "has 24 bytes, and --size asks for 1000000000000000"));
  EXPECT_TRUE(contains(test::error_of([] { (void)cubic_array(std::int64_t{1} << 22, 20); }),
                       "4194304 x 4194304 x 4194304 voxels would need"));
  EXPECT_TRUE(
      contains(test::error_of([] { (void)in_a_duct({{1, 1, 1}, {1}, ""}, 0, std::int64_t{1} << 61); }),
               "voxels of the duct would need"));
}

TEST_F(Images, SayWhichArrayWhereThereAreSeveral) {
  const std::string head = legacy + "BINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 4 3 2\nPOINT_DATA 24\n";
  const std::string velocity =
      "SCALARS u unsigned_char 3\nLOOKUP_TABLE default\n" + std::string(72, 'x') + "\n";
  const std::string one = "SCALARS v unsigned_char\nLOOKUP_TABLE default\n" + bytes() + "\n";
  const std::string other = "SCALARS w unsigned_char\nLOOKUP_TABLE default\n" + bytes() + "\n";
  expect_the_voxels(read_image(write("a.vtk", head + velocity + one), {}));
  expect_the_voxels(read_image(write("b.vtk", head + other + one), {.array = "v"}));
  EXPECT_TRUE(
      contains(refusal(write("b.vtk", head + other + one)), "several arrays fit: w, v. Hint: say which"));
  EXPECT_TRUE(contains(refusal(write("c.vtk", head + velocity)), "no SCALARS of one component"));
}

TEST_F(Images, LoseWhatLeadsNowhere) {
  // a channel along x, and a hole that no face joins to it
  Voxels image{{5, 5, 3}, std::vector<std::uint8_t>(75, 0), ""};
  for (std::int64_t x = 0; x < 5; ++x)
    image.pore[image.index(x, 1, 1)] = 1;
  image.pore[image.index(2, 3, 1)] = 1;
  EXPECT_EQ(close_dead_ends(image, 0), 1);
  EXPECT_EQ(std::accumulate(image.pore.begin(), image.pore.end(), 0), 5);
  EXPECT_EQ(close_dead_ends(image, 1), 5);
}

TEST_F(Images, AreLaidIntoADuct) {
  const Voxels image{{2, 2, 2}, std::vector<std::uint8_t>(8, 1), ""};
  const Voxels duct = in_a_duct(image, 1, 3);
  EXPECT_EQ(duct.extent, (std::array<std::int64_t, 3>{4, 8, 4}));
  EXPECT_EQ(std::accumulate(duct.pore.begin(), duct.pore.end(), 0), 2 * 8 * 2);
  EXPECT_EQ(duct.pore[duct.index(0, 4, 1)], 0);
  EXPECT_EQ(duct.pore[duct.index(1, 0, 1)], 1);
}

} // namespace
} // namespace porous
