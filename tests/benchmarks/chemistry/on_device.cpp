// SPDX-License-Identifier: Apache-2.0
// heddle-chemistry-device [cells [hours [all | sun]]]: the realistic column of the Block-cells study on a GPU
// (photolysis fixed, emissions in the first 12 hours), 2-minute calls of Rodas3 with Carbon Bond 2005: a
// thread per cell, a warp for one, and blocks of warps for 8 or 16 at once. Each from a cold start in each
// call, and with remembered steps. Time between events around the calls. Errors are rms of |dy|/(|y| + 1e-15
// mol m-3) over all species and calls of 32 cells, against the same method with rtol 1e-8, which agrees with
// CVODE to 1.5e-7 (heddle-compare-cvode). All kernels have to give the same bits. lanes: the share of the
// time of lanes that is steps of their own cells. With `sun` the thread per cell and blocks of 16, with a sun
// that rises and sets: over all levels at once, over each later than over the one below, and scattered.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cb05_device.h"
#include "column.hpp"
#include "device_array.hpp"
#include "heddle/chemistry/lane_use.hpp"
#include "mechanism.hpp"

namespace {

using namespace air_quality;

constexpr double interval = 120;
constexpr std::int64_t samples = 32;

using Kernel = decltype(&cb05_device_thread_f64_cuda);

/// owned: cells of a warp, or of a block, which takes them one after the other. at_once: how many it has
/// under way, those whose numbers have the same remainder in the same lanes.
struct Named {
  const char* name;
  Kernel kernel;
  std::int64_t owned;
  std::int64_t at_once;
};
const Named thread_per_cell{"thread", cb05_device_thread_f64_cuda, 32, 32};
const Named block16{"block16", cb05_device_block16_f64_cuda, 128, 16};

struct Run {
  std::vector<double> states; // of the samples after each call
  std::vector<double> last;   // of all cells
  double seconds = 0;
  double attempts = 0;
  heddle::LaneUse lanes;
  /// of_cells: the attempts of each.
  void add(const std::vector<std::int64_t>& of_cells, const Named& how) {
    const auto cells = static_cast<std::int64_t>(of_cells.size());
    for (std::int64_t first = 0; first < cells; first += how.owned) {
      std::vector<std::int64_t> work(static_cast<std::size_t>(how.at_once));
      for (std::int64_t n = first; n < std::min(cells, first + how.owned); ++n)
        work[static_cast<std::size_t>((n - first) % how.at_once)] += of_cells[static_cast<std::size_t>(n)];
      lanes.add(work, how.at_once);
    }
  }
};

/// Cells of a column with so many levels, all or those of the sample.
class Protocol {
public:
  Protocol(std::int64_t levels, bool all) {
    const Column whole = study_column(levels);
    const std::int64_t apart = all ? 1 : levels / samples;
    for (std::int64_t z = 0; z < levels; z += apart) {
      const auto n = static_cast<std::size_t>(z);
      column_.pressure.push_back(whole.pressure[n]);
      column_.temperature.push_back(whole.temperature[n]);
      column_.emission.push_back(whole.emission[n]);
    }
  }

  /// longitude: where levels lie under the sun of the day; nothing: photolysis is fixed.
  [[nodiscard]] Run run(const Named& how, int calls, double rtol, double atol, bool cold,
                        std::optional<Longitude> longitude = {}) const {
    const std::int64_t n = column_.levels();
    const auto species = static_cast<std::int64_t>(cb05().species.size());
    const auto inputs = static_cast<std::int64_t>(cb05().inputs.size());
    const std::vector<double> rates = usual_rates();
    std::vector<double> start;
    for (const double fraction : usual_mole_fractions())
      for (std::int64_t z = 0; z < n; ++z)
        start.push_back(fraction * column_.air_density(z));
    const Sun sun(!longitude);
    const auto input = [&](int call) {
      const bool emitting = emits(interval * call);
      std::vector<double> values(rates.size() * static_cast<std::size_t>(n));
      const auto fill = [&](std::size_t q) {
        const std::string& name = cb05().inputs[q];
        for (std::int64_t z = 0; z < n; ++z) {
          const double share = emitting ? column_.emission[static_cast<std::size_t>(z)] : 0;
          const double time =
              interval * (call + 0.5) + seconds_ahead(longitude.value_or(Longitude::same), z, n);
          values[q * static_cast<std::size_t>(n) + static_cast<std::size_t>(z)] =
              rates[q] * (name.starts_with("EMIS.") ? share : sun.photolysis(name, time));
        }
      };
      std::vector<std::thread> threads; // a sun of its own for each cell takes long
      for (std::size_t q = 0; q < rates.size(); ++q)
        threads.emplace_back(fill, q);
      for (std::thread& one : threads)
        one.join();
      return values;
    };
    DeviceArray<double> y(start);
    DeviceArray<double> temperature(column_.temperature);
    DeviceArray<double> pressure(column_.pressure);
    DeviceArray<double> rate_input(input(0));
    DeviceArray<double> step(n);
    DeviceArray<std::int32_t> outcome(n);
    DeviceArray<std::int64_t> steps(n);
    const std::int64_t many[] = {n, species};
    const std::int64_t given[] = {n, inputs};
    const std::int64_t strides[] = {1, n};
    const std::int64_t one[] = {n};
    const std::int64_t unit[] = {1};
    DeviceClock clock;
    Run run;
    const std::int64_t apart = n / samples;
    for (int call = 0; call < calls; ++call) {
      if (call > 0 && (longitude || emits(interval * call) != emits(interval * (call - 1))))
        rate_input.set(input(call));
      if (cold) step.clear();
      clock.start();
      const int status =
          how.kernel(y.data(), many, strides, temperature.data(), one, unit, pressure.data(), one, unit,
                     rate_input.data(), given, strides, step.data(), one, unit, outcome.data(), one, unit,
                     steps.data(), one, unit, atol, interval, rtol, nullptr);
      run.seconds += clock.stop();
      if (status != 0) std::printf("the kernel returned %d\n", status);
      const std::size_t at = run.states.size();
      run.states.resize(at + static_cast<std::size_t>(samples * species));
      check(cudaMemcpy2D(&run.states[at], sizeof(double), y.data(),
                         static_cast<std::size_t>(apart) * sizeof(double), sizeof(double),
                         static_cast<std::size_t>(samples * species), cudaMemcpyDeviceToHost));
      if (call % 90 == 0 || call + 1 == calls)
        for (const std::int32_t found : outcome.get())
          if (found != 0) std::printf("a cell failed in call %d: %d\n", call, found);
      run.add(steps.get(), how);
    }
    run.attempts = static_cast<double>(run.lanes.attempts);
    run.last = y.get();
    return run;
  }

private:
  Column column_;
};

double rms(const Run& run, const Run& exact) {
  double squares = 0;
  for (std::size_t n = 0; n < exact.states.size(); ++n) {
    const double error = std::abs(run.states[n] - exact.states[n]) / (std::abs(exact.states[n]) + 1e-15);
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(exact.states.size()));
}

} // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  const std::int64_t cells = (count > 1 ? std::atoll(arguments[1]) : 100'000) / samples * samples;
  const int calls = static_cast<int>((count > 2 ? std::atof(arguments[2]) : 24) * 3600 / interval);
  const std::string which = count > 3 ? arguments[3] : "";
  const bool all = which == "all";
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s, %lld cells, %d calls of %g s\n", device.name, static_cast<long long>(cells), calls,
              interval);
  const Protocol protocol(cells, true);
  if (which == "sun") {
    for (const auto& [name, longitude] : {std::pair{"all at once", Longitude::same},
                                          {"round", Longitude::round},
                                          {"scattered", Longitude::scattered}})
      for (const Named& how : {thread_per_cell, block16})
        for (const bool cold : {true, false}) {
          const Run run = protocol.run(how, calls, 1e-3, 1e-15, cold, longitude);
          const double each = static_cast<double>(cells) * calls;
          std::printf("%-7s sun %-11s %s %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each, lanes %.3f\n",
                      how.name, name, cold ? "cold" : "warm", 1e9 * run.seconds / each,
                      1e-6 * each / run.seconds, run.attempts / each, 1e9 * run.seconds / run.attempts,
                      run.lanes.share());
        }
    return 0;
  }
  const Run exact = Protocol(cells, false).run(thread_per_cell, calls, 1e-8, 1e-20, false);
  const auto print = [&](const char* name, double rtol, double atol, bool cold, const Run& run) {
    const double each = static_cast<double>(cells) * calls;
    std::printf(
        "%-8s %s rtol %-7.1g atol %-7.1g rms %.2e %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each, lanes "
        "%.3f\n",
        name, cold ? "cold" : "warm", rtol, atol, rms(run, exact), 1e9 * run.seconds / each,
        1e-6 * each / run.seconds, run.attempts / each, 1e9 * run.seconds / run.attempts, run.lanes.share());
  };
  const Named kernels[] = {thread_per_cell,
                           {"warp1", cb05_device_warp1_f64_cuda, 8, 1},
                           {"block8", cb05_device_block8_f64_cuda, 64, 8},
                           block16,
                           {"block16w", cb05_device_block16wide_f64_cuda, 128, 16}};
  const int few = std::min(calls, 15); // all kernels, for their speed and bits; the best one all day
  Run first;
  for (const Named& one : kernels)
    for (const bool cold : {true, false}) {
      const Run run = protocol.run(one, few, 1e-3, 1e-16, cold);
      const double each = static_cast<double>(cells) * few;
      std::printf("%-8s %s first %d calls %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each\n", one.name,
                  cold ? "cold" : "warm", few, 1e9 * run.seconds / each, 1e-6 * each / run.seconds,
                  run.attempts / each, 1e9 * run.seconds / run.attempts);
      if (!cold) continue;
      if (first.last.empty()) first = run;
      if (run.last != first.last) std::printf("%s gives other bits than %s\n", one.name, kernels[0].name);
    }
  for (const double rtol : all ? std::vector{1e-3, 3e-4, 1e-4, 3e-5} : std::vector{1e-3, 1e-4})
    for (const double atol : all ? std::vector{1e-15, 1e-16, 1e-17} : std::vector{1e-16})
      for (const Named& how : {thread_per_cell, block16})
        for (const bool cold : {true, false})
          print(how.name, rtol, atol, cold, protocol.run(how, calls, rtol, atol, cold));
  return 0;
}
