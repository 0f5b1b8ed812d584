// SPDX-License-Identifier: Apache-2.0
// A file in the names of WRF's wrfinput: a run from it is the run that wrote it, and what is wrong in one is
// refused with the name of the variable.
#include "input.hpp"

#include <gtest/gtest.h>

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "../../support/test_folder.hpp"
#include "heddle/core/error.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

/// Variables of a file: extents without the time, and values.
struct Variable {
  std::vector<std::size_t> extents;
  std::vector<double> values;
};
using Variables = std::map<std::string, Variable>;

/// Those of a domain at the beginning, parted as WRF does it.
Variables variables_of(const test::Run& run, const Options& options) {
  const Levels& levels = run.weather.levels();
  const auto [x, y, z] = options.size;
  const auto n_x = static_cast<std::size_t>(x), n_y = static_cast<std::size_t>(y),
             n_z = static_cast<std::size_t>(z);
  Variables all;
  const auto cells = [&](const char* name, std::vector<std::size_t> extents,
                         const std::function<double(std::size_t k)>& value) {
    Variable variable{extents, {}};
    const std::size_t per_level = extents.at(1) * extents.at(2);
    for (std::size_t n = 0; n < extents[0] * per_level; ++n)
      variable.values.push_back(value(n / per_level));
    all[name] = variable;
  };
  const auto tracer = [&](const char* name, int number, double base) {
    Variable variable{{n_z, n_y, n_x}, {}};
    for (const float value : run.solver.tracer(number))
      variable.values.push_back(static_cast<double>(value) - base);
    all[name] = variable;
  };
  tracer("T", Tracer::theta, 300);
  tracer("QVAPOR", Tracer::vapour, 0);
  tracer("QCLOUD", Tracer::cloud, 0);
  tracer("QRAIN", Tracer::rain, 0);
  cells("P", {n_z, n_y, n_x}, [&](std::size_t k) { return 0.25 * levels.pressure[k]; });
  cells("PB", {n_z, n_y, n_x}, [&](std::size_t k) { return 0.75 * levels.pressure[k]; });
  cells("PH", {n_z + 1, n_y, n_x}, [&](auto) { return 0; });
  cells("PHB", {n_z + 1, n_y, n_x}, [&](std::size_t k) { return gravity * levels.face_height[k]; });
  cells("U", {n_z, n_y, n_x + 1}, [&](std::size_t k) { return levels.u[k]; });
  cells("V", {n_z, n_y + 1, n_x}, [&](std::size_t k) { return levels.v[k]; });
  cells("W", {n_z + 1, n_y, n_x}, [&](auto) { return 0; });
  all["MU"] = {{n_y, n_x}, std::vector<double>(n_y * n_x, 0)};
  all["MUB"] = {{n_y, n_x}, std::vector<double>(n_y * n_x, levels.column())};
  all["P_TOP"] = {{}, {levels.face_pressure.back()}};
  Variable eta{{n_z + 1}, {}};
  for (const double pressure : levels.face_pressure)
    eta.values.push_back((pressure - levels.face_pressure.back()) / levels.column());
  all["ZNW"] = eta;
  return all;
}

void write(const std::filesystem::path& name, const Variables& variables) {
  int file = 0, time = 0, numbered = 0;
  ASSERT_EQ(nc_create(name.c_str(), NC_NETCDF4 | NC_CLOBBER, &file), NC_NOERR);
  ASSERT_EQ(nc_def_dim(file, "Time", 1, &time), NC_NOERR);
  for (const auto& [variable, what] : variables) {
    std::vector<int> dimensions{time};
    for (const std::size_t n : what.extents)
      ASSERT_EQ(nc_def_dim(file, ("n" + std::to_string(++numbered)).c_str(), n, &dimensions.emplace_back()),
                NC_NOERR);
    int id = 0;
    ASSERT_EQ(nc_def_var(file, variable.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()),
                         dimensions.data(), &id),
              NC_NOERR);
    ASSERT_EQ(nc_put_var_double(file, id, what.values.data()), NC_NOERR);
  }
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

test::Values after_six_steps(const Options& options, const Weather& weather) {
  heddle::LocalTransport alone;
  heddle::Ranks here(alone);
  Solver solver(options, weather, here, nullptr);
  solver.step(0, 6);
  solver.finish();
  return test::result(solver);
}

TEST(InputFile, ARunFromItIsTheRunWithoutIt) {
  const test::Folder folder;
  Options options = test::small_options();
  const test::Run run(options);
  Variables variables = variables_of(run, options);
  write(folder / "wrfinput.nc", variables);
  const test::Values expected = after_six_steps(options, run.weather);
  options.blocks = {2, 1};
  const auto from_file = [&] {
    Input input = read_input(folder / "wrfinput.nc", options, test::moist_air());
    const Weather weather(options, input.levels, std::move(input.tracers));
    return after_six_steps(options, weather);
  };
  EXPECT_EQ(from_file(), expected);
  for (double& value : variables["T"].values)
    value += 0.5;
  write(folder / "wrfinput.nc", variables);
  const test::Values warmer = from_file();
  EXPECT_NEAR(static_cast<double>(warmer[2][5000] - expected[2][5000]), 0.5, 0.1);
}

/// What is said about a file after a change of its variables.
std::string refusal(const std::function<void(Variables&)>& change) {
  const test::Folder folder;
  Options options = test::small_options();
  options.radiation_every = 0;
  static const test::Run run(options);
  Variables variables = variables_of(run, options);
  change(variables);
  write(folder / "bad.nc", variables);
  try {
    (void)read_input(folder / "bad.nc", options, test::moist_air());
  } catch (const heddle::Error& error) {
    const std::string text = error.what();
    return text.substr(std::min(text.size(), text.find("variable")));
  }
  return "none";
}

TEST(InputFile, WhatIsWrongIsRefusedWithTheVariable) {
  EXPECT_EQ(refusal([](Variables&) {}), "none");
  EXPECT_EQ(refusal([](Variables& v) { v.erase("PHB"); }),
            "variable PHB: it is missing. Hint: write it, or leave --input out");
  EXPECT_EQ(refusal([](Variables& v) { v["QVAPOR"] = {{11, 20, 25}, std::vector<double>(11 * 20 * 25)}; }),
            "variable QVAPOR: its shape is 11 x 20 x 25, and 11 x 20 x 26 is needed. Hint: give --size the "
            "cells along x and y and the levels of the file");
  EXPECT_EQ(refusal([](Variables& v) { v["P"].values[77] = std::nan(""); }),
            "variable P: value 77 is not finite. Hint: use finite numbers");
  EXPECT_EQ(
      refusal([](Variables& v) { v["QVAPOR"].values[6] = NC_FILL_FLOAT; }),
      "variable QVAPOR: value 6 is larger than 1e30. Hint: fill each cell: NetCDF writes 9.97e36 where a "
      "value is missing");
  EXPECT_EQ(refusal([](Variables& v) { v["QCLOUD"].values[5] = -1e-3; }),
            "variable QCLOUD: it is -0.001000. Hint: use 0 where there is none");
  EXPECT_EQ(refusal([](Variables& v) { v["QVAPOR"].values[5] = 12; }),
            "variable QVAPOR: it is 12.000000 kg/kg. Hint: a tenth of the air at most");
  EXPECT_EQ(refusal([](Variables& v) { v["T"].values[3] = 300; }).substr(0, 45),
            "variable T: value 3 makes a temperature of 59");
  EXPECT_EQ(refusal([](Variables& v) { v["W"].values[9] = 0.5; }),
            "variable W: it is 0.500000 m/s. Hint: use 0: the front makes the ascent here (--ascent)");
  const auto begins = [](const std::string& text, const char* part) { return text.rfind(part, 0) == 0; };
  const std::string wind = refusal([](Variables& v) { v["U"].values[30] += 2; });
  EXPECT_TRUE(begins(wind, "variable U: it varies along level 0 from 10")) << wind;
  const std::string hill = refusal([](Variables& v) { v["PH"].values[20 * 26 + 3] = 2000; });
  EXPECT_TRUE(begins(hill, "variable PH + PHB: it varies along level 1 from ")) << hill;
  const std::string order = refusal([](Variables& v) {
    for (std::size_t n = 0; n < std::size_t{20 * 26}; ++n)
      v["PHB"].values[3 * 20 * 26 + n] = 0;
  });
  EXPECT_EQ(order, "variable PH + PHB: face 3 does not lie above the one below. Hint: order levels from the "
                   "ground up");
}

} // namespace
} // namespace front
#endif
