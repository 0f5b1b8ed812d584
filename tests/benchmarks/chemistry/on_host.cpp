// SPDX-License-Identifier: Apache-2.0
// heddle-chemistry-host [hours [rounds]]: 32 cells of the realistic column of the Block-cells study
// (photolysis fixed, emissions in the first 12 hours) on one core, 2-minute calls of Rodas3 and Ros3, from a
// cold start in each call and with remembered steps, in turns. CPU time, the median of the rounds. Errors are
// rms of |dy|/(|y| + 1e-15 mol m-3) over all species, cells and calls, against Rodas3 with rtol 1e-8, which
// agrees with CVODE to 1.5e-7 (heddle-compare-cvode). It needs no other library, so any compiler builds it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "cb05_host.h"
#include "column.hpp"
#include "mechanism.hpp"

namespace {

using namespace air_quality;

constexpr double interval = 120;
constexpr std::int64_t cells = 32;
constexpr std::int64_t row = 40; // from one component to the next: an odd number of cache lines

using Kernel = decltype(&cb05_host_rodas3_f64_unit);

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Run {
  std::vector<double> states; // after each call
  double seconds = 0;
  double attempts = 0;
};

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

/// An array at the beginning of a cache line.
class Rows {
public:
  explicit Rows(std::size_t count) : data_(index(row) * count + 8) {}
  [[nodiscard]] double* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(data_.data());
    return data_.data() + (64 - address % 64) % 64 / sizeof(double);
  }

private:
  std::vector<double> data_;
};

Run run(Kernel kernel, int calls, double rtol, double atol, bool cold) {
  const Column column = study_column(cells);
  const std::vector<std::string>& inputs = cb05().inputs;
  const std::vector<double> fractions = usual_mole_fractions();
  const std::vector<double> rates = usual_rates();
  Rows y(fractions.size());
  Rows given(inputs.size());
  Rows temperature(1);
  Rows pressure(1);
  Rows step(1);
  for (std::size_t s = 0; s < fractions.size(); ++s)
    for (std::int64_t z = 0; z < cells; ++z)
      y.data()[s * row + index(z)] = fractions[s] * column.air_density(z);
  std::ranges::copy(column.temperature, temperature.data());
  std::ranges::copy(column.pressure, pressure.data());
  std::array<std::int32_t, cells> outcome{};
  std::array<std::int64_t, cells> steps{};
  const std::int64_t many[] = {cells, static_cast<std::int64_t>(fractions.size())};
  const std::int64_t of_inputs[] = {cells, static_cast<std::int64_t>(inputs.size())};
  const std::int64_t strides[] = {1, row};
  const std::int64_t one[] = {cells};
  const std::int64_t unit[] = {1};
  Run made;
  for (int call = 0; call < calls; ++call) {
    const bool emitting = emits(interval * call);
    for (std::size_t q = 0; q < inputs.size(); ++q)
      for (std::int64_t z = 0; z < cells; ++z) {
        const double share = emitting ? column.emission[index(z)] : 0;
        given.data()[q * row + index(z)] = rates[q] * (inputs[q].starts_with("EMIS.") ? share : 1);
      }
    if (cold) std::fill_n(step.data(), cells, 0.0);
    const double begin = cpu_seconds();
    const int status = kernel(y.data(), many, strides, temperature.data(), one, unit, pressure.data(), one,
                              unit, given.data(), of_inputs, strides, step.data(), one, unit, outcome.data(),
                              one, unit, steps.data(), one, unit, atol, interval, rtol);
    made.seconds += cpu_seconds() - begin;
    if (status != 0 || std::ranges::max(outcome) != 0) std::printf("cells failed in call %d\n", call);
    for (const std::int64_t attempts : steps)
      made.attempts += static_cast<double>(attempts);
    for (std::size_t s = 0; s < fractions.size(); ++s)
      made.states.insert(made.states.end(), y.data() + s * row, y.data() + s * row + cells);
  }
  return made;
}

double rms(const Run& found, const Run& exact) {
  double squares = 0;
  for (std::size_t n = 0; n < exact.states.size(); ++n) {
    const double error = std::abs(found.states[n] - exact.states[n]) / (std::abs(exact.states[n]) + 1e-15);
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(exact.states.size()));
}

} // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  const int calls = static_cast<int>((count > 1 ? std::atof(arguments[1]) : 24) * 3600 / interval);
  const int rounds = std::max(count > 2 ? std::atoi(arguments[2]) : 3, 1);
  struct {
    const char* name;
    Kernel kernel;
  } const methods[] = {{"Rodas3", cb05_host_rodas3_f64_unit}, {"Ros3", cb05_host_ros3_f64_unit}};
  const double each = static_cast<double>(cells) * calls;
  const Run exact = run(methods[0].kernel, calls, 1e-8, 1e-20, false);
  std::printf("%lld cells, %d calls of %g s\n", static_cast<long long>(cells), calls, interval);
  for (const double rtol : {1e-3, 1e-4})
    for (const double atol : {1e-15, 1e-16})
      for (const bool cold : {true, false}) {
        std::vector<double> seconds[2];
        Run last[2];
        for (int round = 0; round < rounds; ++round)
          for (std::size_t m = 0; m < 2; ++m) {
            last[m] = run(methods[m].kernel, calls, rtol, atol, cold);
            seconds[m].push_back(last[m].seconds);
          }
        for (std::size_t m = 0; m < 2; ++m) {
          std::ranges::sort(seconds[m]);
          std::printf("%-6s %s rtol %-6.0g atol %-6.0g rms %.2e  %6.3f us  %5.2f attempts\n", methods[m].name,
                      cold ? "cold" : "warm", rtol, atol, rms(last[m], exact),
                      1e6 * seconds[m][seconds[m].size() / 2] / each, last[m].attempts / each);
        }
      }
  return 0;
}
