// SPDX-License-Identifier: Apache-2.0
//
// The kernels here are the same text that nvcc compiles. Each is compared, bit for bit, with plain loops.

#include "kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace heddle::emulation;

std::vector<double> random_numbers(std::size_t count) {
  std::mt19937_64 generator(42);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> numbers(count);
  for (double& number : numbers)
    number = uniform(generator);
  return numbers;
}

template <class T> std::vector<std::uint64_t> bits(const std::vector<T>& numbers) {
  std::vector<std::uint64_t> result;
  for (const T number : numbers) {
    if constexpr (sizeof(T) == 8)
      result.push_back(std::bit_cast<std::uint64_t>(number));
    else
      result.push_back(std::bit_cast<std::uint32_t>(number));
  }
  return result;
}

/// Runs in the mode and order from outside if the environment names one, else in each order in turn. Threads
/// run in no order of ours.
void in_the_orders(const std::function<void(const char*)>& body) {
  const bool chosen = HEDDLE_EMULATION_TSAN != 0 || std::getenv("HEDDLE_EMULATION_MODE") != nullptr ||
                      std::getenv("HEDDLE_EMULATION_ORDER") != nullptr;
  if (chosen)
    body("from the environment");
  else
    in_every_order(body);
}

std::vector<std::int64_t> sizes(unsigned block, std::int64_t prime) {
  const auto b = static_cast<std::int64_t>(block);
  return {1, 2, b - 1, b, b + 1, prime};
}

template <class T> void check_jacobi(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  const std::int64_t row = nx + 2;
  const std::int64_t plane = row * (ny + 2);
  const std::int64_t first = 1 + row + plane;
  const auto cells = static_cast<std::size_t>(plane * (nz + 2));
  const std::vector<double> numbers = random_numbers(cells);
  const std::vector<T> g(numbers.begin(), numbers.end());
  std::vector<T> expected(cells, T(-7));
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const T* c = g.data() + first + x + row * y + plane * z;
        expected[static_cast<std::size_t>(c - g.data())] =
            std::fma(T(0.1), c[-1] + c[1] + (c[-row] + c[row]) + (c[-plane] + c[plane]), T(0.4) * c[0]);
      }
  in_the_orders([&](const char* order) {
    std::vector<T> f(cells, T(-7));
    ASSERT_EQ(jacobi(f.data() + first, g.data() + first, nx, ny, nz, nullptr), cudaSuccess);
    EXPECT_EQ(bits(f), bits(expected)) << nx << " x " << ny << " x " << nz << ", " << order;
  });
}

/// What a launcher of kernels that set a number to 1 returns for so many cells, and the number.
std::pair<int, int> launched(int (*launcher)(int*, std::int64_t, std::int64_t, std::int64_t), std::int64_t x,
                             std::int64_t y, std::int64_t z) {
  int ran = 0;
  const int status = launcher(&ran, x, y, z);
  return {status, ran};
}
constexpr std::pair runs(0, 1), refused(-2, 0);

/// A launch has 65535 blocks along y and z at most: more are refused before anything runs.
TEST(Kernels, MoreBlocksThanALaunchHas) {
  constexpr std::int64_t most = 65535;
  EXPECT_EQ(launched(mark, 1, 16, 4), runs);
  EXPECT_EQ(launched(mark, 1, 16 * most + 1, 1), refused);
  EXPECT_EQ(launched(mark, 1, 1, 4 * most + 1), refused);
  EXPECT_EQ(launched(mark, std::int64_t{1} << 31, 1, 1), refused);
  EXPECT_EQ(launched(mark, (std::int64_t{1} << 32) + 1, 1, 1), refused); // not one block
}

TEST(Kernels, MoreBlocksOfWarpsThanALaunchHas) {
  EXPECT_EQ(launched(mark_by_warps, 9, 2, 1), runs);
  EXPECT_EQ(launched(mark_by_warps, 1, 65536, 1), refused);
  EXPECT_EQ(launched(mark_by_warps, 1, 1, 65536), refused);
  EXPECT_EQ(launched(mark_by_warps, 1, (std::int64_t{1} << 32) + 1, 1), refused); // not one block
  EXPECT_EQ(launched(mark_by_warps, std::int64_t{1} << 34, 1, 1), refused);
}

TEST(Kernels, JacobiEqualsLoops) {
  for (const std::int64_t nx : sizes(jacobi_block.x, 13))
    for (const std::int64_t ny : sizes(jacobi_block.y, 7)) {
      check_jacobi<double>(nx, ny, 3);
      check_jacobi<float>(nx, ny, 2);
    }
  for (const std::int64_t nz : sizes(jacobi_block.z, 5))
    check_jacobi<double>(5, 3, nz);
}

TEST(Kernels, TiledStencilEqualsLoops) {
  for (const std::int64_t nx : sizes(tile_x, 37))
    for (const std::int64_t ny : sizes(tile_y, 19)) {
      const std::int64_t row = nx + 2;
      const auto cells = static_cast<std::size_t>(row * (ny + 2));
      const std::vector<double> g = random_numbers(cells);
      std::vector<double> expected(cells, -7.0);
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) {
          const double* c = g.data() + row + 1 + x + row * y;
          expected[static_cast<std::size_t>(c - g.data())] =
              0.5 * c[0] + 0.125 * ((c[-1] + c[1]) + (c[-row] + c[row]));
        }
      in_the_orders([&](const char* order) {
        std::vector<double> f(cells, -7.0);
        ASSERT_EQ(tiled(f.data() + row + 1, g.data() + row + 1, nx, ny, nullptr), cudaSuccess);
        EXPECT_EQ(bits(f), bits(expected)) << nx << " x " << ny << ", " << order;
      });
    }
}

TEST(Kernels, MaximumEqualsLoop) {
  for (const std::int64_t count : sizes(maximum_block, 613)) {
    const std::vector<double> g = random_numbers(static_cast<std::size_t>(count));
    double expected = 0.0;
    for (const double number : g)
      expected = std::max(expected, std::abs(number));
    in_the_orders([&](const char* order) {
      double result = 0.0;
      ASSERT_EQ(maximum(&result, g.data(), count, nullptr), cudaSuccess);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(result), std::bit_cast<std::uint64_t>(expected))
          << count << ", " << order;
    });
  }
}

/// The tree of __shfl_down_sync, written out.
double sum_tree(std::array<double, 32> values) {
  for (std::size_t delta = 16; delta > 0; delta /= 2) {
    const auto old = values;
    for (std::size_t lane = 0; lane + delta < 32; ++lane)
      values[lane] = old[lane] + old[lane + delta];
  }
  return values[0];
}

TEST(Kernels, WarpSumEqualsItsTree) {
  for (const std::int64_t count : sizes(sum_block, 613)) {
    const auto n = static_cast<std::size_t>(count);
    const std::vector<double> g = random_numbers(n);
    std::vector<double> expected((n + sum_block - 1) / sum_block);
    for (std::size_t b = 0; b < expected.size(); ++b) {
      std::array<double, 32> warps{};
      for (std::size_t w = 0; w < sum_block / 32; ++w) {
        std::array<double, 32> lanes{};
        for (std::size_t lane = 0; lane < 32; ++lane)
          if (const std::size_t i = b * sum_block + w * 32 + lane; i < n) lanes[lane] = g[i];
        warps[w] = sum_tree(lanes);
      }
      expected[b] = sum_tree(warps);
    }
    in_the_orders([&](const char* order) {
      std::vector<double> partial(expected.size());
      ASSERT_EQ(warp_sum(partial.data(), g.data(), count, nullptr), cudaSuccess);
      EXPECT_EQ(bits(partial), bits(expected)) << count << ", " << order;
    });
  }
}

TEST(Kernels, EachThreadOfEachBlockRunsOnce) {
  in_the_orders([&](const char* order) {
    std::vector<int> count(3 * 5 * 2 * 7 * 4 * 2);
    ASSERT_EQ(coordinates(count.data(), dim3(3, 2, 4), dim3(5, 7, 2), nullptr), cudaSuccess);
    EXPECT_EQ(std::count(count.begin(), count.end(), 1), static_cast<std::ptrdiff_t>(count.size())) << order;
  });
}

TEST(Collectives, ShufflesAndVotesAreCudas) {
  for (const unsigned threads : {1u, 2u, 31u, 32u, 33u, 61u, 64u})
    in_the_orders([&](const char* order) {
      std::vector<std::int64_t> out(threads * collective_results);
      ASSERT_EQ(collectives(out.data(), threads, nullptr), cudaSuccess);
      for (unsigned t = 0; t < threads; ++t) {
        const unsigned lane = t % 32u;
        const unsigned base = t - lane;
        const unsigned there = std::min(threads - base, 32u);
        // Lane `source` of the warp, or ones where no such thread is.
        const auto of = [&](unsigned source, std::int64_t absent = -1) {
          return source < there ? std::int64_t{base} + source : absent;
        };
        std::int64_t ballot = 0;
        for (unsigned l = 0; l < there; l += 3)
          ballot |= std::int64_t{1} << l;
        const unsigned segment8 = lane / 8u * 8u;
        const std::array<std::int64_t, collective_results> expected{
            of(3),
            of(segment8 + 5),
            of(lane == 0 ? 0 : lane - 1),
            of(lane % 4 < 3 ? lane : lane - 3),
            of(lane + 2 < 32 ? lane + 2 : lane),
            of(lane % 2 == 0 ? lane + 1 : lane),
            of(lane ^ 1u),
            of((lane ^ 5u) / 4u <= lane / 4u ? lane ^ 5u : lane),
            ballot,
            base == 0 && threads > 2 ? 1 : 0,
            base + there <= 40 ? 1 : 0,
            static_cast<std::int64_t>(1.5 * t),
            there > 2 ? (std::int64_t{base} + 2) << 40 : -1,
            lane < 4    ? of(lane ^ 1u)
            : lane == 4 ? -1 // its mask does not name the one that it reads
                        : of(lane - 1),
            of(lane)};
        for (unsigned r = 0; r < collective_results; ++r)
          EXPECT_EQ(out[t * collective_results + r], expected[r])
              << "result " << r << ", thread " << t << " of " << threads << ", " << order;
      }
    });
}

TEST(Collectives, AWaitingWarpDoesNotHoldUpASmallerGroup) {
  Warp warp;
  warp.reset(32);
  const Place wide{"a.cu", "kernel", 1};
  const Place narrow{"a.cu", "kernel", 2};
  for (unsigned lane = 0; lane < 4; ++lane)
    warp.arrive(lane, {WarpOperation::sync, 0xffffffffu, 0, 0, wide});
  for (unsigned lane = 4; lane < 32; ++lane)
    warp.arrive(lane, {WarpOperation::sync, 0xfffffff0u, 0, 0, narrow});
  EXPECT_EQ(warp.complete(), 0xfffffff0u);
  EXPECT_EQ(warp.complete(), 0u);
  for (unsigned lane = 4; lane < 32; ++lane)
    warp.arrive(lane, {WarpOperation::sync, 0xffffffffu, 0, 0, wide});
  EXPECT_EQ(warp.complete(), 0xffffffffu);
}

TEST(Collectives, BlockVotes) {
  for (const unsigned threads : {1u, 33u, 128u})
    for (const int odd : {0, 1, 2}) // none, all, every third
      in_the_orders([&](const char* order) {
        std::vector<int> in(threads);
        int count = 0;
        for (unsigned t = 0; t < threads; ++t) {
          in[t] = odd == 2 ? (t % 3u == 0u ? 1 : 0) : odd;
          count += in[t];
        }
        std::vector<int> out(3 * threads);
        ASSERT_EQ(block_votes(out.data(), in.data(), threads, nullptr), cudaSuccess);
        for (unsigned t = 0; t < threads; ++t) {
          EXPECT_EQ(out[3 * t], count) << order;
          EXPECT_EQ(out[3 * t + 1], count == static_cast<int>(threads) ? 1 : 0) << order;
          EXPECT_EQ(out[3 * t + 2], count > 0 ? 1 : 0) << order;
        }
      });
}

TEST(Collectives, AtomicsLoseNothing) {
  in_the_orders([&](const char* order) {
    int i = 0, largest = 0, smallest = 0;
    unsigned u = 0;
    unsigned long long ull = 0;
    float f = 0.0f;
    double d = 0.0;
    ASSERT_EQ(atomics({&i, &u, &ull, &f, &d, &largest, &smallest}, 5, nullptr), cudaSuccess);
    const int sum = 320 * 321 / 2;
    EXPECT_EQ(i, sum) << order;
    EXPECT_EQ(u, static_cast<unsigned>(sum));
    EXPECT_EQ(ull, static_cast<unsigned long long>(sum));
    EXPECT_EQ(f, static_cast<float>(sum)); // exact: below 2^24
    EXPECT_EQ(d, static_cast<double>(sum));
    EXPECT_EQ(largest, 320);
    EXPECT_EQ(smallest, -320);
  });
}

/// Runs `body`, which must end in a fault of this kind that names the kernel and a thread of its block.
template <class Body>
void expect_fault(Fault::Kind kind, const std::string& kernel, const std::string& text, Body body) {
  try {
    body();
    ADD_FAILURE() << kernel << " ended without a fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind, kind) << fault.what();
    EXPECT_EQ(fault.kernel, kernel);
    EXPECT_GT(fault.line, 0);
    for (const std::string& part : {kernel, text, std::string("faults.cu:"), std::string("block (")})
      EXPECT_NE(std::string(fault.what()).find(part), std::string::npos) << part << " in " << fault.what();
    EXPECT_EQ(last_report(), fault.what());
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
}

TEST(Faults, ThreadsThatExitedMissABarrier) {
  std::vector<double> data(100);
  in_the_orders([&](const char*) {
    expect_fault(Fault::Kind::divergent_barrier, "exits_before_barrier_kernel", "3 threads have exited",
                 [&] { exits_before_barrier(data.data(), 100, nullptr); });
  });
}

TEST(Faults, BarriersAtTwoLines) {
  std::vector<double> data(64);
  in_the_orders([&](const char*) {
    expect_fault(Fault::Kind::divergent_barrier, "barriers_at_two_lines_kernel",
                 "64 of 64 threads wait, but thread",
                 [&] { barriers_at_two_lines(data.data(), 64, nullptr); });
  });
}

TEST(Faults, LanesThatDoNotCome) {
  std::vector<int> out(64);
  const ScopedSettings scope;
  settings().patience = 0.3;
  expect_fault(Fault::Kind::deadlock, "waits_for_other_lanes_kernel", "deadlock",
               [&] { waits_for_other_lanes(out.data(), 64, nullptr); });
}

TEST(Faults, MaskThatDoesNotNameItsCaller) {
  std::vector<int> out(64);
  expect_fault(Fault::Kind::bad_argument, "mask_without_caller_kernel", "mask",
               [&] { mask_without_caller(out.data(), 64, nullptr); });
}

TEST(Faults, ShuffleWidth) {
  std::vector<int> out(64);
  expect_fault(Fault::Kind::bad_argument, "bad_shuffle_width_kernel", "not 12",
               [&] { bad_shuffle_width(out.data(), 64, nullptr); });
}

TEST(Faults, Trap) {
  std::vector<int> out(64);
  expect_fault(Fault::Kind::trap, "traps_kernel", "thread (5,0,0)", [&] { traps(out.data(), 64, nullptr); });
}

TEST(Faults, AGoodKernelRunsAfterAFault) {
  std::vector<double> data(300, 1.0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(exits_before_barrier(data.data(), 128, nullptr), Fault);
    double result = 0.0;
    EXPECT_EQ(maximum(&result, random_numbers(300).data(), 300, nullptr), cudaSuccess);
    EXPECT_GT(result, 0.9);
  }
}

TEST(Faults, AnErrorCodeWhereAsked) {
  const ScopedSettings scope;
  set_on_fault(OnFault::returns);
  std::vector<double> data(64);
  EXPECT_EQ(exits_before_barrier(data.data(), 64, nullptr), cudaErrorLaunchFailure);
  EXPECT_NE(last_report().find("divergent __syncthreads"), std::string::npos) << last_report();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
}

TEST(Orders, ShowAMissingBarrier) {
  const ScopedSettings scope;
  set_mode(Mode::fibers);
  const std::vector<double> in = random_numbers(64);
  std::set<std::vector<std::uint64_t>> results;
  in_every_order([&](const char*) {
    std::vector<double> out(64);
    ASSERT_EQ(lacks_barrier(out.data(), in.data(), 64, nullptr), cudaSuccess);
    results.insert(bits(out));
  });
  EXPECT_GT(results.size(), 1u);
}

TEST(Orders, ShowBlocksThatDependOnEachOther) {
  const ScopedSettings scope;
  set_mode(Mode::fibers);
  std::set<std::vector<std::uint64_t>> results;
  in_every_order([&](const char*) {
    std::vector<double> data = random_numbers(4 * 32 + 2);
    ASSERT_EQ(updates_in_place(data.data(), 4, 32, nullptr), cudaSuccess);
    results.insert(bits(data));
  });
  EXPECT_EQ(results.size(), 4u);
}

TEST(Orders, HoldForBlocksAndThreads) {
  const ScopedSettings scope;
  set_mode(Mode::fibers);
  const auto turns_in = [](Order order) {
    set_order(order);
    std::vector<int> turns(3 * 4);
    int next = 0;
    EXPECT_EQ(writes_its_turn(turns.data(), &next, 3, 4, nullptr), cudaSuccess);
    return turns;
  };
  EXPECT_EQ(turns_in(Order::forward), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(turns_in(Order::reverse), (std::vector<int>{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  std::vector<int> random = turns_in(Order::random);
  EXPECT_NE(random, turns_in(Order::forward));
  EXPECT_NE(random, turns_in(Order::reverse));
  for (std::size_t block = 0; block < 3; ++block) { // blocks do not mix
    const auto turns =
        std::minmax({random[4 * block], random[4 * block + 1], random[4 * block + 2], random[4 * block + 3]});
    EXPECT_EQ(turns.second - turns.first, 3);
  }
}

TEST(Orders, ArePermutationsAndRepeat) {
  for (const Order order : {Order::forward, Order::reverse, Order::random}) {
    Settings s;
    s.order = order;
    std::vector<int> a(101), sorted(101);
    for (int i = 0; i < 101; ++i)
      a[static_cast<std::size_t>(i)] = sorted[static_cast<std::size_t>(i)] = i;
    std::vector<int> b = a, c = a;
    arrange(a, s, 1);
    arrange(b, s, 1);
    arrange(c, s, 2);
    EXPECT_EQ(a, b);
    EXPECT_EQ(a == sorted, order == Order::forward);
    EXPECT_EQ(a == c, order != Order::random);
    std::sort(a.begin(), a.end());
    EXPECT_EQ(a, sorted);
  }
}

#if !HEDDLE_EMULATION_ASAN // there, red zones take the place of the filling
TEST(SharedMemory, HoldsNothingFromTheBlockBefore) {
  std::vector<double> out(3 * 8);
  ASSERT_EQ(reads_unset_shared(out.data(), 3, 8, nullptr), cudaSuccess);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(std::isnan(out[i]), i >= 8) << i;
}
#endif

TEST(Modes, LoopsRefuseABarrier) {
  const ScopedSettings scope;
  set_mode(Mode::loops);
  std::vector<double> f(5 * 5 * 5), g(5 * 5 * 5, 1.0);
  EXPECT_EQ(jacobi(f.data() + 31, g.data() + 31, 3, 3, 3, nullptr), cudaSuccess);
  EXPECT_EQ(f[31], 1.0);
  double result = 0.0;
  try {
    maximum(&result, g.data(), 10, nullptr);
    ADD_FAILURE();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind, Fault::Kind::barrier_in_loops);
    EXPECT_NE(std::string(fault.what()).find("maximum.cu:"), std::string::npos) << fault.what();
  }
}

TEST(Modes, ThreadsEqualFibers) {
  const ScopedSettings scope;
  const std::vector<double> g = random_numbers(200);
  std::vector<double> fibers(3), threads(3);
  set_mode(Mode::fibers);
  ASSERT_EQ(warp_sum(fibers.data(), g.data(), 200, nullptr), cudaSuccess);
  set_mode(Mode::threads);
  ASSERT_EQ(warp_sum(threads.data(), g.data(), 200, nullptr), cudaSuccess);
  EXPECT_EQ(bits(threads), bits(fibers));
}

cudaError_t launch_with(dim3 grid, dim3 block, std::size_t shared = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  int out = 0;
  cudaGetLastError();
  const cudaError_t error = launches_with(&out, config);
  EXPECT_EQ(out, error == cudaSuccess ? 1 : 0);
  EXPECT_EQ(cudaGetLastError(), error);
  return error;
}

TEST(Launches, BeyondTheLimitsAreRefused) {
  const ScopedSettings scope;
  set_mode(Mode::fibers);
  EXPECT_EQ(launch_with(dim3(1), dim3(1024)), cudaSuccess);
  EXPECT_EQ(launch_with(dim3(1), dim3(16, 1, 64)), cudaSuccess);
  EXPECT_EQ(launch_with(dim3(1, 65535), dim3(1)), cudaSuccess);
  EXPECT_EQ(launch_with(dim3(1), dim3(1), 227 * 1024), cudaSuccess);
  for (const dim3 block :
       {dim3(1025), dim3(32, 33), dim3(1, 1, 65), dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(65536, 65536)}) {
    EXPECT_EQ(launch_with(dim3(1), block), cudaErrorInvalidConfiguration);
    EXPECT_NE(last_report().find("trivial_kernel"), std::string::npos) << last_report();
    EXPECT_NE(last_report().find("the block ("), std::string::npos) << last_report();
  }
  for (const dim3 grid :
       {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1, 65536), dim3(1, 1, 65536), dim3(2147483648u)}) {
    EXPECT_EQ(launch_with(grid, dim3(1)), cudaErrorInvalidConfiguration);
    EXPECT_NE(last_report().find("the grid ("), std::string::npos) << last_report();
  }
  EXPECT_EQ(launch_with(dim3(1), dim3(1), 227 * 1024 + 1), cudaErrorInvalidValue);
}

TEST(Launches, WhatBlocksCannotDoTogetherIsNotSupported) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int out = 0;
  EXPECT_EQ(launches_with(&out, config), cudaErrorNotSupported);
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  EXPECT_EQ(launches_with(&out, config), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST(Launches, AKernelsNameIsItsSourceText) {
  EXPECT_EQ(kernel_name("&config, step, f, g"), "step");
  EXPECT_EQ(kernel_name("&config, &step<double, 3>, f, g"), "step<double, 3>");
  EXPECT_EQ(kernel_name("make(a, b), lbm::step"), "lbm::step");
}

TEST(Launches, AnIntrinsicOutsideAKernelIsAnError) {
  EXPECT_THROW(__syncthreads(), std::logic_error);
}

TEST(Device, MemoryStreamsAndEvents) {
  double* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 8 * sizeof(double)), cudaSuccess);
  EXPECT_TRUE(std::isnan(memory[0]) && std::isnan(memory[7]));
  const std::vector<double> in = random_numbers(8);
  std::vector<double> out(8);
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  cudaEventRecord(begin, stream);
  EXPECT_EQ(cudaMemcpyAsync(memory, in.data(), 64, cudaMemcpyHostToDevice, stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), memory, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  cudaEventRecord(end, stream);
  float milliseconds = -1.0f;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_EQ(out, in);
  EXPECT_EQ(cudaMemset(memory, 0, 64), cudaSuccess);
  EXPECT_EQ(memory[3], 0.0);
  EXPECT_EQ(cudaMemcpy(nullptr, memory, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_STREQ(cudaGetErrorString(cudaGetLastError()), "invalid argument");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(Device, MathIsReachableAsInCuda) {
  EXPECT_EQ(::fma(2.0f, 3.0f, 1.0f), 7.0f);
  static_assert(std::is_same_v<decltype(::sqrt(2.0f)), float>);
  EXPECT_EQ(fmaf(2.0f, 3.0f, 1.0f), 7.0f);
  EXPECT_EQ(__fma_rn(2.0, 3.0, 1.0), 7.0);
  EXPECT_EQ(__dmul_rn(3.0, 0.5), 1.5);
  EXPECT_EQ(__float_as_int(1.0f), 0x3f800000);
  EXPECT_EQ(__int_as_float(0x40000000), 2.0f);
  EXPECT_EQ(__double_as_longlong(1.0), 0x3ff0000000000000);
  EXPECT_EQ(__hiloint2double(__double2hiint(-1.25e-7), __double2loint(-1.25e-7)), -1.25e-7);
  EXPECT_EQ(max(std::numeric_limits<double>::quiet_NaN(), 1.0), 1.0);
  EXPECT_EQ(min(3u, 2u), 2u);
  EXPECT_EQ(__popc(0xf0u), 4);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(make_double2(1.0, 2.0).y, 2.0);
  EXPECT_EQ(alignof(double2), 16u);
  EXPECT_EQ(alignof(double4), 16u);
  EXPECT_EQ(alignof(float2), 8u);
}

/// Has another value while this lives.
class Variable {
public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const now = std::getenv(name)) before_ = now;
    setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Environment, NamesModeAndOrder) {
  const auto with = [](const char* mode, const char* order) {
    const Variable one("HEDDLE_EMULATION_MODE", mode), other("HEDDLE_EMULATION_ORDER", order);
    return settings_from_environment();
  };
  EXPECT_EQ(with("threads", "reverse").mode, Mode::threads);
  EXPECT_EQ(with("loops", "reverse").order, Order::reverse);
  EXPECT_EQ(with("fibers", "random:12").seed, 12u);
  EXPECT_THROW(with("fiber", "forward"), std::invalid_argument);
  EXPECT_THROW(with("fibers", "random:x"), std::invalid_argument);
}

} // namespace
