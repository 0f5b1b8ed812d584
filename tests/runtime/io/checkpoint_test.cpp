// SPDX-License-Identifier: Apache-2.0
// What is written on some ranks is read on others with the same bits, and a harmed checkpoint is not taken
// for a good one.
#include "heddle/io/checkpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../support/checkpointed_run.hpp"

namespace {

using namespace checkpointed;

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
  ThreadGroup network(3);
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

TEST_F(CheckpointTest, ARunThatResumesFromAnOlderOneTakesTheFutureBack) {
  write(1, {1, 1, 1}, {10, 20, 30}, {.keep = 5});
  ThreadGroup network(2);
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
  EXPECT_NE(none.find("there is no checkpoint of step 15 in"), std::string::npos) << none;
  EXPECT_NE(none.find("Hint: choose one of the steps 10, 20"), std::string::npos) << none;
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
  EXPECT_NE(read_error().find("no other checkpoint is whole"), std::string::npos);
}

TEST_F(CheckpointTest, AFolderInPlaceOfAManifestIsNamed) {
  write(2, {2, 1, 1}, {10, 20});
  fs::remove(folder_ / "run_00000020.checkpoint");
  fs::create_directory(folder_ / "run_00000020.checkpoint");
  const std::string error = read_error();
  EXPECT_NE(error.find("run_00000020.checkpoint is a folder, where the manifest"), std::string::npos)
      << error;
  EXPECT_NE(error.find("the checkpoint of step 10 is whole: go on from that one"), std::string::npos)
      << error;
  EXPECT_EQ(read(1, {1, 1, 1}, 10), 10);
}

TEST_F(CheckpointTest, ANewerOneIsOfferedForAnOlder) {
  write(2, {2, 1, 1}, {10, 20, 30}, {.keep = 3});
  const std::string part = "run_00000010.0.1.part";
  put(part, bytes(part).substr(0, 40));
  EXPECT_NE(read_error(10).find("the checkpoint of step 30 is whole: go on from that one"), std::string::npos)
      << read_error(10);
  put("run_00000030.checkpoint", "");
  EXPECT_NE(read_error(10).find("the checkpoint of step 20 is whole"), std::string::npos);
}

TEST_F(CheckpointTest, AnotherVersionIsNamed) {
  write(1, {1, 1, 1}, {10});
  std::string text = bytes("run_00000010.checkpoint");
  text.replace(text.find(" 1\n"), 3, " 2\n");
  put("run_00000010.checkpoint", text);
  EXPECT_NE(read_error().find("it was written in version 2 of the format, but this program reads version 1"),
            std::string::npos)
      << read_error();
  put("run_00000010.checkpoint", "something else");
  EXPECT_NE(read_error().find("the manifest of the checkpoint is damaged"), std::string::npos)
      << read_error();
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
  EXPECT_NE(
      error_of([](Checkpoint& c, auto& u, auto&) { c.add(u); }).find("there is no checkpoint of 'run' in"),
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
         "it has fields that this run did not add; its fields are 'u', 'p'");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u);
           c.add(p, "q");
         }),
         "field 'q' is not in the checkpoint");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u, "p");
           c.add(p, "u");
         }),
         "field 'p' was stored as f32, but this run uses f64");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u);
           c.add(p);
         }),
         "its numbers are 'time', which differ from those of this run");
  expect(error_of([&](Checkpoint& c, auto& u, auto& p) {
           c.add(u);
           c.add(p);
           c.add("time", whole);
         }),
         "which differ from those of this run in name or type");
  expect(error_of([&](Checkpoint& c, auto&, auto& p) {
           c.declare_listed<double>("u", 3);
           c.add(p);
         }),
         "was stored for all cells, but this run uses listed cells");
  expect(error_of([&](Checkpoint& c, auto&, auto& p) {
           c.add(p);
           c.declare_listed<double>("u", 2);
         }),
         "has 3 components, but this run uses 2");
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
  EXPECT_NE(error([](std::size_t i) {
              return i % 3 != 1;
            }).find("the cell -3, 0, 2 of 'f' is not in the checkpoint"),
            std::string::npos);
  EXPECT_NE(
      error([](std::size_t i) { return i % 3 == 1; }).find("field 'f' has 546 cells, but this run has 273"),
      std::string::npos);
}

TEST_F(CheckpointTest, ListsThatHoldCellsBehindWallsNeedTheirSteps) {
  const std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()), 1);
  const std::vector<heddle::Link> upwards{{0, {0, 0, 1}, heddle::Link::to_cell}};
  const IndexList list(domain, flags, {false, false, false}, upwards);
  ASSERT_GT(list.solid_nodes(), 0);
  SparseField<float> f(list, 2, heddle::Memory::host, "f");
  Checkpoint checkpoint(folder_, "run");
  const std::string error = failure([&] { checkpoint.add(f); });
  EXPECT_NE(error.find("'f' is over a list that holds"), std::string::npos) << error;
  EXPECT_NE(error.find("add(field, next step, step after it, transport)"), std::string::npos) << error;
}

TEST_F(CheckpointTest, RanksOfOneThreadShareAField) {
  // Three ranks of one thread write, three of a network read.
  const BlockGrid grid(domain, {1, 3, 2}, {false, true, false}, 3);
  const auto number = [](auto x, auto y, auto z, int c) { return value(x, y, z, c, 1); };
  {
    std::list<Field<double>> fields;
    Checkpoint checkpoint(folder_, "run");
    Field<double> other(BlockGrid(domain, {2, 1, 1}, {false, true, false}, 2), {.components = 2, .rank = 1});
    for (int rank = 0; rank < 3; ++rank) {
      fields.emplace_back(grid, heddle::FieldOptions{.components = 2, .rank = rank});
      fields.back().fill(number);
      checkpoint.add(fields.back());
      EXPECT_THROW(checkpoint.add(other), Error); // rank 1, but of another grid
    }
    EXPECT_THROW(checkpoint.add(fields.front()), Error); // twice
    checkpoint.write(1);
  }
  std::atomic<int> wrong = 0;
  ThreadGroup(2).run([&](Transport& transport) {
    const BlockGrid halves(domain, {2, 1, 1}, {false, true, false}, 2);
    Field<double> found(halves, {.components = 2, .rank = transport.rank()});
    Field<double> expected(halves, {.components = 2, .rank = transport.rank()});
    expected.fill(number);
    Checkpoint checkpoint(folder_, "run", transport);
    checkpoint.add(found);
    checkpoint.read();
    for (int c = 0; c < 2; ++c)
      wrong += found.read(0, c) == expected.read(0, c) ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
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
  EXPECT_NE(failure([&] { nowhere.write(1); }).find("cannot create the folder"), std::string::npos);
}

} // namespace
