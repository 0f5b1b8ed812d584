// SPDX-License-Identifier: Apache-2.0
// Projection around cities, for the report: iterations to three tolerances and what PALM's single solve
// leaves, and the time of a large one. Not a test: projection_report table | city|box|slabs NX NY NZ
// [device].
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../benchmarks/median.hpp"
#include "city.hpp"
#include "flow.hpp"
#include "heddle/poisson/slab_poisson.hpp"
#include "heddle/projection/masked_projection.hpp"
#include "heddle/projection/projection.hpp"
#include "heddle/projection/rank_values.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::Memory;
using heddle::SideKind;
using heddle::StaggeredGrid;
using test::City;
using test::Flow;

StaggeredGrid street_grid(const std::array<std::int64_t, 3>& cells) {
  constexpr SideKind round_trip = SideKind::periodic;
  constexpr SideKind wall = SideKind::no_slip;
  return test::make_grid(cells, {round_trip, round_trip, wall}, {round_trip, round_trip, wall});
}

template <class T> void set(Flow<T>& flow, bool wind) {
  if (!wind) {
    flow.fill_with_noise();
    return;
  }
  flow[0].fill(T(1));
  flow[1].fill(T(0));
  flow[2].fill(T(0));
}

/// Double precision, 128 x 128 x 64.
void table() {
  const StaggeredGrid grid = street_grid({128, 128, 64});
  std::printf("128 x 128 x 64, f64: iterations to 1e-3 / 1e-6 / 1e-10; sum |div| left by 1 / 2 / 4 / 8 "
              "single solves\n");
  for (const auto& [name, city] :
       {std::pair{"flat", City{}}, std::pair{"density 0.25", City{4, 4, 32}},
        std::pair{"density 0.56", City{6, 4, 32}}, std::pair{"6 of 8, high", City{6, 32, 48}}}) {
    for (const bool wind : {false, true}) {
      if (city.edge == 0 && wind) continue; // free of divergence already
      std::printf("%-13s %-9s", name, wind ? "impinging" : "noise");
      for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
        heddle::MaskedProjection<double> projection(grid, city.solid(grid.cells), Memory::host,
                                                    {.tolerance = tolerance, .warm_start = false});
        Flow<double> flow(grid);
        set(flow, wind);
        std::printf(" %3d", static_cast<int>(projection(flow.velocity(), 1).cycles));
      }
      heddle::MaskedProjection<double> projection(grid, city.solid(grid.cells), Memory::host,
                                                  {.tolerance = 1e30});
      Flow<double> flow(grid);
      set(flow, wind);
      projection(flow.velocity(), 1); // closes the faces and nothing else
      const double before = projection.norms(flow.velocity()).total;
      std::printf("  ");
      for (int i = 1; i <= 8; ++i) {
        projection.project_once(flow.velocity());
        if ((i & (i - 1)) == 0) std::printf(" %.2g", projection.norms(flow.velocity()).total / before);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
}

/// Single precision, to 1e-6.
void city(const std::array<std::int64_t, 3>& cells, Memory memory) {
  using Clock = std::chrono::steady_clock;
  const StaggeredGrid grid = street_grid(cells);
  const auto high = static_cast<std::int64_t>(cells[2] / 4);
  for (const bool wind : {false, true}) {
    heddle::MaskedProjection<float> projection(grid, City{6, 4, high}.solid(grid.cells), memory,
                                               {.warm_start = false});
    heddle::Stream stream(memory);
    Flow<float> flow(grid, memory);
    const int runs = memory == Memory::device ? 2 : 1; // on a device the first warms up
    for (int run = 1; run <= runs; ++run) {
      set(flow, wind);
      const auto start = Clock::now();
      const heddle::Solution solution = projection(flow.velocity(), 1, stream);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (run < runs) continue;
      std::printf("%d x %d x %d f32, %s, %s: %s, %.3f ms, %.3f ms an iteration; largest div %.2e, sum %.3e\n",
                  static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2]),
                  wind ? "impinging" : "noise", to_string(memory), to_string(solution).c_str(), 1e3 * seconds,
                  1e3 * seconds / static_cast<double>(solution.cycles),
                  projection.norms(flow.velocity(), stream).largest,
                  projection.norms(flow.velocity(), stream).total);
    }
  }
}

/// The whole projection of a box: the same on host and device but for rounding, and its time on the device.
template <class T> void box(const std::array<std::int64_t, 3>& cells, Memory memory) {
  using Clock = std::chrono::steady_clock;
  const StaggeredGrid grid = street_grid(cells);
  heddle::Projection<T> projection(grid, memory);
  heddle::Stream stream(memory);
  Flow<T> flow(grid, memory);
  flow.fill_with_noise();
  projection(flow.velocity(), 1, stream);
  stream.synchronise();
  std::string difference = "not compared";
  if (memory == Memory::device) {
    heddle::Projection<T> on_host(grid);
    Flow<T> expected(grid);
    expected.fill_with_noise();
    on_host(expected.velocity(), 1);
    difference = std::to_string(test::difference(flow, expected) /
                                static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
  std::vector<double> times;
  for (int run = 0; run < 21; ++run) {
    const auto start = Clock::now();
    projection(flow.velocity(), 1, stream);
    stream.synchronise();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::printf("%d x %d x %d f%d projection, %s: %.3f ms; differs from the host by %s eps, largest div %.2e\n",
              static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2]),
              static_cast<int>(8 * sizeof(T)), to_string(memory), 1e3 * bench::median(times),
              difference.c_str(), projection.operators().norms(flow.velocity(), stream).largest);
}

/// One solve of a box, 512 x 512 x 128 say, whose levels lie on 1, 2, 4 and 8 ranks of this process.
template <class T> void slabs(const std::array<std::int64_t, 3>& cells, Memory memory) {
  using Clock = std::chrono::steady_clock;
  const heddle::PoissonProblem problem = heddle::pressure_problem(street_grid(cells));
  for (const int ranks : {1, 2, 4, 8}) {
    for (const heddle::SlabMethod method :
         {heddle::SlabMethod::partitioned, heddle::SlabMethod::transposed}) {
      if (ranks == 1 && method == heddle::SlabMethod::transposed) continue; // the same
      std::vector<double> times;
      std::int64_t sent = 0;
      heddle::ThreadGroup network(ranks);
      network.run([&](heddle::Transport& transport) {
        heddle::SlabPoisson<T> solver(problem, transport, memory, nullptr, method);
        std::vector<T> values;
        for (std::int64_t i = 0; i < solver.size(); ++i)
          values.push_back(static_cast<T>(test::noise(i)));
        heddle::Buffer<T> field(std::span<const T>(values), memory);
        heddle::RankValues meet(transport);
        heddle::Stream stream(memory);
        for (int run = 0; run < 12; ++run) {
          (void)meet.sum(0);
          const auto start = Clock::now();
          solver.solve(field.data(), stream);
          stream.synchronise();
          const double longest = meet.largest(std::chrono::duration<double>(Clock::now() - start).count());
          if (transport.rank() == 0 && run > 0) times.push_back(longest);
        }
        if (transport.rank() == 0) sent = solver.sent_bytes();
      });
      std::printf("%d x %d x %d f%d solve, %s, %d ranks, %s: %.3f ms, %.2f MB sent by a rank\n",
                  static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2]),
                  static_cast<int>(8 * sizeof(T)), to_string(memory), ranks,
                  method == heddle::SlabMethod::partitioned ? "partitioned" : "transposed",
                  1e3 * bench::median(times), 1e-6 * static_cast<double>(sent));
    }
  }
}

} // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::strcmp(arguments[1], "table") == 0) {
      table();
      return 0;
    }
    if ((count == 5 || count == 6) &&
        (std::strcmp(arguments[1], "city") == 0 || std::strcmp(arguments[1], "box") == 0 ||
         std::strcmp(arguments[1], "slabs") == 0)) {
      const std::array<std::int64_t, 3> cells{std::stoll(arguments[2]), std::stoll(arguments[3]),
                                              std::stoll(arguments[4])};
      const Memory memory = count == 6 ? Memory::device : Memory::host;
      if (std::strcmp(arguments[1], "city") == 0) {
        city(cells, memory);
      } else if (std::strcmp(arguments[1], "slabs") == 0) {
        slabs<float>(cells, memory);
        slabs<double>(cells, memory);
      } else {
        box<float>(cells, memory);
        box<double>(cells, memory);
      }
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  std::fprintf(stderr, "usage: projection_report table | city|box|slabs NX NY NZ [device]\n");
  return 2;
}
