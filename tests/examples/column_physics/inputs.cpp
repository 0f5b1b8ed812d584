// SPDX-License-Identifier: Apache-2.0
// Air that no scheme can take is refused with the place.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "../../support/test_folder.hpp"
#include "check.hpp"
#include "heddle/core/error.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

std::string message(const std::function<void()>& refused) {
  try {
    refused();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Levels, AreInBalanceWithTheAir) {
  const Levels levels = make_levels(weisman_klemp(), 54, 18000);
  EXPECT_EQ(levels.face_height.front(), 0);
  EXPECT_DOUBLE_EQ(levels.face_height.back(), 18000);
  require_levels(levels);
  for (std::size_t k = 0; k < levels.height.size(); ++k) { // p = rho R T_v, to the curvature within a level
    const double t = levels.theta[k] * levels.exner[k] * (1 + 0.61 * levels.vapour[k]);
    EXPECT_NEAR(levels.pressure[k] / (levels.density[k] * gas_dry * t), 1, 2e-3) << k;
  }
  EXPECT_NEAR(levels.face_pressure.back(), 7600, 400); // of the standard atmosphere at 18 km: 7565 Pa
}

TEST(Levels, BadOnesAreRefusedWithTheLevel) {
  const Levels good = make_levels(weisman_klemp(), 11, 18000);
  const auto refuse = [&](std::vector<double> Levels::* values, std::size_t k, double value) {
    Levels bad = good;
    (bad.*values)[k] = value;
    return message([&] { require_levels(bad); });
  };
  EXPECT_EQ(refuse(&Levels::height, 4, 10),
            "level 4: its height (m) is 10.000000. Hint: order levels from the ground up");
  EXPECT_EQ(refuse(&Levels::thickness, 2, -3),
            "level 2: its thickness (m) is -3.000000. Hint: it must be positive");
  EXPECT_EQ(refuse(&Levels::density, 0, -1),
            "level 0: its density (kg m-3) is -1.000000. Hint: it must be positive");
  EXPECT_EQ(refuse(&Levels::vapour, 7, -1e-3),
            "level 7: its vapour (kg/kg) is -0.001000. Hint: use 0 where there is none");
  EXPECT_EQ(refuse(&Levels::vapour, 7, 1.2),
            "level 7: its vapour (kg/kg) is 1.200000. Hint: a tenth of the air at most");
  EXPECT_EQ(refuse(&Levels::theta, 0, 3000).substr(0, 29), "level 0: its temperature (K) ");
  EXPECT_EQ(refuse(&Levels::exner, 10, 0.01).substr(0, 30), "level 10: its temperature (K) ");
  EXPECT_EQ(refuse(&Levels::u, 3, std::nan("")), "level 3: its value is nan. Hint: use finite numbers");
}

TEST(Air, ThatIsNotFiniteIsRefusedWithTheCell) {
  test::SmallDomain domain(test::small_options());
  EXPECT_EQ(require_finite(domain.part.air()), 0);
  domain.part.air().q.view()(3, 5, 6, Tracer::cloud) = -1e-12F;
  EXPECT_EQ(require_finite(domain.part.air()), 1);
  domain.part.air().q.view()(3, 5, 7, Tracer::cloud) = std::nanf("");
  EXPECT_EQ(message([&] { require_finite(domain.part.air()); }),
            "cell (3, 5), level 7: cloud is nan. Hint: look at the sounding there, or choose a shorter "
            "--time-step");
  domain.part.air().q.view()(3, 5, 7, Tracer::cloud) = -1e-5F;
  EXPECT_NE(message([&] { require_finite(domain.part.air()); }).find("cloud is -0.00001"), std::string::npos);
}

std::string sounding(const std::string& text) {
  const test::Folder folder;
  const auto file = folder.write("sounding", text);
  std::string found = message([&] { (void)read_sounding(file); });
  const std::size_t name = found.find(file.string());
  return name == std::string::npos ? found : found.replace(name, file.string().size(), "sounding");
}

TEST(SoundingFile, IsReadInTheUnitsOfWrf) {
  const test::Folder folder;
  const Sounding air =
      read_sounding(folder.write("sounding", "1000 300 14\n500 302 12 5 1\n\n9000 330 1 20 2\n"));
  EXPECT_EQ(air.surface_pressure, 1e5);
  EXPECT_EQ(air.vapour[0], 0.014);
  EXPECT_DOUBLE_EQ(air.at(air.u, 4750), 12.5);
  EXPECT_EQ(air.at(air.theta, 20000), 330);
}

TEST(SoundingFile, BadLinesAreRefusedWithTheirNumber) {
  EXPECT_EQ(
      sounding("1000 300 14\n500 302 12 5 1\n400 303 12 5 1\n"),
      "file 'sounding', line 3: the height 400.000000 m does not lie above the one before, 500.000000 m. "
      "Hint: order the levels from the ground up");
  EXPECT_EQ(
      sounding("1000 300 14\n500 nan 12 5 1\n"),
      "file 'sounding', line 2: 'nan' is not a number. Hint: write finite numbers, separated by spaces");
  EXPECT_EQ(sounding("1000 300 14\n500 302 -1 5 1\n"),
            "file 'sounding', line 2: negative vapour, -1.000000 g/kg. Hint: use 0 where there is none");
  EXPECT_EQ(
      sounding("1000 300 14\n500 302 1200 5 1\n"),
      "file 'sounding', line 2: 1200.000000 g/kg of vapour. Hint: a tenth of the air at most: write g/kg");
  EXPECT_EQ(sounding("1000 300 14\n500 -302 1 5 1\n"),
            "file 'sounding', line 2: a potential temperature of -302.000000 K. Hint: it must be positive");
  EXPECT_EQ(
      sounding("1000 300 14\n500 302 12\n"),
      "file 'sounding', line 2: it has too few numbers. Hint: write height (m), potential temperature (K), "
      "vapour (g/kg), wind along x, along y (m/s)");
  EXPECT_EQ(sounding("1000 300 14\n"),
            "file 'sounding': it has no levels above the ground. Hint: write one line "
            "each: height, potential temperature, vapour, wind along x, along y");
  const test::Folder folder;
  EXPECT_NE(message([&] { (void)read_sounding(folder.path()); }).find("it cannot be read"),
            std::string::npos);
}

} // namespace
} // namespace front
