// SPDX-License-Identifier: Apache-2.0
// heddle-compare-klu FILE [cells [rounds]]: the linear systems of a file of heddle-draw-systems on one core,
// by the emitted factorisation with four and with eight cells in vector lanes, and by KLU (T. A. Davis and
// E. Palamadai Natarajan, ACM Trans. Math. Softw. 37, 36 (2010)) cell by cell.
//
// factorise: from the entries of a matrix to L and U, with an order that is known; for KLU klu_l_refactor.
// solve: x from L, U and b, all cells once; for KLU a copy of b, since it overwrites that, and klu_l_solve.
// again: the same four times for each group of lanes, or each cell, before the next, as in a step of Rodas3;
// time of one. Both have L and U of each cell beforehand. both: x from a matrix and b; the emitted kernel
// keeps no L and U, as in a step of an emitted integrator. KLU has its defaults, as SUNDIALS has it with
// 64-bit indices; with 32-bit ones; and with these, but no scaling of rows.
//
// Each is timed in each round, one after the other: CPU time of all cells, many times over. Times are medians
// over the rounds, per cell; times as fast: the median over the rounds of that in one round. error: the
// largest |x - x_dense| / |x_dense| of a cell, against dense elimination with pivots by size.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <klu.h>

#include "cb05_strips.h"
#include "cb05_tables.hpp"
#include "direct.hpp"
#include "heddle/core/error.hpp"
#include "systems.hpp"

namespace {

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

constexpr int solutions = 4; // with one factorisation, as in a step of Rodas3

/// One who factorises and solves the systems of all cells.
struct Solver {
  std::string name;
  std::array<std::function<void()>, 4> parts;    // factorise, solve, solve again, both
  std::function<std::vector<double>()> solution; // of the last solve; cells by rows
};

/// The emitted kernels for so many cells in lanes.
struct Four {
  static constexpr std::int64_t lanes = 4;
  static constexpr auto factorise = cb05_strips_factorise_4_f64_unit;
  static constexpr auto solve = cb05_strips_solve_4_f64_unchecked;
  static constexpr auto solve_once = cb05_strips_solve_once_4_f64_unit;
};
struct Eight {
  static constexpr std::int64_t lanes = 8;
  static constexpr auto factorise = cb05_strips_factorise_8_f64_unit;
  static constexpr auto solve = cb05_strips_solve_8_f64_unchecked;
  static constexpr auto solve_once = cb05_strips_solve_once_8_f64_unit;
};

/// Groups of cells in lanes; of a group, the components one after the other, each with its cells side by
/// side.
template <class Kernels> class Lanes {
public:
  explicit Lanes(const LinearSystems& systems)
      : cells_(systems.cells), rows_(systems.pattern.rows()), groups_((cells_ + lanes - 1) / lanes),
        matrix_(systems.pattern.entries(), groups_), factor_(entries, groups_), right_(rows_, groups_),
        solution_(rows_, groups_) {
    for (std::int64_t n = 0; n < groups_ * lanes; ++n) { // an incomplete group has the last cell again
      const std::int64_t cell = std::min(n, cells_ - 1);
      for (std::int64_t e = 0; e < systems.pattern.entries(); ++e)
        matrix_.at(n, e) = systems.matrix[index(cell * systems.pattern.entries() + e)];
      for (std::int64_t i = 0; i < rows_; ++i)
        right_.at(n, i) = systems.right_side[index(cell * rows_ + i)];
    }
  }

  /// All groups by one call.
  void factorise() {
    require(Kernels::factorise(matrix_.data(), matrix_.extent(), matrix_.stride(), factor_.data(),
                               factor_.extent(), factor_.stride()));
  }
  void solve() { solve(0, groups_); }
  void solve_once() {
    require(Kernels::solve_once(matrix_.data(), matrix_.extent(), matrix_.stride(), right_.data(),
                                right_.extent(), right_.stride(), solution_.data(), solution_.extent(),
                                solution_.stride()));
  }
  /// Group by group, so many solutions each.
  void solve_again(int times) {
    for (std::int64_t group = 0; group < groups_; ++group)
      for (int n = 0; n < times; ++n)
        solve(group, 1);
  }
  [[nodiscard]] std::vector<double> solution() const {
    std::vector<double> x(index(cells_ * rows_));
    for (std::int64_t n = 0; n < cells_; ++n)
      for (std::int64_t i = 0; i < rows_; ++i)
        x[index(n * rows_ + i)] = solution_.at(n, i);
    return x;
  }

private:
  static constexpr std::int64_t entries = 735; // of L and U
  static constexpr std::int64_t lanes = Kernels::lanes;

  class Numbers {
  public:
    Numbers(std::int64_t components, std::int64_t groups)
        : extent_{lanes, groups, components}, stride_{1, lanes * components, lanes},
          values_(index(components * groups * lanes + 8)) {
      const auto address = reinterpret_cast<std::uintptr_t>(values_.data());
      data_ = values_.data() + (64 - address % 64) % 64 / sizeof(double);
    }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    [[nodiscard]] double& at(std::int64_t cell, std::int64_t component) const {
      return data_[cell / lanes * stride_[1] + component * lanes + cell % lanes];
    }
    [[nodiscard]] double* data(std::int64_t group = 0) const { return data_ + group * stride_[1]; }
    [[nodiscard]] const std::int64_t* extent() const { return extent_.data(); }
    [[nodiscard]] const std::int64_t* stride() const { return stride_.data(); }

  private:
    std::array<std::int64_t, 3> extent_, stride_;
    std::vector<double> values_;
    double* data_;
  };

  void solve(std::int64_t first, std::int64_t groups) {
    const std::int64_t of_factor[] = {lanes, groups, entries};
    const std::int64_t rows[] = {lanes, groups, rows_};
    require(Kernels::solve(factor_.data(first), of_factor, factor_.stride(), right_.data(first), rows,
                           right_.stride(), solution_.data(first), rows, solution_.stride()));
  }
  static void require(int status) {
    if (status != 0)
      throw heddle::Error("the emitted factorisation", "it returned " + std::to_string(status),
                          "give systems of Carbon Bond 2005: 66 rows, 652 entries");
  }

  std::int64_t cells_, rows_, groups_;
  Numbers matrix_, factor_, right_, solution_;
};

/// KLU with 64-bit and with 32-bit indices.
struct Wide {
  using Index = SuiteSparse_long;
  using Common = klu_l_common;
  using Symbolic = klu_l_symbolic;
  using Numeric = klu_l_numeric;
  static constexpr auto defaults = klu_l_defaults;
  static constexpr auto analyse = klu_l_analyze;
  static constexpr auto factor = klu_l_factor;
  static constexpr auto refactor = klu_l_refactor;
  static constexpr auto solve = klu_l_solve;
  static constexpr auto free_symbolic = klu_l_free_symbolic;
  static constexpr auto free_numeric = klu_l_free_numeric;
};
struct Narrow {
  using Index = int;
  using Common = klu_common;
  using Symbolic = klu_symbolic;
  using Numeric = klu_numeric;
  static constexpr auto defaults = klu_defaults;
  static constexpr auto analyse = klu_analyze;
  static constexpr auto factor = klu_factor;
  static constexpr auto refactor = klu_refactor;
  static constexpr auto solve = klu_solve;
  static constexpr auto free_symbolic = klu_free_symbolic;
  static constexpr auto free_numeric = klu_free_numeric;
};

/// L and U of each cell by KLU. scaled: rows, by their largest entries.
template <class K> class Klu {
public:
  Klu(const LinearSystems& systems, bool scaled) : cells_(systems.cells), rows_(systems.pattern.rows()) {
    require(K::defaults(&common_));
    if (!scaled) common_.scale = 0;
    const SparseRows& pattern = systems.pattern; // compressed rows become compressed columns
    const auto entries = index(pattern.entries());
    column_.assign(index(rows_) + 1, 0);
    for (const std::int32_t j : pattern.column)
      ++column_[index(j) + 1];
    for (std::size_t j = 0; j < index(rows_); ++j)
      column_[j + 1] += column_[j];
    row_of_.resize(entries);
    matrix_.resize(index(cells_) * entries);
    std::vector<typename K::Index> next(column_.begin(), column_.end() - 1);
    for (std::int32_t i = 0; i < pattern.rows(); ++i)
      for (std::int32_t e = pattern.start[index(i)]; e < pattern.start[index(i) + 1]; ++e) {
        const auto place = index(next[index(pattern.column[index(e)])]++);
        row_of_[place] = i;
        for (std::int64_t n = 0; n < cells_; ++n)
          matrix_[index(n) * entries + place] = systems.matrix[index(n) * entries + index(e)];
      }
    right_ = systems.right_side;
    solution_.resize(right_.size());
    symbolic_ = K::analyse(static_cast<typename K::Index>(rows_), column_.data(), row_of_.data(), &common_);
    require(symbolic_ != nullptr);
    for (std::int64_t n = 0; n < cells_; ++n) {
      numeric_.push_back(K::factor(column_.data(), row_of_.data(), matrix_of(n), symbolic_, &common_));
      require(numeric_.back() != nullptr);
    }
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() {
    for (auto* numeric : numeric_)
      K::free_numeric(&numeric, &common_);
    K::free_symbolic(&symbolic_, &common_);
  }

  void factorise() {
    for (std::int64_t n = 0; n < cells_; ++n)
      require(
          K::refactor(column_.data(), row_of_.data(), matrix_of(n), symbolic_, numeric_[index(n)], &common_));
  }
  /// Cell by cell, so many solutions each.
  void solve(int times = 1) {
    for (std::int64_t n = 0; n < cells_; ++n)
      for (int again = 0; again < times; ++again) {
        std::copy_n(&right_[index(n * rows_)], rows_, &solution_[index(n * rows_)]);
        require(K::solve(symbolic_, numeric_[index(n)], static_cast<typename K::Index>(rows_), 1,
                         &solution_[index(n * rows_)], &common_));
      }
  }
  [[nodiscard]] const std::vector<double>& solution() const { return solution_; }
  void describe() const {
    std::printf(
        "KLU: %lld blocks, the largest with %lld rows; %lld entries of L and U, %lld between blocks\n",
        static_cast<long long>(symbolic_->nblocks), static_cast<long long>(symbolic_->maxblock),
        static_cast<long long>(numeric_[0]->lnz + numeric_[0]->unz - rows_),
        static_cast<long long>(numeric_[0]->nzoff));
  }

private:
  double* matrix_of(std::int64_t cell) { return &matrix_[index(cell) * row_of_.size()]; }
  static void require(bool good) {
    if (!good) throw heddle::Error("KLU", "it refuses the systems", "look at their entries");
  }

  std::int64_t cells_, rows_;
  typename K::Common common_;
  std::vector<typename K::Index> column_, row_of_;
  std::vector<double> matrix_, right_, solution_;
  typename K::Symbolic* symbolic_ = nullptr;
  std::vector<typename K::Numeric*> numeric_;
};

template <class K> Solver klu(const std::string& name, const LinearSystems& systems, bool scaled, bool says) {
  const auto all = std::make_shared<Klu<K>>(systems, scaled);
  if (says) all->describe();
  const auto both = [all] {
    all->factorise();
    all->solve();
  };
  return {name,
          {[all] { all->factorise(); }, [all] { all->solve(); }, [all] { all->solve(solutions); }, both},
          [all] { return all->solution(); }};
}

template <class Kernels> Solver emitted(const std::string& name, const LinearSystems& systems) {
  const auto all = std::make_shared<Lanes<Kernels>>(systems);
  return {name,
          {[all] { all->factorise(); }, [all] { all->solve(); }, [all] { all->solve_again(solutions); },
           [all] { all->solve_once(); }},
          [all] { return all->solution(); }};
}

/// Seconds of one call, of many that take about a millisecond together.
double timed(const std::function<void()>& call, int times) {
  const double begin = cpu_seconds();
  for (int n = 0; n < times; ++n)
    call();
  return (cpu_seconds() - begin) / times;
}
int times_for_a_millisecond(const std::function<void()>& call) {
  for (int times = 1;; times *= 2)
    if (timed(call, times) * times > 1e-3) return times;
}

void compare(const LinearSystems& systems, int rounds, bool first) {
  std::vector<Solver> solvers;
  solvers.push_back(klu<Wide>("KLU", systems, true, first));
  solvers.push_back(klu<Narrow>("KLU, 32-bit indices", systems, true, false));
  solvers.push_back(klu<Narrow>("the same, unscaled", systems, false, false));
  solvers.push_back(emitted<Four>("emitted, four cells", systems));
  solvers.push_back(emitted<Eight>("emitted, eight cells", systems));
  std::vector<double> exact;
  for (std::int64_t n = 0; n < systems.cells; ++n) {
    const std::vector<double> one = dense_solution(systems, n);
    exact.insert(exact.end(), one.begin(), one.end());
  }

  constexpr std::size_t parts = 4;
  std::vector<std::array<std::vector<double>, parts>> seconds(solvers.size());
  std::vector<std::array<int, parts>> times(solvers.size());
  for (std::size_t n = 0; n < solvers.size(); ++n)
    for (std::size_t part = 0; part < parts; ++part) {
      solvers[n].parts[part]();
      times[n][part] = times_for_a_millisecond(solvers[n].parts[part]);
    }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t n = 0; n < solvers.size(); ++n)
      for (std::size_t part = 0; part < parts; ++part)
        seconds[n][part].push_back(timed(solvers[n].parts[part], times[n][part]));
  constexpr const char* names[parts] = {"factorise", "solve", "again", "both"};
  const auto cells = static_cast<double>(systems.cells);
  for (std::size_t n = 0; n < solvers.size(); ++n) {
    std::printf("%-20s", solvers[n].name.c_str());
    double error = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<double> ratio = seconds[0][part];
      for (std::size_t round = 0; round < ratio.size(); ++round)
        ratio[round] /= seconds[n][part][round];
      std::printf("  %s %6.1f ns %5.2f x", names[part],
                  median(seconds[n][part]) / cells / (part == 2 ? solutions : 1) * 1e9, median(ratio));
      if (part == 0) continue;
      solvers[n].parts[part]();
      error = std::max(error, accuracy(systems, solvers[n].solution(), exact).error);
    }
    std::printf("  error %.1e\n", error);
  }
}

} // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  if (count < 2) {
    std::printf("usage: heddle-compare-klu FILE [cells [rounds]]\n");
    return 2;
  }
  try {
    const Draw draw = read(arguments[1]);
    const std::int64_t cells = std::min<std::int64_t>(count > 2 ? std::atoll(arguments[2]) : 32, draw.cells);
    const int rounds = count > 3 ? std::atoi(arguments[3]) : 200;
    if (cells < 1 || rounds < 1)
      throw heddle::Error("heddle-compare-klu", "cells and rounds are numbers from 1", "leave them out");
    bool first = true;
    for (const Moment& moment : draw.moments) {
      const LinearSystems systems = systems_of(draw, moment, cb05_reactions, 0, cells);
      std::printf("call %lld, gamma %.2e s, %lld cells\n", static_cast<long long>(moment.call), moment.gamma,
                  static_cast<long long>(cells));
      compare(systems, rounds, first);
      first = false;
    }
  } catch (const heddle::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
