// SPDX-License-Identifier: Apache-2.0
// BiCGStab by groups of cells, and its text for CUDA, on systems that CVODE meets with Carbon Bond 2005.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "bicgstab.hpp"
#include "bicgstab_device.hpp"
#include "cb05_elimination.hpp"
#include "cb05_linear.h"
#include "cb05_tables.hpp"
#include "direct.hpp"
#include "draw.hpp"
#include "elimination.hpp"
#include "heddle/core/error.hpp"

namespace {

constexpr std::int64_t cells = 12;

/// The third call of a short run, early in which steps are short, and late.
const Draw& drawn() {
  static const Draw draw = [] {
    std::vector<CallReport> reports;
    DrawOptions options;
    options.levels = cells;
    options.calls = 3;
    options.kept = {2};
    options.parts = {0, 0.5, 1};
    Draw found = draw_systems(options, reports);
    EXPECT_EQ(reports.size(), 1U);
    EXPECT_FALSE(reports[0].failed);
    return found;
  }();
  return draw;
}

LinearSystems systems(std::size_t moment) {
  return systems_of(drawn(), drawn().moments.at(moment), cb05_reactions, 0, cells);
}
LinearSystems stiffest() {
  return systems(drawn().moments.size() - 1);
}

/// A system of one row per entry, a cell.
LinearSystems small(std::vector<double> matrix, std::vector<double> right_side) {
  LinearSystems made;
  const auto rows = static_cast<std::int32_t>(right_side.size());
  for (std::int32_t i = 0; i < rows; ++i) {
    made.pattern.start.push_back(rows * i);
    made.pattern.diagonal.push_back(rows * i + i);
    for (std::int32_t j = 0; j < rows; ++j)
      made.pattern.column.push_back(j);
  }
  made.pattern.start.push_back(rows * rows);
  made.cells = 1;
  made.matrix = std::move(matrix);
  made.right_side = std::move(right_side);
  return made;
}

/// What a device has of some systems, which here is the host's memory.
class OnDevice {
public:
  explicit OnDevice(const LinearSystems& systems)
      : systems_(systems), x(systems.right_side.size(), NAN), iterations(index(systems.cells), -1),
        ended(index(systems.cells), Ended::too_many), work_(study_vectors * x.size(), NAN),
        partial_(x.size() / study_block + 1, NAN) {}

  DeviceSystems view() {
    const SparseRows& p = systems_.pattern;
    return {systems_.cells,
            p.rows(),
            p.entries(),
            p.start.data(),
            p.column.data(),
            p.diagonal.data(),
            systems_.matrix.data(),
            systems_.right_side.data(),
            x.data(),
            work_.data(),
            partial_.data(),
            iterations.data(),
            ended.data()};
  }
  static std::size_t index(std::int64_t n) { return static_cast<std::size_t>(n); }

private:
  const LinearSystems& systems_;

public:
  std::vector<double> x;
  std::vector<std::int32_t> iterations;
  std::vector<Ended> ended;

private:
  std::vector<double> work_;
  std::vector<double> partial_;
};

TEST(LinearSystems, AreThoseOfTheEmittedFactorisation) {
  ASSERT_GE(drawn().moments.size(), 2U);
  for (std::size_t m = 0; m < drawn().moments.size(); ++m) {
    const LinearSystems given = systems(m);
    EXPECT_EQ(given.pattern.rows(), 66);
    EXPECT_EQ(given.pattern.entries(), 652);
    const std::vector<double> x = direct_solution(given);
    std::vector<double> dense;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const std::vector<double> one = dense_solution(given, cell);
      dense.insert(dense.end(), one.begin(), one.end());
    }
    const Accuracy found = accuracy(given, x, dense);
    EXPECT_LT(found.residual, 1e-11) << m;
    EXPECT_LT(found.error, 1e-11) << m;
  }
}

/// Tables of reactions and mole fractions here; kernels of NewtonKernels and concentrations there.
TEST(LinearSystems, AreThoseThatCvodeSolves) {
  for (std::size_t m = 0; m < drawn().moments.size(); ++m) {
    const LinearSystems given = systems(m);
    std::vector<double> asked;
    for (std::int64_t cell = 0; cell < cells; ++cell)
      for (std::int64_t s = 0; s < 66; ++s)
        asked.push_back(1e6 / drawn().air[OnDevice::index(cell)] *
                        drawn().moments[m].solution[OnDevice::index(s * cells + cell)]);
    EXPECT_LT(accuracy(given, direct_solution(given), asked).error, 1e-11) << m;
  }
}

TEST(LinearSystems, FactorsThatAreKeptGiveTheSame) {
  const LinearSystems given = stiffest();
  const std::int64_t entries[] = {cells, 652}, by_entry[] = {652, 1}, kept[] = {cells, 735},
                     by_factor[] = {735, 1}, rows[] = {cells, 66}, by_row[] = {66, 1};
  std::vector<double> factor(735 * cells), x(66 * cells);
  ASSERT_EQ(cb05_linear_factorise_f64(given.matrix.data(), entries, by_entry, factor.data(), kept, by_factor),
            0);
  ASSERT_EQ(cb05_linear_solve_f64(factor.data(), kept, by_factor, given.right_side.data(), rows, by_row,
                                  x.data(), rows, by_row),
            0);
  EXPECT_LT(accuracy(given, x, direct_solution(given)).error, 1e-13);
}

TEST(LinearSystems, AFileHoldsThem) {
  const auto file =
      std::filesystem::temp_directory_path() / ("heddle_systems_" + std::to_string(getpid()) + ".bin");
  write(drawn(), file.string());
  const Draw found = read(file.string());
  ASSERT_EQ(found.moments.size(), drawn().moments.size());
  EXPECT_EQ(found.air, drawn().air);
  EXPECT_EQ(found.rate_constant, drawn().rate_constant);
  for (std::size_t m = 0; m < found.moments.size(); ++m) {
    EXPECT_EQ(found.moments[m].gamma, drawn().moments[m].gamma);
    EXPECT_EQ(found.moments[m].concentration, drawn().moments[m].concentration);
    EXPECT_EQ(found.moments[m].right_side, drawn().moments[m].right_side);
  }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 8);
  EXPECT_THROW((void)read(file.string()), heddle::Error);
  std::ofstream(file) << "no systems, but long enough to hold the head of such a file";
  EXPECT_THROW((void)read(file.string()), heddle::Error);
  std::filesystem::remove(file);
  EXPECT_THROW((void)read(file.string()), heddle::Error);
}

TEST(BiCGStab, SolutionsAreThoseOfTheFactorisation) {
  for (std::size_t m = 0; m < drawn().moments.size(); ++m) {
    const LinearSystems given = systems(m);
    const std::vector<double> exact = direct_solution(given);
    for (const std::int64_t group : {1, 2, 3, 6, 12}) {
      for (const StopRule& rule : {study_rule, newton_rule}) {
        std::vector<double> x(exact.size(), NAN);
        for (std::int64_t first = 0; first < cells; first += group) {
          const GroupResult found = bicgstab(given, first, group, rule, 0, x);
          EXPECT_EQ(found.ended, Ended::converged) << m << ' ' << group;
          EXPECT_LT(found.iterations, 100);
        }
        // |r| <= 1e-3 |b| of a group. The study's rule goes on until rounding is all that is left.
        double residual = 0, b = 0;
        for (std::int64_t cell = 0; cell < cells; ++cell) {
          residual += given.residual_squared(cell, x);
          for (std::int64_t i = 0; i < 66; ++i)
            b += std::pow(given.right_side[static_cast<std::size_t>(66 * cell + i)], 2);
        }
        EXPECT_LE(std::sqrt(residual / b), rule.single ? 1e-12 : 1e-3) << m << ' ' << group;
        EXPECT_LT(accuracy(given, x, exact).error, rule.single ? 1e-8 : 2) << m << ' ' << group;
      }
    }
  }
}

TEST(BiCGStab, LargerGroupsTakeMoreIterations) {
  for (std::size_t m = 0; m < drawn().moments.size(); ++m) {
    const LinearSystems given = systems(m);
    std::vector<double> x(given.right_side.size());
    const auto mean = [&](std::int64_t group, std::int64_t threads) {
      double sum = 0;
      for (std::int64_t first = 0; first < cells; first += group)
        sum += bicgstab(given, first, group, study_rule, threads, x).iterations;
      return sum * static_cast<double>(group) / cells;
    };
    const double one = mean(1, 0), two = mean(2, 0), six = mean(6, 0), all = mean(cells, 1024);
    EXPECT_GT(one, 1) << m;
    EXPECT_LT(one, two) << m;
    EXPECT_LE(two, six) << m;
    EXPECT_LE(six, all) << m;
    // A residual of 1e-3 takes much less: 5 to 9 times.
    double hurried = 0;
    for (std::int64_t first = 0; first < cells; ++first)
      hurried += bicgstab(given, first, 1, newton_rule, 0, x).iterations;
    EXPECT_LT(hurried / cells, one / 2) << m;
  }
}

TEST(BiCGStab, WhatCannotBeDividedIsReported) {
  std::vector<double> x{7, 7};
  const auto run = [&](const LinearSystems& given, const StopRule& rule = study_rule) {
    x = {7, 7};
    const GroupResult found = bicgstab(given, 0, 1, rule, 0, x);
    EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(x[1]));
    // A block of threads says the same.
    OnDevice device(given);
    EXPECT_EQ(block_cells(device.view(), 1, rule, nullptr), 0);
    EXPECT_EQ(device.ended[0], found.ended);
    EXPECT_EQ(device.iterations[0], found.iterations);
    EXPECT_EQ(device.x, x);
    // So does a launch per operation.
    const GroupResult many = multi_cells(device.view(), 0, 1, rule, nullptr);
    EXPECT_EQ(many.ended, found.ended);
    EXPECT_EQ(many.iterations, found.iterations);
    EXPECT_EQ(device.x, x);
    return found;
  };
  // b = 0: nothing to do.
  EXPECT_EQ(run(small({2, 1, 1, 2}, {0, 0})).ended, Ended::converged);
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
  // A diagonal matrix: half an iteration leaves s = 0, and <u, u> = 0.
  EXPECT_EQ(run(small({2, 0, 0, 4}, {1, 1})).ended, Ended::converged);
  EXPECT_EQ(x, (std::vector<double>{0.5, 0.25}));
  // A rotation by 90 degrees with 0 on the diagonal: <r0, A r0> = 0.
  EXPECT_EQ(run(small({0, 1, -1, 0}, {1, 0})).ended, Ended::breakdown);
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
  // A singular matrix that b is not in the range of.
  EXPECT_NE(run(small({1, 1, 1, 1}, {1, 0})).ended, Ended::converged);
  // Not a number in A, and in b.
  EXPECT_EQ(run(small({NAN, 0, 0, 1}, {1, 1})).ended, Ended::breakdown);
  EXPECT_EQ(run(small({1, 0, 0, 1}, {NAN, 1})).ended, Ended::breakdown);
  EXPECT_EQ(run(small({1, 0, 0, 1}, {INFINITY, 1})).ended, Ended::breakdown);
  // Too few iterations.
  StopRule hurried = study_rule;
  hurried.most = 1;
  const GroupResult found = run(small({4, 1, 2, 3}, {1, 2}), hurried);
  EXPECT_EQ(found.ended, Ended::too_many);
  EXPECT_EQ(found.iterations, 1);
}

TEST(BiCGStabOnDevice, BlocksHaveTheBitsOfTheHost) {
  const LinearSystems given = stiffest();
  for (const StopRule& rule : {study_rule, newton_rule})
    for (const std::int64_t group : {1, 2, 3, 6, 5}) { // 5 leaves two cells over
      OnDevice device(given);
      ASSERT_EQ(block_cells(device.view(), static_cast<int>(group), rule, nullptr), 0);
      std::vector<double> x(device.x.size());
      std::size_t number = 0;
      for (std::int64_t first = 0; first < cells; first += group, ++number) {
        const GroupResult host = bicgstab(given, first, std::min(group, cells - first), rule, 0, x);
        EXPECT_EQ(device.iterations[number], host.iterations) << group;
        EXPECT_EQ(device.ended[number], host.ended);
      }
      EXPECT_EQ(device.x, x) << group;
    }
}

TEST(BiCGStabOnDevice, ManyCellsHaveTheBitsOfTheHost) {
  const LinearSystems given = stiffest();
  for (const StopRule& rule : {study_rule, newton_rule}) {
    OnDevice device(given);
    std::vector<double> x(device.x.size());
    const GroupResult found = multi_cells(device.view(), 0, cells, rule, nullptr);
    const GroupResult host = bicgstab(given, 0, cells, rule, study_block, x);
    EXPECT_EQ(found.iterations, host.iterations);
    EXPECT_EQ(found.ended, host.ended);
    EXPECT_EQ(device.x, x);
    // One-cell: the same for a cell alone.
    const GroupResult one = multi_cells(device.view(), 7, 1, rule, nullptr);
    EXPECT_EQ(one.iterations, bicgstab(given, 7, 1, rule, study_block, x).iterations);
    EXPECT_EQ(device.x, x);
  }
}

TEST(BiCGStabOnDevice, AWarpPerCellSolves) {
  const LinearSystems given = stiffest();
  const std::vector<double> exact = direct_solution(given);
  const Lanes lanes(given.pattern);
  const std::vector<double> matrix = Lanes::reorder(given);
  std::vector<std::int32_t> diagonal;
  diagonal.reserve(given.pattern.diagonal.size());
  for (const std::int32_t at : given.pattern.diagonal)
    diagonal.push_back(at % entries_of_lane * 32 + at / entries_of_lane);
  for (const StopRule& rule : {study_rule, newton_rule}) {
    OnDevice device(given);
    DeviceSystems view = device.view();
    view.matrix = matrix.data();
    ASSERT_EQ(warp_per_cell(
                  view, {lanes.columns.data(), lanes.first.data(), lanes.row_pieces.data(), diagonal.data()},
                  rule, nullptr),
              0);
    std::vector<double> x(exact.size());
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const auto n = static_cast<std::size_t>(cell);
      const GroupResult host = bicgstab(given, cell, 1, rule, 0, x);
      EXPECT_EQ(device.ended[n], Ended::converged);
      EXPECT_NEAR(device.iterations[n], host.iterations, rule.single ? 4 : 1); // sums in another order
    }
    const Accuracy found = accuracy(given, device.x, exact);
    EXPECT_LT(found.residual, rule.single ? 1e-11 : 1.001e-3);
    EXPECT_LT(found.error, rule.single ? 1e-8 : 1);
  }
}

/// 36 cells: a block of 32, and another one that is not full.
TEST(Elimination, WarpsShareIt) {
  constexpr std::int64_t count = 3 * cells;
  LinearSystems given = systems(0);
  for (const std::size_t m : {drawn().moments.size() - 1, std::size_t{1}}) {
    const LinearSystems more = systems(m);
    given.matrix.insert(given.matrix.end(), more.matrix.begin(), more.matrix.end());
    given.right_side.insert(given.right_side.end(), more.right_side.begin(), more.right_side.end());
    given.cells += cells;
  }
  ASSERT_EQ(given.cells, count);
  const auto turned = [](const std::vector<double>& values, std::size_t from, std::size_t to) {
    std::vector<double> result(values.size());
    for (std::size_t i = 0; i < from; ++i)
      for (std::size_t j = 0; j < to; ++j)
        result[j * from + i] = values[i * to + j];
    return result;
  };
  const std::vector<double> matrix = turned(given.matrix, count, 652);
  const std::vector<double> right_side = turned(given.right_side, count, 66);
  std::vector<double> solution(right_side.size(), NAN);
  std::vector<double> factor(std::size_t{735} * count, NAN);
  const auto table = [](const auto& words, const auto& starts) {
    return TaskTable{words.data(), static_cast<std::int32_t>(words.size()), starts.data(),
                     static_cast<std::int32_t>(starts.size())};
  };
  const TaskTable tasks = table(elimination_words, elimination_starts);
  const std::vector<double> exact = direct_solution(given);
  const auto solved = [&] {
    const Accuracy found = accuracy(given, turned(solution, 66, count), exact);
    EXPECT_LT(found.residual, 1e-12);
    EXPECT_LT(found.error, 1e-12);
  };
  ASSERT_EQ(eliminate(matrix.data(), right_side.data(), nullptr, solution.data(), count, tasks,
                      elimination_entries.data(), nullptr),
            0);
  solved();
  solution.assign(solution.size(), NAN);
  ASSERT_EQ(eliminate(matrix.data(), right_side.data(), factor.data(), solution.data(), count, tasks,
                      elimination_entries.data(), nullptr),
            0);
  solution.assign(solution.size(), NAN);
  ASSERT_EQ(substitute(factor.data(), right_side.data(), solution.data(), count,
                       table(substitution_words, substitution_starts), nullptr),
            0);
  solved();
  // The emitted kernels have the same factors.
  std::vector<double> emitted(factor.size(), NAN);
  const std::int64_t entries[] = {count, 652}, places[] = {count, 735}, stride[] = {1, count};
  ASSERT_EQ(cb05_linear_factorise_f64(matrix.data(), entries, stride, emitted.data(), places, stride), 0);
  for (std::size_t n = 0; n < factor.size(); ++n)
    ASSERT_NEAR(factor[n], emitted[n], 1e-11 * std::abs(emitted[n]) + 1e-300) << n / count;
}

} // namespace
