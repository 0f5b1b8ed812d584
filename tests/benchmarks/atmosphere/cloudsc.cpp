// SPDX-License-Identifier: Apache-2.0
// CLOUDSC in columns of 137 levels, of which about a quarter have deep clouds. An update is a cell: 137 are a
// column. Bytes are those of its arrays, each once.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atmosphere/place.hpp"
#include "atmosphere/rows.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "measure.hpp"
#include "microphysics_bench_sweeps.hpp"

namespace {

/// Fields in the order of the kernel: those of cells that it reads, four planes, those that it writes, a
/// plane.
constexpr std::size_t read = 27, planes = 4, written = 23, all = read + planes + written + 1;

template <class T, class Place> struct Globe {
  explicit Globe(const std::array<std::int64_t, 3>& n) : grid({{0, 0, 0}, n}), stream(Place::memory) {
    const auto levels = static_cast<double>(n[2]);
    const auto lower = [=](auto k) { return 1e5 * std::pow((static_cast<double>(k) + 1) / levels, 1.6); };
    const auto p = [=](auto k) { return k == 0 ? lower(k) / 2 : (lower(k) + lower(k - 1)) / 2; };
    const auto t = [=](auto k) { return std::max(298 * std::pow(p(k) / 1e5, 0.19), 205.0); };
    const auto saturated = [=](auto k) {
      return 380 * std::exp(17.5 * (t(k) - 273.16) / (t(k) - 32.2)) / p(k);
    };
    const auto tower = [](auto x, auto y) {
      return std::max(0.0, std::sin(static_cast<double>(x) / 9) * std::sin(static_cast<double>(y) / 11));
    };
    const auto deep = [=](auto x, auto y, auto k) { return p(k) > 2e4 ? tower(x, y) : 0.0; };
    using Value = std::function<double(std::int64_t, std::int64_t, std::int64_t)>;
    const Value none = [](auto...) { return 0.0; };
    const auto condensate = [=](double largest, double coldest, double warmest) {
      return Value([=](auto x, auto y, auto k) {
        return t(k) > coldest && t(k) < warmest ? largest * deep(x, y, k) : 0.0;
      });
    };
    const std::array<Value, read + planes> values{
        [=](auto, auto, auto k) { return t(k); },
        [=](auto x, auto y, auto k) { return p(k) > 1e4 ? saturated(k) * (0.4 + 0.7 * tower(x, y)) : 3e-6; },
        [=](auto x, auto y, auto k) { return std::min(1.0, 1.5 * deep(x, y, k)); },
        condensate(5e-4, 250, 300),
        condensate(2e-4, 200, 265),
        condensate(5e-4, 270, 300),
        condensate(4e-4, 210, 275),                                                        // water
        [=](auto x, auto, auto k) { return 1e-5 * std::sin(static_cast<double>(x + k)); }, // of T
        none,
        none,
        none,
        none,
        none,
        none,
        [=](auto, auto, auto k) { return p(k); },
        [=](auto, auto, auto k) { return lower(k); },
        [=](auto x, auto y, auto k) { return 0.1 - deep(x, y, k); }, // omega
        [](auto...) { return 1e-5; },
        [](auto...) { return -2e-5; },
        [=](auto x, auto y, auto k) { return 0.03 * deep(x, y, k); },
        none,
        condensate(1e-3, 205, 300),
        condensate(1e-5, 205, 290),
        none,
        [=](auto x, auto y, auto k) { return t(k) < 240 ? 1e-5 * deep(x, y, k) : 0.0; },
        none,
        none,
        none,
        [=](auto x, auto, auto) { return static_cast<double>(x % 2); },
        [=](auto x, auto y, auto) { return tower(x, y) > 0 ? 1.0 : 0.0; },
        [=](auto x, auto y, auto) { return tower(x, y) > 0 ? 1.0 : 0.0; }};
    for (std::size_t i = 0; i < all; ++i) {
      const bool plane = i + 1 == all || (i >= read && i < read + planes);
      fields.emplace_back(grid, heddle::FieldOptions{.ghost_layers = 0,
                                                     .memory = Place::memory,
                                                     .name = "field " + std::to_string(i),
                                                     .same_along = plane ? 2 : -1});
      if (i < values.size())
        fields.back().fill([&](auto x, auto y, auto k, int) { return static_cast<T>(values[i](x, y, k)); });
      else
        fields.back().fill(T(0));
    }
  }

  void step() {
    [this]<std::size_t... i>(std::index_sequence<i...>) {
      microphysics_bench::Cloudsc<T>(fields[i]..., {T(900)})(stream);
    }(std::make_index_sequence<all>());
  }

  heddle::BlockGrid grid;
  std::vector<heddle::Field<T>> fields;
  heddle::Stream stream;
};

template <class T, class Place> bench::Case columns() {
  const bool device = Place::memory == heddle::Memory::device;
  const auto n = atmosphere::cells(device ? std::array<std::int64_t, 3>{256, 256, 137}
                                          : std::array<std::int64_t, 3>{64, 32, 137});
  const std::int64_t count = n[0] * n[1] * n[2];
  const double words = read + written;
  auto globe = std::make_shared<Globe<T, Place>>(n);
  auto yardstick = std::make_shared<atmosphere::Yardstick<T, Place>>(
      static_cast<std::int64_t>(words / 2) * count * static_cast<std::int64_t>(sizeof(T)));
  return {.name = {},
          .updates = static_cast<double>(count),
          .bytes_per_update = words * sizeof(T),
          .limit_bytes = yardstick->bytes(),
          .kernel = [globe] { return Place::seconds(globe->stream, [&] { globe->step(); }); },
          .limit = [globe, yardstick] { return yardstick->seconds(globe->stream); }};
}

template <class Place> void add() {
  for (const bool precise : {false, true})
    benchmark::RegisterBenchmark(
        (std::string("cloudsc/") + (precise ? "f64/" : "f32/") + Place::name).c_str(),
        [precise](benchmark::State& state) {
          bench::run(state, precise ? columns<double, Place>() : columns<float, Place>());
          state.counters["Mcol_per_s"] = state.counters["MLUPS"] / 137;
        })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(11);
}

} // namespace

void atmosphere::add_cloudsc() {
  add<Host>();
#if HEDDLE_WITH_CUDA
  add<Device>();
#endif
}
