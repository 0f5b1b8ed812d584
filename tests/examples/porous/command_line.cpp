// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, files.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../../support/messages.hpp"
#include "../../support/run_program.hpp"
#include "../../support/test_folder.hpp"

namespace porous {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Outcome;

/// Runs the program; `before` are shell commands that come first.
Outcome program(const std::string& arguments, const std::string& before = "") {
  return test::run_program(before + "'" POROUS_PROGRAM "' " + arguments);
}

TEST(CommandLine, MeasuresAPackingAndAnImage) {
  const test::Folder folder;
  const std::string out = " --out '" + (folder / "out").string() + "'";
  const Outcome packing = program("--edge 20 --diameter 8 --porosity 0.5 --axis z --voxel-size 1e-5" + out);
  EXPECT_EQ(packing.code, 0) << packing.text;
  EXPECT_TRUE(contains(packing.text, "millidarcy")) << packing.text;
  EXPECT_TRUE(contains(packing.text, "Kozeny and Carman")) << packing.text;
  EXPECT_TRUE(fs::exists(folder / "out" / "flow.pvd"));

  // an open tube through solid: its area over the image's is 16 / 36
  std::string tube(6 * 6 * 6, '\0');
  for (std::size_t z = 1; z < 5; ++z)
    for (std::size_t y = 1; y < 5; ++y)
      for (std::size_t x = 0; x < 6; ++x)
        tube[x + 6 * (y + 6 * z)] = '\1';
  folder.write("tube.raw", tube);
  const Outcome image =
      program("'" + (folder / "tube.raw").string() + "' --size 6,6,6 --precision f64" + out);
  EXPECT_EQ(image.code, 0) << image.text;
  EXPECT_TRUE(contains(image.text, "porosity 0.4444")) << image.text;
  const Outcome across = program("'" + (folder / "tube.raw").string() + "' --size 6,6,6 --axis y" + out);
  EXPECT_EQ(across.code, 1);
  EXPECT_TRUE(contains(across.text, "no connected path of pores crosses the sample")) << across.text;
}

TEST(CommandLine, SaysWhatIsWrong) {
  for (const auto& [arguments, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"--porosity 0.1", "command line: --porosity: '0.1' is not a number from 0.3 to 0.95"},
           {"--device tpu", "tpu not in {cpu,cuda}"},
           {"--colour", "not expected: --colour"},
           {"--threads 1000000", "--threads: '1000000' is not a number from 1 to"},
           {"--axis", "--axis: 1 required"},
           {"a.npz b.npz", "not expected: b.npz"},
           {"nothing.npz", "nothing.npz"},
           {"a.raw --size 1,2", "--size: '1,2' is not 3 numbers with ',' between them"},
           {"a.raw --size 9,6,6,6", "--size: '9,6,6,6' is not 3 numbers with ',' between them"},
           {"a.raw --size 6,6,0", "--size: '0' is not a number from 1 to 100000"},
           {"a.raw --edge 30", "image excludes --edge"},
           {"--pore=0", "--pore requires image"},
           {"a.npz --compare", "image excludes --compare"},
           {"--edge 8 --diameter 7", "do not fit"}}) {
    const Outcome outcome = program(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_TRUE(contains(outcome.text, message)) << outcome.text;
  }
  EXPECT_EQ(program("--help").code, 0);
}

TEST(CommandLine, RunsAsManyStepsAsItIsToldAtMost) {
  const test::Folder folder;
  for (const char* const steps : {"20", "130"}) {
    const Outcome outcome = program("--edge 16 --diameter 7 --porosity 0.5 --tolerance 1e-12 --out '" +
                                    (folder / "out").string() + "' --steps " + steps);
    EXPECT_EQ(outcome.code, 2) << outcome.text; // written, and not the permeability yet
    EXPECT_TRUE(contains(outcome.text, std::string("not steady after ") + steps + " steps")) << outcome.text;
    EXPECT_TRUE(contains(outcome.text, "porous: the flow is not steady")) << outcome.text;
    EXPECT_TRUE(fs::exists(folder / "out" / "flow.pvd"));
  }
}

TEST(CommandLine, ReportsOfOneRankSayWhose) {
  const test::Folder folder;
  const std::string run =
      "--edge 16 --diameter 7 --porosity 0.5 --steps 20 --out '" + (folder / "out").string() + "'";
  const auto line = [&](const std::string& settings) {
    const std::string text = program(run, settings).text;
    const std::size_t start = text.find("lists     ");
    return start == std::string::npos ? text : text.substr(start + 10, 20);
  };
  EXPECT_EQ(line("").substr(0, 9), "1 list of");
  EXPECT_EQ(line("HEDDLE_RANKS=2 ").substr(0, 10), "2 lists of"); // both are of one thread
  EXPECT_EQ(line("HEDDLE_RANKS=2 HEDDLE_TRANSPORT=threads "), "rank 0 of 2: 1 list ");
}

TEST(CommandLine, AFullDiskIsReportedAndEarlierResultsStay) {
  const test::Folder folder;
  const std::string run =
      "--edge 20 --diameter 8 --steps 20 --out '" + (folder / "out").string() + "' --porosity ";
  ASSERT_EQ(program(run + "0.5").code, 2); // too few steps
  const std::string before = test::bytes_of(folder / "out" / "flow_00000000.vti");
  // A file that may not grow fails in write(), as on a full disk.
  const Outcome outcome = program(run + "0.6", "ulimit -f 64; "); // 64 KiB a file
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "File too large")) << outcome.text;
  EXPECT_EQ(test::bytes_of(folder / "out" / "flow_00000000.vti"), before);
  EXPECT_FALSE(fs::exists(folder / "out" / "unfinished"));
}

} // namespace
} // namespace porous
