// SPDX-License-Identifier: Apache-2.0
#include "on_device.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "../../median.hpp"
#include "bicgstab_device.hpp"
#include "cb05_elimination.hpp"
#include "cb05_linear.h"
#include "cb05_tables.hpp"
#include "direct.hpp"
#include "elimination.hpp"
#include "heddle/core/error.hpp"

namespace {

void check(int error, const char* what) {
  if (error != cudaSuccess)
    throw heddle::Error("CUDA",
                        std::string(what) + ": " + cudaGetErrorString(static_cast<cudaError_t>(error)),
                        "is the device free?");
}

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

template <class T> class DeviceArray {
public:
  explicit DeviceArray(std::int64_t size) : size_(index(size)) {
    check(cudaMalloc(&data_, size_ * sizeof(T)), "memory");
    check(cudaMemset(data_, 0, size_ * sizeof(T)), "memset");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(static_cast<std::int64_t>(values.size())) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
          "copy from the device");
    return values;
  }
  void spoil() { check(cudaMemset(data_, 0xff, size_ * sizeof(T)), "memset"); } // NaN
  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }

private:
  void* data_ = nullptr;
  std::size_t size_;
};

/// The median of `repeats` runs, in seconds, after one that is not timed; 0: of one run alone.
double seconds(const std::function<void()>& run, int repeats) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  std::vector<double> times;
  for (int n = 0; n <= repeats; ++n) {
    check(cudaEventRecord(begin), "record");
    run();
    check(cudaEventRecord(end), "record");
    check(cudaEventSynchronize(end), "run");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "time");
    if (n > 0 || repeats == 0) times.push_back(milliseconds);
  }
  check(cudaEventDestroy(begin), "event");
  check(cudaEventDestroy(end), "event");
  return 1e-3 * bench::median(std::move(times));
}

/// Values of cells by components become components by cells.
std::vector<double> cells_fastest(const std::vector<double>& values, std::int64_t cells) {
  const std::int64_t components = static_cast<std::int64_t>(values.size()) / cells;
  std::vector<double> turned(values.size());
  for (std::int64_t cell = 0; cell < cells; ++cell)
    for (std::int64_t c = 0; c < components; ++c)
      turned[index(c * cells + cell)] = values[index(cell * components + c)];
  return turned;
}
std::vector<double> components_fastest(const std::vector<double>& values, std::int64_t cells) {
  return cells_fastest(values, static_cast<std::int64_t>(values.size()) / cells);
}

/// The systems of all moments one after the other, over and over until there are so many.
LinearSystems joined(const Draw& draw, std::int64_t cells, std::int64_t count) {
  LinearSystems all;
  for (const Moment& moment : draw.moments) {
    const LinearSystems one = systems_of(draw, moment, cb05_reactions, 0, cells);
    all.pattern = one.pattern;
    all.cells += cells;
    all.matrix.insert(all.matrix.end(), one.matrix.begin(), one.matrix.end());
    all.right_side.insert(all.right_side.end(), one.right_side.begin(), one.right_side.end());
  }
  const auto repeat = [&](std::vector<double>& values) {
    const auto once = static_cast<std::int64_t>(values.size());
    const std::int64_t wanted = once / all.cells * count;
    values.resize(index(wanted));
    for (std::int64_t n = once; n < wanted; ++n)
      values[index(n)] = values[index(n - once)];
  };
  repeat(all.matrix);
  repeat(all.right_side);
  all.cells = count;
  return all;
}

struct NamedRule {
  const char* name;
  StopRule rule;
};
constexpr NamedRule rules[] = {{"study", study_rule}, {"1e-6", {0, 1e-6, false}}, {"1e-3", newton_rule}};

template <class T, std::size_t n> std::vector<T> listed(const std::array<T, n>& values) {
  return {values.begin(), values.end()};
}

template <class T, std::size_t n> std::int32_t size_of(const std::array<T, n>&) {
  return static_cast<std::int32_t>(n);
}

class Comparison {
public:
  explicit Comparison(const LinearSystems& systems)
      : systems_(systems), exact_(direct_solution(systems)), start_(systems.pattern.start),
        column_(systems.pattern.column), diagonal_(systems.pattern.diagonal), matrix_(systems.matrix),
        right_side_(systems.right_side), solution_(systems.cells * systems.pattern.rows()),
        work_(study_vectors * systems.cells * systems.pattern.rows()),
        partial_(systems.cells * systems.pattern.rows() / study_block + 1), iterations_(systems.cells),
        ended_(systems.cells) {}

  void run() {
    direct();
    for (const NamedRule& rule : rules) {
      for (const int group : {1, 2, 3, 6, 15})
        print("Block-cells(" + std::to_string(group) + ")", rule.name, (systems_.cells + group - 1) / group,
              seconds([&] { check(block_cells(view(), group, rule.rule, nullptr), "block_cells"); }, 3));
      warps(rule);
    }
  }

  /// The launches of the study before Block-cells. alone: cells for One-cell.
  void launches(std::int64_t alone) {
    for (const auto& [name, rule] : rules) {
      GroupResult found;
      const double time = seconds([&] { found = multi_cells(view(), 0, systems_.cells, rule, nullptr); }, 1);
      line("Multi-cells", name, found.iterations, found.iterations, found.ended != Ended::converged,
           time / static_cast<double>(systems_.cells), accuracy(systems_, solution_.get(), exact_));
      solution_.spoil();
      double sum = 0;
      std::int32_t most = 0;
      std::int64_t failed = 0;
      const auto solve_alone = [&] {
        for (std::int64_t n = 0; n < alone; ++n) {
          const GroupResult one = multi_cells(view(), n * systems_.cells / alone, 1, rule, nullptr);
          sum += one.iterations;
          most = std::max(most, one.iterations);
          failed += one.ended != Ended::converged;
        }
      };
      const double each = seconds(solve_alone, 0) / static_cast<double>(alone);
      const std::vector<double> x = solution_.get();
      Accuracy worst;
      for (std::int64_t n = 0; n < alone; ++n)
        worst.add(accuracy_of(systems_, n * systems_.cells / alone, x, exact_));
      line("One-cell", name, sum / static_cast<double>(alone), most, failed, each, worst);
    }
  }

private:
  DeviceSystems view() {
    return {systems_.cells, systems_.pattern.rows(), systems_.pattern.entries(),
            start_.data(),  column_.data(),          diagonal_.data(),
            matrix_.data(), right_side_.data(),      solution_.data(),
            work_.data(),   partial_.data(),         iterations_.data(),
            ended_.data()};
  }
  static void line(const std::string& name, const char* rule, double iterations, std::int32_t most,
                   std::int64_t failed, double time, const Accuracy& found) {
    std::printf("%-24s %-6s %9.2f %5d %4lld %12.2f ns  residual %.1e error %.1e\n", name.c_str(), rule,
                iterations, most, static_cast<long long>(failed), 1e9 * time, found.residual, found.error);
  }
  void print(const std::string& name, const char* rule, std::int64_t groups, double time) {
    const std::vector<std::int32_t> iterations = iterations_.get();
    const std::vector<Ended> ended = ended_.get();
    double sum = 0;
    std::int32_t most = 0;
    std::int64_t failed = 0;
    for (std::int64_t n = 0; n < groups; ++n) {
      sum += iterations[index(n)];
      most = std::max(most, iterations[index(n)]);
      failed += ended[index(n)] != Ended::converged;
    }
    line(name, rule, sum / static_cast<double>(groups), most, failed,
         time / static_cast<double>(systems_.cells), accuracy(systems_, solution_.get(), exact_));
    solution_.spoil();
  }

  void direct() {
    const std::int64_t n = systems_.cells;
    const DeviceArray<double> matrix(cells_fastest(systems_.matrix, n));
    const DeviceArray<double> right_side(cells_fastest(systems_.right_side, n));
    DeviceArray<double> factor(735 * n);
    DeviceArray<double> solution(66 * n);
    const std::int64_t of_matrix[] = {n, 652}, of_factor[] = {n, 735}, rows[] = {n, 66}, stride[] = {1, n};
    const auto print_direct = [&](const char* name, double time) {
      const Accuracy found = accuracy(systems_, components_fastest(solution.get(), n), exact_);
      std::printf("%-24s %-6s %9s %5s %4s %12.2f ns  residual %.1e error %.1e\n", name, "", "", "", "",
                  1e9 * time / static_cast<double>(n), found.residual, found.error);
      solution.spoil();
    };
    const auto ok = [](int status) {
      if (status != 0)
        throw heddle::Error("an emitted kernel", "it returned " + std::to_string(status),
                            "see cb05_linear.h");
    };
    const auto factorise = [&] {
      ok(cb05_linear_factorise_f64_cuda(matrix.data(), of_matrix, stride, factor.data(), of_factor, stride,
                                        nullptr));
    };
    const auto solve = [&] {
      ok(cb05_linear_solve_f64_cuda(factor.data(), of_factor, stride, right_side.data(), rows, stride,
                                    solution.data(), rows, stride, nullptr));
    };
    const auto at_once = [&] {
      ok(cb05_linear_solve_once_f64_cuda(matrix.data(), of_matrix, stride, right_side.data(), rows, stride,
                                         solution.data(), rows, stride, nullptr));
    };
    const auto both = [&] {
      factorise();
      solve();
    };
    print_direct("thread per cell, at once", seconds(at_once, 5));
    print_direct("thread per cell, LU kept", seconds(both, 5));
    print_direct("thread per cell, again", seconds(solve, 5));

    const DeviceArray<std::uint32_t> words(listed(elimination_words));
    const DeviceArray<std::int32_t> starts(listed(elimination_starts));
    const DeviceArray<std::int32_t> entries(listed(elimination_entries));
    const DeviceArray<std::uint32_t> words_again(listed(substitution_words));
    const DeviceArray<std::int32_t> starts_again(listed(substitution_starts));
    const TaskTable tasks{words.data(), size_of(elimination_words), starts.data(),
                          size_of(elimination_starts)};
    const TaskTable tasks_again{words_again.data(), size_of(substitution_words), starts_again.data(),
                                size_of(substitution_starts)};
    const auto shared = [&](double* kept) {
      ok(eliminate(matrix.data(), right_side.data(), kept, solution.data(), n, tasks, entries.data(),
                   nullptr));
    };
    print_direct("block per 32, at once", seconds([&] { shared(nullptr); }, 5));
    factor.spoil();
    print_direct("block per 32, LU kept", seconds([&] { shared(factor.data()); }, 5));
    print_direct("block per 32, again", seconds(
                                            [&] {
                                              ok(substitute(factor.data(), right_side.data(), solution.data(),
                                                            n, tasks_again, nullptr));
                                            },
                                            5));
  }

  void warps(const NamedRule& rule) {
    const Lanes lanes(systems_.pattern);
    const DeviceArray<double> matrix(Lanes::reorder(systems_));
    const DeviceArray<std::uint32_t> columns(lanes.columns);
    const DeviceArray<std::int32_t> first(lanes.first);
    const DeviceArray<std::int32_t> row_pieces(lanes.row_pieces);
    std::vector<std::int32_t> places;
    for (const std::int32_t at : systems_.pattern.diagonal)
      places.push_back(at % entries_of_lane * 32 + at / entries_of_lane);
    const DeviceArray<std::int32_t> diagonal(places);
    DeviceSystems given = view();
    given.matrix = matrix.data();
    const DeviceLanes tables{columns.data(), first.data(), row_pieces.data(), diagonal.data()};
    print("a warp per cell", rule.name, systems_.cells,
          seconds([&] { check(warp_per_cell(given, tables, rule.rule, nullptr), "warp_per_cell"); }, 5));
  }

  const LinearSystems& systems_;
  std::vector<double> exact_;
  DeviceArray<std::int32_t> start_, column_, diagonal_;
  DeviceArray<double> matrix_, right_side_, solution_, work_, partial_;
  DeviceArray<std::int32_t> iterations_;
  DeviceArray<Ended> ended_;
};

} // namespace

void time_on_device(const Draw& draw, std::int64_t cells, const std::vector<std::int64_t>& counts) {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "device");
  std::printf("%s: solver, rule, iterations (mean, most), groups that failed, time per cell, accuracy\n",
              device.name);
  const std::int64_t drawn = cells * static_cast<std::int64_t>(draw.moments.size());
  for (const std::int64_t count : counts.empty() ? std::vector<std::int64_t>{drawn, 4 * drawn} : counts) {
    const LinearSystems systems = joined(draw, cells, count);
    std::printf("%lld systems\n", static_cast<long long>(systems.cells));
    Comparison comparison(systems);
    comparison.run();
  }
  if (!counts.empty()) return;
  // Multi-cells and One-cell as the study has them: the cells of one moment. And the others at that size.
  for (const Moment& moment : draw.moments) {
    const LinearSystems systems = systems_of(draw, moment, cb05_reactions, 0, cells);
    std::printf("%lld systems of call %lld, gamma %.2e s\n", static_cast<long long>(systems.cells),
                static_cast<long long>(moment.call), moment.gamma);
    Comparison comparison(systems);
    comparison.run();
    comparison.launches(20);
  }
}
