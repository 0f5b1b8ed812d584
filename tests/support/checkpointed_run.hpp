// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_CHECKPOINTED_RUN_HPP
#define HEDDLE_TESTS_CHECKPOINTED_RUN_HPP

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/thread_group.hpp"

/// A run with all kinds of state, and a folder for its checkpoints: what their tests share.
namespace checkpointed {

namespace fs = std::filesystem;
using heddle::BlockGrid;
using heddle::Box;
using heddle::Checkpoint;
using heddle::CheckpointOptions;
using heddle::Error;
using heddle::Field;
using heddle::IndexList;
using heddle::SparseField;
using heddle::ThreadGroup;
using heddle::Transport;

inline const Box domain{{-3, 0, 2}, {10, 9, 9}}; // 13 x 9 x 7 cells
inline const std::vector<heddle::Link> links{{1, {-1, 0, 0}, 2}};

inline bool listed(std::int64_t x, std::int64_t y, std::int64_t z) {
  return x < 4 && (x * x + 2 * y + 3 * z) % 5 != 0; // the blocks of large x have no cell
}

inline double value(std::int64_t x, std::int64_t y, std::int64_t z, int c, double seed) {
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
    ThreadGroup network(ranks);
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
    ThreadGroup network(ranks);
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

} // namespace checkpointed

#endif
