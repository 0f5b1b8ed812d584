// SPDX-License-Identifier: Apache-2.0
// What is written on some ranks is read on others with the same bits; whatever happens on the way, there is
// the old checkpoint or the new one, and a harmed one is not taken for a good one.
#include "heddle/checkpoint.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "full_disk.hpp"
#include "heddle/error.hpp"
#include "heddle/fake_network.hpp"

namespace {

namespace fs = std::filesystem;
using heddle::BlockGrid;
using heddle::Box;
using heddle::Checkpoint;
using heddle::CheckpointOptions;
using heddle::Error;
using heddle::FakeNetwork;
using heddle::Field;
using heddle::IndexList;
using heddle::SparseField;
using heddle::Transport;
using namespace std::chrono_literals;

const Box domain{{-3, 0, 2}, {10, 9, 9}}; // 13 x 9 x 7 cells
const std::vector<heddle::Link> links{{1, {-1, 0, 0}, 2}};

bool listed(std::int64_t x, std::int64_t y, std::int64_t z) {
  return x < 4 && (x * x + 2 * y + 3 * z) % 5 != 0; // the blocks of large x have no cell
}

double value(std::int64_t x, std::int64_t y, std::int64_t z, int c, double seed) {
  return std::sin(seed + static_cast<double>(1 + x + 17 * y + 311 * z + 4001 * c));
}

/// The state of a run on one rank: a field of all cells, one of halves, one of listed cells in blocks of
/// their own.
class Simulation {
public:
  Simulation(const fs::path& folder, Transport& transport, const std::array<int, 3>& blocks,
             CheckpointOptions options = {})
      : grid_(domain, blocks, {false, true, false}, transport.ranks()),
        dense_(grid_, {.components = 3, .ghost_layers = 2, .name = "u v", .rank = transport.rank()}),
        halves_(grid_, {.ghost_layers = 0, .name = "half", .rank = transport.rank()}),
        checkpoint_(folder, "run", transport, std::move(options)) {
    checkpoint_.add(dense_);
    checkpoint_.add(halves_);
    checkpoint_.declare_listed<float>("f", 2);
    for (int b = 0; b < dense_.blocks(); ++b) {
      const Box& box = dense_.box(b);
      const Box ghosted = box.grow({1, 0, 0}); // a list may hold cells of other blocks, too
      std::vector<std::uint8_t> flags;
      for (std::int64_t z = ghosted.lower[2]; z < ghosted.upper[2]; ++z) {
        for (std::int64_t y = ghosted.lower[1]; y < ghosted.upper[1]; ++y) {
          for (std::int64_t x = ghosted.lower[0]; x < ghosted.upper[0]; ++x)
            flags.push_back(listed(x, y, z) ? 1 : 0);
        }
      }
      if (std::ranges::find(flags, 1) == flags.end()) continue;
      lists_.emplace_back(ghosted, flags, std::array<bool, 3>{false, false, false}, links);
      sparse_.emplace_back(lists_.back(), 2, heddle::Memory::host, "f");
      checkpoint_.add(sparse_.back(), box);
      owned_.push_back(box);
    }
    checkpoint_.add("time", time_);
    checkpoint_.add("count", count_);
  }

  /// The state at a step; elsewhere NaN.
  void set(std::int64_t step) {
    const auto seed = static_cast<double>(step);
    dense_.fill(std::nan(""));
    for (int b = 0; b < dense_.blocks(); ++b)
      for_cells(outer(b), [&](auto x, auto y, auto z) {
        for (int c = 0; c < 3; ++c)
          at(b, x, y, z, c) = value(x, y, z, c, seed);
      });
    halves_.fill([&](auto x, auto y, auto z, int) { return 1000 + 100 * step + x + 13 * y + 130 * z; });
    for (SparseField<float>& f : sparse_)
      f.fill([&](auto x, auto y, auto z, int c) { return value(x, y, z, c, -seed); });
    time_ = 0.1 * seed;
    count_ = static_cast<std::int32_t>(step);
  }
  void clear() {
    dense_.fill(-1);
    halves_.fill(std::uint16_t{7});
    for (SparseField<float>& f : sparse_)
      f.fill(-1.0F);
    time_ = -1;
    count_ = -1;
  }
  /// How many values are not those of a step.
  int wrong(std::int64_t step) const {
    const auto seed = static_cast<double>(step);
    int count = (time_ == 0.1 * seed ? 0 : 1) + (count_ == step ? 0 : 1);
    for (int b = 0; b < dense_.blocks(); ++b) {
      for_cells(outer(b), [&](auto x, auto y, auto z) {
        for (int c = 0; c < 3; ++c)
          count += at(b, x, y, z, c) == value(x, y, z, c, seed) ? 0 : 1;
      });
      const std::vector<std::uint16_t> found = halves_.read(b);
      auto next = found.begin();
      for_cells(dense_.box(b), [&](auto x, auto y, auto z) {
        count += *next++ == static_cast<std::uint16_t>(1000 + 100 * step + x + 13 * y + 130 * z) ? 0 : 1;
      });
    }
    auto box = owned_.begin();
    for (const SparseField<float>& f : sparse_) {
      for_cells(*box++, [&](auto x, auto y, auto z) {
        const std::int64_t n = f.list().cell_of(x, y, z);
        for (int c = 0; n >= 0 && c < 2; ++c)
          count += f.view()(n, c) == static_cast<float>(value(x, y, z, c, -seed)) ? 0 : 1;
      });
    }
    return count;
  }
  std::size_t lists() const { return lists_.size(); }
  Checkpoint& checkpoint() { return checkpoint_; }

private:
  /// With the ghost cells beyond faces that are not periodic: x and z here.
  Box outer(int b) const {
    Box box = dense_.box(b);
    for (const std::size_t d : {0U, 2U}) {
      if (box.lower[d] == domain.lower[d]) box.lower[d] -= 2;
      if (box.upper[d] == domain.upper[d]) box.upper[d] += 2;
    }
    return box;
  }
  template <class F> static void for_cells(const Box& box, F&& f) {
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
          f(x, y, z);
      }
    }
  }
  double& at(int b, std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    const auto& lower = dense_.box(b).lower;
    return dense_.view(b)(x - lower[0], y - lower[1], z - lower[2], c);
  }
  const double& at(int b, std::int64_t x, std::int64_t y, std::int64_t z, int c) const {
    const auto& lower = dense_.box(b).lower;
    return dense_.view(b)(x - lower[0], y - lower[1], z - lower[2], c);
  }

  BlockGrid grid_;
  Field<double> dense_;
  Field<std::uint16_t> halves_;
  std::list<IndexList> lists_;
  std::list<SparseField<float>> sparse_;
  std::vector<Box> owned_;
  double time_ = 0;
  std::int32_t count_ = 0;
  Checkpoint checkpoint_;
};

class CheckpointTest : public testing::Test {
protected:
  CheckpointTest() {
    // In memory where there is such a folder: the tests wait for the disk some thousand times.
    const fs::path place = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    std::string pattern = (place / "heddle-checkpoint-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CheckpointTest() override { fs::remove_all(folder_); }

  void write(int ranks, const std::array<int, 3>& blocks, const std::vector<std::int64_t>& steps,
             const CheckpointOptions& options = {}) const {
    FakeNetwork network(ranks);
    network.run([&](Transport& transport) {
      Simulation run(folder_, transport, blocks, options);
      for (const std::int64_t step : steps) {
        run.set(step);
        run.checkpoint().write(step);
      }
    });
  }
  /// Reads the newest, or that of `step`, and returns the step that all values are of; -1 if some are not.
  std::int64_t read(int ranks, const std::array<int, 3>& blocks, std::int64_t step = -1) const {
    std::atomic<int> wrong = 0;
    std::int64_t found = step;
    FakeNetwork network(ranks);
    network.run([&](Transport& transport) {
      Simulation run(folder_, transport, blocks);
      run.clear();
      std::int64_t here = step;
      if (step < 0) {
        here = run.checkpoint().read();
      } else {
        run.checkpoint().read(step);
      }
      wrong += run.wrong(here);
      if (transport.rank() == 0) found = here;
    });
    return wrong == 0 ? found : -1;
  }
  std::string read_error(std::int64_t step = -1) const {
    return failure([&] { (void)read(2, {2, 1, 1}, step); });
  }
  static std::string failure(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  std::string bytes(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& file, const std::string& content) const {
    std::ofstream(folder_ / file, std::ios::binary) << content;
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const std::string& file : files())
      all[file] = bytes(file);
    return all;
  }

  fs::path folder_;
};

TEST_F(CheckpointTest, OtherRanksAndBlocksGetTheSameBits) {
  const std::vector<std::pair<int, std::array<int, 3>>> cuts{{1, {1, 1, 1}}, {2, {2, 1, 1}}, {3, {1, 3, 2}},
                                                             {5, {5, 1, 2}}, {8, {2, 2, 2}}, {27, {3, 3, 3}}};
  std::int64_t step = 0;
  for (const auto& [writers, from] : cuts) {
    fs::remove_all(folder_);
    write(writers, from, {++step});
    for (const auto& [readers, to] : cuts)
      EXPECT_EQ(read(readers, to), step) << writers << " -> " << readers;
  }
}

TEST_F(CheckpointTest, SomeBlocksHaveNoListedCell) {
  FakeNetwork network(3);
  std::atomic<std::size_t> lists = 0;
  network.run([&](Transport& transport) { lists += Simulation(folder_, transport, {3, 1, 1}).lists(); });
  EXPECT_EQ(lists, 2U); // else the tests above do not see a rank without one
}

TEST_F(CheckpointTest, KeepsTheNewestAndRemovesWhatIsLeftOver) {
  write(2, {2, 1, 1}, {10, 20, 30}, {.keep = 2});
  const std::vector<std::string> expected{"run_00000020.0.0.part",   "run_00000020.0.1.part",
                                          "run_00000020.checkpoint", "run_00000030.0.0.part",
                                          "run_00000030.0.1.part",   "run_00000030.checkpoint"};
  EXPECT_EQ(files(), expected);
  EXPECT_EQ(read(1, {1, 1, 1}, 20), 20);
  EXPECT_EQ(read(1, {1, 1, 1}), 30);
}

TEST_F(CheckpointTest, ARunThatGoesOnFromAnOlderOneTakesTheFutureBack) {
  write(1, {1, 1, 1}, {10, 20, 30}, {.keep = 5});
  FakeNetwork network(2);
  network.run([&](Transport& transport) {
    Simulation run(folder_, transport, {1, 2, 1});
    run.checkpoint().read(10);
    run.set(20);
    run.checkpoint().write(20); // in place of that of the run before
  });
  EXPECT_EQ(read(1, {1, 1, 1}), 20);
  EXPECT_EQ(files(), (std::vector<std::string>{"run_00000010.0.0.part", "run_00000010.checkpoint",
                                               "run_00000020.1.0.part", "run_00000020.1.1.part",
                                               "run_00000020.checkpoint"}));
}

TEST_F(CheckpointTest, AnotherRunsCheckpointsAreNotOverwritten) {
  write(1, {1, 1, 1}, {40});
  const std::map<std::string, std::string> before = contents();
  const std::string error = failure([&] { write(1, {1, 1, 1}, {20}); });
  EXPECT_NE(error.find("has checkpoints of 'run' from another run, the last of step 40"), std::string::npos)
      << error;
  EXPECT_TRUE(contents() == before);
}

TEST_F(CheckpointTest, EveryChangedBitIsRefusedAndThePreviousOneOffered) {
  write(2, {2, 1, 1}, {10, 20});
  std::mt19937 random(1);
  int harmless = 0;
  for (const std::string& file : files()) {
    if (file.find("00000020") == std::string::npos) continue;
    const std::string whole = bytes(file);
    for (int n = 0; n < 25; ++n) {
      std::string harmed = whole;
      char& byte = harmed[random() % harmed.size()];
      byte = static_cast<char>(byte ^ (1 << random() % 8));
      put(file, harmed);
      const std::string error = read_error();
      if (error.empty()) {
        EXPECT_EQ(read(1, {1, 1, 1}), 20); // a byte that only fills up
        ++harmless;
        continue;
      }
      EXPECT_NE(error.find("the checkpoint of step 10 is whole: go on from that one"), std::string::npos)
          << error;
      EXPECT_NE(error.find(file.substr(0, 12)), std::string::npos) << error;
    }
    put(file, whole);
  }
  EXPECT_LT(harmless, 5);
  const std::string none = read_error(15);
  EXPECT_NE(none.find("there is none of step 15 in"), std::string::npos) << none;
  EXPECT_NE(none.find("Hint: there are those of the steps 10, 20"), std::string::npos) << none;
  EXPECT_EQ(read(3, {3, 1, 1}), 20);
  EXPECT_EQ(read(3, {3, 1, 1}, 10), 10);
}

TEST_F(CheckpointTest, ATruncatedOneIsRefused) {
  write(2, {2, 1, 1}, {10, 20});
  for (const std::string& file : files()) {
    if (file.find("00000020") == std::string::npos) continue;
    const std::string whole = bytes(file);
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
      put(file, whole.substr(0, length));
      EXPECT_NE(read_error().find("the checkpoint of step 10 is whole"), std::string::npos)
          << file << ' ' << length;
    }
    put(file, whole + " ");
    EXPECT_NE(read_error(), "") << file;
    fs::remove(folder_ / file);
    if (file.ends_with(".part")) {
      EXPECT_NE(read_error().find("No such file"), std::string::npos) << file;
    }
    put(file, whole);
  }
  put("run_00000010.checkpoint", "");
  put("run_00000020.0.1.part", "x");
  EXPECT_NE(read_error().find("run_00000020.0.1.part has 1 bytes, not "), std::string::npos);
  EXPECT_NE(read_error().find("no older checkpoint is whole"), std::string::npos);
}

TEST_F(CheckpointTest, AFullDiskLosesNothing) {
  write(3, {3, 1, 1}, {10});
  const std::map<std::string, std::string> before = contents();
  rlim_t largest = 0; // of the parts: the last limit lets the other ranks write theirs
  for (const auto& [file, content] : before)
    largest = std::max(largest, static_cast<rlim_t>(content.size()));
  FakeNetwork network(3);
  network.run([&](Transport& transport) {
    Simulation run(folder_, transport, {3, 1, 1});
    EXPECT_EQ(run.checkpoint().read(), 10);
    run.set(20);
    for (const rlim_t limit : {rlim_t{0}, rlim_t{1}, rlim_t{500}, rlim_t{8000}, largest - 1}) {
      // One limit for all threads: it is there before the first writes, and gone after the last has failed.
      static std::unique_ptr<FileLimit> full;
      static std::atomic<int> waiting = 0;
      const auto together = [&](const std::function<void()>& work) {
        static std::atomic<int> turn = 0;
        const int now = turn;
        if (++waiting == 3) {
          work();
          waiting = 0;
          ++turn;
        }
        while (turn == now)
          std::this_thread::yield();
      };
      together([&] { full = std::make_unique<FileLimit>(limit); });
      const std::string error = failure([&] { run.checkpoint().write(20); });
      EXPECT_NE(error.find("rank "), std::string::npos) << limit << error;
      EXPECT_NE(error.find("earlier output is untouched"), std::string::npos) << limit << error;
      together([&] {
        full.reset();
        EXPECT_TRUE(contents() == before) << limit;
      });
    }
    run.checkpoint().write(20); // there is room again
  });
  EXPECT_EQ(read(2, {1, 2, 1}), 20);
}

/// Runs `work` in a process of its own, which kills itself when the checkpoint is about to do thing `number`.
/// False when it got to its end.
bool killed_at(int number, const std::function<void(const CheckpointOptions&)>& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> left = number;
    work({.watch = [&](std::string_view) {
      if (left-- == 0) kill(getpid(), SIGKILL);
    }});
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST_F(CheckpointTest, AKillAtAnyMomentLosesNothing) {
  write(3, {3, 1, 1}, {10, 20});
  int moments = 0;
  int replaced = 0;
  for (;; ++moments) {
    ASSERT_LT(moments, 100);
    const bool killed = killed_at(moments, [&](const CheckpointOptions& options) {
      FakeNetwork network(3);
      network.run([&](Transport& transport) {
        Simulation run(folder_, transport, {3, 1, 1}, options);
        run.checkpoint().read(20);
        run.set(30);
        run.checkpoint().write(30);
      });
    });
    const std::int64_t step = read(2, {2, 1, 1});
    EXPECT_TRUE(step == 20 || step == 30) << moments << ": " << step;
    if (!killed) {
      EXPECT_EQ(step, 30);
      break;
    }
    replaced += step == 30 ? 1 : 0;
    if (step == 30) { // back to the start
      fs::remove_all(folder_);
      write(3, {3, 1, 1}, {10, 20});
    }
  }
  EXPECT_GT(moments, 15);
  EXPECT_GT(replaced, 2);
  EXPECT_LT(replaced, moments / 2);
}

TEST_F(CheckpointTest, WhatAKilledRunLeftIsRemovedByTheNext) {
  write(3, {3, 1, 1}, {10, 20});
  const auto go_on = [&](const CheckpointOptions& options) {
    FakeNetwork network(3);
    network.run([&](Transport& transport) {
      Simulation run(folder_, transport, {3, 1, 1}, options);
      run.checkpoint().read(20);
      run.set(30);
      run.checkpoint().write(30);
    });
  };
  EXPECT_TRUE(killed_at(14, go_on));
  EXPECT_GT(files().size(), 8U);
  go_on({});
  EXPECT_EQ(files().size(), 8U);
}

TEST_F(CheckpointTest, FaultsOfTheNetworkLoseNothing) {
  write(4, {2, 2, 1}, {10});
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const std::int64_t step = 10 + static_cast<std::int64_t>(seed);
    const double rate = seed % 2 == 0 ? 0.002 : 0.01;
    FakeNetwork network(4, {seed, rate, 0.1, 0.2, rate, rate, rate, 1ms}, 150ms);
    const std::string error = failure([&] {
      network.run([&](Transport& transport) {
        Simulation run(folder_, transport, {2, 2, 1});
        const std::int64_t before = run.checkpoint().read();
        EXPECT_EQ(run.wrong(before), 0);
        run.set(step);
        run.checkpoint().write(step);
      });
    });
    failed += error.empty() ? 0 : 1;
    const std::int64_t found = read(1, {1, 1, 1});
    EXPECT_TRUE(found >= 10 && (error.empty() ? found == step : found <= step)) << found << error;
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, 24);
}

TEST_F(CheckpointTest, AnotherVersionIsNamed) {
  write(1, {1, 1, 1}, {10});
  std::string text = bytes("run_00000010.checkpoint");
  text.replace(text.find(" 1\n"), 3, " 2\n");
  put("run_00000010.checkpoint", text);
  EXPECT_NE(read_error().find("it was written in version 2 of the format, this program reads version 1"),
            std::string::npos)
      << read_error();
  put("run_00000010.checkpoint", "something else");
  EXPECT_NE(read_error().find("this is no manifest of a checkpoint"), std::string::npos) << read_error();
}

TEST_F(CheckpointTest, WhatDoesNotFitIsNamed) {
  const auto error_of = [&](const std::function<void(Checkpoint&, Field<double>&, Field<float>&)>& add,
                            const Box& box = domain) {
    const BlockGrid grid(box, {2, 1, 1});
    Field<double> u(grid, {.components = 3, .ghost_layers = 1, .name = "u"});
    Field<float> p(grid, {.ghost_layers = 0, .name = "p"});
    Checkpoint checkpoint(folder_, "run");
    add(checkpoint, u, p);
    return failure([&] { (void)checkpoint.read(); });
  };
  EXPECT_NE(error_of([](Checkpoint& c, auto& u, auto&) { c.add(u); }).find("there is none of 'run' in"),
            std::string::npos);
  double time = 1;
  {
    const BlockGrid grid(domain);
    Field<double> u(grid, {.components = 3, .name = "u"});
    Field<float> p(grid, {.ghost_layers = 0, .name = "p"});
    Checkpoint checkpoint(folder_, "run");
    checkpoint.add(u);
    checkpoint.add(p);
    checkpoint.add("time", time);
    checkpoint.write(1);
  }
  const auto expect = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_NE(error.find("Hint: "), std::string::npos) << error;
  };
  std::int64_t whole = 0;
  expect(error_of([&](Checkpoint& c, auto& u, auto&) {
           c.add(u);
           c.add("time", time);
         }),
         "it has fields that this run does not know; its fields: 'u', 'p'");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u);
           c.add(p, "q");
         }),
         "field 'q' is not in it");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u, "p");
           c.add(p, "u");
         }),
         "field 'p' was stored as f32, this run has f64");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u);
           c.add(p);
         }),
         "its numbers are 'time', not those of this run");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u);
           c.add(p);
           c.add("time", whole);
         }),
         "or of other types");
  expect(error_of([&](Checkpoint& c, auto&, auto& p) {
           c.declare_listed<double>("u", 3);
           c.add(p);
         }),
         "was stored for all cells, this run has listed ones");
  expect(error_of([&](Checkpoint& c, auto&, auto& p) {
           c.add(p);
           c.declare_listed<double>("u", 2);
         }),
         "has 3 components, in this run 2");
  const auto all = [&](Checkpoint& c, Field<double>& u, Field<float>& p) {
    c.add(u);
    c.add(p);
    c.add("time", time);
  };
  EXPECT_EQ(error_of(all), "");
  expect(error_of(all, {{-3, 0, 2}, {11, 9, 9}}), " cells of 'u' in [");
  expect(error_of(all, {{-3, 0, 2}, {9, 9, 9}}), "field 'u' has ");
}

TEST_F(CheckpointTest, OtherListedCellsAreRefused) {
  const auto with = [&](const std::function<bool(std::size_t)>& keep,
                        const std::function<void(Checkpoint&)>& work) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
    for (std::size_t i = 0; i < flags.size(); ++i)
      flags[i] = keep(i) ? 1 : 0;
    const IndexList list(domain, flags, {false, false, false}, links);
    SparseField<float> f(list, 2);
    Checkpoint checkpoint(folder_, "run");
    checkpoint.add(f);
    work(checkpoint);
  };
  with([](std::size_t i) { return i % 3 != 0; }, [](Checkpoint& c) { c.write(1); });
  with([](std::size_t i) { return i % 3 != 0; }, [](Checkpoint& c) { EXPECT_EQ(c.read(), 1); });
  const auto error = [&](const std::function<bool(std::size_t)>& keep) {
    std::string text;
    with(keep, [&](Checkpoint& c) { text = failure([&] { (void)c.read(); }); });
    return text;
  };
  EXPECT_NE(error([](std::size_t i) { return i % 3 != 1; }).find("the cell -3, 0, 2 of 'f' is not in it"),
            std::string::npos);
  EXPECT_NE(error([](std::size_t i) { return i % 3 == 1; }).find("field 'f' has 546 cells, in this run 273"),
            std::string::npos);
}

TEST_F(CheckpointTest, RefusesWhatCannotBe) {
  EXPECT_THROW(Checkpoint(folder_, ""), Error);
  EXPECT_THROW(Checkpoint(folder_, "a/b"), Error);
  EXPECT_THROW(Checkpoint(folder_, "a", CheckpointOptions{.keep = 0}), Error);
  Checkpoint checkpoint(folder_, "run");
  EXPECT_THROW(checkpoint.write(1), Error);
  double time = 1;
  checkpoint.add("time", time);
  EXPECT_THROW(checkpoint.add("time", time), Error);
  EXPECT_THROW(checkpoint.write(-1), Error);
  put("file", "");
  Checkpoint nowhere(folder_ / "file", "run");
  nowhere.add("time", time);
  EXPECT_NE(failure([&] { nowhere.write(1); }).find("cannot make the folder"), std::string::npos);
}

} // namespace
