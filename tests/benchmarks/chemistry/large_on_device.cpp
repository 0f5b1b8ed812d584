// SPDX-License-Identifier: Apache-2.0
// heddle-chemistry-large-device [cells [calls]]: the mechanism of 209 species of the generator's tests on a
// GPU, calls of Rodas3 over 30 s. Cells differ in temperature, pressure, sun and concentrations; the sun goes
// on from call to call. A thread per cell, a warp for one, and blocks of warps for 2 or 4 at once, each from
// a cold start in each call and with remembered steps. Time between events around the calls. Errors are rms
// of |dy|/(|y| + 1e-15 mol m-3) over all species and calls of 32 cells, against the same method with rtol
// 1e-8. All kernels have to give the same bits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "device_array.hpp"
#include "large_device.h"

namespace {

constexpr double interval = 30;
constexpr std::int64_t species = 209;
constexpr std::int64_t inputs = 64; // light of four, then of each of 20 chains two of light and an emission
constexpr std::int64_t samples = 32;

using Kernel = decltype(&large_device_thread_f64_cuda);
struct Named {
  const char* name;
  Kernel kernel;
};

struct Run {
  std::vector<double> states; // of the samples after each call
  std::vector<double> last;
  double seconds = 0;
  double attempts = 0;
};

/// From 0 to 1, of a cell; alike in no two neighbours.
double drawn(std::int64_t cell, std::int64_t what) {
  const double x = static_cast<double>(cell + 1) * 0.6180339887498949 + static_cast<double>(what) * 0.4142135;
  return x - std::floor(x);
}

/// every: the distance of the cells among all of them, so that samples are the same cells.
Run run(Kernel kernel, std::int64_t cells, std::int64_t every, int calls, double rtol, double atol,
        bool cold) {
  const std::int64_t n = cells / every;
  std::vector<double> start(static_cast<std::size_t>(n * species));
  std::vector<double> temperature;
  std::vector<double> pressure;
  for (std::int64_t c = 0; c < n; ++c) {
    const std::int64_t cell = c * every;
    temperature.push_back(220 + 80 * drawn(cell, 1));
    pressure.push_back(2e4 + 8e4 * drawn(cell, 2));
    const auto set = [&](std::int64_t s, double value) {
      start[static_cast<std::size_t>(c + s * n)] = value * pressure.back() / 1e5;
    };
    set(2, 2e-6);                                 // O3
    set(3, 4e-8 * drawn(cell, 3));                // NO
    set(4, 1e-7 * drawn(cell, 3));                // NO2
    set(6, 6e-6);                                 // CO
    set(7, 5e-8);                                 // CH2O
    for (std::int64_t s = 9; s < species; s += 2) // what is no radical, of each chain
      set(s, 4e-9 * drawn(cell, s));
  }
  const auto light = [&](int call) {
    std::vector<double> sun;
    for (std::int64_t c = 0; c < n; ++c) {
      const double turn = interval * call / 86400 + drawn(c * every, 4);
      sun.push_back(std::max(0.0, std::cos(2 * 3.141592653589793 * turn)));
    }
    std::vector<double> values;
    for (std::int64_t q = 0; q < inputs; ++q) {
      const double usual[] = {8e-3, 3e-5, 4e-5, 0.15};
      const bool emission = q >= 4 && (q - 4) % 3 == 2;
      for (const double share : sun)
        values.push_back(emission ? 1e-13 : share * (q < 4 ? usual[q] : 5e-6));
    }
    return values;
  };
  DeviceArray<double> y(start);
  DeviceArray<double> t(temperature);
  DeviceArray<double> p(pressure);
  DeviceArray<double> rate_input(light(0));
  DeviceArray<double> step(n);
  DeviceArray<std::int32_t> outcome(n);
  DeviceArray<std::int64_t> steps(n);
  const std::int64_t many[] = {n, species};
  const std::int64_t given[] = {n, inputs};
  const std::int64_t strides[] = {1, n};
  const std::int64_t one[] = {n};
  const std::int64_t unit[] = {1};
  DeviceClock clock;
  Run result;
  for (int call = 0; call < calls; ++call) {
    rate_input.set(light(call));
    if (cold) step.clear();
    clock.start();
    const int status = kernel(y.data(), many, strides, t.data(), one, unit, p.data(), one, unit,
                              rate_input.data(), given, strides, step.data(), one, unit, outcome.data(), one,
                              unit, steps.data(), one, unit, atol, interval, rtol, nullptr);
    result.seconds += clock.stop();
    if (status != 0) std::printf("the kernel returned %d\n", status);
    const std::size_t at = result.states.size();
    result.states.resize(at + static_cast<std::size_t>(samples * species));
    const std::int64_t apart = n / samples;
    check(cudaMemcpy2D(&result.states[at], sizeof(double), y.data(),
                       static_cast<std::size_t>(apart) * sizeof(double), sizeof(double),
                       static_cast<std::size_t>(samples * species), cudaMemcpyDeviceToHost));
    for (const std::int32_t found : outcome.get())
      if (found != 0) {
        std::printf("a cell failed in call %d: %d\n", call, found);
        break;
      }
    for (const std::int64_t attempts : steps.get())
      result.attempts += static_cast<double>(attempts);
  }
  result.last = y.get();
  return result;
}

double rms(const Run& found, const Run& exact) {
  double squares = 0;
  for (std::size_t n = 0; n < found.states.size(); ++n) {
    const double error = std::abs(found.states[n] - exact.states[n]) / (std::abs(exact.states[n]) + 1e-15);
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(found.states.size()));
}

} // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  const std::int64_t cells = (count > 1 ? std::atoll(arguments[1]) : 20'000) / samples * samples;
  const int calls = count > 2 ? std::atoi(arguments[2]) : 60;
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s, %lld cells, %d calls of %g s\n", device.name, static_cast<long long>(cells), calls,
              interval);
  const Named kernels[] = {{"thread", large_device_thread_f64_cuda},
                           {"warp1", large_device_warp1_f64_cuda},
                           {"block2", large_device_block2_f64_cuda},
                           {"block4", large_device_block4_f64_cuda}};
  const auto print = [&](const char* name, double rtol, bool cold, int made, const Run& run) {
    const double each = static_cast<double>(cells) * made;
    std::printf("%-7s %s rtol %-6.0g %3d calls %8.1f ns per cell and call, %5.2f attempts, %7.1f ns each",
                name, cold ? "cold" : "warm", rtol, made, 1e9 * run.seconds / each, run.attempts / each,
                1e9 * run.seconds / run.attempts);
  };
  const int few = std::min(calls, 10);
  const Run exact = run(large_device_warp1_f64_cuda, cells, cells / samples, calls, 1e-8, 1e-20, false);
  std::vector<double> first;
  for (const Named& one : kernels)
    for (const bool cold : {true, false}) {
      const Run made = run(one.kernel, cells, 1, few, 1e-3, 1e-16, cold);
      print(one.name, 1e-3, cold, few, made);
      std::printf("\n");
      if (!cold) continue;
      if (first.empty()) first = made.last;
      if (made.last != first) std::printf("%s gives other bits than %s\n", one.name, kernels[0].name);
    }
  for (const double rtol : {1e-3, 1e-4, 1e-5})
    for (const bool cold : {true, false}) {
      const Run made = run(large_device_block4_f64_cuda, cells, 1, calls, rtol, 1e-16, cold);
      print("block4", rtol, cold, calls, made);
      std::printf(", rms %.2e\n", rms(made, exact));
    }
  return 0;
}
