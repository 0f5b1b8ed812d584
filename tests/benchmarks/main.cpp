// SPDX-License-Identifier: Apache-2.0
// heddle-bench: every kernel beside the limit that its memory traffic sets. JSON: --benchmark_format=json.
#include <cstdlib>

#include "heddle/with_cuda.hpp"
#include "measure.hpp"

std::int64_t bench::edge(std::int64_t otherwise) {
  const char* text = std::getenv("HEDDLE_BENCH_EDGE");
  const std::int64_t value = text != nullptr ? std::atoll(text) : 0;
  return value > 0 ? value : otherwise;
}

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  bench::add_lbm_host();
  bench::add_relaxation_host();
  bench::add_transform_host();
  bench::add_poisson_host();
#if HEDDLE_WITH_CUDA
  bench::add_lbm_cuda();
  bench::add_lbm_lanes_cuda();
  bench::add_lbm_lists_cuda();
  bench::add_lbm_moments_cuda();
  bench::add_relaxation_cuda();
  bench::add_transform_cuda();
  bench::add_poisson_cuda();
#endif
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
