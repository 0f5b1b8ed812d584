// SPDX-License-Identifier: Apache-2.0
// Microphysics in columns of which about a quarter have clouds and rain. Bytes are those that a step has to
// move at least, each array of the scheme once: scratch fields and repeated sweeps of a column count as
// nothing. `slope` is the routine of WRF that the schemes have inside. Rows `transfers` count the copies of
// all that a scheme takes from the host, and of what it changes back to it, in pinned memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "atmosphere/place.hpp"
#include "atmosphere/rows.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "measure.hpp"
#include "microphysics_bench_sweeps.hpp"

namespace {

enum class Scheme { kessler, wsm3, wsm5, slope };

constexpr const char* name_of(Scheme scheme) {
  return std::array{"kessler", "wsm3", "wsm5", "slope"}[static_cast<std::size_t>(scheme)];
}

/// Numbers per cell that are read, and written.
constexpr double words_of(Scheme scheme) {
  return std::array{8.0 + 4, 9.0 + 4, 10.0 + 6, 4.0 + 5}[static_cast<std::size_t>(scheme)];
}

constexpr double top = 20e3;

/// Air whose temperature falls by 6.5 K per km, with towers of cloud.
template <class T, class Place> struct Sky {
  explicit Sky(const std::array<std::int64_t, 3>& n)
      : grid({{0, 0, 0}, n}), th(cells("th")), q(cells("q")), cloud(cells("cloud")), rain(cells("rain")),
        ice(cells("ice")), flakes(cells("flakes")), w(cells("w")), rho(cells("rho")), pii(cells("pii")),
        p(cells("p")), dz(cells("dz")), height(cells("height")), first(cells("first")),
        second(cells("second")), third(cells("third")), fourth(cells("fourth")), fifth(cells("fifth")),
        fallen(plane("fallen")), snow(plane("snow")), ratio(plane("ratio")), stream(Place::memory) {
    const double thickness = top / static_cast<double>(n[2]);
    const auto z = [=](std::int64_t k) { return (static_cast<double>(k) + 0.5) * thickness; };
    const auto t = [=](std::int64_t k) { return std::max(300 - 6.5e-3 * z(k), 210.0); };
    const auto pressure = [=](std::int64_t k) { return 1e5 * std::exp(-z(k) / 8000); };
    const auto exner = [=](std::int64_t k) { return std::pow(pressure(k) / 1e5, 287 / 1004.5); };
    const auto tower = [](std::int64_t x, std::int64_t y) {
      return std::max(0.0, std::sin(static_cast<double>(x) / 9) * std::sin(static_cast<double>(y) / 11));
    };
    th.fill([=](auto, auto, auto k, int) { return t(k) / exner(k); });
    q.fill([=](auto x, auto y, auto k, int) {
      return (0.5 + 0.6 * tower(x, y)) * 380 / pressure(k) *
             std::exp(17.67 * (t(k) - 273.15) / (t(k) - 29.65));
    });
    cloud.fill([=](auto x, auto y, auto k, int) { return z(k) < 9e3 ? 1e-3 * tower(x, y) : 0; });
    rain.fill([=](auto x, auto y, auto k, int) { return z(k) < 7e3 ? 3e-3 * tower(x, y) : 0; });
    ice.fill([=](auto x, auto y, auto k, int) { return z(k) > 5e3 && z(k) < 11e3 ? 1e-4 * tower(x, y) : 0; });
    flakes.fill(
        [=](auto x, auto y, auto k, int) { return z(k) > 4e3 && z(k) < 9e3 ? 1e-3 * tower(x, y) : 0; });
    w.fill([=](auto x, auto y, auto, int) { return 3 * tower(x, y) - 0.5; });
    rho.fill([=](auto, auto, auto k, int) { return pressure(k) / (287 * t(k)); });
    pii.fill([=](auto, auto, auto k, int) { return exner(k); });
    p.fill([=](auto, auto, auto k, int) { return pressure(k); });
    height.fill([=](auto, auto, auto k, int) { return z(k); });
    dz.fill(static_cast<T>(thickness));
  }

  heddle::Field<T> cells(const char* name) {
    return heddle::Field<T>(grid, {.ghost_layers = 0, .memory = Place::memory, .name = name});
  }
  heddle::Field<T> plane(const char* name) {
    return heddle::Field<T>(grid,
                            {.ghost_layers = 0, .memory = Place::memory, .name = name, .same_along = 2});
  }

  /// What a scheme takes and gives, without scratch fields.
  [[nodiscard]] atmosphere::HostCopies<T> host_copies(Scheme scheme) {
    using Fields = typename atmosphere::HostCopies<T>::Fields;
    switch (scheme) {
    case Scheme::kessler:
      return {Fields{&th, &q, &cloud, &rain, &rho, &pii, &height, &dz, &fallen},
              Fields{&th, &q, &cloud, &rain, &fallen}};
    case Scheme::wsm3:
      return {Fields{&th, &q, &cloud, &rain, &w, &rho, &pii, &p, &dz, &fallen, &snow},
              Fields{&th, &q, &cloud, &rain, &fallen, &snow}};
    case Scheme::wsm5:
      return {Fields{&th, &q, &cloud, &rain, &ice, &flakes, &rho, &pii, &p, &dz, &fallen, &snow},
              Fields{&th, &q, &cloud, &rain, &ice, &flakes, &fallen, &snow}};
    default:
      return {Fields{&rain, &rho, &pii, &th}, Fields{&first, &second, &third, &fourth, &fifth}};
    }
  }

  heddle::BlockGrid grid;
  heddle::Field<T> th, q, cloud, rain, ice, flakes, w, rho, pii, p, dz, height, first, second, third, fourth,
      fifth;
  heddle::Field<T> fallen, snow, ratio;
  heddle::Stream stream;
};

template <class T, class Place> bench::Case columns(Scheme scheme, bool transfers) {
  const auto n =
      atmosphere::cells(Place::memory == heddle::Memory::device ? std::array<std::int64_t, 3>{425, 300, 35}
                                                                : std::array<std::int64_t, 3>{74, 61, 54});
  const std::int64_t count = n[0] * n[1] * n[2];
  const double words = words_of(scheme);
  auto sky = std::make_shared<Sky<T, Place>>(n);
  auto copies = transfers ? std::make_shared<atmosphere::HostCopies<T>>(sky->host_copies(scheme)) : nullptr;
  auto yardstick = std::make_shared<atmosphere::Yardstick<T, Place>>(
      static_cast<std::int64_t>(words / 2) * count * static_cast<std::int64_t>(sizeof(T)));
  return {.name = {},
          .updates = static_cast<double>(count),
          .bytes_per_update = words * sizeof(T),
          .limit_bytes = yardstick->bytes(),
          .kernel =
              [sky, scheme, copies] {
                auto& s = *sky;
                const T dt = 20;
                return Place::seconds(s.stream, [&] {
                  if (copies) copies->upload(s.stream);
                  if (scheme == Scheme::slope)
                    microphysics_bench::Slope<T>(s.rain, s.rho, s.pii, s.th, s.first, s.second, s.third,
                                                 s.fourth, s.fifth)(s.stream);
                  else if (scheme == Scheme::wsm5)
                    microphysics_bench::Wsm5<T>(s.th, s.q, s.cloud, s.rain, s.ice, s.flakes, s.rho, s.pii,
                                                s.p, s.dz, s.first, s.second, s.third, s.fourth, s.fifth,
                                                s.fallen, s.snow, s.ratio, {dt})(s.stream);
                  else if (scheme == Scheme::wsm3)
                    microphysics_bench::Wsm3<T>(s.th, s.q, s.cloud, s.rain, s.w, s.rho, s.pii, s.p, s.dz,
                                                s.first, s.second, s.third, s.fourth, s.fallen, s.snow,
                                                s.ratio, {dt})(s.stream);
                  else
                    microphysics_bench::Kessler<T>(s.th, s.q, s.cloud, s.rain, s.rho, s.pii, s.height, s.dz,
                                                   s.first, s.second, s.fallen, s.ratio, {dt})(s.stream);
                  if (copies) copies->download(s.stream);
                });
              },
          .limit = [sky, yardstick] { return yardstick->seconds(sky->stream); }};
}

template <class T, class Place> void add(const char* precision, Scheme scheme, bool transfers) {
  const std::string name = std::string("microphysics/") + name_of(scheme) +
                           (transfers ? "/transfers/" : "/") + precision + "/" + Place::name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [scheme, transfers](benchmark::State& state) {
                                 bench::run(state, columns<T, Place>(scheme, transfers));
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(11);
}

template <class Place> void add_schemes() {
  for (const auto scheme : {Scheme::kessler, Scheme::wsm3, Scheme::wsm5, Scheme::slope})
    for (const bool transfers : {false, true}) {
      if (transfers && Place::memory != heddle::Memory::device) continue;
      add<float, Place>("f32", scheme, transfers);
      add<double, Place>("f64", scheme, transfers);
    }
}

} // namespace

void atmosphere::add_microphysics() {
  add_schemes<Host>();
#if HEDDLE_WITH_CUDA
  add_schemes<Device>();
#endif
}
