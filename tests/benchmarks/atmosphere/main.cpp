// SPDX-License-Identifier: Apache-2.0
// heddle-atmosphere: kernels of atmospheric models, each beside the limit that its memory traffic sets.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "atmosphere/rows.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"

std::array<std::int64_t, 3> atmosphere::cells(const std::array<std::int64_t, 3>& otherwise) {
  const char* text = std::getenv("HEDDLE_BENCH_CELLS");
  if (text == nullptr) return otherwise;
  std::array<long long, 3> n{};
  if (std::sscanf(text, "%lldx%lldx%lld", &n[0], &n[1], &n[2]) != 3 || n[0] < 1 || n[1] < 1 || n[2] < 1) {
    throw heddle::Error("HEDDLE_BENCH_CELLS", std::string("'") + text + "' is not a number of cells",
                        "write it as 425x300x35");
  }
  return {n[0], n[1], n[2]};
}

int main(int argc, char** argv) try {
  const heddle::Environment environment;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  atmosphere::add_advection();
  atmosphere::add_cloudsc();
  atmosphere::add_longwave();
  atmosphere::add_microphysics();
  atmosphere::add_nesting();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
} catch (const heddle::Error& error) {
  std::fprintf(stderr, "heddle-atmosphere: %s\n", error.what());
  return 1;
}
