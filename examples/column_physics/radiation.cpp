// SPDX-License-Identifier: Apache-2.0
#include "radiation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "column_physics.hpp"
#include "heddle/core/dispatch.hpp"

namespace front {
namespace {

using heddle::FieldView;
using heddle::PlaneView;

constexpr std::int64_t bands = 16, coldest = 160, temperatures = 181;
/// Edges of the bands, cm-1 (E. J. Mlawer et al., J. Geophys. Res. 102, 16663, 1997, table 1).
constexpr std::array<double, bands + 1> edges{10,   250,  500,  630,  700,  820,  980,  1080, 1180,
                                              1390, 1480, 1800, 2080, 2250, 2380, 2600, 3000};
constexpr double window_from = 820, window_to = 1180;
constexpr float in_window = 0.1F; // part of the grey absorption there

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

std::vector<float> parts() {
  std::vector<float> part;
  for (std::size_t b = 0; b < bands; ++b)
    part.push_back(edges[b] >= window_from && edges[b + 1] <= window_to ? in_window : 1.0F);
  return part;
}

/// Row j of a component as the kernel sees it: the same for all g-points, columns along y.
FieldView<float> row(FieldView<float> view, std::int64_t j, int component = 0) {
  return {&view(0, j, 0, component),
          {bands, view.extent(0), view.extent(2), 1},
          {0, view.stride(0), view.stride(2), 0}};
}

} // namespace

PlanckTables planck_tables() {
  constexpr double first = 1.191042972e-12, second = 1.438776877; // 2 h c2 (W cm2 sr-1), h c / k (cm K)
  constexpr int intervals = 64;                                   // of Simpson's rule
  PlanckTables tables;
  for (std::int64_t kelvin = coldest; kelvin < coldest + temperatures; ++kelvin)
    for (std::size_t b = 0; b < bands; ++b) {
      double sum = 0;
      for (int i = 0; i <= intervals; ++i) {
        const double nu = edges[b] + (edges[b + 1] - edges[b]) * i / intervals;
        const int weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * first * nu * nu * nu / std::expm1(second * nu / static_cast<double>(kelvin));
      }
      tables.planck.push_back(static_cast<float>(sum / (3 * intervals)));
    }
  for (std::size_t b = 0; b < bands; ++b)
    tables.width.push_back(static_cast<float>(edges[b + 1] - edges[b]));
  return tables;
}

Radiation::Radiation(const Place& place, const Weather& weather, Air& air)
    : air_(&air), temperature_(place.field("temperature", 1, 1)),
      face_temperature_(place.field("face_temperature", 1, 1)), cover_(place.field("cover", 1, 1)),
      cloud_depth_(place.field("cloud_depth", 1, 1)), up_(place.field("up", 1, 1)),
      down_(place.field("down", 1, 1)), ground_(place.field("ground", 1, 0, 2)),
      planck_(in(place.memory, planck_tables().planck)), width_(in(place.memory, planck_tables().width)),
      part_(in(place.memory, parts())), fraction_(in(place.memory, std::vector<float>(bands, 1))),
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
