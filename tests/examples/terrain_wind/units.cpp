// SPDX-License-Identifier: Apache-2.0
#include "units.hpp"

#include <cmath>

#include "inputs.hpp"
#include "options.hpp"
#include "roofline.hpp"

namespace terrain_wind {
namespace {

using test::contains;
using test::error_of;

TEST(LogProfile, HasTheReferenceSpeedAndTheLogarithmsSlope) {
  const LogProfile wind(12, 100, 0.5);
  EXPECT_DOUBLE_EQ(wind(100), 12);
  EXPECT_EQ(wind(0), 0);
  EXPECT_EQ(wind(-5), 0);
  // d u / d ln(z + z0) is the same everywhere below the top of the boundary layer.
  const double low = (wind(20) - wind(10)) / std::log(20.5 / 10.5);
  const double high = (wind(900) - wind(200)) / std::log(900.5 / 200.5);
  EXPECT_NEAR(low, high, 1e-12);
  EXPECT_EQ(wind(boundary_layer), wind(3 * boundary_layer));
}

TEST(Units, TheFastestWindMovesAsFarAsTheLatticeAllows) {
  const Units units = choose_units(50, 20, 0);
  EXPECT_DOUBLE_EQ(20 / units.speed(), lattice_speed);
  EXPECT_LT(units.omega(), 2);
  EXPECT_NEAR(units.pressure(1e-3), 1.2 * std::pow(50 / units.step, 2) * 1e-3 / 3, 1e-9);
}

TEST(Units, AWindAboveTheStabilityLimitIsRefusedWithTheLimit) {
  const std::string message = error_of([] { (void)choose_units(50, 20, 0.5); });
  EXPECT_TRUE(contains(message, "0.2 cells a step"));
  EXPECT_TRUE(contains(message, "at most 0.375 s"));
  EXPECT_TRUE(contains(message, "at most 15 m/s"));
  EXPECT_NO_THROW((void)choose_units(50, 20, 0.375));
}

TEST(Units, ACompressibleWindIsRefused) {
  EXPECT_TRUE(contains(error_of([] { (void)choose_units(50, 100, 0); }), "up to 68 m/s"));
}

Options parse(std::initializer_list<const char*> arguments) {
  std::vector<const char*> all{"terrain_wind"};
  all.insert(all.end(), arguments);
  return parse_options(static_cast<int>(all.size()), all.data()).value();
}

TEST(Options, AreReadInBothSpellings) {
  const Options options =
      parse({"--wind", "8", "--window=10,20,5,4", "--device", "cuda", "--data-cell", "30,25"});
  EXPECT_EQ(options.wind, 8);
  EXPECT_EQ(options.centre_y, 20000);
  EXPECT_EQ(options.width, 4000);
  EXPECT_TRUE(options.gpu);
  EXPECT_EQ(options.data_cell.y, 25);
  EXPECT_FALSE(options.whole);
  EXPECT_TRUE(parse({"--input", "a.asc"}).whole);
  EXPECT_FALSE(parse({"--input", "a.asc", "--window", "1,1,1,1"}).whole);
}

TEST(Options, WrongOnesAreNamed) {
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--speed", "3"}); }), "not expected: 3 --speed"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--wind"}); }), "1 required"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--wind", "fast"}); }), "'fast' is not a number from 0.1"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--wind", "-3"}); }), "'-3' is not a number"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--wind", "nan"}); }), "'nan' is not a number"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--window", "1,2,3"}); }), "is not 4 numbers"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--device", "tpu"}); }), "tpu not in {cpu,cuda}"));
  EXPECT_TRUE(contains(error_of([] { (void)parse({"--steps", "4", "--duration", "9"}); }), "excludes"));
}

TEST(Roofline, CountsTheBytesOfAnUpdate) {
  EXPECT_EQ(bytes_per_update, 188); // (76 + 76 + 72 + 76 + 76) / 2: even and odd step
  EXPECT_TRUE(
      contains(roofline_line(2e9, 10, 75.2e9), "200.0 M updates/s, 188 B/update, 37.6 GB/s, 0.50 of"));
  EXPECT_GT(stream_bandwidth(200'000), 1e8);
}

} // namespace
} // namespace terrain_wind
