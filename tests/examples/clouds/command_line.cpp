// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, results, a stop in between.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"

#if defined(HEDDLE_EXAMPLES_NETCDF)
#include <netcdf.h>
#endif

namespace clouds {
namespace {

using ::test::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Outcome program(const std::string& arguments) {
  return ::test::run_program("'" CLOUDS_PROGRAM "' " + arguments);
}

std::string small(const std::filesystem::path& out, const std::string& more) {
  return "bomex --threads 1 --cells 12x12x20 --spacing 200 --sample-every 100 --out '" + out.string() + "' " +
         more;
}

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void expect_refusal(const std::string& arguments, const std::string& part) {
  const Outcome outcome = program(arguments);
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, part)) << outcome.text;
}

TEST(Program, WritesSeriesProfilesAndAPicture) {
  const test::Folder folder;
  const std::filesystem::path trace = folder / "trace.json";
  const Outcome outcome = program(small(folder / "out", "--hours 0.1 --trace '" + trace.string() + "'"));
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  const std::string series = contents(folder / "out" / "series.csv");
  EXPECT_TRUE(contains(series, "time_s,cover,liquid_path")) << series;
  EXPECT_TRUE(contains(series, "\n360,")) << series;
  const std::string profiles = contents(folder / "out" / "profiles.csv");
  EXPECT_TRUE(contains(profiles, "theta_l_flux"));
  EXPECT_TRUE(contains(profiles, ",0,,,,,0,,,,,")) << "no cloud: fields without a value\n" << profiles;
  EXPECT_FALSE(contains(profiles, "nan")) << profiles;
  EXPECT_GT(std::filesystem::file_size(folder / "out" / "clouds.png"), 20000U);
  for (const char* const task : {"clock", "clouds::momentum", "projection"})
    EXPECT_TRUE(contains(contents(trace), std::string("\"") + task + "\"")) << task;
}

#if defined(HEDDLE_EXAMPLES_NETCDF)
TEST(Program, MeansOverCloudsThatAreNotThereAreFillValues) {
  const test::Folder folder;
  ASSERT_EQ(program(small(folder / "out", "--hours 0.02 --no-picture")).code, 0);
  int file = 0, id = 0;
  std::size_t times = 0;
  ASSERT_EQ(nc_open((folder / "out" / "clouds.nc").c_str(), NC_NOWRITE, &file), NC_NOERR);
  ASSERT_EQ(nc_inq_dimid(file, "t", &id), NC_NOERR);
  ASSERT_EQ(nc_inq_dimlen(file, id, &times), NC_NOERR);
  std::vector<float> area(times * 20), mean(times * 20);
  float fill = 0;
  ASSERT_EQ(nc_inq_varid(file, "cloud", &id), NC_NOERR);
  ASSERT_EQ(nc_get_var_float(file, id, area.data()), NC_NOERR);
  ASSERT_EQ(nc_inq_varid(file, "cloud_theta_l", &id), NC_NOERR);
  ASSERT_EQ(nc_get_var_float(file, id, mean.data()), NC_NOERR);
  ASSERT_EQ(nc_get_att_float(file, id, "_FillValue", &fill), NC_NOERR);
  nc_close(file);
  for (std::size_t n = 0; n < area.size(); ++n) {
    if (area[n] == 0)
      EXPECT_EQ(mean[n], fill) << n;
    else
      EXPECT_NEAR(mean[n], 300, 20) << n;
  }
  EXPECT_EQ(area[0], 0);
}
#endif

TEST(Program, ResumesFromACheckpointWithTheSameBits) {
  const test::Folder folder;
  const std::string options = "--no-picture --precision f32 --checkpoint-every 100 --fields-every 150 ";
  ASSERT_EQ(program(small(folder / "whole", options + "--hours 0.1")).code, 0);
  ASSERT_EQ(program(small(folder / "parts", options + "--hours 0.06")).code, 0);
  const Outcome rest = ::test::run_program("HEDDLE_TIMEOUT=20 HEDDLE_TRANSPORT=threads HEDDLE_RANKS=2 "
                                           "'" CLOUDS_PROGRAM "' " +
                                           small(folder / "parts", options + "--hours 0.1 --resume"));
  ASSERT_EQ(rest.code, 0) << rest.text;
  EXPECT_TRUE(contains(rest.text, "resumed")) << rest.text;
  expect_refusal(small(folder / "parts", options + "--hours 0.05 --resume"), "the checkpoint is at 0.083");
  for (const char* const file : {"series.csv", "profiles.csv", "fields.pvd", "fields_00000000.vti",
                                 "fields_00000001.vti", "fields_00000002.vti"})
    EXPECT_EQ(contents(folder / "parts" / file), contents(folder / "whole" / file)) << file;
  EXPECT_TRUE(contains(contents(folder / "whole" / "fields.pvd"), "timestep=\"300\"")); // of 0, 200, 300
}

/// A change of the samples beside a checkpoint, and what a run that resumes from it says.
void expect_refused_samples(const std::function<void(const std::filesystem::path&)>& change,
                            const std::string& part) {
  const test::Folder folder;
  const std::string options = "--no-picture --checkpoint-every 100 ";
  ASSERT_EQ(program(small(folder / "out", options + "--hours 0.03")).code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out" / "checkpoint"))
    if (entry.path().filename().string().starts_with("samples_")) change(entry.path());
  const std::string series = contents(folder / "out" / "series.csv");
  expect_refusal(small(folder / "out", options + "--hours 0.04 --resume"), part);
  EXPECT_EQ(contents(folder / "out" / "series.csv"), series);
}

TEST(Program, RefusesSamplesThatWereChanged) {
  expect_refused_samples([](const auto& file) { std::filesystem::remove(file); }, "it cannot be read");
  expect_refused_samples(
      [](const auto& file) { std::filesystem::resize_file(file, std::filesystem::file_size(file) - 8); },
      "it was truncated or changed");
  expect_refused_samples(
      [](const auto& file) {
        std::string text = contents(file);
        text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
        std::ofstream(file, std::ios::binary) << text;
      },
      "it was truncated or changed");
}

/// Twenty levels up to 2900 m that become higher.
std::string stretched_levels() {
  std::string text = "0 # the ground\n";
  double face = 0;
  for (int k = 0; k < 20; ++k) {
    face += 50 + 10 * k;
    text += std::to_string(face) + "\n";
  }
  return text;
}

TEST(Program, TakesLevelsFromAFile) {
  const test::Folder folder;
  const std::string file = " --levels '" + folder.write("levels.txt", stretched_levels()).string() + "'";
  const std::string options =
      "bomex --threads 1 --cells 12x12x0 --spacing 200 --sample-every 30 --frame -4x1 "
      "--cooling-top 2500 --precision f32 --checkpoint-every 30 --out '" +
      (folder / "out").string() + "' ";
  const Outcome outcome = program(options + "--hours 0.02" + file);
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "12 x 12 x 20 cells, 2.4 x 2.4 x 2.9 km")) << outcome.text;
  const std::string profiles = contents(folder / "out" / "profiles.csv");
  EXPECT_TRUE(contains(profiles, "\n25,0,-8.69")) << profiles; // the wind does not know its frame
  EXPECT_TRUE(contains(profiles, "\n2780,2660,")) << profiles;
  EXPECT_EQ(program(options + "--hours 0.03 --resume" + file).code, 0);
  const Outcome other = program(options + "--hours 0.04 --resume"); // equal levels
  EXPECT_EQ(other.code, 1);
}

TEST(Program, RefusesLevelsThatAreNone) {
  const test::Folder folder;
  const auto refuse = [&](const std::string& text, const std::string& part) {
    expect_refusal("bomex --out '" + (folder / "out").string() + "' --levels '" +
                       folder.write("levels.txt", text).string() + "'",
                   part);
  };
  refuse("100\n200\n150\n", "line 3: 150 m does not lie above 200 m");
  refuse("0\n-5\n", "line 2: -5 m does not lie above 0 m");
  refuse("100\nnan\n", "line 2: 'nan' is not a height");
  refuse("100\n1e999\n", "line 2: '1e999' is not a height");
  refuse("100 200\n", "line 1: '100 200' is not a height");
  refuse("100\n200\n300\n400\n2900\n", "5 levels are too few");
  refuse("100\n200\n300\n400\n500\n600\n", "ends at 600 m, and the sponge that takes waves begins at 2500 m");
  refuse("100\n200\n300\n400\n500\n60000\n", "the air ends below the top");
  expect_refusal("bomex --levels '" + (folder / "none").string() + "'", "the file cannot be read");
  expect_refusal("bomex --levels '" + folder.path().string() + "'", "the file cannot be read");
  const std::string file = " --levels '" + folder.write("levels.txt", stretched_levels()).string() + "'";
  expect_refusal("bomex --cells 12x12x20" + file, "the file says how many levels");
  expect_refusal("bomex --fields-every 60" + file, "have equal levels");
  expect_refusal("cbl --cooling-top 2500", "cbl has no cooling that ends at a height");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

/// A run ends with a sentence, and what an earlier one has written into the same folder stays.
void expect_failure(const test::Folder& folder, const std::string& arguments, const std::string& part) {
  ASSERT_EQ(program(small(folder / "out", "--hours 0.01")).code, 0);
  std::vector<std::string> before;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out"))
    before.push_back(entry.path().filename().string() + contents(entry.path()));
  ASSERT_GE(before.size(), 4U);
  const Outcome outcome = program(arguments + " --threads 1 --out '" + (folder / "out").string() + "'");
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, part)) << outcome.text;
  std::vector<std::string> after;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out"))
    after.push_back(entry.path().filename().string() + contents(entry.path()));
  EXPECT_TRUE(before == after);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) // nothing is left beside it
    EXPECT_TRUE(entry.path().filename() == "out" || entry.path().filename() == "levels.txt") << entry.path();
}

TEST(Program, EndsWhereTheFlowIsNotFinite) {
  const test::Folder folder; // a level so thin that its square is 0 in single precision
  const std::string file = folder.write("levels.txt", "1e-25\n100\n200\n300\n400\n500\n3000\n").string();
  expect_failure(folder, "bubble --precision f32 --cells 12x12x0 --hours 0.1 --levels '" + file + "'",
                 "the flow is not finite any more");
}

TEST(Program, EndsWhereStepsBecomeTooShort) {
  const test::Folder folder;
  expect_failure(folder, "bomex --cells 12x12x12 --spacing 1 --frame 1000 --hours 0.1",
                 "the flow asks for time steps below 1 ms");
}

TEST(Program, RefusesWhatItCannotDo) {
  const test::Folder folder;
  expect_refusal("front", "case");
  expect_refusal("cbl --cells 12x12x5", "levels are too few");
  const std::string out = " --out '" + (folder / "short").string() + "'";
  expect_refusal("cbl --cells 5x12x12" + out, "command line: --cells: a side of 5 cells is too short");
  expect_refusal("wave --cells 12x4x12" + out, "command line: --cells: a side of 4 cells is too short");
  expect_refusal("cbl --device cuda --cells 13x12x12" + out,
                 "a GPU takes pairs of cells along x, and 13 is odd");
  EXPECT_FALSE(std::filesystem::exists(folder / "short"));
  const Outcome shared = ::test::run_program(
      "HEDDLE_TRANSPORT=threads HEDDLE_RANKS=3 '" CLOUDS_PROGRAM "' cbl --cells 12x12x16" + out);
  EXPECT_EQ(shared.code, 1);
  EXPECT_TRUE(contains(shared.text, "16 levels are too few for 3 ranks")) << shared.text;
  expect_refusal("cbl --cells 12x12x12x12", "'12x12x12x12' is not 3 numbers with 'x' between them");
  expect_refusal("cbl --cells 12x12", "'12x12' is not 3 numbers with 'x' between them");
  expect_refusal("cbl --cells 12x12x12.5", "'12.5' is not a whole number");
  expect_refusal("cbl --cells 12xx12", "'' is not a number from 0 to 4096");
  expect_refusal("bomex --frame 1x2x3", "'1x2x3' is not 1 to 2 numbers");
  expect_refusal("bomex --frame nan", "'nan' is not a number from -1000 to 1000");
  expect_refusal("cbl --seed -1", "'-1' is not a number from 0 to 9.0072e+15");
  expect_refusal("cbl --seed 99999999999999999999", "'99999999999999999999' is not a number from 0");
  expect_refusal("cbl --scheme 7", "--scheme");
  expect_refusal("cbl --device tpu", "--device");
  expect_refusal("cbl --fields-every -1", "--fields-every");
  expect_refusal("rico --threshold 1e-3", "--threshold: rain does not form as Kessler has it");
  expect_refusal("rico --rain kessler --droplets 70", "--droplets: rain does not form as Seifert");
  expect_refusal("bomex --evaporation 0.5", "--evaporation: bomex has no rain");
  expect_refusal("bomex --same-bits", "--same-bits: on a CPU");
  expect_refusal("bomex --trace /proc/none/trace" + out, "cannot write /proc/none/trace");
  expect_refusal("cbl --resume --out '" + (folder / "none").string() + "'", "no checkpoint");
}

} // namespace
} // namespace clouds
