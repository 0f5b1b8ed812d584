// SPDX-License-Identifier: Apache-2.0
// heddle-chemistry-device [cells [hours [all | sun [name]]]]: the realistic column of the Block-cells study
// on a GPU (photolysis fixed, emissions in the first 12 hours), 2-minute calls with Carbon Bond 2005. First
// Rodas3 for half an hour by a thread per cell, a warp for one, and blocks of warps for 8 or 16 at once, all
// of which have to give the same bits; then a thread per cell by Rodas3 and by Ros3 all day. Each from a cold
// start in each call, and with remembered steps. Time between events around the calls. Errors are rms of
// |dy|/(|y| + 1e-15 mol m-3) over all species and calls of 32 cells, against Rodas3 with rtol 1e-8, which
// agrees with CVODE to 1.5e-7 (heddle-compare-cvode). With `all` more tolerances.
// With `sun` heddle::Chemistry takes the cells, with remembered steps, under a sun that rises and sets: over
// all levels at once, over each later than over the one below (round), and scattered, or what a name says; as
// they lie, and sorted (ChemistryOptions::sort_below). Time of whole calls on the host's clock. lanes: the
// share of the time of lanes that is steps of their own cells.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cb05_device.h"
#include "column.hpp"
#include "device_array.hpp"
#include "heddle/chemistry/chemistry.hpp"
#include "heddle/chemistry/lane_use.hpp"
#include "mechanism.hpp"

namespace {

using namespace air_quality;

constexpr double interval = 120;
constexpr std::int64_t samples = 32;

using Kernel = decltype(&cb05_device_thread_f64_cuda);

struct Run {
  std::vector<double> states; // of the samples after each call
  std::vector<double> last;   // of all cells
  double seconds = 0;
  double attempts = 0;
  heddle::LaneUse lanes; // of a thread per cell
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

  [[nodiscard]] Run run(Kernel kernel, int calls, double rtol, double atol, bool cold) const {
    const std::int64_t n = column_.levels();
    const auto species = static_cast<std::int64_t>(cb05().species.size());
    const auto inputs = static_cast<std::int64_t>(cb05().inputs.size());
    const auto input = [&](int call) { return host_values(call, Sun(true), Longitude::same); };
    DeviceArray<double> y(first_state());
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
      if (call > 0 && emits(interval * call) != emits(interval * (call - 1))) rate_input.set(input(call));
      if (cold) step.clear();
      clock.start();
      const int status =
          kernel(y.data(), many, strides, temperature.data(), one, unit, pressure.data(), one, unit,
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
      run.lanes.add(steps.get(), heddle::LaneUse::warp);
    }
    run.attempts = static_cast<double>(run.lanes.attempts);
    run.last = y.get();
    return run;
  }

  /// By Rodas3, with remembered steps, of a whole model's call: heddle::Chemistry on fields of the device.
  [[nodiscard]] Run run_in_chemistry(int calls, double rtol, double atol, Longitude longitude,
                                     double sort_below) const {
    const std::int64_t n = column_.levels();
    const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {n, 1, 1}});
    const auto made = [&](std::size_t components) {
      return heddle::Field<double>(grid, {.components = static_cast<int>(components),
                                          .ghost_layers = 0,
                                          .memory = heddle::Memory::device,
                                          .name = "values"});
    };
    heddle::Field<double> concentration = made(cb05().species.size());
    heddle::Field<double> temperature = made(1);
    heddle::Field<double> pressure = made(1);
    heddle::Field<double> rates = made(cb05().inputs.size());
    const auto set = [&](heddle::Field<double>& field, const std::vector<double>& values) {
      const auto view = field.view();
      const std::size_t row = static_cast<std::size_t>(n) * sizeof(double);
      check(cudaMemcpy2D(view.data(), static_cast<std::size_t>(view.stride(3)) * sizeof(double),
                         values.data(), row, row, static_cast<std::size_t>(view.extent(3)),
                         cudaMemcpyHostToDevice));
    };
    set(concentration, first_state());
    set(temperature, column_.temperature);
    set(pressure, column_.pressure);
    const auto integrate = [](const heddle::CellBlock& b, heddle::Stream& stream) {
      const auto in_a_row = [](const auto& view) { return std::array{view.extent(0), view.extent(3)}; };
      const auto strides = [](const auto& view) { return std::array{view.stride(0), view.stride(3)}; };
      const int status = cb05_device_thread_f64_cuda(
          b.concentration.data(), in_a_row(b.concentration).data(), strides(b.concentration).data(),
          b.temperature.data(), in_a_row(b.temperature).data(), strides(b.temperature).data(),
          b.pressure.data(), in_a_row(b.pressure).data(), strides(b.pressure).data(), b.rate_input.data(),
          in_a_row(b.rate_input).data(), strides(b.rate_input).data(), b.step.data(), in_a_row(b.step).data(),
          strides(b.step).data(), b.outcome.data(), in_a_row(b.outcome).data(), strides(b.outcome).data(),
          b.steps.data(), in_a_row(b.steps).data(), strides(b.steps).data(), b.absolute_tolerance, b.interval,
          b.relative_tolerance, stream.native());
      if (status != 0) std::printf("the kernel returned %d\n", status);
    };
    heddle::Chemistry chemistry(cb05(), heddle::Chemistry::IntegrateBlock(integrate),
                                {concentration, temperature, pressure, &rates},
                                {.interval = interval,
                                 .relative_tolerance = rtol,
                                 .absolute_tolerance = atol,
                                 .sort_below = sort_below});
    heddle::Stream stream(heddle::Memory::device);
    const Sun sun(false);
    Run run;
    for (int call = 0; call < calls; ++call) {
      set(rates, host_values(call, sun, longitude));
      check(cudaDeviceSynchronize());
      const auto begin = std::chrono::steady_clock::now();
      chemistry(stream);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      run.seconds += passed.count();
      run.attempts += static_cast<double>(chemistry.report().attempts);
      run.lanes.add(chemistry.report().lanes);
    }
    for (int c = 0; c < concentration.components(); ++c) {
      const std::vector<double> values = concentration.read(0, c);
      run.last.insert(run.last.end(), values.begin(), values.end());
    }
    return run;
  }

private:
  [[nodiscard]] std::vector<double> first_state() const {
    std::vector<double> state;
    for (const double fraction : usual_mole_fractions())
      for (std::int64_t z = 0; z < column_.levels(); ++z)
        state.push_back(fraction * column_.air_density(z));
    return state;
  }
  /// Of all inputs, cells fastest. longitude: where levels lie under the sun.
  [[nodiscard]] std::vector<double> host_values(int call, const Sun& sun, Longitude longitude) const {
    const std::int64_t n = column_.levels();
    const std::vector<double> rates = usual_rates();
    const bool emitting = emits(interval * call);
    std::vector<double> values(rates.size() * static_cast<std::size_t>(n));
    const auto fill = [&](std::size_t q) {
      const std::string& name = cb05().inputs[q];
      for (std::int64_t z = 0; z < n; ++z) {
        const double share = emitting ? column_.emission[static_cast<std::size_t>(z)] : 0;
        const double time = interval * (call + 0.5) + seconds_ahead(longitude, z, n);
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
  }

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
  const double each = static_cast<double>(cells) * calls;
  if (which == "sun") {
    const std::string only = count > 4 ? arguments[4] : "";
    for (const auto& [name, longitude] : {std::pair{"all at once", Longitude::same},
                                          {"round", Longitude::round},
                                          {"scattered", Longitude::scattered}}) {
      if (!only.empty() && only != name) continue;
      std::vector<double> as_they_lie;
      for (const double sort_below : {0.0, 0.8}) {
        const Run run = protocol.run_in_chemistry(calls, 1e-3, 1e-15, longitude, sort_below);
        std::printf("sun %-11s %-13s %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each, lanes %.3f\n", name,
                    sort_below > 0 ? "sorted" : "as they lie", 1e9 * run.seconds / each,
                    1e-6 * each / run.seconds, run.attempts / each, 1e9 * run.seconds / run.attempts,
                    run.lanes.share());
        if (as_they_lie.empty()) as_they_lie = run.last;
        if (run.last != as_they_lie) std::printf("sorted cells have other bits\n");
      }
    }
    return 0;
  }
  const Run exact = Protocol(cells, false).run(cb05_device_thread_f64_cuda, calls, 1e-8, 1e-20, false);
  struct {
    const char* name;
    Kernel kernel;
  } const kernels[] = {{"thread", cb05_device_thread_f64_cuda},
                       {"warp1", cb05_device_warp1_f64_cuda},
                       {"block8", cb05_device_block8_f64_cuda},
                       {"block16", cb05_device_block16_f64_cuda},
                       {"block16w", cb05_device_block16wide_f64_cuda}},
          methods[] = {{"Rodas3", cb05_device_thread_f64_cuda}, {"Ros3", cb05_device_thread_ros3_f64_cuda}};
  const int few = std::min(calls, 15);
  Run first;
  for (const auto& [name, kernel] : kernels)
    for (const bool cold : {true, false}) {
      const Run run = protocol.run(kernel, few, 1e-3, 1e-16, cold);
      const double made = static_cast<double>(cells) * few;
      std::printf("%-8s %s first %d calls %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each\n", name,
                  cold ? "cold" : "warm", few, 1e9 * run.seconds / made, 1e-6 * made / run.seconds,
                  run.attempts / made, 1e9 * run.seconds / run.attempts);
      if (!cold) continue;
      if (first.last.empty()) first = run;
      if (run.last != first.last) std::printf("%s gives other bits than %s\n", name, kernels[0].name);
    }
  std::vector<std::pair<double, double>> tolerances{{1e-3, 1e-16}, {1e-4, 1e-15}, {1e-4, 1e-16}};
  if (all)
    for (const double rtol : {1e-3, 3e-4, 1e-4, 3e-5})
      for (const double atol : {1e-15, 1e-16, 1e-17})
        if (std::ranges::find(tolerances, std::pair{rtol, atol}) == tolerances.end())
          tolerances.emplace_back(rtol, atol);
  for (const bool cold : {false, true})
    for (const auto& [rtol, atol] : tolerances)
      for (const auto& [name, kernel] : methods) {
        const Run run = protocol.run(kernel, calls, rtol, atol, cold);
        std::printf("%-6s %s rtol %-6.1g atol %-6.1g rms %.2e %6.1f ns %6.2f M/s %5.2f attempts %5.1f ns "
                    "each, lanes %.3f\n",
                    name, cold ? "cold" : "warm", rtol, atol, rms(run, exact), 1e9 * run.seconds / each,
                    1e-6 * each / run.seconds, run.attempts / each, 1e9 * run.seconds / run.attempts,
                    run.lanes.share());
      }
  return 0;
}
