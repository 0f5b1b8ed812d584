// SPDX-License-Identifier: Apache-2.0
#include "longwave.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "clouds_longwave_sweeps.hpp"
#include "constants.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/core/error.hpp"
#include "longwave_bands.hpp"
#include "rows.hpp"

namespace clouds {
namespace {

using namespace example::longwave;
using heddle::FieldView;
using heddle::PlaneView;

struct LayersKernel {
  static void host(const auto&... a) { ::clouds_longwave::layers(a...); }
  static void device(const auto&... a) { ::clouds_longwave::layers_cuda(a...); }
};
struct DepthsKernel {
  static void host(const auto&... a) { ::clouds_longwave::depths(a...); }
  static void device(const auto&... a) { ::clouds_longwave::depths_cuda(a...); }
};
struct FluxesKernel {
  static void host(const auto&... a) { ::clouds_longwave::fluxes(a...); }
  static void device(const auto&... a) { ::clouds_longwave::fluxes_cuda(a...); }
};
struct WarmingKernel {
  static void host(const auto&... a) { ::clouds_longwave::warming(a...); }
  static void device(const auto&... a) { ::clouds_longwave::warming_cuda(a...); }
};

/// The air above the lid, in layers of the same mass up to the end of the atmosphere.
struct AirAbove {
  std::vector<double> temperature, face_temperature, vapour; // the faces above the layers
  double mass = 0;                                           // of a layer, kg m-2

  AirAbove(const Case& what, const BaseState& base) {
    constexpr int layers = 16;
    constexpr double lapse = 6.5e-3, least = 200; // K/m up to the tropopause, and its temperature
    const double top = base.face.back(), exner = base.face_exner.back();
    const double pressure = reference_pressure * std::pow(exner, heat_dry / gas_dry);
    const double at_lid = what.theta.at(top) * exner;
    const auto kelvin = [&](double share) { // of the pressure at the lid
      return std::max(least, at_lid * std::pow(share, gas_dry * lapse / gravity));
    };
    for (int n = 0; n < layers; ++n) {
      const double share = 1 - (n + 0.5) / layers;
      temperature.push_back(kelvin(share));
      face_temperature.push_back(kelvin(1 - (n + 1.0) / layers));
      // As D. M. W. Frierson et al., J. Atmos. Sci. 63, 2548 (2006): its optical depth goes with pressure^4.
      vapour.push_back(what.water.at(top) * std::pow(share, 3));
    }
    mass = pressure / layers / gravity;
  }
};

template <class T> heddle::Buffer<T> in(heddle::Memory memory, const std::vector<T>& values) {
  return heddle::Buffer<T>(std::span<const T>(values), memory);
}

/// Row j of a field.
template <class T> FieldView<T> row_of(const FieldView<T>& field, std::int64_t j) {
  return {&field(0, j, 0), {field.extent(0), 1, field.extent(2), 1}, field.strides()};
}

} // namespace

/// What lies between the kernels, for a row of columns along x: axes x, 1, layer, with the layers above the
/// lid.
template <class T> struct Longwave<T>::Scratch {
  Scratch(const Case& what, const BaseState& base, const AirAbove& above, std::int64_t columns,
          heddle::Memory memory)
      : n_x(columns), n_model(static_cast<std::int64_t>(base.levels())),
        n_z(n_model + static_cast<std::int64_t>(above.vapour.size())),
        vapour(filled(above.vapour, 0, memory)), temperature(filled(above.temperature, 0, memory)),
        face_temperature(filled(above.face_temperature, 1, memory)), cover(filled({}, 0, memory)),
        cloud_depth(filled({}, 0, memory)), up(filled({}, 0, memory)), down(filled({}, 0, memory)),
        depth(bands * n_x * n_z, memory), planck(in(memory, planck_tables<T>().planck)),
        width(in(memory, planck_tables<T>().width)), part(in(memory, parts_of_absorption<T>())),
        ones(in(memory, std::vector<T>(bands, T(1)))) {
    std::vector<T> masses{0}; // kernels may read one before the first and one behind the last
    for (std::size_t k = 0; k < base.levels(); ++k)
      masses.push_back(static_cast<T>(base.density[k] * base.height[k]));
    masses.resize(static_cast<std::size_t>(n_z + 2), static_cast<T>(above.mass));
    mass = in(memory, masses);
    const double theta = what.sea ? what.sea->theta : what.theta.at(0);
    ground = in(memory, std::vector<T>{static_cast<T>(theta * base.face_exner.front())});
    std::vector<std::int32_t> numbers(bands);
    std::iota(numbers.begin(), numbers.end(), 0);
    band = in(memory, numbers);
  }

  /// In the layers of the model.
  FieldView<T> below(heddle::Buffer<T>& buffer) const {
    return {buffer.data(), {n_x, 1, n_model, 1}, {1, n_x, n_x, n_x * (n_z + 1)}};
  }
  /// As kernels of g-points see it: the same for all of them, columns along y.
  FieldView<T> row(heddle::Buffer<T>& buffer) const {
    return {buffer.data(), {bands, n_x, n_z, 1}, {0, 1, n_x, 0}};
  }

  std::int64_t n_x, n_model, n_z;
  heddle::Buffer<T> vapour, temperature, face_temperature, cover, cloud_depth, up, down, depth;
  heddle::Buffer<T> planck, width, part, ones, mass, ground;
  heddle::Buffer<std::int32_t> band;

private:
  /// Zeros, and these values from the layer `first` above the lid on.
  heddle::Buffer<T> filled(const std::vector<double>& above, std::int64_t first,
                           heddle::Memory memory) const {
    std::vector<T> all(static_cast<std::size_t>(n_x * (n_z + 1)), T(0));
    for (std::size_t n = 0; n < above.size(); ++n)
      std::fill_n(all.begin() + n_x * (n_model + first + static_cast<std::int64_t>(n)), n_x,
                  static_cast<T>(above[n]));
    return in(memory, all);
  }
};

/// What calls of several ranks read and write, in whole columns. The heating has the ghost cells of that of
/// one rank: a checkpoint holds those beyond ground and lid.
template <class T> struct Longwave<T>::Shared {
  Shared(const Place& rows, heddle::Transport& transport)
      : th(rows.field<T>("th of columns", 0)), q(rows.field<T>("q of columns", 0)),
        cloud(rows.field<T>("cloud of columns", 0)), heating(rows.field<T>("heating of columns")),
        to_columns(transport, "longwave radiation, to columns"),
        to_levels(transport, "longwave radiation, to levels") {}

  heddle::Field<T> th, q, cloud, heating;
  Redistribution<T> to_columns, to_levels;
};

template <class T>
Longwave<T>::Longwave(const Case& what, const BaseState& base, const Place& place, const Column<T>& column,
                      heddle::Field<T>& th, heddle::Field<T>& q, heddle::Field<T>& cloud, int lag,
                      heddle::Transport& transport)
    : column_(&column), th_(&th), q_(&q), cloud_(&cloud), heating_(place.field<T>("heating")),
      first_exner_(base.exner.front()), loop_({.name = "longwave", .memory = place.memory}) {
  if (place.blocks.ranks() > 1) shared_ = std::make_unique<Shared>(shared_rows(place), transport);
  columns_ = shared_ ? Columns{&shared_->th, &shared_->q, &shared_->cloud, &shared_->heating}
                     : Columns{th_, q_, cloud_, &heating_};
  const AirAbove above(what, base);
  above_lid_ = above.temperature.front();
  scratch_ = std::make_unique<Scratch>(what, base, above, place.blocks.domain().extent(0), place.memory);
  loop_.add(Rows(*this), {.every = 1, .lag = lag});
}

template <class T> Longwave<T>::~Longwave() = default;

template <class T> void Longwave<T>::run() {
  if (!shared_) return loop_.run(1);
  // The thread that steps sends all messages, none a call that goes on beside it.
  Shared& s = *shared_;
  s.to_columns(*th_, s.th);
  s.to_columns(*q_, s.q);
  s.to_columns(*cloud_, s.cloud);
  loop_.run(1);
  s.to_levels(s.heating, heating_);
}

template <class T>
void Longwave<T>::add_to_stage(Tasks& tasks, heddle::Field<T>& th_next, const heddle::Buffer<T>& length,
                               double share) {
  tasks.add(::clouds_longwave::Warm<T>(heating_, th_next, length,
                                       ::clouds_longwave::WarmParameters{.share = share}));
}

template <class T> void Longwave<T>::add_to(heddle::Checkpoint& checkpoint) {
  checkpoint.add(heating_);
  checkpoint.add(loop_);
}

template <class T> typename Longwave<T>::Fluxes Longwave<T>::last_column() const {
  const Scratch& s = *scratch_;
  const std::vector<T> up = s.up.to_host(), down = s.down.to_host();
  Fluxes column;
  for (std::int64_t k = 0; k <= s.n_model; ++k) {
    const auto n = static_cast<std::size_t>(s.n_x * (k + 1) - 1);
    column.up.push_back(double{up[n]});
    column.down.push_back(double{down[n]});
  }
  return column;
}

template <class T> std::vector<heddle::FieldAccess> Longwave<T>::Rows::accesses() const {
  using enum heddle::AccessMode;
  const Columns& c = l_->columns_;
  return {{c.th, "th", read}, {c.q, "q", read}, {c.cloud, "cloud", read}, {c.heating, "heating", write}};
}

template <class T> void Longwave<T>::Rows::operator()(heddle::Stream& stream) const {
  Scratch& s = *l_->scratch_;
  const Columns& c = l_->columns_;
  const auto of = [&](heddle::Field<T>* field) { return stream.version(*field).view(0); };
  const FieldView<T> th = of(c.th), q = of(c.q), cloud = of(c.cloud), heating = of(c.heating);
  const FieldView<T> depth(s.depth.data(), {bands, s.n_x, s.n_z, 1}, {1, bands, bands * s.n_x, 0});
  const FieldView<T> fraction(s.ones.data(), {bands, s.n_x, s.n_z, 1}, {1, 0, 0, 0});
  const PlaneView<T> emissivity(s.ones.data(), {bands, s.n_x, bands}, {0, 0, 1});
  const PlaneView<T> ground(s.ground.data(), {bands, s.n_x, 1}, {0, 0, 0});
  const PlaneView<T> outgoing(s.up.data() + s.n_x * s.n_z, {bands, s.n_x, 1}, {0, 1, 0});
  const T* const exner = l_->column_->exner.first(c.th->box(0));
  const T* const mass = s.mass.data() + 1;
  for (std::int64_t j = 0; j < th.extent(1); ++j) {
    heddle::call_kernel<LayersKernel>(stream, row_of(th, j), row_of(q, j), row_of(cloud, j),
                                      s.below(s.vapour), s.below(s.temperature), s.below(s.face_temperature),
                                      s.below(s.cover), s.below(s.cloud_depth), exner, mass, l_->first_exner_,
                                      l_->above_lid_);
    heddle::call_kernel<DepthsKernel>(stream, s.row(s.vapour), depth, mass,
                                      static_cast<const T*>(s.part.data()));
    heddle::call_kernel<FluxesKernel>(
        stream, s.row(s.cover), s.row(s.temperature), s.row(s.face_temperature), s.row(s.cloud_depth), depth,
        fraction, s.row(s.down), ground, emissivity, s.row(s.up), outgoing,
        static_cast<const std::int32_t*>(s.band.data()), static_cast<const T*>(s.planck.data()),
        static_cast<const T*>(s.width.data()));
    heddle::call_kernel<WarmingKernel>(stream, s.below(s.up), s.below(s.down), row_of(heating, j), exner,
                                       mass);
  }
}

template class Longwave<double>;
template class Longwave<float>;

} // namespace clouds
