// SPDX-License-Identifier: Apache-2.0
// heddle-hybrid [edge [block [porous|terrain]]]: D3Q19 TRT in place (AA) in a box of 2 edge x edge x edge
// cells (128), in blocks of `block` cells a side (64): all dense, all listed, and each the cheaper kind; on
// the device where there is one. porous: one half is free, the other filled with balls. terrain: the air over
// hills that rise to 0.8 edge in a box whose height is the long side, here x. Under mpirun on all ranks,
// transport by transport; ranks take devices in turn.
//
// heddle-hybrid check: each kind, precision and transport gives the bits of one list on the host.
// heddle-hybrid wrong: rank 1 sends what belongs to another exchange; the stamps show it, on devices, too.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "../../benchmarks/median.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/with_cuda.hpp"
#include "hybrid.hpp"
#ifdef HEDDLE_WITH_MPI
#include "heddle/mpi/transport.hpp"
#endif

namespace {

constexpr std::array<bool, 3> around{true, true, true};
constexpr int runs = 5;
constexpr int pairs_a_run = 20;

bool on_device() {
  return heddle::with_cuda && heddle::device_count() > 0;
}

/// The transports that there are, and why the others are not. A program of one rank has one.
std::vector<std::unique_ptr<heddle::Transport>> transports() {
  std::vector<heddle::TransportCandidate> candidates;
#ifdef HEDDLE_WITH_MPI
  candidates = {heddle::mpi::candidate(std::chrono::seconds(20)),
                heddle::mpi::device_candidate(std::chrono::seconds(20)), heddle::mpi::nccl_candidate()};
#endif
  std::vector<std::unique_ptr<heddle::Transport>> result;
  for (const heddle::TransportCandidate& candidate : candidates) {
    if (candidate.fits) result.push_back(candidate.make());
    if (result.empty() || result.front()->rank() == 0)
      std::printf("%s: %s%s\n", candidate.name.c_str(), candidate.fits ? "" : "no, ",
                  candidate.reason.c_str());
  }
  if (result.empty()) result.push_back(heddle::local_candidate().make());
  return result;
}

/// Balls of one size at random places, which leave 0.4 of the upper half of x; all is periodic.
std::vector<std::uint8_t> half_porous(std::int64_t edge) {
  const std::int64_t nx = 2 * edge;
  const std::int64_t radius = std::max<std::int64_t>(3, edge / 16);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(nx * edge * edge), 1);
  std::mt19937_64 random(1);
  const auto place = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::int64_t fluid = edge * edge * edge;
  while (fluid > edge * edge * edge * 2 / 5) {
    const std::int64_t x = edge + radius + place(edge - 2 * radius);
    const std::int64_t y = place(edge);
    const std::int64_t z = place(edge);
    for (std::int64_t k = -radius; k <= radius; ++k) {
      for (std::int64_t j = -radius; j <= radius; ++j) {
        for (std::int64_t i = -radius; i <= radius; ++i) {
          if (i * i + j * j + k * k > radius * radius) continue;
          std::uint8_t& flag = flags[static_cast<std::size_t>(
              x + i + nx * ((y + j + edge) % edge + edge * ((z + k + edge) % edge)))];
          fluid -= flag;
          flag = 0;
        }
      }
    }
  }
  return flags;
}

/// Ground from x = 0 up to hills between 0.2 and 0.8 edge; air above.
std::vector<std::uint8_t> over_hills(std::int64_t edge) {
  const std::int64_t nx = 2 * edge;
  std::vector<std::uint8_t> flags;
  flags.reserve(static_cast<std::size_t>(nx * edge * edge));
  const double turn = 2 * std::numbers::pi / static_cast<double>(edge);
  for (std::int64_t z = 0; z < edge; ++z) {
    for (std::int64_t y = 0; y < edge; ++y) {
      const double u = turn * static_cast<double>(y);
      const double v = turn * static_cast<double>(z);
      const double height = 0.5 + 0.3 * std::sin(2 * u + std::cos(v)) * std::cos(3 * v - std::sin(u));
      const auto ground = static_cast<std::int64_t>(height * static_cast<double>(edge));
      for (std::int64_t x = 0; x < nx; ++x)
        flags.push_back(x < ground ? 0 : 1);
    }
  }
  return flags;
}

struct Kind {
  const char* name;
  heddle::CellCosts costs;
};

/// Of one step of a loop that runs two.
double step_seconds(heddle::TaskGraph& loop) {
  loop.run(10);
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    loop.run(pairs_a_run);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return bench::median(seconds) / (2 * pairs_a_run);
}

template <class T>
void measure(const char* precision, std::int64_t edge, std::int64_t block, const Kind& kind,
             const std::vector<std::uint8_t>& flags,
             const std::vector<std::unique_ptr<heddle::Transport>>& ways) {
  const heddle::Box box{{0, 0, 0}, {2 * edge, edge, edge}};
  const auto parts = static_cast<int>(edge / block);
  const std::array<int, 3> blocks{2 * parts, parts, parts};
  const heddle::FlagReader reader = heddle::flags_in_memory(flags, box, around);
  const heddle::BlockChoice choice = heddle::choose_blocks(box, blocks, reader, kind.costs);
  const heddle::Memory memory = on_device() ? heddle::Memory::device : heddle::Memory::host;
  const int ranks = ways.front()->ranks();
  const int rank = ways.front()->rank();
  const heddle::BlockGrid grid = heddle::BlockGrid::balanced(box, blocks, around, ranks, choice.weights);
  const auto begin = std::chrono::steady_clock::now();
  heddle::HybridField<T> f(grid, choice, reader, lbm_hybrid::links, 19, rank, memory);
  std::int64_t fluid = 0;
  for (const std::int64_t cells : choice.cells)
    fluid += cells;
  if (rank == 0) {
    std::printf("%s %-6s %d of %d blocks are lists, made in %.2f s\n", precision, kind.name, f.report().lists,
                grid.first_block(1),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  for (const std::unique_ptr<heddle::Transport>& way : ways) {
    f.fill(hybrid::start<T>);
    using Kernels = hybrid::Module<T>;
    heddle::HybridSweep<typename Kernels::DenseEven, typename Kernels::ListedEven> even(f, {0, 0.1875, 1.3},
                                                                                        {0, 0.1875, 1.3});
    heddle::HybridSweep<typename Kernels::DenseOdd, typename Kernels::ListedOdd> odd(f, {0, 0.1875, 1.3},
                                                                                     {0, 0.1875, 1.3});
    heddle::HaloExchange before(odd.before(), *way);
    heddle::HaloExchange after(odd.after(), *way);
    heddle::TaskGraph loop({.memory = memory});
    loop.add(even);
    loop.add(f.to_walls());
    loop.add(before);
    loop.add(odd);
    loop.add(f.from_walls());
    loop.add(after);
    const std::clock_t processors = std::clock();
    const double step = step_seconds(loop);
    const double cpu =
        static_cast<double>(std::clock() - processors) / CLOCKS_PER_SEC / (2 * (pairs_a_run * runs + 10));

    heddle::HybridField<T> here(grid, choice, reader, lbm_hybrid::links, 19, rank);
    here.copy_from(f);
    const double sum = heddle::reduction_over_ranks<double>(
        grid, heddle::ReductionKind::sum,
        [&](int b, std::int64_t y, std::int64_t z, std::span<double> row) {
          here.read_row(b, y, z, 7, row, 0.0);
        },
        *way)();
    // What is left without exchanges, and without what bounces back in dense blocks; the values mean nothing
    // then.
    heddle::TaskGraph with_walls({.memory = memory});
    with_walls.add(even);
    with_walls.add(f.to_walls());
    with_walls.add(odd);
    with_walls.add(f.from_walls());
    heddle::TaskGraph kernels({.memory = memory});
    kernels.add(even);
    kernels.add(odd);
    const double walled = step_seconds(with_walls);
    const double bare = step_seconds(kernels);
    if (rank == 0) {
      std::printf(
          "%s %-6s %-10s %d ranks: %.1f us a step (kernels alone %.1f, walls %.1f, exchange %.1f), %.1f of "
          "processors, %.1f MLUPS of %lld fluid cells, %zu B sent, sum %.17g\n",
          precision, kind.name, std::string(way->name()).c_str(), ranks, 1e6 * step, 1e6 * bare,
          1e6 * (walled - bare), 1e6 * (step - walled), 1e6 * cpu, static_cast<double>(fluid) / step / 1e6,
          static_cast<long long>(fluid), before.sent_bytes(), sum);
      std::fflush(stdout);
    }
  }
}

void report(std::int64_t edge, std::int64_t block, const std::string& medium,
            const std::vector<std::unique_ptr<heddle::Transport>>& ways) {
  const std::vector<std::uint8_t> flags = medium == "terrain" ? over_hills(edge) : half_porous(edge);
  if (ways.front()->rank() == 0) {
    std::printf("%s, %lld x %lld x %lld cells in blocks of %lld^3\n", medium.c_str(),
                static_cast<long long>(2 * edge), static_cast<long long>(edge), static_cast<long long>(edge),
                static_cast<long long>(block));
  }
  for (const Kind& kind :
       {Kind{"dense", hybrid::all_dense}, Kind{"listed", hybrid::all_listed}, Kind{"hybrid", {}}}) {
    measure<float>("f32", edge, block, kind, flags, ways);
    measure<std::uint16_t>("f16", edge, block, kind, flags, ways);
  }
}

template <class T> int check(const char* precision, heddle::Transport& way) {
  const hybrid::OneList<T> expected;
  int status = 0;
  for (const heddle::CellCosts& costs : {hybrid::mixed, hybrid::all_listed, hybrid::all_dense}) {
    const hybrid::Outcome outcome =
        hybrid::compare(expected, way,
                        {.blocks = {4, 4, 2},
                         .costs = costs,
                         .memory = on_device() ? heddle::Memory::device : heddle::Memory::host});
    std::printf("%s %s, rank %d, %d dense and %d listed blocks: %lld of %lld values differ\n", precision,
                std::string(way.name()).c_str(), way.rank(), outcome.dense, outcome.listed,
                static_cast<long long>(outcome.different), static_cast<long long>(outcome.compared));
    if (outcome.different != 0) status = 1;
  }
  return status;
}

/// Says what the stamps of a message of another exchange show.
int wrong(heddle::Transport& way) {
  const std::vector<std::uint8_t> flags = hybrid::flags();
  const heddle::FlagReader reader = heddle::flags_in_memory(flags, hybrid::domain, hybrid::periodic);
  const heddle::BlockChoice choice =
      heddle::choose_blocks(hybrid::domain, {2, 1, 1}, reader, hybrid::all_dense);
  const heddle::BlockGrid grid =
      heddle::BlockGrid::balanced(hybrid::domain, {2, 1, 1}, hybrid::periodic, way.ranks(), choice.weights);
  heddle::HybridField<float> f(grid, choice, reader, lbm_hybrid::links, 19, way.rank(),
                               on_device() ? heddle::Memory::device : heddle::Memory::host);
  using Kernels = hybrid::Module<float>;
  const heddle::HybridSweep<typename Kernels::DenseOdd, typename Kernels::ListedOdd> odd(
      f, {.g_x = 0, .magic = 0.1875, .omega = 1.3}, {.g_x = 0, .magic = 0.1875, .omega = 1.3});
  heddle::HaloExchange halo(way.rank() == 1 ? odd.after() : odd.before(), way,
                            {.stamps = heddle::Stamps::checksums});
  heddle::Stream stream(on_device() ? heddle::Memory::device : heddle::Memory::host);
  try {
    halo(stream);
    stream.synchronise();
    halo.verify();
  } catch (const heddle::Error& error) {
    std::printf("%s, rank %d: %s\n", std::string(way.name()).c_str(), way.rank(), error.what());
    return 0;
  }
  return 1;
}

int run(int count, char** arguments) {
  int place = 0;
  if (const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK")) place = std::atoi(local);
  std::unique_ptr<heddle::DeviceScope> device;
  if (on_device()) device = std::make_unique<heddle::DeviceScope>(place % heddle::device_count());
  const std::vector<std::unique_ptr<heddle::Transport>> ways = transports();
  const std::string word = count > 1 ? arguments[1] : "128";
  int status = 0;
  if (word == "check") {
    for (const std::unique_ptr<heddle::Transport>& way : ways)
      status |= check<double>("f64", *way) | check<float>("f32", *way) | check<std::uint16_t>("f16", *way);
  } else if (word == "wrong") {
    for (const std::unique_ptr<heddle::Transport>& way : ways)
      status |= wrong(*way);
  } else {
    const std::int64_t edge = std::stoll(word);
    const std::int64_t block = count > 2 ? std::atoll(arguments[2]) : 64;
    const std::string medium = count > 3 ? arguments[3] : "porous";
    if (block < 1 || edge < block || (medium != "porous" && medium != "terrain")) {
      throw heddle::Error("command line", "'" + word + " ...' is no edge, block and medium",
                          "heddle-hybrid [EDGE [BLOCK [porous|terrain]]], with BLOCK <= EDGE");
    }
    report(edge, block, medium, ways);
  }
  return status;
}

} // namespace

int main(int count, char** arguments) {
#ifdef HEDDLE_WITH_MPI
  const heddle::mpi::Session session(count, arguments);
#endif
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-hybrid: %s\n", error.what());
    std::abort(); // other ranks would wait
  }
}
