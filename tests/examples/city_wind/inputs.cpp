// SPDX-License-Identifier: Apache-2.0
// Input that makes no sense is refused, with the place and the reason.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "buildings.hpp"
#include "heddle/core/error.hpp"
#include "sensors.hpp"
#include "wind.hpp"
#include "zones.hpp"

#if defined(CITY_WIND_GDAL)
#include <ogrsf_frmts.h>
#endif

namespace city_wind {
namespace {

/// The text of the Error that `work` must throw.
std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << text;
}

std::filesystem::path written(const std::string& text) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("city_wind_" + std::string(info->name()) + ".csv");
  std::ofstream(file) << text;
  return file;
}

std::string table_refusal(const std::string& lines) {
  const std::filesystem::path file = written(lines);
  const Grid grid = make_grid(20, 20, 20, 5, 5, 5);
  const Ground ground(grid);
  std::string text = refusal([&] { check_buildings(read_buildings(file), grid, ground); });
  std::filesystem::remove(file);
  return text;
}

TEST(Inputs, TablesOfBuildingsAreRead) {
  const std::filesystem::path file =
      written("# a square and a triangle\n\nbox, 10, 20, 8, 4, 12\n"
              "polygon, 9.5, 50,50, 50,60, 60,50, 50,50\nbox,30,30,4,4,5,45\n");
  const std::vector<Building> buildings = read_buildings(file);
  ASSERT_EQ(buildings.size(), 3U);
  EXPECT_EQ(buildings[0].height, 12);
  EXPECT_NEAR(centroid(buildings[0].outline).x, 14, 1e-12);
  EXPECT_NEAR(centroid(buildings[0].outline).y, 22, 1e-12);
  EXPECT_EQ(buildings[1].outline.size(), 3U); // turned counter-clockwise
  EXPECT_NEAR(centroid(buildings[1].outline).x, 50 + 10.0 / 3, 1e-12);
  EXPECT_NEAR(buildings[2].outline[0].y, 32 - 2 * std::sqrt(2), 1e-12);
  std::filesystem::remove(file);
}

TEST(Inputs, BuildingsThatMakeNoSenseAreRefused) {
  expect_in(table_refusal("box, 10, 10, 8, 4, 0\n"), "line 1: the height is 0 m");
  expect_in(table_refusal("box, 10, 10, 8, 4, -3\n"), "use a positive height");
  expect_in(table_refusal("box, 10, 10, 8, 4, 1e-300\n"), "line 1: the height is 1e-300 m");
  expect_in(table_refusal("box, 10, 10, 0, 4, 3\n"), "no area");
  expect_in(table_refusal("polygon, 5, 10,10, 20,10, 20,20\n"), "the polygon is open");
  expect_in(table_refusal("polygon, 5, 10,10, 20,10, 10,10\n"), "three corners");
  expect_in(table_refusal("polygon, 5, 10,10, 20,10, 30,10, 10,10\n"), "no area");
  expect_in(table_refusal("polygon, 5, 10,10, 30,20, 30,12, 10,30, 10,10\n"), "crosses itself");
  expect_in(table_refusal("\nbox, 10, 10, 8, tall, 4\n"), "line 2: 'tall' is not a number");
  expect_in(table_refusal("house, 10, 10\n"), "the line does not describe a building");
  expect_in(table_refusal("box, 95, 10, 8, 4, 10\n"), "extends beyond the domain");
  expect_in(table_refusal("box, 10, 10, 8, 4, 95\n"), "has fewer than two levels of air");
  expect_in(refusal([] { (void)read_buildings("no_such_file.csv"); }), "cannot be opened");
}

TEST(Inputs, OverlappingBuildingsAreRefused) {
  const std::string one = "box, 20, 20, 20, 20, 10\n";
  for (const char* other : {"box, 30, 30, 20, 20, 10\n",                   // corners
                            "box, 25, 25, 5, 5, 10\n",                     // inside
                            "box, 20, 20, 20, 20, 8\n",                    // the same
                            "box, 25, 10, 5, 50, 8\n",                     // across
                            "polygon, 9, 20,20, 40,20, 40,40, 20,20\n"}) { // half of it
    const std::string text = table_refusal(one + other);
    expect_in(text, "line 2: the building overlaps that of");
    expect_in(text, "line 1");
  }
  EXPECT_EQ(table_refusal(one + "box, 40, 20, 10, 20, 8\nbox, 40, 40, 5, 5, 9\n"), "no error"); // they touch
}

TEST(Inputs, SensorsThatMakeNoSenseAreRefused) {
  const Grid grid = make_grid(20, 20, 20, 5, 5, 5);
  const auto text = [&](const std::string& line) {
    const std::filesystem::path file = written(line);
    std::string answer = refusal([&] { check_sensors(read_sensors(file), grid); });
    std::filesystem::remove(file);
    return answer;
  };
  EXPECT_EQ(text("0, 50, 50, 10, 5, 270, log, 0.1\n60, 50, 50, 10, 5, 280, power, 0.2\n"), "no error");
  expect_in(text("0, 150, 50, 10, 5, 270, log, 0.1\n"), "line 1: the sensor lies outside the domain");
  expect_in(text("0, 50, 50, 110, 5, 270, log, 0.1\n"), "outside the domain");
  expect_in(text("0, 50, 50, 0, 5, 270, log, 0.1\n"), "height is 0 m");
  expect_in(text("0, 50, 50, 10, -5, 270, log, 0.1\n"), "speed is -5");
  expect_in(text("0, 50, 50, 10, 5, 270, log, 0\n"), "roughness length is 0");
  expect_in(text("0, 50, 50, 10, 5, 270, power, 2\n"), "exponent is 2");
  expect_in(text("0, 50, 50, 10, 5, 270, spline, 2\n"), "the line does not describe a sensor");
  expect_in(text("0, 50, 50, 10, 5, 270, log, .1\n0, 50, 50, 20, 6, 270, log, .1\n"),
            "two sensors have the same position");
  expect_in(text("0, 50, 50, 10, 5, 270, log, .1\n9, 50, 50, 20, 0, 270, log, .1\n"), "there is no inflow");
  expect_in(text("# nothing\n"), "it has no sensors");
  // Numbers that overflow, or that no wind has.
  expect_in(text("0, 50, 50, 10, 1e300, 270, log, 0.1\n"), "line 1: the wind speed is 1e+300 m/s");
  expect_in(text("0, 50, 50, 10, 1e39, 270, log, 0.1\n"), "the wind speed is 1e+39 m/s");
  expect_in(text("0, 50, 50, 1e-300, 5, 270, power, 0.2\n"), "the sensor's height is 1e-300 m");
  expect_in(text("0, 50, 50, 10, 5, 1e300, log, 0.1\n"), "the direction is 1e+300 degrees");
  expect_in(text("0, 50, 50, 10, 5, 270, log, 1e-308\n"), "roughness length is 1e-308");
}

TEST(Inputs, GridsThatMakeNoSenseAreRefused) {
  for (const double wrong : {0.0, -1.0, HUGE_VAL})
    expect_in(refusal([&] { (void)make_grid(10, 10, 10, 5, wrong, 5); }), "use positive sizes");
  expect_in(refusal([] { (void)make_grid(3, 10, 10, 5, 5, 5); }), "at least 4 along each axis");
  expect_in(refusal([] { (void)make_grid(1 << 30, 1 << 30, 10, 5, 5, 5); }), "2^40");
  expect_in(refusal([] { (void)make_grid(10, 10, 10, 5, 5, 5, 0.5); }), "grow by the factor");
}

TEST(Inputs, LevelsThatLeaveTheAtmosphereAreRefused) {
  // 3840, 6400 and 70 400 cells, of which the highest are thicker than the Earth.
  expect_in(refusal([] { (void)make_grid(8, 8, 60, 4, 4, 4, 1.5); }), "60 levels reach 2.94e+11 m");
  expect_in(refusal([] { (void)make_grid(8, 8, 100, 4, 4, 4, 1.2); }), "100 levels reach 1.66e+09 m");
  expect_in(refusal([] { (void)make_grid(8, 8, 1100, 4, 4, 4, 2); }), "1100 levels reach inf m");
  expect_in(refusal([] { (void)make_grid(1 << 19, 1 << 18, 4, 4, 4, 4); }),
            "524288 x 262144 x 4 cells would need");
}

TEST(Inputs, LevelsOfFilesAreCounted) {
  const Grid equal = make_grid(4, 4, 6, 4, 4, 4);
  EXPECT_EQ(equal_levels(equal), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  const Grid doubled = make_grid(4, 4, 4, 4, 4, 4, 2); // 1, 2, 4 and 8 times the lowest one
  EXPECT_EQ(equal_levels(doubled), (std::vector<std::int64_t>{0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3}));
  // Fine at the ground, and still 60 km high: as equal levels they would be many millions.
  expect_in(refusal([] { (void)equal_levels(make_grid(4, 4, 100, 4, 4, 1e-3, 1.18)); }),
            "levels as thick as the lowest one");
}

TEST(Inputs, GroundsThatDoNotFitAreRefused) {
  const Grid grid = make_grid(20, 10, 20, 10, 10, 5);
  heddle::geometry::Elevation model{20, 10, 10, 10, std::vector<double>(200, 7.0), "plain"};
  expect_in(refusal([&] { (void)Ground(grid, model, {1, 0}); }), "the domain extends beyond");
  model.height[25] = std::nan("");
  expect_in(refusal([&] { (void)Ground(grid, model, {0, 0}); }), "there is no height near column");
  model.height[25] = 900;
  expect_in(refusal([&] { (void)Ground(grid, model, {0, 0}); }), "the ground rises 893");
}

TEST(Inputs, ADomainWithoutInflowIsRefused) {
  const Grid grid = make_grid(20, 20, 8, 5, 5, 5);
  heddle::geometry::Elevation model{20, 20, 5, 5, std::vector<double>(400, 0.0), "a pit"};
  for (int n = 0; n < 400; ++n)
    if (n % 20 == 0 || n % 20 == 19 || n / 20 == 0 || n / 20 == 19)
      model.height[static_cast<std::size_t>(n)] = 27;
  const Inflow inflow({Sensor{"test", 0, {50, 50}, 10, 5, 270, Profile::logarithmic, 0.1}});
  EXPECT_EQ(refusal([&] {
              Wind<double>(grid, Ground(grid, model, {0, 0}), {}, heddle::Memory::host).guess(inflow, {});
            }),
            "no error"); // over the rim it comes in
  std::vector<Building> walls;
  for (const auto& [x, y, length, width] :
       {std::array{0.0, 0.0, 100.0, 6.0}, std::array{0.0, 94.0, 100.0, 6.0}, std::array{0.0, 6.0, 6.0, 88.0},
        std::array{94.0, 6.0, 6.0, 88.0}})
    walls.push_back(make_building(
        "wall", {{x, y}, {x + length, y}, {x + length, y + width}, {x, y + width}, {x, y}}, 45));
  EXPECT_NE(refusal([&] {
              Wind<double>(grid, Ground(grid), walls, heddle::Memory::host).guess(inflow, {});
            }).find("no wind enters the domain"),
            std::string::npos);
}

#if defined(CITY_WIND_GDAL)
TEST(Inputs, ShapefilesAreRead) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "city_wind_shapefile";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "city.shp";
  GDALAllRegister();
  GDALDataset* const data = GetGDALDriverManager()
                                ->GetDriverByName("ESRI Shapefile")
                                ->Create(file.c_str(), 0, 0, 0, GDT_Unknown, nullptr);
  ASSERT_NE(data, nullptr);
  OGRLayer* const layer = data->CreateLayer("city", nullptr, wkbPolygon, nullptr);
  OGRFieldDefn height("H", OFTReal);
  ASSERT_EQ(layer->CreateField(&height), OGRERR_NONE);
  const auto add = [&](const std::vector<Vec2>& corners, double roof) {
    OGRLinearRing ring;
    for (const Vec2& p : corners)
      ring.addPoint(p.x, p.y);
    OGRPolygon polygon;
    polygon.addRing(&ring);
    OGRFeature feature(layer->GetLayerDefn());
    feature.SetField("H", roof);
    feature.SetGeometry(&polygon);
    ASSERT_EQ(layer->CreateFeature(&feature), OGRERR_NONE);
  };
  add({{10, 10}, {10, 30}, {40, 30}, {40, 10}, {10, 10}}, 17.5);
  add({{60, 10}, {60, 30}, {80, 10}, {60, 10}}, 9);
  GDALClose(data);
  const std::vector<Building> buildings = read_shapefile(file, "H");
  ASSERT_EQ(buildings.size(), 2U);
  EXPECT_EQ(buildings[0].height, 17.5);
  EXPECT_EQ(buildings[0].outline.size(), 4U);
  EXPECT_NEAR(centroid(buildings[1].outline).x, 60 + 20.0 / 3, 1e-9);
  expect_in(refusal([&] { (void)read_shapefile(file, "height"); }), "it has no field 'height'");
  expect_in(refusal([&] { (void)read_shapefile(folder / "none.shp", "H"); }), "it cannot be read");
  // What GDAL would open by its content, and with it whatever files and addresses it names.
  std::ofstream(folder / "other.shp") << R"({"type": "FeatureCollection", "features": [{"type": "Feature",
    "properties": {"H": 5}, "geometry": {"type": "Polygon", "coordinates": [[[0,0],[9,0],[9,9],[0,0]]]}}]})";
  std::ofstream(folder / "virtual.shp")
      << "<OGRVRTDataSource><OGRVRTLayer name='city'><SrcDataSource>" << file.string()
      << "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>";
  for (const char* const name : {"other.shp", "virtual.shp"})
    expect_in(refusal([&] { (void)read_shapefile(folder / name, "H"); }), "it cannot be read");
  std::filesystem::remove_all(folder);
}
#else
TEST(Inputs, ShapefilesNeedGdalAndSaySo) {
  expect_in(refusal([] { (void)read_shapefile("city.shp", "H"); }), "built without GDAL");
}
#endif

} // namespace
} // namespace city_wind
