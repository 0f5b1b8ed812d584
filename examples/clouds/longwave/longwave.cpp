// SPDX-License-Identifier: Apache-2.0
#include "longwave.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "clouds_longwave_sweeps.hpp"
#include "constants.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/core/error.hpp"
#include "longwave_columns.hpp"
#include "rows.hpp"

namespace clouds {
namespace {

using heddle::FieldView;

struct LayersKernel {
  static void host(const auto&... a) { ::clouds_longwave::layers(a...); }
  static void device(const auto&... a) { ::clouds_longwave::layers_cuda(a...); }
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

} // namespace

/// What lies between the kernels, with the layers above the lid.
template <class T> struct Longwave<T>::Scratch {
  Scratch(const Case& what, const BaseState& base, const AirAbove& above, const heddle::Box& box,
          heddle::Memory memory)
      : n_model(static_cast<std::int64_t>(base.levels())),
        columns(box.extent(0), box.extent(1), n_model + static_cast<std::int64_t>(above.vapour.size()),
                static_cast<T>((what.sea ? what.sea->theta : what.theta.at(0)) * base.face_exner.front()),
                memory) {
    std::vector<T> masses{0}; // kernels may read one before the first and one behind the last
    for (std::size_t k = 0; k < base.levels(); ++k)
      masses.push_back(static_cast<T>(base.density[k] * base.height[k]));
    masses.resize(masses.size() + above.vapour.size() + 1, static_cast<T>(above.mass));
    mass = heddle::Buffer<T>(std::span<const T>(masses), memory);
    put_above(columns.moisture, above.vapour, 0);
    put_above(columns.temperature, above.temperature, 0);
    put_above(columns.face_temperature, above.face_temperature, 1);
  }

  std::int64_t n_model;
  example::longwave::Columns<T> columns;
  heddle::Buffer<T> mass;

private:
  /// These values in all columns, from the layer `first` above the lid on.
  void put_above(heddle::Buffer<T>& buffer, const std::vector<double>& above, std::int64_t first) const {
    std::vector<T> all(static_cast<std::size_t>(buffer.size()), T(0));
    for (std::size_t n = 0; n < above.size(); ++n)
      std::fill_n(all.begin() + columns.columns() * (n_model + first + static_cast<std::int64_t>(n)),
                  columns.columns(), static_cast<T>(above[n]));
    heddle::copy_bytes(buffer.data(), buffer.memory(), all.data(), heddle::Memory::host, buffer.bytes());
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
  scratch_ = std::make_unique<Scratch>(what, base, above, columns_.th->box(0), place.memory);
  loop_.add(Task(*this), {.every = 1, .lag = lag});
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

template <class T> typename Longwave<T>::Fluxes Longwave<T>::column(std::int64_t x, std::int64_t y) const {
  const Scratch& s = *scratch_;
  const std::int64_t number = x + y * columns_.th->box(0).extent(0);
  Fluxes found{.up = s.columns.column(s.columns.up, number),
               .down = s.columns.column(s.columns.down, number)};
  for (std::vector<double>* fluxes : {&found.up, &found.down})
    fluxes->resize(static_cast<std::size_t>(s.n_model + 1));
  return found;
}

template <class T> std::vector<heddle::FieldAccess> Longwave<T>::Task::accesses() const {
  using enum heddle::AccessMode;
  const Columns& c = l_->columns_;
  return {{c.th, "th", read}, {c.q, "q", read}, {c.cloud, "cloud", read}, {c.heating, "heating", write}};
}

template <class T> void Longwave<T>::Task::operator()(heddle::Stream& stream) const {
  using Rows = example::longwave::Columns<T>;
  Scratch& s = *l_->scratch_;
  Rows& r = s.columns;
  const Columns& c = l_->columns_;
  const auto view = [&](heddle::Field<T>* field) { return stream.version(*field).view(0); };
  const FieldView<T> th = view(c.th), q = view(c.q), cloud = view(c.cloud), heating = view(c.heating);
  const T* const exner = l_->column_->exner.first(c.th->box(0));
  const T* const mass = s.mass.data() + 1;
  r.in_rows(th.extent(1), [&](std::int64_t first, std::int64_t count) {
    const auto of = [&](const FieldView<T>& field) { return Rows::rows(field, first, count); };
    const auto cells = [&](heddle::Buffer<T>& buffer) {
      return r.cells(buffer, th.extent(0), count, s.n_model);
    };
    heddle::call_kernel<LayersKernel>(stream, of(th), of(q), of(cloud), cells(r.moisture),
                                      cells(r.temperature), cells(r.face_temperature), cells(r.cover),
                                      cells(r.cloud_depth), exner, mass, l_->first_exner_, l_->above_lid_);
    const typename Rows::Arguments a = r.arguments(th.extent(0) * count);
    heddle::call_kernel<FluxesKernel>(stream, a.cover, a.moisture, a.temperature, a.face_temperature,
                                      a.cloud_depth, a.fraction, a.down, a.ground, a.emissivity, a.up,
                                      a.outgoing, mass, a.part, a.band, a.planck, a.width);
    heddle::call_kernel<WarmingKernel>(stream, cells(r.up), cells(r.down), of(heating), exner, mass);
  });
}

#ifdef CLOUDS_F64
template class Longwave<double>;
#endif
#ifdef CLOUDS_F32
template class Longwave<float>;
#endif

} // namespace clouds
