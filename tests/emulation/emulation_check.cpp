// SPDX-License-Identifier: Apache-2.0
//
// emulation_check good|overrun|race: runs kernels for a sanitizer to watch. `good` ends with 0 and no report.

#include "kernels.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace {

using namespace heddle::emulation;

bool expect(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "wrong: %s\n", what);
  return holds;
}

bool good() {
  bool holds = true;
  const auto run = [&](const char* order) {
    std::vector<double> g(20 * 19);
    for (std::size_t i = 0; i < g.size(); ++i)
      g[i] = static_cast<double>(i % 17);
    std::vector<double> f(g.size(), -1.0);
    const std::int64_t nx = 18;
    const std::int64_t ny = 17;
    holds &= expect(tiled(f.data() + 21, g.data() + 21, nx, ny, nullptr) == cudaSuccess, order);
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const double* c = g.data() + 21 + x + 20 * y;
        holds &= expect(f[static_cast<std::size_t>(21 + x + 20 * y)] ==
                            0.5 * c[0] + 0.125 * ((c[-1] + c[1]) + (c[-20] + c[20])),
                        "tiled");
      }
    double largest = 0.0;
    holds &= expect(maximum(&largest, g.data(), 300, nullptr) == cudaSuccess, order);
    holds &= expect(largest == 16.0, "maximum");
    std::vector<double> partial(4);
    holds &= expect(warp_sum(partial.data(), g.data(), 300, nullptr) == cudaSuccess, order);
    double sum = 0.0;
    for (std::size_t i = 0; i < 300; ++i)
      sum += g[i];
    holds &= expect(partial[0] + partial[1] + partial[2] + partial[3] == sum, "warp_sum");
    std::vector<std::int64_t> out(70 * collective_results);
    holds &= expect(collectives(out.data(), 70, nullptr) == cudaSuccess, order);
    std::vector<double> data(64);
    try {
      exits_before_barrier(data.data(), 64, nullptr);
      holds &= expect(false, "a fault is reported");
    } catch (const Fault& fault) {
      holds &= expect(fault.kind == Fault::Kind::divergent_barrier, "the fault is the barrier's");
    }
  };
  if (HEDDLE_EMULATION_TSAN != 0)
    run("threads"); // which take what order they like
  else
    in_every_order(run);
  return holds;
}

} // namespace

int main(int argc, char** argv) try {
  const char* const what = argc == 2 ? argv[1] : "";
  std::vector<double> data(64, 1.0);
  std::vector<double> out(64);
  if (std::strcmp(what, "good") == 0) return good() ? 0 : 1;
  if (std::strcmp(what, "overrun") == 0)
    return overruns_shared(out.data(), 16, 16, nullptr) == cudaSuccess ? 0 : 1;
  if (std::strcmp(what, "race") == 0)
    return lacks_barrier(out.data(), data.data(), 64, nullptr) == cudaSuccess ? 0 : 1;
  std::fprintf(stderr, "usage: emulation_check good|overrun|race\n");
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
