// SPDX-License-Identifier: Apache-2.0
// heddle-chemistry-device [cells [hours [all | sun]]]: the realistic column of the Block-cells study on a GPU
// (photolysis fixed, emissions in the first 12 hours), 2-minute calls of Rodas3 with Carbon Bond 2005: a warp
// for 1, 2 or 4 cells at once, and a thread per cell. Each from a cold start in each call, and with
// remembered steps. Time between events around the calls. Errors are rms of |dy|/(|y| + 1e-15 mol m-3) over
// all species and calls of 32 cells, against the same method with rtol 1e-8, which agrees with CVODE
// to 1.5e-7 (heddle-compare-cvode). All kernels have to give the same bits. lanes: the share of the time of a
// warp's threads that is steps of their own cells. With `sun` only the thread per cell, with a sun that rises
// and sets: over all levels at once, over each later than over the one below, and scattered.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "cb05_device.h"
#include "column.hpp"
#include "heddle/chemistry/lane_use.hpp"
#include "mechanism.hpp"

namespace {

using namespace air_quality;

constexpr double interval = 120;
constexpr std::int64_t samples = 32;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class T> class DeviceArray {
public:
  explicit DeviceArray(std::int64_t size) : size_(static_cast<std::size_t>(size) * sizeof(T)) {
    check(cudaMalloc(&data_, size_));
    check(cudaMemset(data_, 0, size_));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(static_cast<std::int64_t>(values.size())) {
    set(values);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  void set(const std::vector<T>& values) {
    check(cudaMemcpy(data_, values.data(), size_, cudaMemcpyHostToDevice));
  }
  void clear() { check(cudaMemset(data_, 0, size_)); }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(size_ / sizeof(T));
    check(cudaMemcpy(values.data(), data_, size_, cudaMemcpyDeviceToHost));
    return values;
  }
  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }

private:
  void* data_ = nullptr;
  std::size_t size_;
};

using Kernel = decltype(&cb05_device_warp4_f64_cuda);

struct Run {
  std::vector<double> states; // of the samples after each call
  std::vector<double> last;   // of all cells
  double seconds = 0;
  double attempts = 0;
  heddle::LaneUse lanes;
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
  [[nodiscard]] Run run(Kernel kernel, int calls, double rtol, double atol, bool cold,
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
      std::vector<double> values;
      for (std::size_t q = 0; q < rates.size(); ++q)
        for (std::int64_t z = 0; z < n; ++z) {
          const std::string& name = cb05().inputs[q];
          const double share = emitting ? column_.emission[static_cast<std::size_t>(z)] : 0;
          const double time =
              interval * (call + 0.5) + seconds_ahead(longitude.value_or(Longitude::same), z, n);
          values.push_back(rates[q] * (name.starts_with("EMIS.") ? share : sun.photolysis(name, time)));
        }
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
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    Run run;
    const std::int64_t apart = n / samples;
    for (int call = 0; call < calls; ++call) {
      if (call > 0 && (longitude || emits(interval * call) != emits(interval * (call - 1))))
        rate_input.set(input(call));
      if (cold) step.clear();
      check(cudaEventRecord(begin));
      const int status =
          kernel(y.data(), many, strides, temperature.data(), one, unit, pressure.data(), one, unit,
                 rate_input.data(), given, strides, step.data(), one, unit, outcome.data(), one, unit,
                 steps.data(), one, unit, atol, interval, rtol, nullptr);
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      if (status != 0) std::printf("the kernel returned %d\n", status);
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin, end));
      run.seconds += 1e-3 * milliseconds;
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
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
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

struct Named {
  const char* name;
  Kernel kernel;
};

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
      for (const bool cold : {true, false}) {
        const Run run = protocol.run(cb05_device_thread_f64_cuda, calls, 1e-3, 1e-15, cold, longitude);
        const double each = static_cast<double>(cells) * calls;
        std::printf("sun %-11s %s %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each, lanes %.3f\n", name,
                    cold ? "cold" : "warm", 1e9 * run.seconds / each, 1e-6 * each / run.seconds,
                    run.attempts / each, 1e9 * run.seconds / run.attempts, run.lanes.share());
      }
    return 0;
  }
  const Run exact = Protocol(cells, false).run(cb05_device_thread_f64_cuda, calls, 1e-8, 1e-20, false);
  const auto print = [&](const char* name, double rtol, double atol, bool cold, const Run& run) {
    const double each = static_cast<double>(cells) * calls;
    std::printf(
        "%-8s %s rtol %-7.1g atol %-7.1g rms %.2e %8.1f ns %7.2f M/s %6.2f attempts %6.1f ns each, lanes "
        "%.3f\n",
        name, cold ? "cold" : "warm", rtol, atol, rms(run, exact), 1e9 * run.seconds / each,
        1e-6 * each / run.seconds, run.attempts / each, 1e9 * run.seconds / run.attempts, run.lanes.share());
  };
  const Named kernels[] = {{"thread", cb05_device_thread_f64_cuda},
                           {"warp1", cb05_device_warp1_f64_cuda},
                           {"warp2", cb05_device_warp2_f64_cuda},
                           {"warp4", cb05_device_warp4_f64_cuda}};
  const int few = std::min(calls, 15); // all kernels, for their speed and bits; the best one all day
  Run first;
  for (const Named& one : kernels)
    for (const bool cold : {true, false}) {
      const Run run = protocol.run(one.kernel, few, 1e-3, 1e-16, cold);
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
      for (const bool cold : {true, false})
        print("thread", rtol, atol, cold, protocol.run(kernels[0].kernel, calls, rtol, atol, cold));
  return 0;
}
