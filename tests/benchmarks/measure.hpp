// SPDX-License-Identifier: Apache-2.0
// How a kernel and its limit are timed: in turns, in one process, so that both see the same machine.
#ifndef HEDDLE_BENCHMARKS_MEASURE_HPP
#define HEDDLE_BENCHMARKS_MEASURE_HPP

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "heddle/core/environment.hpp"
#include "median.hpp"

namespace bench {

/// Seconds that one call takes; the caller decides how time is read (host clock, CUDA events).
using Timed = std::function<double()>;

/// What is known of one benchmark. updates: cells a call. bytes: memory traffic of one update, with index
/// bytes. limit_bytes: memory traffic of one call of the limit.
struct Case {
  std::string name;
  double updates = 0;
  double bytes_per_update = 0;
  double plain_list_bytes =
      0; ///< what one update would move with a plain neighbour list; 0: there is no list
  double limit_bytes = 0;
  int fetch_bytes = 0; ///< what the device is asked to bring for a missed read; 0: nothing is asked
  Timed kernel;
  Timed limit;
  Timed list_limit =
      {}; ///< one call moves what the kernel moves, by way of the same table; empty: there is no list
};

/// Times kernel and limits alternately and reports MLUPS, bytes_per_update, GB_per_s and fraction_of_stream,
/// for lists also fraction_of_list_stream: medians of all rounds after a warm-up.
inline void run(benchmark::State& state, const Case& one) {
  const bool chosen = std::getenv("HEDDLE_BENCH_FETCH") != nullptr; // for all kernels, in main()
  const heddle::Environment environment({.fetch_bytes = chosen ? 0 : one.fetch_bytes});
  for (int i = 0; i < 2; ++i) {
    one.kernel();
    one.limit();
  }
  std::vector<double> kernel;
  std::vector<double> limit;
  std::vector<double> list_limit;
  for ([[maybe_unused]] auto _ : state) {
    limit.push_back(one.limit());
    if (one.list_limit) {
      list_limit.push_back(one.list_limit());
    }
    kernel.push_back(one.kernel());
    state.SetIterationTime(kernel.back());
  }
  const double seconds = median(kernel);
  const double bandwidth = one.updates * one.bytes_per_update / seconds;
  const double attainable = one.limit_bytes / median(limit);
  state.counters["MLUPS"] = one.updates / seconds / 1e6;
  state.counters["bytes_per_update"] = one.bytes_per_update;
  state.counters["GB_per_s"] = bandwidth / 1e9;
  state.counters["stream_GB_per_s"] = attainable / 1e9;
  state.counters["fraction_of_stream"] = bandwidth / attainable;
  if (one.list_limit) {
    state.counters["fraction_of_list_stream"] = median(list_limit) / seconds;
  }
  if (one.plain_list_bytes > 0) {
    // Against a plain list, as published sparse kernels are counted.
    state.counters["plain_list_bytes"] = one.plain_list_bytes;
    state.counters["fraction_counting_plain_list"] =
        one.updates * one.plain_list_bytes / seconds / attainable;
  }
}

inline void add(const std::string& name, const std::function<Case()>& make, int rounds) {
  benchmark::RegisterBenchmark(name.c_str(), [make](benchmark::State& state) { run(state, make()); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(rounds);
}

/// Edge of the cubic domain: HEDDLE_BENCH_EDGE, else `otherwise`.
std::int64_t edge(std::int64_t otherwise);

void add_lbm_host();
void add_lbm_cuda();
void add_lbm_lanes_cuda();
void add_lbm_lists_cuda();
void add_lbm_moments_cuda();
void add_relaxation_host();
void add_relaxation_cuda();
void add_transform_host();
void add_poisson_host();
void add_transform_cuda();
void add_poisson_cuda();

} // namespace bench

#endif
