// SPDX-License-Identifier: Apache-2.0
// Longwave radiation of 140 g-points and 53 layers, as `rtrn` of WRF, whose call has one column. Bytes: an
// index and a fraction per g-point and layer, read on the way down and on the way up. Rows `transfers` count
// the copies of these, which other parts of a model compute, and of the fluxes, in pinned memory.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atmosphere/place.hpp"
#include "atmosphere/rows.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/grid/field_view.hpp"
#include "longwave_bench.hpp"
#include "measure.hpp"

namespace {

constexpr std::int64_t points = 140, layers = 53, bands = 16, kelvins = 181, steps = 5001;

template <class T> std::vector<T> numbers(std::int64_t count, double first, double last) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<T>(first + (last - first) * static_cast<double>(i) / static_cast<double>(count)));
  return values;
}

template <class V> heddle::Buffer<V> in(heddle::Memory memory, const std::vector<V>& values) {
  return heddle::Buffer<V>(std::span<const V>(values), memory);
}

/// Columns under clouds in every third one. Values are of the right size; no atmosphere.
template <class T, class Place> struct Columns {
  explicit Columns(std::int64_t n)
      : columns(n), index(in(Place::memory, absorption(n))),
        fraction(in(Place::memory, std::vector<T>(cells(), T(0.1)))),
        temperature(in(Place::memory, numbers<T>(n * layers, 300, 210))),
        face(in(Place::memory, numbers<T>(n * (layers + 1), 301, 209))), cloud(in(Place::memory, covered(n))),
        cloud_depth(in(Place::memory, covered(n))), down(n * (layers + 1), Place::memory),
        down_clear(n * (layers + 1), Place::memory), up(n * (layers + 1), Place::memory),
        up_clear(n * (layers + 1), Place::memory), ground(in(Place::memory, std::vector<T>{T(300)})),
        ones(in(Place::memory, std::vector<T>(bands, T(1)))),
        depths(in(Place::memory, numbers<T>(steps, 0, 100))),
        sources(in(Place::memory, numbers<T>(steps, 0, 1))),
        passed(in(Place::memory, numbers<T>(steps, 1, 0))),
        planck(in(Place::memory, numbers<T>(kelvins * bands, 1e-8, 1e-5))),
        width(in(Place::memory, std::vector<T>(bands, T(200)))), band(in(Place::memory, band_of_point())),
        stream(Place::memory) {}

  [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(points * columns * layers); }
  static std::vector<std::int32_t> absorption(std::int64_t n) {
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < points * n * layers; ++i)
      values.push_back(static_cast<std::int32_t>(1 + 37 * i % 4990));
    return values;
  }
  static std::vector<T> covered(std::int64_t n) {
    std::vector<T> values(static_cast<std::size_t>(n * layers));
    for (std::int64_t k = 5; k < 9; ++k)
      for (std::int64_t j = 0; j < n; j += 3)
        values[static_cast<std::size_t>(j + n * k)] = T(0.5);
    return values;
  }
  static std::vector<std::int32_t> band_of_point() {
    std::vector<std::int32_t> values;
    for (std::int64_t g = 0; g < points; ++g)
      values.push_back(static_cast<std::int32_t>(g * bands / points));
    return values;
  }

  template <class V> heddle::FieldView<V> each(heddle::Buffer<V>& buffer) {
    return {buffer.data(), {points, columns, layers, 1}, {1, points, points * columns, 0}};
  }
  heddle::FieldView<T> layer(heddle::Buffer<T>& buffer) { // the same for all g-points
    return {buffer.data(), {points, columns, layers, 1}, {0, 1, columns, 0}};
  }
  heddle::PlaneView<T> top(heddle::Buffer<T>& buffer) {
    return {buffer.data() + columns * layers, {points, columns, 1}, {0, 1, 0}};
  }

  /// kernel: called with the arguments of the entry.
  template <class Kernel> void call(Kernel kernel) {
    kernel(each(index), layer(temperature), each(fraction), layer(cloud), layer(cloud_depth), layer(face),
           layer(down), layer(down_clear),
           heddle::PlaneView<T>(ground.data(), {points, columns, 1}, {0, 0, 0}),
           heddle::PlaneView<T>(ones.data(), {points, columns, bands}, {0, 0, 1}), layer(up), layer(up_clear),
           top(up), top(up_clear), depths.data(), sources.data(), passed.data(), band.data(), planck.data(),
           width.data());
  }

  std::int64_t columns;
  heddle::Buffer<std::int32_t> index;
  heddle::Buffer<T> fraction, temperature, face, cloud, cloud_depth, down, down_clear, up, up_clear, ground,
      ones, depths, sources, passed, planck, width;
  heddle::Buffer<std::int32_t> band;
  heddle::Stream stream;
};

template <class T> void fluxes(Columns<T, atmosphere::Host>& a) {
  a.call([](const auto&... arguments) { longwave_bench::fluxes(arguments...); });
}
#if HEDDLE_WITH_CUDA
template <class T> void fluxes(Columns<T, atmosphere::Device>& a) {
  void* const stream = a.stream.native();
  a.call([stream](const auto&... arguments) { longwave_bench::fluxes_cuda(arguments..., stream); });
}
#endif

/// What a host computes and what it wants, in pinned memory.
template <class T> class Copies {
public:
  template <class Place>
  explicit Copies(Columns<T, Place>& a) : index_(a.index.like(heddle::Memory::pinned)) {
    index_.copy_from(a.index);
    for (heddle::Buffer<T>* one : {&a.fraction, &a.temperature, &a.face, &a.cloud, &a.cloud_depth, &a.down,
                                   &a.down_clear, &a.up, &a.up_clear}) {
      values_.push_back(one->like(heddle::Memory::pinned));
      values_.back().copy_from(*one);
    }
  }
  template <class Place> void upload(Columns<T, Place>& a) {
    a.index.copy_from(index_, a.stream);
    std::size_t i = 0;
    for (heddle::Buffer<T>* one : {&a.fraction, &a.temperature, &a.face, &a.cloud, &a.cloud_depth})
      one->copy_from(values_[i++], a.stream);
  }
  template <class Place> void download(Columns<T, Place>& a) {
    std::size_t i = 5;
    for (heddle::Buffer<T>* one : {&a.down, &a.down_clear, &a.up, &a.up_clear})
      values_[i++].copy_from(*one, a.stream);
  }

private:
  heddle::Buffer<std::int32_t> index_;
  std::vector<heddle::Buffer<T>> values_;
};

template <class T, class Place> bench::Case longwave(std::int64_t n, bool transfers) {
  auto columns = std::make_shared<Columns<T, Place>>(n);
  auto copies = transfers ? std::make_shared<Copies<T>>(*columns) : nullptr;
  const double bytes = 2.0 * (sizeof(T) + sizeof(std::int32_t));
  const double updates = static_cast<double>(points * n * layers);
  auto yardstick = std::make_shared<atmosphere::Yardstick<T, Place>>(
      static_cast<std::int64_t>(updates * bytes / 2) + 65536);
  return {.name = {},
          .updates = updates,
          .bytes_per_update = bytes,
          .limit_bytes = yardstick->bytes(),
          .kernel =
              [columns, copies] {
                return Place::seconds(columns->stream, [&] {
                  if (copies) copies->upload(*columns);
                  fluxes(*columns);
                  if (copies) copies->download(*columns);
                });
              },
          .limit = [columns, yardstick] { return yardstick->seconds(columns->stream); }};
}

template <class T, class Place> void add(const char* precision, std::int64_t n, bool transfers) {
  const std::string name = "longwave/140_points/" + std::to_string(n) + (n == 1 ? "_column/" : "_columns/") +
                           (transfers ? "transfers/" : "") + precision + "/" + Place::name;
  benchmark::RegisterBenchmark(
      name.c_str(),
      [n, transfers](benchmark::State& state) { bench::run(state, longwave<T, Place>(n, transfers)); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(11);
}

template <class Place> void add_columns() {
  for (const std::int64_t n : {1, 74, 74 * 61})
    for (const bool transfers : {false, true}) {
      if (Place::memory != heddle::Memory::device && (transfers || n > 1000)) continue;
      add<float, Place>("f32", n, transfers);
      add<double, Place>("f64", n, transfers);
    }
}

} // namespace

void atmosphere::add_longwave() {
  add_columns<Host>();
#if HEDDLE_WITH_CUDA
  add_columns<Device>();
#endif
}
