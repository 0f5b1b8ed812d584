// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, results.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"
#include "output.hpp"
#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace front {
namespace {

using ::test::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Outcome program(const std::string& arguments, const std::string& before = "") {
  return ::test::run_program(before + "'" COLUMN_PHYSICS_PROGRAM "' " + arguments);
}

std::string small_run(const test::Folder& folder, const std::string& more = "") {
  return "--threads 1 --size 26x20x11 --ascent 3 --radiation-every 3 --frames 2 --out '" +
         (folder / "out").string() + "' " + more;
}

void expect_refusal(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, part)) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "Hint: "));
}

#if defined(HEDDLE_EXAMPLES_NETCDF)
/// All values of a variable; empty where the file has none of that name.
std::vector<float> variable(const std::filesystem::path& name, const char* what) {
  int file = 0, id = 0, rank = 0;
  std::vector<float> values;
  if (nc_open(name.c_str(), NC_NOWRITE, &file) != NC_NOERR) return values;
  std::size_t count = 1, length = 0;
  std::array<int, NC_MAX_VAR_DIMS> dimensions{};
  if (nc_inq_varid(file, what, &id) == NC_NOERR &&
      nc_inq_var(file, id, nullptr, nullptr, &rank, dimensions.data(), nullptr) == NC_NOERR) {
    for (int d = 0; d < rank; ++d) {
      nc_inq_dimlen(file, dimensions[static_cast<std::size_t>(d)], &length);
      count *= length;
    }
    EXPECT_EQ(nc_inq_attlen(file, id, "units", &length), NC_NOERR) << what;
    EXPECT_EQ(nc_inq_attlen(file, id, "long_name", &length), NC_NOERR) << what;
    values.resize(count);
    EXPECT_EQ(nc_get_var_float(file, id, values.data()), NC_NOERR) << what;
  }
  nc_close(file);
  return values;
}

TEST(CommandLine, TheFileHasRainThatOnlyGrows) {
  const test::Folder folder;
  const Outcome outcome = program(small_run(folder, "--steps 60"));
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  const auto file = folder / "out" / "front.nc";
  const std::size_t columns = 26 * 20, cells = columns * 11, times = 3;
  for (const char* name : {"theta", "qv", "qc", "qr", "w", "heating"})
    EXPECT_EQ(variable(file, name).size(), times * cells) << name;
  EXPECT_EQ(variable(file, "t"), (std::vector<float>{0, 600, 1200}));
  EXPECT_EQ(variable(file, "x").at(1), 4500);
  EXPECT_EQ(variable(file, "z").size(), 11U);
  EXPECT_EQ(variable(file, "air_pressure").size(), 11U);
  EXPECT_EQ(variable(file, "snow").size(), times * columns);
  const std::vector<float> rain = variable(file, "rain");
  ASSERT_EQ(rain.size(), times * columns);
  float most = 0;
  for (std::size_t n = 0; n < 2 * columns; ++n) {
    EXPECT_GE(rain[n + columns], rain[n]);
    most = std::max(most, rain[n + columns]);
  }
  EXPECT_GT(most, 0);
  EXPECT_GT(test::bytes_of(folder / "out" / "front.png").size(), 10000U);
}

TEST(CommandLine, AResumedRunOnRanksEndsInTheSameBits) {
  const test::Folder folder;
  const std::string more = "--no-picture --steps 18 ";
  ASSERT_EQ(program(small_run(folder, more)).code, 0);
  const std::vector<float> expected = variable(folder / "out" / "front.nc", "qv");
  std::filesystem::remove_all(folder / "out");
  ASSERT_EQ(program(small_run(folder, more + "--checkpoint-every 5")).code, 0);
  std::filesystem::remove(folder / "out" / "front.nc");
  expect_refusal(program(small_run(folder, more) + "--checkpoint-every 5"),
                 "it has checkpoints of another run");
  expect_refusal(program(small_run(folder, more + "--resume last --ascent 2")),
                 "its ascent is 3, but this run has 2");
  const Outcome resumed = program(small_run(folder, more + "--resume 12"), "HEDDLE_RANKS=3 ");
  ASSERT_EQ(resumed.code, 0) << resumed.text;
  EXPECT_TRUE(contains(resumed.text, "resumed   at step 12"));
  const std::vector<float> found = variable(folder / "out" / "front.nc", "qv");
  const std::ptrdiff_t cells = 26 * 20 * 11;
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::equal(found.end() - cells, found.end(), expected.end() - cells));
}
#endif

TEST(CommandLine, TimeStepsThatAreTooLongAreRefusedWithTheCell) {
  const test::Folder folder;
  const Outcome outcome = program(small_run(folder, "--time-step 300"));
  expect_refusal(outcome, "cell (");
  EXPECT_TRUE(contains(outcome.text, "the Courant number is "));
  EXPECT_TRUE(contains(outcome.text, "choose a --time-step of "));
}

TEST(CommandLine, WhatCannotBeDividedIsRefused) {
  const test::Folder folder;
  expect_refusal(program(small_run(folder, "--blocks 1x5")),
                 "5 blocks along an axis of 20 cells are too many");
  expect_refusal(program(small_run(folder, "--blocks 4x1 --limiter at-once")),
                 "leave at least 8 cells to each block");
  expect_refusal(program("--size 8x20x11"), "--size: a side of 8 cells is too short");
  // None of these values may be dropped in silence.
  expect_refusal(program("--size 90x20x20x11"),
                 "--size: '90x20x20x11' is not 3 numbers with 'x' between them");
  expect_refusal(program("--size 20x20"), "--size: '20x20' is not 3 numbers with 'x' between them");
  expect_refusal(program("--size 20x20x11.5"), "--size: '11.5' is not a whole number");
  expect_refusal(program("--size 20x20x3"), "--size: '3' is not a number from 4 to 100000");
  expect_refusal(program("--blocks 3x1x1"), "--blocks: '3x1x1' is not 2 numbers with 'x' between them");
  expect_refusal(program("--microphysics wsm6"), "--microphysics");
  expect_refusal(program("--microphysics wsm5 --tracers 5"), "--tracers 5: wsm5 has 6 of its own");
  expect_refusal(program("--clouds cells --time-step 180"),
                 "--clouds cells: steps of 180 s and more have several substeps");
  expect_refusal(program(small_run(folder, "--sounding nowhere")), "file 'nowhere': it cannot be read");
  expect_refusal(program(small_run(folder, "--input nowhere.nc")), "file 'nowhere.nc'");
}

} // namespace
} // namespace front
