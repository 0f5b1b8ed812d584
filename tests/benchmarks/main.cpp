// SPDX-License-Identifier: Apache-2.0
// heddle-bench: every kernel beside the limit that its memory traffic sets. JSON: --benchmark_format=json.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/with_cuda.hpp"
#include "measure.hpp"

std::int64_t bench::edge(std::int64_t otherwise) {
  const char* text = std::getenv("HEDDLE_BENCH_EDGE");
  const std::int64_t value = text != nullptr ? std::atoll(text) : 0;
  return value > 0 ? value : otherwise;
}

namespace {

/// HEDDLE_BENCH_FETCH: 32, 64 or 128 bytes for all kernels on a device, instead of what each asks for.
int fetch_bytes() {
  const char* text = std::getenv("HEDDLE_BENCH_FETCH");
  return text == nullptr ? 0 : std::max(1, std::atoi(text)); // what is no number is refused as 1
}

} // namespace

int main(int argc, char** argv) try {
  const heddle::Environment environment({.fetch_bytes = fetch_bytes()});
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
} catch (const heddle::Error& error) {
  std::fprintf(stderr, "heddle-bench: %s\n", error.what());
  return 1;
}
