// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/elevation.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "files.hpp"

namespace heddle::geometry {
namespace {

using test::contains;
using test::error_of;
using test::npy;

TEST(DegreeLength, MatchesTheValuesOfTheJacksboroDescription) {
  // The sample of matplotlib says what its cells are: 110 970 m and 89 488 m at 36.5896 deg N.
  const DegreeLength length = degree_length(36.5896);
  EXPECT_NEAR(length.latitude, 110970, 10);
  EXPECT_NEAR(length.longitude, 89488, 10);
}

TEST(Elevation, NpzInDegreesTurnsNorthUp) {
  const test::Folder folder;
  const auto scalar = [](double value) { return npy<double>("<f8", "()", {value}); };
  // Two rows: the first one of the file is the north edge.
  const auto path = folder.write(
      "e.npz", test::zip({{"elevation.npy", npy<std::int16_t>("<i2", "(2, 3)", {1, 2, 3, 4, 5, 6})},
                          {"dx.npy", scalar(3.0 / 3600)},
                          {"dy.npy", scalar(3.0 / 3600)},
                          {"ymin.npy", scalar(36.5904)},
                          {"ymax.npy", scalar(36.5888)}},
                         true));
  const Elevation model = read_elevation(path);
  EXPECT_EQ(model.columns, 3);
  EXPECT_EQ(model.rows, 2);
  EXPECT_EQ(model.at(0, 0), 4); // south-west
  EXPECT_EQ(model.at(2, 1), 3); // north-east
  EXPECT_NEAR(model.cell_x, 74.57, 0.01);
  EXPECT_NEAR(model.cell_y, 92.47, 0.01);
}

/// Members of an archive with the same data: only the first one's lie in the file.
std::string overlapping(const std::string& data, int count) {
  const std::string one = test::zip({{"a00000.npy", data}}, true);
  const std::size_t directory = one.find("PK\x01\x02");
  const std::size_t end = one.find("PK\x05\x06");
  std::string entries;
  for (int n = 0; n < count; ++n) {
    std::string entry = one.substr(directory, end - directory);
    const std::string number = std::to_string(n);
    entry.replace(entry.find("a00000") + 6 - number.size(), number.size(), number);
    entries += entry;
  }
  const auto entries_16 = static_cast<std::uint16_t>(count);
  return test::joined({one.substr(0, directory), entries, "PK\x05\x06", test::raw(std::uint32_t{0}),
                       test::raw(entries_16), test::raw(entries_16),
                       test::raw(static_cast<std::uint32_t>(entries.size())),
                       test::raw(static_cast<std::uint32_t>(directory)), test::raw(std::uint16_t{0})});
}

TEST(Elevation, AnArchiveThatAnnouncesGigabytesIsRefusedByItsHeader) {
  const test::Folder folder;
  // 30800 x 30800 zeros would deflate to 0.9 MB; the header says so, nothing else is read.
  const std::string head = npy<std::uint8_t>("|u1", "(30800, 30800)", {});
  for (const char* const name : {"elevation.npy", "heights.npy"}) {
    const auto path = folder.write("bomb.npz", test::zip({{name, head + std::string(1 << 20, '\0')}}, true));
    EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(path, {30, 30}); }),
                         "30800 x 30800 values would need 8.54 GB of memory, and the limit is 1.5 GB"))
        << name;
  }
}

TEST(Elevation, AnArchiveWhoseMembersOverlapIsRefused) {
  const test::Folder folder;
  const std::string data = npy<std::uint8_t>("|u1", "(1000, 1000)", std::vector<std::uint8_t>(1000000, 0));
  const auto path = folder.write("overlap.npz", overlapping(data, 3000));
  EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(path, {30, 30}); }),
                       "'a00000.npy' and 'a00001.npy' share bytes"));
}

TEST(Elevation, AnArchiveThatNamesAnArrayTwiceIsRefused) {
  const test::Folder folder;
  const auto path =
      folder.write("twice.npz", test::zip({{"elevation.npy", npy<float>("<f4", "(2, 2)", {1, 2, 3, 4})},
                                           {"elevation.npy", npy<float>("<f4", "(2, 2)", {5, 6, 7, 8})}},
                                          true));
  EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(path, {30, 30}); }), "'elevation' twice"));
}

TEST(Elevation, NpyNeedsACellSize) {
  const test::Folder folder;
  const auto path = folder.write("e.npy", npy<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
  EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(path); }), "the cell size is missing"));
  EXPECT_EQ(read_elevation(path, {30, 20}).cell_y, 20);
}

TEST(Elevation, AsciiGrid) {
  const test::Folder folder;
  const std::string header =
      "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 2000\ncellsize 25\nNODATA_value -9999\n";
  const Elevation model = read_elevation(folder.write("e.asc", header + "1 2 3\n4 -9999 6.5\n"));
  EXPECT_EQ(model.cell_x, 25);
  EXPECT_EQ(model.at(0, 0), 4);
  EXPECT_TRUE(std::isnan(model.at(1, 0)));
  EXPECT_EQ(model.at(2, 0), 6.5);
  EXPECT_EQ(model.at(0, 1), 1);

  const auto message = [&](const std::string& text) {
    const auto path = folder.write("bad.asc", text);
    return error_of([&] { (void)read_elevation(path); });
  };
  EXPECT_TRUE(contains(message(header + "1 2 3 4 5"), "after 5 of 6 heights"));
  EXPECT_TRUE(contains(message(header + "1 2 3 4 5 6 7"), "more than nrows x ncols"));
  EXPECT_TRUE(contains(message(header + "1 2 3 4 x 6"), "'x' at row 1, column 1"));
  EXPECT_TRUE(contains(message("ncols 3\n1 2 3"), "no valid 'nrows'"));
  EXPECT_TRUE(contains(message("ncols 900000\nnrows 900000\ncellsize 1\n1 2"), "too short"));
  EXPECT_TRUE(contains(message("ncols 2\nnrows 2\n1 2 3 4"), "the cell size is missing"));
}

TEST(Elevation, AsciiGridHeadersAreReadWordByWord) {
  const test::Folder folder;
  const auto message = [&](const std::string& header) {
    const auto path = folder.write("bad.asc", header + "1 2\n3 4\n");
    return error_of([&] { (void)read_elevation(path); });
  };
  const std::string good = "ncols 2\nnrows 2\ncellsize 25\n";
  EXPECT_TRUE(contains(message(good + "NODATAVALUE -99\n"), "header entry 'nodatavalue' is not known"));
  EXPECT_TRUE(contains(message(good + "ncols 4\n"), "header entry 'ncols' stands there twice"));
  EXPECT_TRUE(contains(message(good + "xllcorner inf\n"), "header entry 'xllcorner' has no number"));
  EXPECT_TRUE(contains(message(good + "xllcorner 1\nxllcenter 1\n"), "both 'xllcorner' and 'xllcenter'"));
  EXPECT_NO_THROW((void)read_elevation(folder.write("nan.asc", good + "NODATA_value nan\n1 2\n3 nan\n")));
}

TEST(Elevation, HeightsThatNoGroundHasAreRefused) {
  const test::Folder folder;
  for (const char* const height : {"inf", "-3.4e38", "-32768", "2e5"}) {
    const std::string text = std::string("ncols 2\nnrows 2\ncellsize 25\n1 2\n3 ") + height + "\n";
    const std::string message = error_of([&] { (void)read_elevation(folder.write("bad.asc", text)); });
    EXPECT_TRUE(contains(message, "at row 1, column 1")) << height;
    EXPECT_TRUE(contains(message, "NODATA_value")) << height;
    // The same number, declared as missing, is a gap.
    const std::string declared =
        std::string("ncols 2\nnrows 2\ncellsize 25\nNODATA_value ") + height + "\n1 2\n3 " + height + "\n";
    if (std::string(height) == "inf") continue; // no value of a header
    EXPECT_TRUE(std::isnan(read_elevation(folder.write("gap.asc", declared)).at(1, 0))) << height;
  }
  const auto array = folder.write("bad.npy", npy<float>("<f4", "(2, 2)", {1, 2, -3.4e38F, 4}));
  EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(array, {30, 30}); }), "at row 1, column 0"));
}

TEST(Elevation, AsciiGridInDegrees) {
  const test::Folder folder;
  const auto path = folder.write(
      "e.asc", "NCOLS 2\nNROWS 2\nXLLCENTER -84.4\nYLLCENTER 36.5896\nCELLSIZE 0.000833333333\n1 2\n3 4\n");
  EXPECT_NEAR(read_elevation(path).cell_x, 74.57, 0.02);
}

TEST(Elevation, RefusesShapesAndSuffixes) {
  const test::Folder folder;
  const auto cube = folder.write("c.npy", npy<float>("<f4", "(2, 2, 1)", {1, 2, 3, 4}));
  EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(cube, {1, 1}); }), "shape (2 x 2 x 1)"));
  const auto tiff = folder.write("c.tif", "II*");
  EXPECT_TRUE(contains(error_of([&] { (void)read_elevation(tiff); }), "unknown suffix '.tif'"));
}

/// height = a + b x + c y, which bilinear interpolation reproduces exactly.
Elevation plane(double a, double b, double c) {
  Elevation model{40, 30, 74.6, 92.5, {}, "plane"};
  for (std::int64_t row = 0; row < model.rows; ++row)
    for (std::int64_t column = 0; column < model.columns; ++column)
      model.height.push_back(a + b * (static_cast<double>(column) + 0.5) * model.cell_x +
                             c * (static_cast<double>(row) + 0.5) * model.cell_y);
  return model;
}

TEST(Resample, IsExactForAPlaneAtAnyAngleAndResolution) {
  const Elevation model = plane(100, 0.1, -0.2);
  for (const double angle : {0.0, 0.3, -std::numbers::pi / 4, 2.0})
    for (const double cell : {20.0, 50.0, 160.0}) {
      const Window window{model.width() / 2, model.depth() / 2, 1600, 800, angle};
      const HeightMap map = resample(model, window, cell);
      EXPECT_EQ(map.nx, std::llround(1600 / cell));
      EXPECT_EQ(map.ny, std::llround(800 / cell));
      for (std::int64_t j = 0; j < map.ny; ++j)
        for (std::int64_t i = 0; i < map.nx; ++i) {
          const double x = (static_cast<double>(i) + 0.5) * cell - 800;
          const double y = (static_cast<double>(j) + 0.5) * cell - 400;
          const double east = window.centre_x + x * std::cos(angle) - y * std::sin(angle);
          const double north = window.centre_y + x * std::sin(angle) + y * std::cos(angle);
          EXPECT_NEAR(map.at(i, j), 100 + 0.1 * east - 0.2 * north, 1e-9);
        }
    }
}

TEST(Resample, NamesTheSideTheWindowLeaves) {
  const Elevation model = plane(0, 0, 0);
  const auto message = [&](Window window) { return error_of([&] { (void)resample(model, window, 20); }); };
  EXPECT_TRUE(contains(message({400, model.depth() / 2, 1000, 900, 0}), "by 100 m in the west"));
  EXPECT_TRUE(
      contains(message({model.width() / 2, model.depth() - 300, 1000, 900, 0}), "by 150 m in the north"));
  EXPECT_TRUE(contains(message({1000, 1000, 60, 900, 0}), "fewer than 4 cells"));
}

TEST(Resample, MoreHeightsThanTheMachineHoldsAreRefusedBeforeTheyAreAllocated) {
  // 2^32 x 2^32 heights: their number wraps to none, and each would be written outside.
  const double far = 107374182400;
  const Elevation model{2, 2, far, far, {1, 2, 3, 4}, "far"};
  const auto message = [&](double length, double width) {
    return error_of([&] { (void)resample(model, {far, far, length, width, 0}, 50); });
  };
  EXPECT_TRUE(contains(message(2 * far, 2 * far), "4294967296 x 4294967296 heights of the grid would need"));
  EXPECT_TRUE(contains(message(5e7, 5e8), "1000000 x 10000000 heights of the grid would need 80 TB"));
  const Elevation wider{2, 2, 1e300, 1e300, {1, 2, 3, 4}, "wider"};
  EXPECT_TRUE(contains(error_of([&] { (void)resample(wider, {1e300, 1e300, 1e300, 1e300, 0}, 50); }),
                       "and the limit is"));
}

TEST(Resample, NamesTheHeightThatIsMissing) {
  Elevation model = plane(0, 0, 0);
  model.height[static_cast<std::size_t>(12 + 10 * model.columns)] = std::numeric_limits<double>::quiet_NaN();
  const Window window{model.width() / 2, model.depth() / 2, 2000, 2000, 0};
  // Row 10 from the south of 30 rows is row 19 from the north.
  EXPECT_TRUE(contains(error_of([&] { (void)resample(model, window, 20); }), "at row 19, column 12"));
  // A window that does not touch the gap is served.
  EXPECT_NO_THROW((void)resample(model, {2000, 2000, 500, 500, 0}, 20));
}

TEST(BlendEdges, LeavesTheInsideAndReachesTheBase) {
  HeightMap map{100, 80, 10, std::vector<double>(8000, 300)};
  blend_edges(map, {200, 300, 100}, 50);
  EXPECT_EQ(map.at(50, 40), 300);
  EXPECT_EQ(map.at(20, 40), 300);
  EXPECT_EQ(map.at(69, 40), 300);
  EXPECT_LT(map.at(19, 40), 300);
  EXPECT_LT(map.at(70, 40), 300);
  EXPECT_NEAR(map.at(0, 40), 50, 1);
  EXPECT_NEAR(map.at(99, 40), 50, 1);
  EXPECT_NEAR(map.at(50, 79), 50, 2);
  for (std::int64_t i = 1; i < 50; ++i)
    EXPECT_GE(map.at(i, 40), map.at(i - 1, 40));
}

#ifdef HEDDLE_JACKSBORO_FILE
TEST(Elevation, JacksboroMatchesItsDescription) {
  const Elevation model = read_elevation(HEDDLE_JACKSBORO_FILE);
  EXPECT_EQ(model.rows, 344);
  EXPECT_EQ(model.columns, 403);
  EXPECT_NEAR(model.cell_y, 92.47, 0.01);
  EXPECT_NEAR(model.cell_x, 74.57, 0.01);
  double sum = 0;
  double square = 0;
  double low = 1e9;
  double high = -1e9;
  for (const double height : model.height) {
    sum += height;
    square += height * height;
    low = std::min(low, height);
    high = std::max(high, height);
  }
  const auto count = static_cast<double>(model.height.size());
  EXPECT_EQ(low, 236);
  EXPECT_EQ(high, 1076);
  EXPECT_NEAR(sum / count, 531.03, 0.005);
  EXPECT_NEAR(std::sqrt(square / count - sum / count * sum / count), 162.5, 0.05);
  EXPECT_EQ(model.at(0, 343), 483);   // north-west
  EXPECT_EQ(model.at(402, 343), 444); // north-east
  EXPECT_EQ(model.at(0, 0), 545);     // south-west
  EXPECT_EQ(model.at(402, 0), 272);   // south-east
}
#endif

} // namespace
} // namespace heddle::geometry
