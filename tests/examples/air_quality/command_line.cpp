// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, files, and the same files on several ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "../../support/messages.hpp"
#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace air_quality {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Outcome;

/// Runs the program; `before` are words of the shell that come first.
Outcome program(const std::string& arguments, const std::string& before = "") {
  return test::run_program(before + " '" AIR_QUALITY_PROGRAM "' " + arguments);
}

#if defined(HEDDLE_EXAMPLES_NETCDF)

std::string text_of(int file, int variable, const char* name) {
  std::size_t length = 0;
  if (nc_inq_attlen(file, variable, name, &length) != NC_NOERR) return {};
  std::string text(length, ' ');
  return nc_get_att_text(file, variable, name, text.data()) == NC_NOERR ? text : "";
}

TEST(AirQualityProgram, WritesWhatOthersRead) {
  const test::Folder folder;
  const Outcome outcome =
      program("--cells 9 --hours 0.5 --every 10 --sample 2 --out '" + (folder / "out").string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "rms relative error")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "us per cell and call")) << outcome.text;
  EXPECT_FALSE(fs::exists(folder / "out" / "unfinished"));
  int file = 0;
  ASSERT_EQ(nc_open((folder / "out" / "air_quality.nc").c_str(), NC_NOWRITE, &file), NC_NOERR);
  EXPECT_EQ(text_of(file, NC_GLOBAL, "Conventions"), "CF-1.8");
  const auto values = [&](const char* name, std::size_t count) {
    int variable = 0;
    std::vector<double> found(count);
    EXPECT_EQ(nc_inq_varid(file, name, &variable), NC_NOERR) << name;
    EXPECT_EQ(nc_get_var_double(file, variable, found.data()), NC_NOERR) << name;
    return found;
  };
  EXPECT_EQ(values("time", 4), (std::vector<double>{0, 600, 1200, 1800}));
  EXPECT_EQ(values("p", 9).front(), 1e5);
  EXPECT_EQ(values("p", 9).back(), 1e4);
  EXPECT_NEAR(values("zenith", 4)[0], 73.66,
              0.01); // 6:00, 45 degrees north, longest day: sin = sin 45 sin 23.44
  EXPECT_NEAR(values("O3", 36)[0], 48.9e-9, 0.1e-9);
  for (const double value : values("O3", 36)) {
    EXPECT_GT(value, 3e-8);
    EXPECT_LT(value, 6e-8);
  }
  int variable = 0;
  ASSERT_EQ(nc_inq_varid(file, "NO2", &variable), NC_NOERR);
  EXPECT_EQ(text_of(file, variable, "standard_name"), "mole_fraction_of_nitrogen_dioxide_in_air");
  EXPECT_EQ(text_of(file, variable, "units"), "1");
  int variables = 0;
  EXPECT_EQ(nc_inq_nvars(file, &variables), NC_NOERR);
  EXPECT_EQ(variables, 66 + 5);
  nc_close(file);
}

TEST(AirQualityProgram, SameFileOnSeveralRanks) {
  const test::Folder folder;
  const auto file = [&](const std::string& name, const std::string& before) {
    const Outcome outcome = program(
        "--cells 50 --hours 0.4 --every 12 --sample 0 --out '" + (folder / name).string() + "'", before);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    return test::bytes_of(folder / name / "air_quality.nc");
  };
  const std::string alone = file("one", "");
  EXPECT_GT(alone.size(), 10'000U);
  EXPECT_EQ(alone, file("again", "")); // nothing in it depends on the time of day
  EXPECT_EQ(alone, file("threads", "HEDDLE_RANKS=3 HEDDLE_TRANSPORT=threads"));
#if defined(AIR_QUALITY_MPIEXEC)
  EXPECT_EQ(alone, file("mpi", "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
                               "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 "
                               "'" AIR_QUALITY_MPIEXEC "' -n 3"));
#endif
}

#endif

TEST(AirQualityProgram, IsTheSameOnADevice) {
  const test::Folder folder;
  const std::string size = "--cells 50 --hours 0.4 --every 12 --sample 0 --out '";
#if defined(AIR_QUALITY_ON_DEVICE)
  for (const std::string device : {"cpu", "cuda"}) {
    const Outcome outcome = program("--device " + device + " " + size + (folder / device).string() + "'");
    EXPECT_EQ(outcome.code, 0) << outcome.text;
  }
  EXPECT_EQ(test::bytes_of(folder / "cpu" / "air_quality.nc"),
            test::bytes_of(folder / "cuda" / "air_quality.nc"));
#else
  const Outcome outcome = program("--device cuda " + size + (folder / "out").string() + "'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.text, "without CUDA") || contains(outcome.text, "no CUDA")) << outcome.text;
#endif
}

/// With a sun over each cell at an hour of its own: strips of sorted cells are in use, warps as the cells lie
/// less so.
TEST(AirQualityProgram, SaysHowMuchOfTheLanesIsInUse) {
  const test::Folder folder;
  const Outcome outcome =
      program("--cells 96 --hours 1 --sample 0 --sun scattered --out '" + (folder / "out").string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  double strips = 0;
  double warps = 0;
  const std::size_t line = outcome.text.find("lanes     ");
  ASSERT_NE(line, std::string::npos) << outcome.text;
  ASSERT_EQ(std::sscanf(outcome.text.c_str() + line,
                        "lanes %lf %% of the time of strips of 8 cells is steps of their own; %lf %%",
                        &strips, &warps),
            2)
      << outcome.text;
  EXPECT_GT(strips, 90);
  EXPECT_LT(strips, 100);
  EXPECT_LT(warps, strips);
  EXPECT_GT(warps, 30);
}

TEST(AirQualityProgram, SaysThatAtomsAreConserved) {
  const test::Folder folder;
  const Outcome outcome =
      program("--cells 9 --hours 1 --sample 0 --emissions none --out '" + (folder / "out").string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  double change[3] = {1, 1, 1};
  const std::size_t line = outcome.text.find("atoms     changed by");
  ASSERT_NE(line, std::string::npos) << outcome.text;
  ASSERT_EQ(std::sscanf(outcome.text.c_str() + line, "atoms changed by N %lf S %lf Cl %lf", &change[0],
                        &change[1], &change[2]),
            3)
      << outcome.text;
  for (const double c : change)
    EXPECT_LE(std::abs(c), 1e-12) << outcome.text;
}

TEST(AirQualityProgram, SaysWhatIsWrong) {
  const test::Folder folder;
  const std::string out = " --out '" + (folder / "out").string() + "'";
  const auto file = [&](const char* name, const std::string& text) {
    return "'" + folder.write(name, text).string() + "'";
  };
  for (const auto& [arguments, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"--cells 0", "--cells: '0' is not a number from 1"},
           {"--rtol 2", "--rtol: '2' is not a number"},
           {"--integrator euler", "euler not in {ros3,rodas3,rodas4,cvode}"},
           {"--device gpu", "gpu not in {cpu,cuda}"},
           {"--integrator ros3", "integrator 'ros3': this program was built without it"},
           {"--column x --cells 3", "--cells excludes --column"},
           {"--concentrations " + file("a", "O3 50\nozone 50\n"),
            "line 2: mechanism 'cb05': it has no species"},
           {"--concentrations " + file("b", "NO -1"), "line 1: 'NO' is negative: -1"},
           {"--column " + file("c", "1e5 -290 1"), "the temperature is negative: -290"},
           {"--rates " + file("d", "PHOTO.NO2 5e-3"), "rates are missing: PHOTO.O3->O3P, "},
           {"--rates nothing", "file 'nothing': it cannot be read"}}) {
    const Outcome outcome = program(arguments + out);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_TRUE(contains(outcome.text, message)) << outcome.text;
  }
  EXPECT_TRUE(contains(program("--cells 2 --hours 0.1" + out, "HEDDLE_RANKS=3 HEDDLE_TRANSPORT=threads").text,
                       "2 cells are less than one for each of 3 ranks"));
  EXPECT_EQ(program("--help").code, 0);
}

} // namespace
} // namespace air_quality
