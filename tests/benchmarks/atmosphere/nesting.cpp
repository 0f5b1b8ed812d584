// SPDX-License-Identifier: Apache-2.0
// Boundary zones of a nest of 40 x 40 cells and 54 levels at ratio 3, 5 cells wide, in a coarse grid of 74 x
// 61 cells. Rows `upload` count the transfer of the coarse cells that the nest needs, 18 x 18 x 54, from
// pinned memory; the nest is on the device. On a CPU nothing is transferred.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "atmosphere/place.hpp"
#include "atmosphere/rows.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/grid/field_view.hpp"
#include "measure.hpp"
#include "nesting_bench.hpp"

namespace {

using Extent = std::array<std::int64_t, 4>;

constexpr std::int64_t nest_cells = 40, levels = 54, ratio = 3, zone = 5, reach = 2;
constexpr std::int64_t coarse_cells = (nest_cells + ratio - 1) / ratio + 2 * reach;
constexpr std::int64_t along = 4 * nest_cells;

/// Cells of a box, x fastest, in one piece.
template <class T, class Place> struct Array {
  Array(const Extent& n, bool waves) : extent(n), values(count(), Place::memory) {
    heddle::Buffer<T> host(count(), heddle::Memory::host);
    for (std::int64_t i = 0; i < count(); ++i)
      host.data()[i] = waves ? static_cast<T>(300 + 10 * std::sin(0.37 * static_cast<double>(i))) : T(0);
    values.copy_from(host);
  }

  [[nodiscard]] std::int64_t count() const { return extent[0] * extent[1] * extent[2] * extent[3]; }

  /// Without the ghost layers, of which there are so many along x and y.
  [[nodiscard]] heddle::FieldView<T> view(std::int64_t ghosts = 0) {
    const Extent stride{1, extent[0], extent[0] * extent[1], extent[0] * extent[1] * extent[2]};
    return {values.data() + ghosts * (stride[0] + stride[1]),
            {extent[0] - 2 * ghosts, extent[1] - 2 * ghosts, extent[2], extent[3]},
            stride};
  }

  Extent extent;
  heddle::Buffer<T> values;
};

template <class T, class Place> struct Nest {
  explicit Nest(std::int64_t fields)
      : coarse({coarse_cells, coarse_cells, levels, fields}, true),
        nest({nest_cells, nest_cells, levels, fields}, true), value({along, zone, levels * fields, 1}, false),
        tendency({along, zone, levels * fields, 1}, false), stream(Place::memory) {}

  Array<T, Place> coarse, nest, value, tendency;
  heddle::Stream stream;
};

template <class T> void boundary(Nest<T, atmosphere::Host>& a, std::int64_t fields) {
  const auto call = [&](auto kernel) {
    kernel(a.coarse.view(reach), a.nest.view(), a.value.view(), a.tendency.view());
  };
  if (fields == 1)
    call([](const auto&... views) { nesting_bench::boundary(views..., 0, 0, nest_cells, nest_cells, 30.0); });
  else
    call([](const auto&... views) {
      nesting_bench::boundary_of_eight(views..., levels, 0, 0, nest_cells, nest_cells, 30.0);
    });
}

template <class T> struct Upload {
  explicit Upload(const Nest<T, atmosphere::Host>&) {}
  void operator()(Nest<T, atmosphere::Host>&) const {}
};

#if HEDDLE_WITH_CUDA
template <class T> void boundary(Nest<T, atmosphere::Device>& a, std::int64_t fields) {
  const auto call = [&](auto kernel) {
    kernel(a.coarse.view(reach), a.nest.view(), a.value.view(), a.tendency.view());
  };
  void* const stream = a.stream.native();
  if (fields == 1)
    call([stream](const auto&... views) {
      nesting_bench::boundary_cuda(views..., 0, 0, nest_cells, nest_cells, 30.0, stream);
    });
  else
    call([stream](const auto&... views) {
      nesting_bench::boundary_of_eight_cuda(views..., levels, 0, 0, nest_cells, nest_cells, 30.0, stream);
    });
}

/// The coarse cells, as the host has them after its step.
template <class T> struct DeviceUpload {
  explicit DeviceUpload(const Nest<T, atmosphere::Device>& a)
      : host(a.coarse.count(), heddle::Memory::pinned) {
    host.copy_from(a.coarse.values);
  }

  void operator()(Nest<T, atmosphere::Device>& a) const {
    bench::check(cudaMemcpyAsync(a.coarse.values.data(), host.data(),
                                 sizeof(T) * static_cast<std::size_t>(a.coarse.count()),
                                 cudaMemcpyHostToDevice, static_cast<cudaStream_t>(a.stream.native())));
  }

  heddle::Buffer<T> host;
};
#endif

template <class T, class Place, class Transfer> bench::Case zones(std::int64_t fields, bool upload) {
  auto nest = std::make_shared<Nest<T, Place>>(fields);
  auto transfer = std::make_shared<Transfer>(*nest);
  const double points = static_cast<double>(along * zone * levels * fields);
  const double words = 3 + static_cast<double>(nest->coarse.count()) / points;
  auto yardstick = std::make_shared<atmosphere::Yardstick<T, Place>>(
      static_cast<std::int64_t>(points * words * sizeof(T)) / 2);
  return {.name = {},
          .updates = points,
          .bytes_per_update = words * sizeof(T),
          .limit_bytes = yardstick->bytes(),
          .kernel =
              [nest, transfer, fields, upload] {
                return Place::seconds(nest->stream, [&] {
                  if (upload) (*transfer)(*nest);
                  boundary(*nest, fields);
                });
              },
          .limit = [nest, yardstick] { return yardstick->seconds(nest->stream); }};
}

template <class T, class Place, class Transfer>
void add(const char* precision, std::int64_t fields, bool upload) {
  const std::string name = "nest_boundary/" + std::to_string(fields) +
                           (fields == 1 ? "_field/" : "_fields/") + (upload ? "upload/" : "") + precision +
                           "/" + Place::name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [fields, upload](benchmark::State& state) {
                                 bench::run(state, zones<T, Place, Transfer>(fields, upload));
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(51);
}

} // namespace

void atmosphere::add_nesting() {
  for (const std::int64_t fields : {1, 8}) {
    add<float, Host, Upload<float>>("f32", fields, false);
    add<double, Host, Upload<double>>("f64", fields, false);
#if HEDDLE_WITH_CUDA
    for (const bool upload : {false, true}) {
      add<float, Device, DeviceUpload<float>>("f32", fields, upload);
      add<double, Device, DeviceUpload<double>>("f64", fields, upload);
    }
#endif
  }
}
