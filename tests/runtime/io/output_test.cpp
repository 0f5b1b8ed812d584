// SPDX-License-Identifier: Apache-2.0
#include "heddle/io/output.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/full_disk.hpp"
#include "../../support/lattice.hpp"
#include "../../support/messages.hpp"
#include "../../support/sample.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/transport/thread_group.hpp"

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
      EXPECT_NE(error.hint().find("unchanged"), std::string::npos);
    }
    EXPECT_TRUE(contents() == before) << limit; // and nothing is left beside
  }
  output.write(1, 0.1); // there is room again
  EXPECT_FALSE(contents() == before);
  EXPECT_EQ(contents().size(), 7U);
}

TEST_F(OutputTest, AFullDiskOnOneRankLeavesEarlierOutputOfAllIntact) {
  heddle::ThreadGroup network(2);
  std::barrier together(2); // what was before is read while neither rank writes
  std::map<std::string, std::string> before;
  std::unique_ptr<FileLimit> full;
  // The block of one rank has a layer more than that of the other, and its file does not find room.
  const Box odd{{0, 0, 0}, {33, 32, 32}};
  const std::array<std::string, 2> pieces{"run_00000000_0.vti", "run_00000000_1.vti"};
  std::size_t larger = 0;
  network.run([&](heddle::Transport& transport) {
    const BlockGrid shared(odd, {2, 1, 1}, {false, false, false}, 2);
    Field<float> field(shared, {.name = "rho", .rank = transport.rank()});
    Output output(folder_, "run", shared, transport);
    output.add(field);
    output.write(0, 0.0);
    together.arrive_and_wait();
    if (transport.rank() == 1) {
      before = contents();
      larger = before[pieces[0]].size() > before[pieces[1]].size() ? 0 : 1;
      full = std::make_unique<FileLimit>(before[pieces[larger]].size() - 1);
    }
    together.arrive_and_wait();
    field.fill(3.0F);
    try {
      output.write(0, 0.0);
      ADD_FAILURE() << transport.rank();
    } catch (const Error& error) { // the same on both
      EXPECT_NE(std::string(error.what()).find("rank " + std::to_string(larger) + ": cannot write "),
                std::string::npos)
          << error.what();
    }
    together.arrive_and_wait();
    if (transport.rank() == 1) full.reset();
  });
  EXPECT_EQ(before.size(), 4U);
  EXPECT_LT(before[pieces[1 - larger]].size(), before[pieces[larger]].size());
  EXPECT_TRUE(contents() == before);
}

TEST_F(OutputTest, AFileBesideItsPlaceIsANewOne) {
  Field<float> field(grid_, {.name = "rho"});
  Output output(folder_, "run", grid_);
  output.add(field);
  output.write(0, 0.0);
  const std::map<std::string, std::string> before = contents();
  // Somebody who knows the name has put a link there, or a killed run of the same number has left a file.
  const fs::path victim = folder_ / "victim";
  std::ofstream(victim) << "a user's file";
  const std::string beside = ".partial-" + std::to_string(getpid());
  fs::create_symlink("victim", folder_ / ("run_00000000_0.vti" + beside));
  fs::create_symlink("nowhere", folder_ / ("run.pvd" + beside));
  std::ofstream(folder_ / ("run_00000000_1.vti" + beside)) << std::string(1 << 20, 'x');
  output.write(0, 0.0);
  std::map<std::string, std::string> after = contents();
  EXPECT_EQ(after["victim"], "a user's file");
  EXPECT_FALSE(fs::is_symlink(folder_ / "run_00000000_0.vti"));
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  after.erase("victim");
  EXPECT_TRUE(after == before);
  // What cannot be removed is not written to either.
  fs::create_directory(folder_ / ("run_00000000_0.vti" + beside));
  EXPECT_THROW(output.write(0, 0.0), Error);
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

TEST_F(OutputTest, RanksThatWouldWriteDifferentThingsAreRefusedTogether) {
  const BlockGrid shared(grid_.domain(), {2, 1, 1}, {false, false, false}, 2);
  // What rank 1 does otherwise: no array, another name, other components, another step.
  for (const auto& [name, components, step, words] : {std::tuple("", 1, 3, "there is nothing to write"),
                                                      {"p", 1, 3, "differ from those of rank 0"},
                                                      {"rho", 3, 3, "differ from those of rank 0"},
                                                      {"rho", 1, 4, "differ from those of rank 0"},
                                                      {"rho", 1, -1, "is negative"}}) {
    std::array<std::string, 2> said;
    heddle::ThreadGroup(2).run([&, name = name, components = components, step = step](auto& transport) {
      const bool first = transport.rank() == 0;
      Output output(folder_, "run", shared, transport);
      const std::string called = first ? "rho" : name;
      const auto zero = [](int, std::int64_t, std::int64_t, std::int64_t, int) { return 0.0F; };
      if (!called.empty()) output.add<float>(called, first ? 1 : components, zero);
      try {
        output.write(first ? 3 : step, 0.5);
      } catch (const Error& error) {
        said[static_cast<std::size_t>(transport.rank())] = error.what();
      }
    });
    EXPECT_NE(said[0].find(words), std::string::npos) << said[0];
    EXPECT_EQ(said[0], said[1]);
    EXPECT_TRUE(contents().empty());
  }
}

TEST_F(OutputTest, RanksThatDoNotShareTheFolderAreRefused) {
  const std::array<fs::path, 2> places{folder_ / "node0", folder_ / "node1"};
  for (const fs::path& place : places)
    fs::create_directories(place / "unfinished");
  heddle::ThreadGroup network(2);
  network.run([&](heddle::Transport& transport) {
    const fs::path& mine = places[static_cast<std::size_t>(transport.rank())];
    const BlockGrid shared(grid_.domain(), {2, 1, 1}, {false, false, false}, 2);
    Field<float> field(shared, {.name = "rho", .rank = transport.rank()});
    Output output(mine, "run", shared, transport);
    output.add(field);
    EXPECT_TRUE(test::contains(test::error_of([&] { output.write(0, 0.0); }),
                               "run_00000000_1.vti was written, but rank 0 finds no such file"));
    EXPECT_TRUE(
        test::contains(test::error_of([&] { (void)heddle::OutputFolder(mine, 0, transport); }),
                       "rank 1 does not see what rank 0 writes there. Hint: give all ranks the same folder"));
  });
  EXPECT_FALSE(fs::exists(places[0] / "run.pvd"));
  EXPECT_FALSE(fs::exists(places[0] / "unfinished"));
}

TEST_F(OutputTest, FieldsOfBlocksThatLieElsewhereAreRefused) {
  const Box domain{{0, 0, 0}, {2, 2, 8}};
  std::vector<std::uint8_t> weights(32, 1);
  std::fill_n(weights.begin(), 16, std::uint8_t{5}); // more below, so that the cut lies there
  const BlockGrid even(domain, {1, 1, 2});
  const BlockGrid weighed = BlockGrid::slabs(domain, {false, false, false}, 2, weights).on_one_rank();
  ASSERT_NE(even.block(0), weighed.block(0));
  const Field<float> field(weighed, {.name = "rho"});
  Output output(folder_, "run", even);
  EXPECT_THROW(output.add(field), Error);
}

/// One rank writes `value` where a cell is listed, and -1 elsewhere.
template <class T, class F> void write_dense(const fs::path& folder, const BlockGrid& grid, F&& value) {
  const BlockGrid alone = grid.on_one_rank();
  Output output(folder, "run", alone);
  output.add<T>("f", 2, [&](int block, std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    const Box& box = alone.block(block);
    x += box.lower[0];
    y += box.lower[1];
    z += box.lower[2];
    return sample::listed(x, y, z) ? value(x, y, z, c) : T(-1);
  });
  output.write(7, 0.5);
}

TEST_F(OutputTest, TheListOfARankIsWrittenBlockByBlockAndAlikeOnAnyNumberOfRanks) {
  const Box domain{{-2, 0, 3}, {10, 9, 13}};
  const std::array<bool, 3> periodic{true, false, true};
  std::vector<std::uint8_t> flags;
  for (std::int64_t i = 0; i < domain.volume(); ++i)
    flags.push_back(sample::listed(i % 12 - 2, i / 12 % 9, i / 108 + 3) ? 1 : 0);
  std::vector<std::int64_t> weights(27, 1); // along a curve, two places without a block
  weights[5] = weights[13] = 0;
  const auto check = [&]<class T>(T, int ranks, bool holes) {
    const BlockGrid grid = holes ? BlockGrid::balanced(domain, {3, 3, 3}, periodic, ranks, weights)
                                 : BlockGrid(domain, {3, 3, 3}, periodic, ranks);
    const auto value = [](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
      return static_cast<T>(sample::value(x + 3, y, z, c));
    };
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      const heddle::IndexList list(grid, transport.rank(), heddle::flags_in_memory(flags, domain, periodic),
                                   lattice::aa_links());
      heddle::SparseField<T> f(list, 2);
      f.fill(T(99)); // ghost cells must not be written
      f.fill(value);
      Output output(folder_, "run", grid, transport);
      output.add(f, "f", T(-1));
      output.write(7, 0.5);
    });
    const std::map<std::string, std::string> found = contents();
    write_dense<T>(folder_, grid, value);
    EXPECT_EQ(found.size(), holes ? 27U : 29U);
    EXPECT_TRUE(found == contents()) << ranks;
    fs::remove_all(folder_);
  };
  for (const int ranks : {1, 5, 25}) {
    check(0.0, ranks, false);
    check(0.0F, ranks, true);
  }
  check(std::uint16_t{0}, 27, false);
}

TEST_F(OutputTest, OneListIsWrittenInTheBlocksOfOneRank) {
  const BlockGrid one(grid_.domain());
  const std::vector<std::uint8_t> flags(static_cast<std::size_t>(grid_.domain().volume()), 1);
  const heddle::FlagReader reader = heddle::flags_in_memory(flags, grid_.domain(), {});
  const heddle::IndexList list(one, 0, reader, lattice::aa_links());
  heddle::SparseField<double> f(list, 1);
  Output output(folder_, "run", grid_);
  output.add(f);
  output.write(0, 0.0);
  EXPECT_EQ(contents().size(), 4U); // two blocks, and what names them
  // A list of other blocks is refused.
  const BlockGrid shared(grid_.domain(), {2, 1, 1}, {}, 2);
  const heddle::IndexList half(shared, 0, reader, lattice::aa_links());
  const heddle::SparseField<double> part(half, 1, heddle::Memory::host, "part");
  const std::string message = test::error_of([&] { output.add(part); });
  EXPECT_TRUE(test::contains(message, "the list of 'part' does not have the blocks of the output's grid"))
      << message;
}

/// Names of the files of a folder.
std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    found.insert(entry.path().filename());
  return found;
}

class SeriesTest : public OutputTest {
protected:
  /// A run that writes these steps of as many blocks along x.
  static void run(const fs::path& folder, int blocks, std::initializer_list<std::int64_t> steps,
                  bool resume = false, const std::string& about = {}) {
    const BlockGrid grid(Box{{0, 0, 0}, {8, 4, 4}}, {blocks, 1, 1});
    const Field<float> field(grid, {.name = "rho"});
    Output output(folder, "a & b", grid, {.about = about, .resume = resume});
    output.add(field);
    for (const std::int64_t step : steps)
      output.write(step, 0.5 * static_cast<double>(step));
  }
  void add_foreign_files() const {
    for (const char* name : {"a & b_00000002_7.vti", "a & b.png", "a & b_2.vti", "notes.vti"})
      std::ofstream(folder_ / name) << "mine";
  }
  static inline const std::set<std::string> foreign{"a & b_00000002_7.vti", "a & b.png", "a & b_2.vti",
                                                    "notes.vti"};
  std::set<std::string> own_names() const {
    std::set<std::string> found = names(folder_);
    for (const std::string& name : foreign)
      EXPECT_EQ(found.erase(name), 1U) << name;
    return found;
  }
};

TEST_F(SeriesTest, ANewRunReplacesTheSeriesOfAnEarlierOneAndNothingElse) {
  run(folder_, 4, {0, 1, 2});
  EXPECT_EQ(names(folder_).size(), 16U);
  add_foreign_files();
  run(folder_, 2, {1});
  EXPECT_EQ(own_names(), (std::set<std::string>{"a & b.pvd", "a & b_00000001.pvti", "a & b_00000001_0.vti",
                                                "a & b_00000001_1.vti"}));
  run(folder_, 1, {0});
  EXPECT_EQ(own_names(), (std::set<std::string>{"a & b.pvd", "a & b_00000000.vti"}));
}

TEST_F(SeriesTest, AResumedRunKeepsTheStepsBeforeIt) {
  run(folder_, 2, {0, 1, 2});
  add_foreign_files();
  run(folder_, 1, {2, 3}, true);
  EXPECT_EQ(own_names(),
            (std::set<std::string>{"a & b.pvd", "a & b_00000000.pvti", "a & b_00000000_0.vti",
                                   "a & b_00000000_1.vti", "a & b_00000001.pvti", "a & b_00000001_0.vti",
                                   "a & b_00000001_1.vti", "a & b_00000002.vti", "a & b_00000003.vti"}));
  const std::string series = contents()["a & b.pvd"];
  std::size_t from = 0;
  for (const char* entry : {"timestep=\"0\" group=\"\" part=\"0\" file=\"a &amp; b_00000000.pvti\"",
                            "timestep=\"0.5\" group=\"\" part=\"0\" file=\"a &amp; b_00000001.pvti\"",
                            "timestep=\"1\" group=\"\" part=\"0\" file=\"a &amp; b_00000002.vti\"",
                            "timestep=\"1.5\" group=\"\" part=\"0\" file=\"a &amp; b_00000003.vti\""}) {
    from = series.find(entry, from);
    ASSERT_NE(from, std::string::npos) << entry << " in " << series;
  }
}

TEST_F(SeriesTest, AFolderOfResultsReplacesASeriesWhenItIsPublished) {
  const auto publish = [&](int blocks, std::initializer_list<std::int64_t> steps, bool resume) {
    heddle::OutputFolder results(folder_, 0);
    EXPECT_TRUE(!resume || results.keep_series("a & b", 2, ""));
    run(results.unfinished(), blocks, steps, resume);
    results.publish();
  };
  publish(4, {0, 1, 2}, false);
  add_foreign_files();
  publish(2, {0, 1}, false);
  const std::set<std::string> two{
      "a & b.pvd",           "a & b_00000000.pvti",  "a & b_00000000_0.vti", "a & b_00000000_1.vti",
      "a & b_00000001.pvti", "a & b_00000001_0.vti", "a & b_00000001_1.vti"};
  EXPECT_EQ(own_names(), two);
  std::set<std::string> more = two;
  more.insert("a & b_00000002.vti");
  publish(1, {2}, true);
  EXPECT_EQ(own_names(), more);
  publish(1, {0}, false);
  EXPECT_EQ(own_names(), (std::set<std::string>{"a & b.pvd", "a & b_00000000.vti"}));
}

heddle::OutputFolderOptions with_checkpoints() {
  return {.stays = true};
}
heddle::OutputFolderOptions resumed() {
  return {.stays = true, .resume = true};
}

TEST_F(SeriesTest, FilesOfALostRunAreThoseOfTheOneThatResumes) {
  fs::path unfinished;
  {
    heddle::OutputFolder lost(folder_, 0, with_checkpoints());
    unfinished = lost.unfinished();
    run(unfinished, 2, {0, 1, 2});
    for (const char* name : {"a & b_00000003_0.vti", "a & b_00000003_1.vti.partial-77", "a & b.png"})
      std::ofstream(unfinished / name) << "not complete";
  }
  {
    heddle::OutputFolder lost_again(folder_, 0, resumed());
    EXPECT_TRUE(lost_again.keep_series("a & b", 2, ""));
    run(unfinished, 1, {2}, true); // the state on the disk was that after step 1
  }
  heddle::OutputFolder results(folder_, 0, resumed());
  EXPECT_TRUE(results.keep_series("a & b", 3, ""));
  EXPECT_FALSE(results.keep_series("another", 3, ""));
  run(unfinished, 4, {3}, true);
  results.publish();
  EXPECT_FALSE(fs::exists(unfinished));
  std::set<std::string> all{"a & b.pvd", "a & b_00000002.vti"};
  for (const char* step : {"a & b_00000000", "a & b_00000001", "a & b_00000003"})
    all.insert(step + std::string(".pvti"));
  for (const char* piece : {"0_0", "0_1", "1_0", "1_1", "3_0", "3_1", "3_2", "3_3"})
    all.insert("a & b_0000000" + std::string(piece) + ".vti");
  EXPECT_EQ(names(folder_), all);
}

TEST_F(SeriesTest, ARunThatIsLostWhileItPublishesLosesNothing) {
  const auto publish_half = [&](std::initializer_list<const char*> moved) {
    fs::remove_all(folder_);
    {
      const heddle::OutputFolder lost(folder_, 0, with_checkpoints());
      run(lost.unfinished(), 2, {0, 1});
      for (const char* name : moved)
        fs::rename(lost.unfinished() / name, folder_ / name);
    }
    heddle::OutputFolder results(folder_, 0, resumed());
    EXPECT_TRUE(results.keep_series("a & b", 2, ""));
    results.publish();
    EXPECT_EQ(names(folder_).size(), 7U);
  };
  publish_half({});
  publish_half({"a & b_00000000_0.vti"});
  publish_half({"a & b_00000000_0.vti", "a & b_00000000_1.vti", "a & b_00000000.pvti"});
}

/// A run has published; one that went on from an old state of it was lost; another goes on from the newest
/// one.
TEST_F(SeriesTest, TheSeriesThatResumesHasAllThatWasWritten) {
  {
    heddle::OutputFolder results(folder_, 0, with_checkpoints());
    run(results.unfinished(), 1, {0, 1, 2, 3});
    results.publish();
  }
  {
    heddle::OutputFolder lost(folder_, 0, resumed());
    EXPECT_TRUE(lost.keep_series("a & b", 1, ""));
    run(lost.unfinished(), 1, {1}, true);
  }
  {
    heddle::OutputFolder results(folder_, 0, resumed());
    EXPECT_TRUE(results.keep_series("a & b", 4, ""));
    results.publish();
  }
  EXPECT_EQ(names(folder_), (std::set<std::string>{"a & b.pvd", "a & b_00000000.vti", "a & b_00000001.vti",
                                                   "a & b_00000002.vti", "a & b_00000003.vti"}));
  heddle::OutputFolder results(folder_, 0, resumed());
  const std::string message = test::error_of([&] { (void)results.keep_series("a & b", 5, ""); });
  EXPECT_TRUE(test::contains(message, "a & b.pvd lacks some of the 5 steps that were written")) << message;
}

TEST_F(SeriesTest, ASeriesOfAnotherRunDoesNotGoOn) {
  run(folder_, 1, {0, 1}, false, "8 m/s");
  heddle::OutputFolder results(folder_, 0, resumed());
  const std::string message = test::error_of([&] { (void)results.keep_series("a & b", 2, "12 m/s"); });
  EXPECT_TRUE(test::contains(message, "is of another run: '8 m/s'")) << message;
  fs::remove(folder_ / "a & b.pvd");
  EXPECT_FALSE(results.keep_series("a & b", 2, "12 m/s"));
}

TEST_F(SeriesTest, NothingOfAnEarlierRunStaysWhenPublishingIsRepeated) {
  run(folder_, 4, {0, 1});
  const fs::path stuck = folder_ / "a & b_00000001_3.vti"; // cannot be removed as a file is
  fs::remove(stuck);
  fs::create_directory(stuck);
  std::ofstream(stuck / "within") << "x";
  {
    heddle::OutputFolder lost(folder_, 0, with_checkpoints());
    run(lost.unfinished(), 2, {0, 1});
    const std::string message = test::error_of([&] { lost.publish(); });
    EXPECT_TRUE(test::contains(message, "cannot remove")) << message;
  }
  fs::remove(stuck / "within");
  heddle::OutputFolder results(folder_, 0, resumed());
  EXPECT_TRUE(results.keep_series("a & b", 2, ""));
  results.publish();
  EXPECT_EQ(names(folder_).size(), 7U);
}

TEST_F(SeriesTest, ARunWithoutCheckpointsLeavesWhatOneWithThemHas) {
  const heddle::OutputFolderOptions kept{.unfinished = "checkpoint/unfinished", .stays = true};
  fs::path unfinished;
  {
    const heddle::OutputFolder lost(folder_, 0, kept);
    unfinished = lost.unfinished();
    run(unfinished, 1, {0});
  }
  {
    heddle::OutputFolder other(folder_, 0);
    run(other.unfinished(), 1, {5});
    other.publish();
  }
  EXPECT_EQ(names(unfinished), (std::set<std::string>{"a & b.pvd", "a & b_00000000.vti"}));
  const heddle::OutputFolder anew(folder_, 0, kept);
  EXPECT_TRUE(names(unfinished).empty());
}

TEST_F(SeriesTest, ASeriesResumesInTheSameRunAlone) {
  run(folder_, 1, {0, 1}, false, "12 m/s from -- the west\nof it");
  const std::string series = contents()["a & b.pvd"];
  EXPECT_TRUE(test::contains(series, "\n<!-- 12 m/s from - - the west of it -->\n<VTKFile")) << series;
  const std::string message = test::error_of([&] { run(folder_, 1, {2}, true, "8 m/s"); });
  EXPECT_TRUE(test::contains(
      message, "a & b.pvd belongs to another run and cannot be continued: it is about '12 m/s from - - "
               "the west of it', this run '8 m/s'"))
      << message;
  EXPECT_EQ(contents()["a & b.pvd"], series);
  run(folder_, 1, {2}, true, "12 m/s from -- the west\nof it");
  EXPECT_EQ(names(folder_).size(), 4U);
}

TEST_F(SeriesTest, WhatComesFromNamesOfFilesIsWellFormed) {
  const std::string about = "ctl\x01\xff.asc, 12 m/s <&>";
  run(folder_, 1, {0}, false, about);
  EXPECT_TRUE(test::contains(contents()["a & b.pvd"], "<!-- ctl\\x01\\xff.asc, 12 m/s <&> -->"));
  run(folder_, 1, {1}, true, about); // it is the same run
  EXPECT_EQ(names(folder_).size(), 3U);
  Output output(folder_, "names", grid_);
  const Field<float> field(grid_, {.name = "rho"});
  output.add(field, "a\x02\"b\"\n");
  output.write(0, 0);
  EXPECT_TRUE(test::contains(contents()["names_00000000_0.vti"], "Name=\"a\\x02&quot;b&quot;\\x0a\""));
  for (const char* const name : {"a\nb", "a\x1b[31m", "\xff"})
    EXPECT_TRUE(test::contains(test::error_of([&] { (void)Output(folder_, name, grid_); }),
                               "is not a valid file name"));
}

TEST_F(SeriesTest, TwoRunsAtOnceInAFolderAreRefused) {
  const heddle::OutputFolder first(folder_, 0, with_checkpoints());
  run(first.unfinished(), 1, {0});
  const std::string message = test::error_of([&] { const heddle::OutputFolder second(folder_, 0); });
  EXPECT_TRUE(test::contains(message, "another run is writing to it")) << message;
  EXPECT_EQ(names(first.unfinished()).size(), 2U);
}

} // namespace
