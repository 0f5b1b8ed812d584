// SPDX-License-Identifier: Apache-2.0
#include "heddle/output.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "full_disk.hpp"
#include "heddle/error.hpp"
#include "heddle/fake_network.hpp"

namespace {

namespace fs = std::filesystem;
using heddle::BlockGrid;
using heddle::Box;
using heddle::Error;
using heddle::Field;
using heddle::Output;

class OutputTest : public testing::Test {
protected:
  OutputTest() {
    std::string pattern = (fs::temp_directory_path() / "heddle-output-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~OutputTest() override { fs::remove_all(folder_); }

  /// Every file of the folder with its bytes.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return files;
  }

  fs::path folder_;
  const BlockGrid grid_{Box{{0, 0, 0}, {32, 32, 32}}, {2, 1, 1}};
};

TEST_F(OutputTest, NamesFilesByStep) {
  Field<float> field(grid_, {.name = "rho"});
  Output output(folder_ / "deep" / "er", "run", grid_);
  output.add(field);
  EXPECT_EQ(output.write(42, 0.5), folder_ / "deep" / "er" / "run_00000042.pvti");
  for (const char* name : {"run_00000042.pvti", "run_00000042_0.vti", "run_00000042_1.vti", "run.pvd"}) {
    EXPECT_TRUE(fs::exists(folder_ / "deep" / "er" / name)) << name;
  }
}

TEST_F(OutputTest, AFullDiskLeavesEarlierOutputIntact) {
  Field<float> field(grid_, {.name = "rho"});
  Output output(folder_, "run", grid_);
  output.add(field);
  output.write(0, 0.0);
  output.write(1, 0.1);
  const std::map<std::string, std::string> before = contents();
  EXPECT_EQ(before.size(), 7U);
  field.fill(3.0F);
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{50'000}}) {
    try {
      const FileLimit full(limit);
      output.write(1, 0.1); // would replace
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("run_00000001_0.vti"), std::string::npos) << error.what();
      EXPECT_NE(error.hint().find("untouched"), std::string::npos);
    }
    EXPECT_TRUE(contents() == before) << limit; // and nothing is left beside
  }
  output.write(1, 0.1); // there is room again
  EXPECT_FALSE(contents() == before);
  EXPECT_EQ(contents().size(), 7U);
}

TEST_F(OutputTest, AFullDiskOnOneRankLeavesEarlierOutputOfAllIntact) {
  heddle::FakeNetwork network(2);
  std::barrier together(2); // what was before is read while neither rank writes
  std::map<std::string, std::string> before;
  network.run([&](heddle::Transport& transport) {
    const BlockGrid shared(grid_.domain(), {2, 1, 1}, {false, false, false}, 2);
    Field<float> field(shared, {.name = "rho", .rank = transport.rank()});
    Output output(folder_, "run", shared, transport);
    output.add(field);
    output.write(0, 0.0);
    together.arrive_and_wait();
    if (transport.rank() == 1) {
      before = contents();
      fs::create_symlink("/dev/full", folder_ / ("run_00000000_1.vti.partial-" + std::to_string(getpid())));
    }
    together.arrive_and_wait();
    field.fill(3.0F);
    try {
      output.write(0, 0.0);
      ADD_FAILURE() << transport.rank();
    } catch (const Error& error) { // the same on both
      EXPECT_NE(std::string(error.what()).find("rank 1: cannot write "), std::string::npos) << error.what();
    }
  });
  EXPECT_EQ(before.size(), 4U);
  EXPECT_TRUE(contents() == before);
}

TEST_F(OutputTest, AFullDeviceIsReported) {
  if (!fs::is_character_file("/dev/full")) return; // only Linux has it
  Field<float> field(grid_, {.name = "rho"});
  Output output(folder_, "run", grid_);
  output.add(field);
  // The file beside its place leads to a device on which every write fails.
  fs::create_symlink("/dev/full", folder_ / ("run_00000000_0.vti.partial-" + std::to_string(getpid())));
  try {
    output.write(0, 0.0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputTest, AFolderThatCannotBeMadeIsReported) {
  std::ofstream(folder_ / "file") << "x";
  Field<float> field(grid_, {.name = "rho"});
  Output output(folder_ / "file" / "inside", "run", grid_);
  output.add(field);
  EXPECT_THROW(output.write(0, 0.0), Error);
}

TEST_F(OutputTest, AnUnwritableFolderIsReported) {
  Field<float> field(grid_, {.name = "rho"});
  Output output(folder_, "run", grid_);
  output.add(field);
  output.write(0, 0.0);
  const std::map<std::string, std::string> before = contents();
  chmod(folder_.c_str(), 0555);
  const bool forbidden = access(folder_.c_str(), W_OK) != 0; // root may write all the same
  if (forbidden) {
    EXPECT_THROW(output.write(1, 0.1), Error);
  } else {
    // Nobody is forbidden: a folder in the place of the file cannot be replaced either.
    fs::create_directory(folder_ / "run_00000001_0.vti");
    EXPECT_THROW(output.write(1, 0.1), Error);
    fs::remove(folder_ / "run_00000001_0.vti");
  }
  chmod(folder_.c_str(), 0755);
  EXPECT_TRUE(contents() == before);
}

TEST_F(OutputTest, RefusesWhatCannotBe) {
  Field<float> field(grid_, {.name = "rho"});
  EXPECT_THROW(Output(folder_, "", grid_), Error);
  EXPECT_THROW(Output(folder_, "a/b", grid_), Error);
  EXPECT_THROW(Output(folder_, "a", grid_, {.spacing = {1.0, 0.0, 1.0}}), Error);
  Output output(folder_, "run", grid_);
  EXPECT_THROW(output.write(0, 0.0), Error);
  output.add(field);
  EXPECT_THROW(output.add(field), Error);
  EXPECT_THROW(output.add(Field<float>(BlockGrid(grid_.domain()), {.name = "v"})), Error);
  EXPECT_THROW(output.write(-1, 0.0), Error);
  EXPECT_TRUE(contents().empty());
}

} // namespace
