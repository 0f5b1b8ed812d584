// SPDX-License-Identifier: Apache-2.0
#include "stepper.hpp"

#include <algorithm>
#include <cmath>

#include "clouds_sweeps.hpp"
#include "constants.hpp"
#include "heddle/core/counter_random.hpp"
#include "heddle/core/error.hpp"
#include "heddle/halo/halo_exchange.hpp"

namespace clouds {
namespace {

/// Stages of Wicker and Skamarock: the share of the time step of each.
constexpr std::array<double, 3> shares{1.0 / 3, 1.0 / 2, 1.0};

heddle::StaggeredGrid staggered(const Case& what, const BaseState& base,
                                const std::array<std::int64_t, 3>& cells) {
  heddle::StaggeredGrid grid;
  grid.cells = cells;
  grid.width_x = what.size[0] / static_cast<double>(cells[0]);
  grid.width_y = what.size[1] / static_cast<double>(cells[1]);
  grid.heights = base.height;
  grid.density = base.density;
  grid.face_density = base.face_density;
  grid.lower[2].kind = grid.upper[2].kind = heddle::SideKind::free_slip;
  return grid;
}

Place place_of(const Case& what, const std::array<std::int64_t, 3>& cells, heddle::Transport& transport,
               heddle::Memory memory) {
  for (const std::size_t axis : {0U, 1U})
    if (cells[axis] < 4)
      throw heddle::Error("clouds", "a side of " + std::to_string(cells[axis]) + " cells is too short",
                          "use 4 or more: fluxes reach three cells");
  if (cells[2] < 3 * transport.ranks())
    throw heddle::Error("clouds",
                        std::to_string(cells[2]) + " levels are too few for " +
                            std::to_string(transport.ranks()) + " ranks",
                        "leave 3 levels or more to each");
  return {.blocks = heddle::BlockGrid({{0, 0, 0}, cells}, {1, 1, transport.ranks()}, {true, true, false},
                                      transport.ranks()),
          .rank = transport.rank(),
          .memory = memory,
          .width_x = what.size[0] / static_cast<double>(cells[0]),
          .width_y = what.size[1] / static_cast<double>(cells[1])};
}

/// The gradient that a profile has below the lid, per m.
double slope_at_lid(const Knots& profile, const BaseState& base) {
  const double top = base.face.back(), below = base.centre.back();
  return (profile.at(top) - profile.at(below)) / (top - below);
}

template <class T> heddle::Buffer<T> on(heddle::Memory memory, const std::vector<double>& values) {
  return heddle::Buffer<T>(std::vector<T>(values.begin(), values.end()), memory);
}

/// Of the case's roughness; zeros where there is none.
heddle::SurfaceLayerTable surface_table(const Case& what, const BaseState& base) {
  if (what.roughness > 0) return heddle::surface_layer_table(base.centre[0], what.roughness);
  return {.ratio = std::vector<double>(4096, 0)};
}

/// Minus the mean of drag times a component of the wind (on lower faces of its axis) in the lowest level.
template <class T>
double stress(heddle::FieldView<const T> drag, heddle::FieldView<const T> wind, int axis, double frame) {
  double sum = 0;
  for (std::int64_t y = 0; y < drag.extent(1); ++y)
    for (std::int64_t x = 0; x < drag.extent(0); ++x) {
      const T next = axis == 0 ? wind(x + 1, y, 0) : wind(x, y + 1, 0);
      sum -= double{drag(x, y, 0)} * ((double{wind(x, y, 0)} + double{next}) / 2 + frame);
    }
  return sum / static_cast<double>(drag.extent(0) * drag.extent(1));
}

/// The projection of a state, as a task.
template <class T> struct Project {
  heddle::SlabProjection<T>* projection;
  State<T>* state;
  heddle::Memory runs; // device: a call only puts work into its stream

  [[nodiscard]] static std::string_view name() { return "projection"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const {
    std::vector<heddle::FieldAccess> all;
    for (heddle::Field<T>* field : {&state->u, &state->v, &state->w})
      for (const auto mode : {heddle::AccessMode::read, heddle::AccessMode::write})
        all.push_back({field, field->name(), mode});
    return all;
  }
  [[nodiscard]] heddle::Memory memory() const { return runs; }
  void operator()(heddle::Stream& stream) const { (*projection)(state->velocity(), 1, stream); }
};

} // namespace

StepLength next_step(double last, double longest, double rest, const Rates& rates) {
  if (!std::isfinite(rates.advection) || !std::isfinite(rates.diffusion))
    throw heddle::Error("clouds", "the flow is not finite any more",
                        "choose a finer grid, or a case with weaker forcing");
  double length = std::min(longest, 1.05 * last);
  length = std::min(length, 1.0 / std::max(rates.advection, 1e-12));
  length = std::min(length, 0.4 / std::max(rates.diffusion, 1e-12));
  if (length < 1e-3)
    throw heddle::Error("clouds", "the flow asks for time steps below 1 ms",
                        "choose a coarser grid, or check the case");
  const double cut = rest <= length ? rest : rest < 2 * length ? rest / 2 : length;
  return {.length = cut, .allowed = length};
}

/// From a state to the one after a step, through a third one.
template <class T> struct Stepper<T>::Way {
  Way(Stepper& stepper, State<T>& from, State<T>& to, State<T>& between, Scheme scheme)
      : survey({.name = "survey", .memory = stepper.place_.memory}),
        stages({.name = "stages", .memory = stepper.place_.memory}) {
    add_survey(stepper, from);
    State<T>* const reads[]{&from, &to, &between};
    State<T>* const writes[]{&to, &between, &to};
    for (std::size_t n = 0; n < shares.size(); ++n) {
      State<T>&now = *reads[n], &next = *writes[n];
      const Column<T>& c = stepper.column_;
      stages.add(Buoyancy<T>(stepper.buoyancy_, now.th, now.q, c.pressure, c.exner, c.tv0, c.lift));
      if (scheme == Scheme::fifth) {
        add_momentum<Momentum<T>, MomentumParameters>(stepper, from, now, next);
        add_scalars<Scalars<T>, ScalarsParameters>(stepper, from, now, next);
      } else {
        add_momentum<MomentumCentred<T>, MomentumCentredParameters>(stepper, from, now, next);
        add_scalars<ScalarsCentred<T>, ScalarsCentredParameters>(stepper, from, now, next);
      }
      stages.add(Project<T>{&stepper.projection_, &next, stepper.work_of_streams()});
    }
  }

  void set_step(double length) {
    for (std::size_t n = 0; n < steps.size(); ++n)
      *steps[n] = length * shares[n / 2];
  }

  heddle::TaskGraph survey, stages;

private:
  /// A sweep that lives as long as this, with the exchange before it.
  template <class Sweep> Sweep& add(heddle::TaskGraph& graph, Stepper& stepper, Sweep made) {
    const auto sweep = std::make_shared<Sweep>(std::move(made));
    kept.push_back(sweep);
    graph.add(heddle::HaloExchange(sweep->before(), *stepper.transport_));
    graph.add(*sweep);
    return *sweep;
  }

  /// Before the sweeps of a state their exchange: ground() reads ghost cells that it brings.
  void add_survey(Stepper& s, State<T>& now) {
    const Column<T>& c = s.column_;
    const auto eddies = std::make_shared<Eddies<T>>(
        now.u, now.v, now.w, s.viscosity_, s.cloud_, s.rise_u_, s.rise_v_, now.th, now.q, c.per_height,
        c.per_distance, c.per_span, c.order_z, c.pressure, c.exner, c.lift, c.length2, s.advection_,
        s.diffusion_, EddiesParameters{.per_x = 1 / s.place_.width_x, .per_y = 1 / s.place_.width_y});
    kept.push_back(eddies);
    survey.add(heddle::HaloExchange(eddies->before(), *s.transport_));
    survey.add(Ground<T>(now.u, now.v, s.drag_, s.rise_u_, s.rise_v_, c.order_z, c.lift, s.drag_table_,
                         GroundParameters{.u_frame = s.what_->u_frame,
                                          .virtual_flux = s.what_->virtual_flux(),
                                          .u_star = s.what_->friction_velocity,
                                          .first_height = s.base_->centre[0],
                                          .per_warm = s.surface_.per_warm,
                                          .per_cold = s.surface_.per_cold}));
    survey.add(*eddies);
  }

  template <class Sweep, class Parameters>
  void add_momentum(Stepper& s, State<T>& old, State<T>& now, State<T>& next) {
    const Column<T>& c = s.column_;
    Sweep& sweep = add(stages, s,
                       Sweep(now.u, now.v, now.w, old.u, old.v, old.w, next.u, next.v, next.w, s.viscosity_,
                             s.buoyancy_, s.drag_, c.rho, c.rho_face, c.per_height, c.per_distance, c.mass,
                             c.per_mass, c.per_face_mass, c.order_z, c.w_ls_wind, c.u_geostrophic,
                             c.v_geostrophic, c.u0, c.v0, c.sponge, c.face_sponge,
                             Parameters{.step = 0,
                                        .coriolis = s.what_->coriolis,
                                        .u_frame = s.what_->u_frame,
                                        .per_x = 1 / s.place_.width_x,
                                        .per_y = 1 / s.place_.width_y}));
    steps.push_back(&sweep.parameters.step);
  }

  template <class Sweep, class Parameters>
  void add_scalars(Stepper& s, State<T>& old, State<T>& now, State<T>& next) {
    const Column<T>& c = s.column_;
    Sweep& sweep = add(stages, s,
                       Sweep(now.u, now.v, now.w, old.th, old.q, next.th, next.q, s.viscosity_, now.th, now.q,
                             c.rho_face, c.per_distance, c.per_mass, c.order_z, c.w_ls, c.th0, c.q0,
                             c.heating, c.moistening, c.sponge,
                             Parameters{.step = 0,
                                        .theta_flux = s.what_->theta_flux,
                                        .water_flux = s.what_->water_flux,
                                        .theta_slope = slope_at_lid(s.what_->theta, *s.base_),
                                        .water_slope = slope_at_lid(s.what_->water, *s.base_),
                                        .per_x = 1 / s.place_.width_x,
                                        .per_y = 1 / s.place_.width_y}));
    steps.push_back(&sweep.parameters.step);
  }

  std::vector<std::shared_ptr<void>> kept;
  std::vector<double*> steps; // of the sweeps, two a stage
};

template <class T>
Stepper<T>::Stepper(const Case& what, const BaseState& base, const std::array<std::int64_t, 3>& cells,
                    Scheme scheme, heddle::Transport& transport, heddle::Memory memory)
    : what_(&what), base_(&base), transport_(&transport), place_(place_of(what, cells, transport, memory)),
      column_(place_, what, base, scheme == Scheme::fifth ? 5 : 2),
      projection_(staggered(what, base, cells), transport, place_.memory, heddle::SlabMethod::transposed),
      ranks_(transport), stream_(place_.memory), viscosity_(place_.field<T>("K")),
      cloud_(place_.field<T>("cloud")), buoyancy_(place_.field<T>("b")), drag_(place_.field<T>("drag")),
      rise_u_(place_.field<T>("rise_u")), rise_v_(place_.field<T>("rise_v")),
      surface_(surface_table(what, base)), drag_table_(on<T>(place_.memory, surface_.ratio)),
      advection_(1, place_.memory), diffusion_(1, place_.memory) {
  for (std::size_t n = 0; n < states_.size(); ++n)
    states_[n] = std::make_unique<State<T>>(place_, n == 0 ? "" : n == 1 ? "_a" : "_b");
  ways_[0] = std::make_unique<Way>(*this, *states_[0], *states_[1], *states_[2], scheme);
  ways_[1] = std::make_unique<Way>(*this, *states_[1], *states_[0], *states_[2], scheme);
}

template <class T> Stepper<T>::~Stepper() = default;

template <class T> void Stepper<T>::start(std::uint64_t seed) {
  State<T>& s = now();
  const Case& c = *what_;
  const auto level = [](std::int64_t k) { return static_cast<std::size_t>(k); };
  s.u.fill([&](auto, auto, auto k, int) { return c.u.at(base_->centre[level(k)]) - c.u_frame; });
  s.v.fill([&](auto, auto, auto k, int) { return c.v.at(base_->centre[level(k)]); });
  s.w.fill([](auto, auto, auto, int) { return 0.0; });
  const auto noise = [&](std::uint32_t stream, std::int64_t x, std::int64_t y, std::int64_t k) {
    return base_->centre[level(k)] < c.noise_below ? heddle::random_number(seed, stream, x, y, k) : 0.0;
  };
  s.th.fill([&](auto x, auto y, auto k, int) {
    const double bump =
        c.theta_bump ? c.theta_bump((static_cast<double>(x) + 0.5) * place_.width_x,
                                    (static_cast<double>(y) + 0.5) * place_.width_y, base_->centre[level(k)])
                     : 0.0;
    return base_->theta[level(k)] - offset + bump + c.theta_noise * noise(0, x, y, k);
  });
  s.q.fill([&](auto x, auto y, auto k, int) {
    return base_->water[level(k)] + c.water_noise * noise(1, x, y, k);
  });
  project();
}

template <class T> heddle::Memory Stepper<T>::work_of_streams() const {
  return transport_->ranks() == 1 ? place_.memory : heddle::Memory::host; // else messages wait for streams
}

template <class T> void Stepper<T>::project() {
  projection_(now().velocity(), 1, stream_);
  stream_.synchronise();
}

template <class T> Rates Stepper<T>::survey() {
  ways_[now_]->survey.run();
  const auto largest = [&](const heddle::Buffer<T>& of_block) {
    T value = 0;
    heddle::copy_bytes(&value, heddle::Memory::host, of_block.data(), of_block.memory(), sizeof(value));
    return ranks_.largest(static_cast<double>(value));
  };
  const double advection = largest(advection_);
  return {.advection = advection, .diffusion = largest(diffusion_)};
}

template <class T> void Stepper<T>::step(double length) {
  ways_[now_]->set_step(length);
  ways_[now_]->stages.run();
  now_ = 1 - now_;
}

template <class T> double Stepper<T>::divergence() {
  return projection_.norms(now().velocity(), stream_).largest * std::max(place_.width_x, place_.width_y);
}

template <class T> std::array<double, 2> Stepper<T>::ground_stress() const {
  if (place_.blocks.block(place_.rank).lower[2] != 0) return {0, 0};
  double along_x = 0, along_y = 0;
  drag_.inspect(0, [&](const auto drag) {
    states_[now_]->u.inspect(0, [&](const auto u) { along_x = stress(drag, u, 0, what_->u_frame); });
    states_[now_]->v.inspect(0, [&](const auto v) { along_y = stress(drag, v, 1, 0); });
  });
  return {along_x, along_y};
}

template <class T> void Stepper<T>::add_to(heddle::Checkpoint& checkpoint) {
  State<T>& s = *states_[0];
  for (heddle::Field<T>* field : {&s.u, &s.v, &s.w, &s.th, &s.q})
    checkpoint.add(*field);
}

template <class T> void Stepper<T>::settle() {
  if (now_ == 0) return;
  State<T>&to = *states_[0], &from = *states_[1];
  to.u.copy_from(from.u);
  to.v.copy_from(from.v);
  to.w.copy_from(from.w);
  to.th.copy_from(from.th);
  to.q.copy_from(from.q);
  now_ = 0;
}

template class Stepper<double>;
template class Stepper<float>;

} // namespace clouds
