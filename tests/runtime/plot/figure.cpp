// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "../../support/test_folder.hpp"
#include "heddle/core/error.hpp"
#include "planes.hpp"

namespace heddle::plot {
namespace {

const Colour white{1, 1, 1};
const Colour red{1, 0, 0};

using ::test::bytes_of;
using ::test::Folder;

/// How many pixels of the area differ from white, counted by how much.
double ink(const Figure& figure, const Rect& area) {
  double sum = 0;
  for (int y = static_cast<int>(area.top); y < area.top + area.height; ++y)
    for (int x = static_cast<int>(area.left); x < area.left + area.width; ++x)
      sum += 1 - figure.pixel(x, y).green;
  return sum;
}

TEST(Figure, PolygonsAndLinesCoverTheirArea) {
  Figure figure(200, 100, white);
  figure.polygon({{10, 10}, {60, 10}, {60, 40}, {10, 40}}, red);
  EXPECT_EQ(figure.pixel(30, 20).red, 1);
  EXPECT_EQ(figure.pixel(30, 20).green, 0);
  EXPECT_NEAR(ink(figure, {0, 0, 200, 100}), 50 * 30, 1);
  figure.line({{80, 20}, {180, 80}}, {red, 2, {}});
  EXPECT_NEAR(ink(figure, {70, 0, 130, 100}), 2 * std::hypot(100, 60), 8);
}

TEST(Figure, TextIsAntiAliasedAndAnchored) {
  Figure figure(300, 60, white);
  TextStyle style{.size = 24, .colour = {0, 0, 0}, .anchor = Anchor::right, .bold = true};
  figure.text({200, 30}, "Wind 12 m/s", style);
  const double width = figure.text_width("Wind 12 m/s", style);
  EXPECT_GT(width, 100);
  EXPECT_GT(ink(figure, {200 - width, 10, width, 40}), 200);
  EXPECT_EQ(ink(figure, {202, 0, 98, 60}), 0);
  int grey = 0;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 300; ++x)
      grey += figure.pixel(x, y).green > 0.1 && figure.pixel(x, y).green < 0.9 ? 1 : 0;
  EXPECT_GT(grey, 50);
}

TEST(Figure, LongTextIsBrokenAtSpaces) {
  const Figure figure(300, 60, white);
  const TextStyle style{.size = 15, .colour = {0, 0, 0}, .bold = true};
  const std::string text =
      "Taylor-Green vortex, Re = 1600, against the spectral code of an unpronounceablylongname";
  const double width = 160;
  const std::vector<std::string> lines = figure.lines(text, style, width);
  std::string joined;
  for (const std::string& line : lines) {
    joined += (joined.empty() ? "" : " ") + line;
    EXPECT_TRUE(figure.text_width(line, style) <= width || line.find(' ') == std::string::npos) << line;
  }
  EXPECT_EQ(joined, text);
  EXPECT_GT(lines.size(), 3U);
  EXPECT_EQ(figure.lines(text, style, 1e6).size(), 1U);
  EXPECT_TRUE(figure.lines("", style, width).empty());
}

TEST(Figure, PanelPutsValuesWhereTheyBelong) {
  Figure figure(200, 200, white);
  Panel panel(figure, {50, 20, 100, 100}, {0, 10}, {0, 5});
  panel.paint([](double x, double y) { return x > 8 && y > 4 ? Colour{0, 0, 1} : Colour{1, 1, 1}; });
  EXPECT_EQ(figure.pixel(145, 25).red, 0); // right and up
  EXPECT_EQ(figure.pixel(145, 115).red, 1);
  EXPECT_EQ(figure.pixel(55, 25).red, 1);
  EXPECT_EQ(panel.pixel({10, 5}).x, 150);
  EXPECT_EQ(panel.pixel({10, 5}).y, 20);
  // Lines are clipped to the panel.
  panel.line({{-100, 2.5}, {100, 2.5}}, {red, 3, {}});
  EXPECT_EQ(figure.pixel(100, 70).green, 0);
  EXPECT_EQ(figure.pixel(45, 70).green, 1);
}

TEST(Figure, VectorsAndFlowLinesDrawHeads) {
  Figure figure(200, 200, white);
  Panel panel(figure, {0, 0, 200, 200}, {-1, 1}, {-1, 1});
  const Plane u = test::sampled(5, [](double, double) { return 1.0; });
  const Plane v = test::sampled(5, [](double, double) { return 0.0; });
  panel.vectors(u, v, {red, 1, {}}, 50, 1);
  EXPECT_GT(ink(figure, {0, 0, 200, 200}), 16 * 50);
  const double before = ink(figure, {0, 0, 200, 200});
  panel.flow_lines({{{-0.9, 0.1}, {0.9, 0.1}}}, {red, 1, {}}, 60, 12);
  EXPECT_GT(ink(figure, {0, 0, 200, 200}), before + 150);
}

TEST(Figure, ColourBarRunsFromBelowUpwards) {
  Figure figure(200, 300, white);
  figure.colour_bar({20, 40, 20, 240}, ColourMap::wind(), {0, 12}, "m/s", {.size = 12, .colour = {0, 0, 0}});
  EXPECT_LT(lightness(figure.pixel(30, 275)), lightness(figure.pixel(30, 160)));
  EXPECT_LT(lightness(figure.pixel(30, 160)), lightness(figure.pixel(30, 45)));
  EXPECT_GT(ink(figure, {45, 30, 60, 260}), 50); // labels
}

TEST(Figure, SavesAPngAndReplacesIt) {
  const Folder folder;
  const auto path = folder / "a.png";
  Figure figure(64, 32, white);
  figure.save_png(path);
  const std::string first = bytes_of(path);
  EXPECT_EQ(first.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(first.substr(16, 8), std::string("\0\0\0\x40\0\0\0\x20", 8));
  figure.polygon({{0, 0}, {9, 0}, {9, 9}}, red);
  figure.save_png(path);
  EXPECT_NE(bytes_of(path), first);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png.part"));
}

TEST(Figure, AFullDiskIsReportedAndTheOldPictureStays) {
  if (!std::filesystem::exists("/dev/full")) return; // only Linux has it
  const Folder folder;
  const auto path = folder / "a.png";
  std::ofstream(path) << "old";
  std::filesystem::create_symlink("/dev/full", folder / "a.png.part");
  try {
    Figure(64, 32, white).save_png(path);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be written"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("a.png"), std::string::npos);
  }
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_THROW(Figure(64, 32, white).save_png(folder / "none/a.png"), Error);
}

TEST(Figure, RefusesEmptyPictures) {
  EXPECT_THROW(Figure(0, 10, white), Error);
}

} // namespace
} // namespace heddle::plot
