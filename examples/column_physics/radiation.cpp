// SPDX-License-Identifier: Apache-2.0
#include "radiation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "column_physics.hpp"
#include "heddle/core/dispatch.hpp"
#include "longwave_bands.hpp"

namespace front {
namespace {

using heddle::FieldView;
using heddle::PlaneView;

using namespace example::longwave;

struct Depths {
  static void host(const auto&... a) { column_physics::depths(a...); }
  static void device(const auto&... a) { column_physics::depths_cuda(a...); }
};
struct Fluxes {
  static void host(const auto&... a) { column_physics::fluxes(a...); }
  static void device(const auto&... a) { column_physics::fluxes_cuda(a...); }
};

template <class T> heddle::Buffer<T> in(heddle::Memory memory, const std::vector<T>& values) {
  return heddle::Buffer<T>(std::span<const T>(values), memory);
}

/// Row j of a component as the kernel sees it: the same for all g-points, columns along y.
FieldView<float> row(FieldView<float> view, std::int64_t j, int component = 0) {
  return {&view(0, j, 0, component),
          {bands, view.extent(0), view.extent(2), 1},
          {0, view.stride(0), view.stride(2), 0}};
}

} // namespace

Radiation::Radiation(const Place& place, const Weather& weather, Air& air)
    : air_(&air), temperature_(place.field("temperature", 1, 1)),
      face_temperature_(place.field("face_temperature", 1, 1)), cover_(place.field("cover", 1, 1)),
      cloud_depth_(place.field("cloud_depth", 1, 1)), up_(place.field("up", 1, 1)),
      down_(place.field("down", 1, 1)), ground_(place.field("ground", 1, 0, 2)),
      planck_(in(place.memory, planck_tables<float>().planck)),
      width_(in(place.memory, planck_tables<float>().width)),
      part_(in(place.memory, parts_of_absorption<float>())),
      fraction_(in(place.memory, std::vector<float>(bands, 1))),
      emissivity_(in(place.memory, std::vector<float>(bands, 1))) {
  std::vector<std::int32_t> numbers(bands);
  std::iota(numbers.begin(), numbers.end(), 0);
  band_ = in(place.memory, numbers);
  std::int64_t longest = 0;
  for (int b = 0; b < air.q.blocks(); ++b)
    longest = std::max(longest, air.q.box(b).extent(0));
  depth_ = heddle::Buffer<float>(bands * longest * place.grid.domain().extent(2), place.memory);
  const Levels& levels = weather.levels();
  ground_.fill(
      static_cast<float>(levels.theta[0] * std::pow(levels.face_pressure[0] / 1e5, gas_dry / heat_dry)));
}

void Radiation::add_to(heddle::TaskGraph& graph) {
  graph.add(column_physics::Layers<float>(air_->q, air_->exner, temperature_, face_temperature_, cover_,
                                          cloud_depth_, air_->mass));
  graph.add(Rows(*this));
  graph.add(column_physics::Warming<float>(air_->heating, air_->exner, up_, down_, air_->mass));
}

std::vector<heddle::FieldAccess> Radiation::Rows::accesses() const {
  using enum heddle::AccessMode;
  return {{&r_->air_->q, "q", read},
          {&r_->temperature_, "temperature", read},
          {&r_->face_temperature_, "face_temperature", read},
          {&r_->cover_, "cover", read},
          {&r_->cloud_depth_, "cloud_depth", read},
          {&r_->up_, "up", write},
          {&r_->down_, "down", write}};
}

void Radiation::Rows::operator()(heddle::Stream& stream) const {
  Radiation& r = *r_;
  for (int b = 0; b < r.up_.blocks(); ++b) {
    const auto of = [&](heddle::Field<float>& field) { return stream.version(field).view(b); };
    const FieldView<float> q = of(r.air_->q), temperature = of(r.temperature_),
                           face = of(r.face_temperature_), cover = of(r.cover_),
                           cloud_depth = of(r.cloud_depth_), up = of(r.up_), down = of(r.down_),
                           ground = r.ground_.view(b);
    const std::int64_t n_x = up.extent(0), n_z = up.extent(2);
    const FieldView<float> depth(r.depth_.data(), {bands, n_x, n_z, 1}, {1, bands, bands * n_x, 0});
    const FieldView<float> fraction(r.fraction_.data(), {bands, n_x, n_z, 1}, {1, 0, 0, 0});
    const PlaneView<float> emissivity(r.emissivity_.data(), {bands, n_x, bands}, {0, 0, 1});
    const float* const mass = r.air_->mass.first(r.up_.box(b));
    for (std::int64_t j = 0; j < up.extent(1); ++j) {
      heddle::call_kernel<Depths>(stream, row(q, j, Tracer::vapour), depth, mass, r.part_.data());
      heddle::call_kernel<Fluxes>(
          stream, row(temperature, j), row(face, j), row(cloud_depth, j), depth, fraction, row(cover, j),
          row(down, j), PlaneView<float>(&ground(0, j, 0), {bands, n_x, 1}, {0, ground.stride(0), 0}),
          emissivity, row(up, j), PlaneView<float>(&up(0, j, n_z), {bands, n_x, 1}, {0, up.stride(0), 0}),
          r.band_.data(), r.planck_.data(), r.width_.data());
    }
  }
}

} // namespace front
