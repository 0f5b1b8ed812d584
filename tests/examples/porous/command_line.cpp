// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, messages, files.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace porous {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code;
  std::string text; // what went to stdout and stderr
};

Outcome program(const std::string& arguments) {
  std::FILE* pipe = popen(("'" POROUS_PROGRAM "' " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr)
    text += buffer.data();
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(CommandLine, MeasuresAPackingAndAnImage) {
  const fs::path folder = fs::path(testing::TempDir()) / "heddle_porous_program";
  fs::remove_all(folder);
  fs::create_directories(folder);
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
  std::ofstream(folder / "tube.raw", std::ios::binary) << tube;
  const Outcome image =
      program("'" + (folder / "tube.raw").string() + "' --size 6,6,6 --precision f64" + out);
  EXPECT_EQ(image.code, 0) << image.text;
  EXPECT_TRUE(contains(image.text, "porosity 0.4444")) << image.text;
  const Outcome across = program("'" + (folder / "tube.raw").string() + "' --size 6,6,6 --axis y" + out);
  EXPECT_EQ(across.code, 1);
  EXPECT_TRUE(contains(across.text, "no path of pores leads through it")) << across.text;
  fs::remove_all(folder);
}

TEST(CommandLine, SaysWhatIsWrong) {
  for (const auto& [arguments, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"--porosity 0.1", "option --porosity: '0.1' is not valid. Hint: a number from 0.3 to 0.95"},
           {"--device tpu", "give cpu|cuda"},
           {"--colour", "unknown option '--colour'"},
           {"--axis", "its value is missing"},
           {"a.npz b.npz", "there are two images"},
           {"nothing.npz", "nothing.npz"},
           {"--size 1,2", "three numbers separated by commas"},
           {"--edge 8 --diameter 7", "do not fit"}}) {
    const Outcome outcome = program(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_TRUE(contains(outcome.text, message)) << outcome.text;
  }
  EXPECT_EQ(program("--help").code, 0);
}

} // namespace
} // namespace porous
