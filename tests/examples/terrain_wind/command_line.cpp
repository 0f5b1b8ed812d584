// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, and what becomes of the results of an earlier run.
#include <cmath>
#include <cstdlib>
#include <map>

#include "../../support/run_program.hpp"
#include "domain.hpp"
#include "inputs.hpp"
#include "saves.hpp"

namespace terrain_wind {
namespace {

using test::contains;
using ::test::Outcome;
using ::test::run_program;

/// Runs the program; `before` are shell commands that come first.
Outcome program(const std::string& arguments, const std::string& before = "") {
  return run_program(before + "'" TERRAIN_WIND_PROGRAM "' " + arguments);
}

std::string small_run(const test::Folder& folder, const std::string& more = "") {
  const auto grid =
      folder.write("hill.asc", test::ascii_grid(40, 24, 50, [](int column, int row) {
                     return std::to_string(100 + 80 * std::exp(-std::hypot(column - 20, row - 12) / 5));
                   }));
  return "--input '" + grid.string() + "' --height 500 --steps 40 --frames 2 --out '" +
         (folder / "out").string() + "' " + more;
}

std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    files[entry.path().string()] = entry.is_regular_file() ? test::bytes_of(entry.path()) : "";
  return files;
}

/// One line that names the program and a hint, exit code 1, and no sign of a crash.
void expect_refusal(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "terrain_wind: "));
  EXPECT_TRUE(contains(outcome.text, part));
  EXPECT_TRUE(contains(outcome.text, "Hint: "));
  EXPECT_FALSE(contains(outcome.text, "terminate called"));
}

TEST(CommandLine, AGoodRunWritesItsResults) {
  const test::Folder folder;
  const Outcome outcome = program(small_run(folder));
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "roofline: "));
  EXPECT_TRUE(contains(outcome.text, "of the in-place 19-stream bandwidth"));
  EXPECT_TRUE(contains(outcome.text, "mass"));
  for (const char* name : {"wind.pvd", "mean.pvd", "wind.png", "wind_00000000.vti", "wind_00000001.vti"})
    EXPECT_GT(test::bytes_of(folder / "out" / name).size(), 100U) << name;
  EXPECT_TRUE(contains(test::bytes_of(folder / "out" / "wind.pvd"), "wind_00000001.vti"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out" / "unfinished"));
}

TEST(CommandLine, TheSpaceThatIsAskedForHoldsTheCheckpoints) {
  const test::Folder folder;
  ASSERT_EQ(program(small_run(folder, "--no-picture --checkpoint-every 20")).code, 0);
  double checkpoints = 0; // two are kept
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out" / "checkpoint"))
    if (entry.is_regular_file()) checkpoints += static_cast<double>(entry.file_size());
  double frames = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out"))
    if (entry.path().extension() == ".vti") frames += static_cast<double>(entry.file_size());
  Options options;
  options.input = folder / "hill.asc";
  options.whole = true;
  options.height = 500;
  options.frames = 2;
  options.out = folder / "another";
  const Domain domain = make_domain(options);
  EXPECT_NEAR(bytes_of_results(options, domain) / frames, 1, 0.01);
  options.checkpoint_every = 20;
  EXPECT_NEAR(bytes_of_results(options, domain) / (frames + 1.5 * checkpoints), 1, 0.01); // three at once
  options.out = folder / "out"; // where two are there
  EXPECT_NEAR(bytes_of_results(options, domain) / (frames + 0.5 * checkpoints), 1, 0.01);
}

TEST(CommandLine, AResumedRunEndsInTheSameBits) {
  const test::Folder folder;
  const std::string steps = "--steps 100 --checkpoint-every 20 ";
  ASSERT_EQ(program(small_run(folder, steps)).code, 0);
  const std::string mean = test::bytes_of(folder / "out" / "mean_00000000.vti");
  const std::string last = test::bytes_of(folder / "out" / "wind_00000001.vti");
  ASSERT_GT(mean.size(), 1000U);
  expect_refusal(program(small_run(folder, steps)), "it has checkpoints of another run");
  expect_refusal(program(small_run(folder, steps + "--resume last --wind 11")),
                 "its wind is 12, but this run has 11");
  expect_refusal(program(small_run(folder, steps + "--resume last --frames 3")),
                 "its number of frames is 2, but this run has 3");
  std::filesystem::remove(folder / "out" / "mean_00000000.vti");
  std::filesystem::remove(folder / "out" / "wind_00000001.vti");
  std::filesystem::remove(folder / "out" / "checkpoint" /
                          "wind_00000100.checkpoint"); // as if it had been killed
  const Outcome resumed = program(small_run(folder, steps + "--resume last"));
  EXPECT_EQ(resumed.code, 0) << resumed.text;
  EXPECT_TRUE(contains(resumed.text, "resumed   at step 80"));
  expect_refusal(program(small_run(folder, steps + "--resume 70")), "there is no checkpoint of step 70");
  const Outcome over = program(small_run(folder, steps + "--resume last")); // nothing is left to do
  EXPECT_EQ(over.code, 0) << over.text;
  EXPECT_FALSE(contains(over.text, "nan"));
  EXPECT_TRUE(test::bytes_of(folder / "out" / "mean_00000000.vti") == mean);
  EXPECT_TRUE(test::bytes_of(folder / "out" / "wind_00000001.vti") == last);
}

/// A run that is killed when its checkpoints name two frames or more, and it has not ended: repeated until
/// the kill comes in time, since nobody knows what else the machine does.
Outcome killed_run(const test::Folder& folder, const std::string& arguments) {
  const std::string out = "'" + (folder / "out").string() + "'";
  return run_program("for trial in $(seq 100); do rm -rf " + out + "; '" TERRAIN_WIND_PROGRAM "' " +
                     arguments + " & run=$!; until grep -qs 'number frame i64 0[2-9a]' " + out +
                     "/checkpoint/*.checkpoint || ! kill -0 $run 2> /dev/null; do sleep 0.01; done; "
                     "kill -9 $run 2> /dev/null; wait $run; "
                     "if test $? = 137 && test -e " +
                     out + "/checkpoint/unfinished/wind_00000001.vti; then exit 0; fi; done; exit 2");
}

TEST(CommandLine, AKilledRunLosesNoFrame) {
  const test::Folder folder;
  const std::string steps = "--steps 240 --frames 12 --no-picture --checkpoint-every 20 ";
  ASSERT_EQ(program(small_run(folder, steps)).code, 0);
  std::filesystem::remove_all(folder / "out" / "checkpoint");
  const auto whole = contents(folder / "out");
  ASSERT_EQ(whole.size(), 15U); // frames, the mean, what names them
  std::filesystem::remove_all(folder / "out");

  const Outcome killed = killed_run(folder, small_run(folder, steps));
  ASSERT_EQ(killed.code, 0) << killed.text;
  ASSERT_FALSE(std::filesystem::exists(folder / "out" / "wind.pvd"));
  const auto left = contents(folder / "out");
  expect_refusal(program(small_run(folder, steps)), "it has checkpoints of another run");
  EXPECT_EQ(contents(folder / "out"), left);
  EXPECT_EQ(program(small_run(folder, "--wind 9")).code, 0); // has no checkpoints: a run beside it
  const Outcome resumed = program(small_run(folder, steps + "--resume last"));
  ASSERT_EQ(resumed.code, 0) << resumed.text;
  EXPECT_FALSE(contains(resumed.text, "without the frames before it"));
  for (const auto& [file, bytes] : whole)
    EXPECT_TRUE(test::bytes_of(file) == bytes) << file;

  // The results of another run in the same folder are not what this one goes on with.
  EXPECT_EQ(program(small_run(folder, "--wind 9 --frames 2")).code, 0);
  expect_refusal(program(small_run(folder, steps + "--resume last")), "is of another run");
  std::filesystem::remove(folder / "out" / "wind.pvd");
  const Outcome without = program(small_run(folder, steps + "--resume last"));
  EXPECT_EQ(without.code, 0) << without.text;
  EXPECT_TRUE(contains(without.text, "without the frames before it"));
}

TEST(CommandLine, ReportsOfOneRankSayWhose) {
  const test::Folder folder;
  const std::string run = small_run(folder, "--no-picture");
  EXPECT_TRUE(contains(program(run).text, "lists     1 list of "));
  EXPECT_TRUE(contains(program(run, "HEDDLE_RANKS=2 HEDDLE_TRANSPORT=threads ").text,
                       "lists     rank 0 of 2: 1 list of "));
}

TEST(CommandLine, WithoutACheckpointNothingIsResumed) {
  const test::Folder folder;
  expect_refusal(program(small_run(folder, "--resume last")), "there is no checkpoint in");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(CommandLine, ARunResumesOnOtherRanksWithTheSameBits) {
  const test::Folder folder;
  const std::string steps = "--steps 60 --no-picture --checkpoint-every 20 ";
  ASSERT_EQ(program(small_run(folder, steps)).code, 0);
  const std::string mean = test::bytes_of(folder / "out" / "mean_00000000.vti");
  ASSERT_GT(mean.size(), 1000U);
  std::filesystem::remove_all(folder / "out");
  const Outcome three = program(small_run(folder, steps), "export HEDDLE_RANKS=3 HEDDLE_TRANSPORT=threads; ");
  ASSERT_EQ(three.code, 0) << three.text;
  EXPECT_TRUE(contains(three.text, "transport threads: 3 ranks"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "mean_00000000.pvti"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out" / "wind.png"));
  std::filesystem::remove(folder / "out" / "checkpoint" /
                          "wind_00000060.checkpoint"); // as if one had been lost
  const Outcome one = program(small_run(folder, steps + "--resume last"));
  EXPECT_EQ(one.code, 0) << one.text;
  EXPECT_TRUE(contains(one.text, "resumed   at step 40"));
  EXPECT_TRUE(test::bytes_of(folder / "out" / "mean_00000000.vti") == mean);
}

TEST(CommandLine, HelpNamesEveryOption) {
  const Outcome outcome = program("--help");
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"--input", "--window", "--cell-size", "--wind", "--direction", "--height",
                           "--steps", "--duration", "--out", "--device", "--threads"})
    EXPECT_TRUE(contains(outcome.text, name));
}

TEST(CommandLine, BadInputsAreRefusedAndEarlierResultsStay) {
  const test::Folder folder;
  ASSERT_EQ(program(small_run(folder)).code, 0);
  const auto before = contents(folder / "out");
  const std::string out = " --out '" + (folder / "out").string() + "'";
  const auto with_input = [&](const std::string& name, const std::string& bytes) {
    return program("--input '" + folder.write(name, bytes).string() + "'" + out);
  };
  expect_refusal(program("--input '" + (folder / "none.npz").string() + "'" + out), "does not exist");
  expect_refusal(with_input("broken.npz", "PK\x03\x04 and no more"), "no ZIP directory");
  expect_refusal(with_input("line.asc", "ncols 1\nnrows 1\ncellsize 5\n7"), "no valid");
  expect_refusal(
      with_input("nan.asc",
                 test::ascii_grid(20, 20, 50, [](int c, int) { return std::string(c == 3 ? "nan" : "1"); })),
      "the height is missing (NaN or NODATA)");
  expect_refusal(
      with_input("open.obj", "v 0 0 0\nv 900 0 0\nv 0 900 0\nv 0 0 900\nf 1 2 3\nf 1 2 4\nf 1 3 4\n"),
      "the surface leaks");
  expect_refusal(program(small_run(folder, "--wind 200")), "incompressible");
  expect_refusal(program(small_run(folder, "--time-step 5")), "stability limit");
  expect_refusal(program(small_run(folder, "--cell-size 900")), "fewer than 4 cells");
  expect_refusal(program(small_run(folder, "--bogus")), "not expected: --bogus");
  expect_refusal(program(small_run(folder, "--window 9,1,1,2,2")),
                 "--window: '9,1,1,2,2' is not 4 numbers with ',' between them");
  expect_refusal(program(small_run(folder, "--data-cell 9,5,5")), "--data-cell: '9,5,5' is not 2 numbers");
  EXPECT_EQ(contents(folder / "out"), before);
}

TEST(CommandLine, AFullDiskIsReportedAndEarlierResultsStay) {
  const test::Folder folder;
  ASSERT_EQ(program(small_run(folder)).code, 0);
  const auto before = contents(folder / "out");
  // A file that may not grow fails in write(), as on a full disk.
  const Outcome outcome = program(small_run(folder, "--wind 9"), "ulimit -f 8; ");
  expect_refusal(outcome, "out");
  EXPECT_EQ(contents(folder / "out"), before);
}

TEST(CommandLine, AFolderThatCannotBeMadeIsReported) {
  const test::Folder folder;
  const auto file = folder.write("file", "x");
  expect_refusal(program(small_run(folder) + " --out '" + (file / "out").string() + "'"),
                 "cannot be created");
}

} // namespace
} // namespace terrain_wind
