// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, files, and what becomes of the results of an earlier run.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "../../support/messages.hpp"
#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace city_wind {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Outcome;

/// Runs the program; `before` are shell commands that come first.
Outcome program(const std::string& arguments, const std::string& before = "") {
  return test::run_program(before + "'" CITY_WIND_PROGRAM "' " + arguments);
}

class CommandLine : public testing::Test {
protected:
  void SetUp() override {
    folder_.write("houses.csv", "box, 40, 36, 16, 16, 12\nbox, 72, 40, 12, 20, 20, 15\n");
    folder_.write("sensors.csv", "0, 60, 50, 10, 5, 270, log, 0.1\n600, 60, 50, 10, 5, 272, log, 0.1\n");
  }

  [[nodiscard]] std::string small_run(const std::string& more = "") const {
    return "--buildings '" + (folder_ / "houses.csv").string() + "' --sensors '" +
           (folder_ / "sensors.csv").string() +
           "' --cells 32,28,16 --cell-size 4,4,2 --stretch 1.06 --out '" + (folder_ / "out").string() + "' " +
           more;
  }

  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) files[entry.path().string()] = test::bytes_of(entry.path());
    }
    return files;
  }

  const test::Folder folder_;
};

TEST_F(CommandLine, AGoodRunWritesItsResults) {
  const Outcome outcome = program(small_run());
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "t = 0 ")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "t = 600 ")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "converged")) << outcome.text;
  for (const char* name : {"wind.pvd", "wind_00000000.vti", "wind_00000001.vti", "wind.png"})
    EXPECT_GT(fs::file_size(folder_ / "out" / name), 100U) << name;
  EXPECT_FALSE(fs::exists(folder_ / "out" / "unfinished"));
}

TEST_F(CommandLine, ASolveThatCannotMeetItsToleranceSaysSo) {
  for (const char* solver : {"sor", "mg-pcg"}) {
    const Outcome outcome =
        program(small_run(std::string("--precision f32 --tolerance 1e-12 --solver ") + solver));
    EXPECT_EQ(outcome.code, 2) << outcome.text; // written, and not as accurate as asked for
    EXPECT_TRUE(contains(outcome.text, "city_wind: not all times are converged")) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, "stalled above the tolerance")) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, "1e-12 1/s, was not reached: float holds no more digits"))
        << outcome.text;
  }
  const Outcome few = program(small_run("--iterations 1"));
  EXPECT_EQ(few.code, 2) << few.text;
  EXPECT_TRUE(fs::exists(folder_ / "out" / "wind.pvd"));
  EXPECT_TRUE(contains(few.text, "not converged, 1 iterations")) << few.text;
  EXPECT_FALSE(contains(few.text, "float")) << few.text;
}

TEST_F(CommandLine, HelpNamesEveryOption) {
  const Outcome outcome = program("--help");
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"--buildings", "--terrain", "--sensors", "--cells", "--stretch", "--zones",
                           "--precision", "--solver", "--tolerance", "--device", "--out"})
    EXPECT_TRUE(contains(outcome.text, name)) << name;
}

TEST_F(CommandLine, WhatMakesNoSenseIsRefused) {
  for (const auto& [arguments, part] :
       {std::pair{"--cell-size 0,4,4", "use positive sizes"},
        std::pair{"--cells 10,10", "--cells: '10,10' is not 3 numbers with ',' between them"},
        std::pair{"--cells 8,10,10,10", "--cells: '8,10,10,10' is not 3 numbers with ',' between them"},
        std::pair{"--cell-size 4,4,4,2", "--cell-size: '4,4,4,2' is not 3 numbers"},
        std::pair{"--origin 9,0,0", "--origin: '9,0,0' is not 2 numbers"},
        std::pair{"--data-cell 9,5,5", "--data-cell: '9,5,5' is not 2 numbers"},
        std::pair{"--wind fast", "'fast' is not a number from 0 to 1000"},
        std::pair{"--wind 0", "there is no inflow"}, std::pair{"--zones roof", "roof not in {all,none,"},
        std::pair{"--device tpu", "tpu not in {cpu,cuda}"}, std::pair{"--stretch", "--stretch: 1 required"},
        std::pair{"--solver lu", "lu not in {sor,mg-pcg}"}, std::pair{"--omega 1.5", "add --solver sor"},
        std::pair{"--sweeps 50", "add --solver sor"},
        std::pair{"--solver sor --iterations 5", "add --solver mg-pcg"},
        std::pair{"--tolerance 0", "mg-pcg needs a tolerance above 0"},
        std::pair{"--colour red", "not expected"}, std::pair{"--buildings no.csv", "cannot be opened"}}) {
    const Outcome outcome = program(arguments);
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, "city_wind: ")) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, part)) << outcome.text;
    EXPECT_FALSE(contains(outcome.text, "terminate called")) << outcome.text;
  }
}

TEST_F(CommandLine, ItComputesOnOneRank) {
  for (const char* const several : {"HEDDLE_RANKS=2 ", "HEDDLE_RANKS=2 HEDDLE_TRANSPORT=threads "}) {
    const Outcome outcome = program(small_run(), several);
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, "the program runs on one rank, not on 2")) << outcome.text;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
}

TEST_F(CommandLine, AFullDiskLeavesEarlierResultsAsTheyWere) {
  ASSERT_EQ(program(small_run()).code, 0);
  const auto before = contents();
  const Outcome outcome = program(small_run("--direction 90"), "ulimit -f 64; "); // 64 KiB a file
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "File too large")) << outcome.text;
  EXPECT_EQ(contents(), before);
}

#if defined(HEDDLE_EXAMPLES_NETCDF)
TEST_F(CommandLine, TheNetcdfFileHasTheNamesThatOthersExpect) {
  ASSERT_EQ(program(small_run()).code, 0);
  int file = 0;
  ASSERT_EQ(nc_open((folder_ / "out" / "wind.nc").c_str(), NC_NOWRITE, &file), NC_NOERR);
  std::array<char, 64> text{};
  ASSERT_EQ(nc_get_att_text(file, NC_GLOBAL, "Conventions", text.data()), NC_NOERR);
  EXPECT_EQ(std::string(text.data()), "CF-1.8");
  const auto values = [&](const char* name, std::size_t count) {
    int variable = 0;
    EXPECT_EQ(nc_inq_varid(file, name, &variable), NC_NOERR) << name;
    std::size_t length = 0;
    EXPECT_EQ(nc_inq_attlen(file, variable, "units", &length), NC_NOERR) << name;
    std::vector<float> all(count);
    EXPECT_EQ(nc_get_var_float(file, variable, all.data()), NC_NOERR) << name;
    return all;
  };
  constexpr std::size_t cells = 32UL * 28 * 16;
  EXPECT_EQ(values("t", 2), (std::vector<float>{0, 600}));
  EXPECT_EQ(values("x", 32)[1], 6);
  EXPECT_EQ(values("y", 28)[0], 2);
  EXPECT_NEAR(values("z", 16)[1], 2 + 1.06, 1e-6);
  EXPECT_EQ(values("terrain", 32UL * 28)[0], 0);
  const auto [u, v, w] = std::tuple(values("u", 2 * cells), values("v", 2 * cells), values("w", 2 * cells));
  const auto [magnitude, icell] = std::pair(values("mag", 2 * cells), values("icell", 2 * cells));
  const std::size_t house = 11 + 32UL * 11; // inside the first one
  EXPECT_EQ(icell[house], 0);
  EXPECT_EQ(u[house], 0);
  for (std::size_t n = 0; n < 2 * cells; n += 97)
    EXPECT_FLOAT_EQ(magnitude[n], std::hypot(u[n], v[n], w[n]));
  EXPECT_LT(v[2 * cells - 1] - v[cells - 1], -0.1F); // 272 degrees: a little to the south
  nc_close(file);
}
#endif

} // namespace
} // namespace city_wind
