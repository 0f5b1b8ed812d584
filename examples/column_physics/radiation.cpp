// SPDX-License-Identifier: Apache-2.0
#include "radiation.hpp"

#include <algorithm>
#include <cmath>

#include "column_physics.hpp"
#include "heddle/core/dispatch.hpp"

namespace front {
namespace {

using Columns = example::longwave::Columns<float>;
using heddle::FieldView;

struct LayersKernel {
  static void host(const auto&... a) { column_physics::layers(a...); }
  static void device(const auto&... a) { column_physics::layers_cuda(a...); }
};
struct LayersWithIceKernel {
  static void host(const auto&... a) { column_physics::layers_with_ice(a...); }
  static void device(const auto&... a) { column_physics::layers_with_ice_cuda(a...); }
};
struct FluxesKernel {
  static void host(const auto&... a) { column_physics::fluxes(a...); }
  static void device(const auto&... a) { column_physics::fluxes_cuda(a...); }
};
struct WarmingKernel {
  static void host(const auto&... a) { column_physics::warming(a...); }
  static void device(const auto&... a) { column_physics::warming_cuda(a...); }
};

/// Temperature of the ground, K.
float ground(const Levels& levels) {
  return static_cast<float>(levels.theta[0] * std::pow(levels.face_pressure[0] / 1e5, gas_dry / heat_dry));
}

Columns columns_of(const Place& place, const Weather& weather, const Air& air) {
  std::int64_t n_x = 0, n_y = 0;
  for (int b = 0; b < air.q.blocks(); ++b) {
    n_x = std::max(n_x, air.q.box(b).extent(0));
    n_y = std::max(n_y, air.q.box(b).extent(1));
  }
  return {n_x, n_y, place.grid.domain().extent(2), ground(weather.levels()), place.memory};
}

} // namespace

Radiation::Radiation(const Place& place, const Weather& weather, Air& air, Scheme scheme)
    : air_(&air), frozen_(scheme == Scheme::wsm5 ? &air.group(1).q : nullptr),
      columns_(columns_of(place, weather, air)) {}

std::vector<heddle::FieldAccess> Radiation::accesses() const {
  using enum heddle::AccessMode;
  std::vector<heddle::FieldAccess> accesses{{&air_->q, "q", read, 0}, {&air_->heating, "heating", write, 0}};
  if (frozen_ != nullptr) accesses.push_back({frozen_, "frozen", read, 0});
  return accesses;
}

void Radiation::operator()(heddle::Stream& stream) {
  Columns& c = columns_;
  for (int b = 0; b < air_->q.blocks(); ++b) {
    const FieldView<float> q = stream.version(air_->q).view(b), exner = air_->exner.view(b),
                           heating = stream.version(air_->heating).view(b);
    const float* const mass = air_->mass.first(air_->q.box(b));
    const std::int64_t n_x = q.extent(0), n_z = q.extent(2);
    c.in_rows(q.extent(1), [&](std::int64_t first, std::int64_t count) {
      const auto of = [&](const FieldView<float>& view) { return Columns::rows(view, first, count); };
      const auto cells = [&](heddle::Buffer<float>& buffer) { return c.cells(buffer, n_x, count, n_z); };
      const auto layers = [&]<class Kernel>(const auto&... water) {
        heddle::call_kernel<Kernel>(stream, water..., of(exner), cells(c.moisture), cells(c.temperature),
                                    cells(c.face_temperature), cells(c.cover), cells(c.cloud_depth), mass);
      };
      if (frozen_ == nullptr)
        layers.template operator()<LayersKernel>(of(q));
      else
        layers.template operator()<LayersWithIceKernel>(of(q), of(stream.version(*frozen_).view(b)));
      const Columns::Arguments a = c.arguments(n_x * count);
      heddle::call_kernel<FluxesKernel>(stream, a.moisture, a.temperature, a.face_temperature, a.cloud_depth,
                                        a.fraction, a.cover, a.down, a.ground, a.emissivity, a.up, a.outgoing,
                                        mass, a.part, a.band, a.planck, a.width);
      heddle::call_kernel<WarmingKernel>(stream, of(heating), of(exner), cells(c.up), cells(c.down), mass);
    });
  }
}

Radiation::Fluxes Radiation::fluxes(std::int64_t x, std::int64_t y) const {
  const std::int64_t n_x = air_->q.box(air_->q.blocks() - 1).extent(0);
  return {.up = columns_.column(columns_.up, x + n_x * y),
          .down = columns_.column(columns_.down, x + n_x * y)};
}

} // namespace front
