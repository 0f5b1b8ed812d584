// SPDX-License-Identifier: Apache-2.0
#include "stepper.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "clouds_sweeps.hpp"
#include "constants.hpp"
#include "heddle/core/counter_random.hpp"
#include "heddle/core/error.hpp"
#include "heddle/halo/halo_exchange.hpp"

namespace clouds {
namespace {

/// A stage: next = old + blend (now - old) + share dt F(now), where 0 is the state before the step.
struct Stage {
  std::size_t old, now, next;
  double share, blend;
};
using Stages = std::array<Stage, 3>;

constexpr Stages wicker_skamarock{{{0, 0, 1, 1.0 / 3, 0}, {0, 1, 2, 1.0 / 2, 0}, {0, 2, 1, 1, 0}}};

/// J. H. Williamson, J. Comput. Phys. 35, 48 (1980), case 7:
///
///     d_i = a_i d_(i-1) + dt F(u_(i-1)),  u_i = u_(i-1) + b_i d_i,  a = 0, -5/9, -153/128,  b = 1/3, 15/16,
///     8/15
///
/// with d_(i-1) = (u_(i-1) - u_(i-2)) / b_(i-1), so that no field is needed for d. A projection is linear and
/// leaves states without divergence alone: that of u_i stands for one of d_i.
constexpr Stages williamson{
    {{0, 0, 1, 1.0 / 3, 0}, {0, 1, 2, 15.0 / 16, -9.0 / 16}, {1, 2, 0, 8.0 / 15, 8.0 / 25}}};

const Stages& stages_of(RungeKutta which) {
  return which == RungeKutta::williamson ? williamson : wicker_skamarock;
}

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
    if (cells[axis] < 6)
      throw heddle::Error("clouds", "a side of " + std::to_string(cells[axis]) + " cells is too short",
                          "use 6 or more: fluxes reach three cells to both sides");
  constexpr std::int64_t fewest = 2 * reach; // levels of a block of an exchange
  if (cells[2] < fewest * transport.ranks())
    throw heddle::Error("clouds",
                        std::to_string(cells[2]) + " levels are too few for " +
                            std::to_string(transport.ranks()) + " ranks",
                        "leave " + std::to_string(fewest) + " levels or more to each");
  return {.blocks = heddle::BlockGrid({{0, 0, 0}, cells}, {1, 1, transport.ranks()}, {true, true, false},
                                      transport.ranks()),
          .rank = transport.rank(),
          .memory = memory,
          .width_x = what.size[0] / static_cast<double>(cells[0]),
          .width_y = what.size[1] / static_cast<double>(cells[1])};
}

template <class T> heddle::Buffer<T> on(heddle::Memory memory, const std::vector<double>& values) {
  return heddle::Buffer<T>(std::vector<T>(values.begin(), values.end()), memory);
}

/// Of the case's roughness; zeros where there is none.
heddle::SurfaceLayerTable surface_table(const Case& what, const BaseState& base) {
  if (what.roughness > 0) return heddle::surface_layer_table(base.centre[0], what.roughness);
  return {.ratio = std::vector<double>(4096, 0)};
}

/// Numbers become the largest ones of all ranks: a task.
template <class T> struct Agree {
  std::array<heddle::Buffer<T>*, 2> numbers;
  heddle::RankValues* ranks;

  [[nodiscard]] static std::string_view name() { return "agree"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const {
    std::vector<heddle::FieldAccess> all;
    for (const heddle::Buffer<T>* number : numbers)
      for (const auto mode : {heddle::AccessMode::read, heddle::AccessMode::write})
        all.push_back({number, "rate", mode});
    return all;
  }
  void operator()(heddle::Stream&) const {
    std::array<double, 2> own{};
    for (std::size_t n = 0; n < own.size(); ++n)
      own[n] = static_cast<double>(numbers[n]->to_host()[0]);
    const std::vector<double> all = ranks->largest(own);
    for (std::size_t n = 0; n < own.size(); ++n) {
      const T most = static_cast<T>(all[n]);
      heddle::copy_bytes(numbers[n]->data(), numbers[n]->memory(), &most, heddle::Memory::host, sizeof most);
    }
  }
};

} // namespace

template <class T> struct Stepper<T>::Project {
  Stepper* stepper;
  State<T>* state;

  [[nodiscard]] static std::string_view name() { return "projection"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const {
    std::vector<heddle::FieldAccess> all;
    for (heddle::Field<T>* field : {&state->u, &state->v, &state->w})
      for (const auto mode : {heddle::AccessMode::read, heddle::AccessMode::write})
        all.push_back({field, field->name(), mode});
    return all;
  }
  [[nodiscard]] heddle::Memory memory() const { return stepper->work_of_streams(); }
  void operator()(heddle::Stream& stream) const {
    State<T>* const mirror = stepper->mirror_.get();
    if (mirror == nullptr) return stepper->projection_(state->velocity(), 1, stream);
    mirror->copy_velocity(*state);
    stepper->projection_(mirror->velocity(), 1);
    state->copy_velocity(*mirror);
  }
};

/// Tasks for the states of a stepper.
template <class T> class Stepper<T>::Graph {
public:
  Graph(Stepper& stepper, const char* name)
      : s_(stepper), tasks_({.name = name,
                             .memory = stepper.place_.memory,
                             .capture = stepper.recorded() ? heddle::Capture::on : heddle::Capture::off,
                             .unroll = 1,
                             .trace = stepper.trace_,
                             .trace_process = stepper.transport_->rank()},
                            *stepper.transport_, stepper.trace_ != nullptr) {}

  void run(std::int64_t times = 1) { tasks_.run(times); }

  void add_survey(State<T>& now) {
    if (now.r)
      add_survey_with<EddiesInRain<T>, EddiesInRainParameters, true>(now);
    else
      add_survey_with<Eddies<T>, EddiesParameters, false>(now);
  }

  /// From the n-th state to the one after a step, through the others.
  void add_stages(std::size_t n) {
    const std::array<State<T>*, 3> states = states_from(n);
    const Stages& stages = stages_of(s_.runge_kutta_);
    for (const Stage& stage : stages) {
      State<T>&old = *states[stage.old], &now = *states[stage.now], &next = *states[stage.next];
      const bool last = &stage == &stages.back();
      // That of the first stage is known from its survey.
      if (stage.now != 0 && !s_.scalars_lift()) add_buoyancy(now);
      if (s_.scheme_ == Scheme::fifth)
        add_stage<Momentum<T>, MomentumParameters, Fifth>(old, now, next, stage, last);
      else
        add_stage<MomentumCentred<T>, MomentumCentredParameters, Second>(old, now, next, stage, last);
      tasks_.put(Project{&s_, &next});
      if (s_.winds_are_filled_)
        for (const heddle::Field<T>* field : {&next.u, &next.v, &next.w})
          tasks_.filled_beside(field);
    }
    if (s_.rain_) s_.rain_->add_fall(tasks_, *states[stages[2].next], *states[stages[1].next]);
  }

  /// The length of the step, its stages, and the survey of what comes out.
  void add_step(std::size_t n) {
    tasks_.put(s_.clock_);
    add_stages(n);
    add_survey(*states_from(n)[stages_of(s_.runge_kutta_).back().next]);
  }

private:
  struct Fifth {
    using Plain = Scalars<T>;
    using PlainParameters = ScalarsParameters;
    using Lifting = ScalarsAndBuoyancy<T>;
    using LiftingParameters = ScalarsAndBuoyancyParameters;
  };
  struct Second {
    using Plain = ScalarsCentred<T>;
    using PlainParameters = ScalarsCentredParameters;
    using Lifting = ScalarsAndBuoyancyCentred<T>;
    using LiftingParameters = ScalarsAndBuoyancyCentredParameters;
  };

  /// The n-th state, and those that a step from it uses as well.
  [[nodiscard]] std::array<State<T>*, 3> states_from(std::size_t n) {
    return {s_.states_[n].get(), s_.states_[1 - n].get(), s_.states_[2].get()};
  }

  /// Before the sweeps of a state their exchange: what is at the ground reads ghost cells that it brings.
  template <class Sweep, class Parameters, bool rains> void add_survey_with(State<T>& now) {
    const Column<T>& c = s_.column_;
    const Parameters scalars{.background = s_.what_->viscosity,
                             .per_prandtl = s_.what_->per_prandtl,
                             .per_x = 1 / s_.place_.width_x,
                             .per_y = 1 / s_.place_.width_y};
    Sweep eddies = [&] {
      if constexpr (rains)
        return Sweep(now.u, now.v, now.w, s_.viscosity_, s_.cloud_, s_.buoyancy_, s_.rise_u_, s_.rise_v_,
                     now.th, now.q, *now.r, c.per_height, c.per_distance, c.per_span, c.order_z, c.pressure,
                     c.exner, c.tv0, c.lift, c.length2, s_.advection_, s_.diffusion_, scalars);
      else
        return Sweep(now.u, now.v, now.w, s_.viscosity_, s_.cloud_, s_.buoyancy_, s_.rise_u_, s_.rise_v_,
                     now.th, now.q, c.per_height, c.per_distance, c.per_span, c.order_z, c.pressure, c.exner,
                     c.tv0, c.lift, c.length2, s_.advection_, s_.diffusion_, scalars);
    }();
    tasks_.exchange_for(eddies);
    if (s_.what_->sea)
      s_.rain_->add_sea(tasks_, now, s_.drag_, s_.rise_u_, s_.rise_v_);
    else
      tasks_.put(Ground<T>(now.u, now.v, s_.drag_, s_.rise_u_, s_.rise_v_, c.order_z, c.lift, s_.drag_table_,
                           {.u_frame = s_.what_->u_frame,
                            .v_frame = s_.what_->v_frame,
                            .virtual_flux = s_.what_->virtual_flux(),
                            .u_star = s_.what_->friction_velocity,
                            .first_height = s_.base_->centre[0],
                            .per_warm = s_.surface_.per_warm,
                            .per_cold = s_.surface_.per_cold}));
    tasks_.put(std::move(eddies));
    if (s_.transport_->ranks() > 1) tasks_.put(Agree<T>{{&s_.advection_, &s_.diffusion_}, &s_.ranks_});
  }

  void add_buoyancy(State<T>& now) {
    const Column<T>& c = s_.column_;
    if (now.r)
      s_.rain_->add_buoyancy(tasks_, now, s_.buoyancy_);
    else
      tasks_.put(Buoyancy<T>(s_.buoyancy_, now.th, now.q, c.pressure, c.exner, c.tv0, c.lift));
  }

  /// Velocity, temperature and water of a stage; the last one limits water where a case asks for it.
  template <class Wind, class WindParameters, class Order>
  void add_stage(State<T>& old, State<T>& now, State<T>& next, const Stage& stage, bool last) {
    Wind wind = momentum<Wind, WindParameters>(old, now, next, stage);
    tasks_.exchange_for(wind); // it reaches further than scalars do: they then need no wind
    const auto add_wind = [&] { tasks_.put(std::move(wind)); };
    if (s_.rain_ && last) {
      add_wind();
      if (s_.scalars_lift())
        s_.rain_->add_last_stage_at_once(tasks_, old, now, next);
      else
        s_.rain_->add_last_stage(tasks_, old, now, next, s_.sinking_.get());
    } else if (s_.rain_ && s_.scalars_lift()) {
      add_wind(); // which reads the buoyancy of before
      s_.rain_->add_stage(tasks_, old, now, next, s_.buoyancy_, stage.share);
    } else {
      const auto add_both = [&](auto sweep) {
        tasks_.exchange_for(sweep);
        add_wind();
        tasks_.put(std::move(sweep));
      };
      if (s_.scalars_lift() && !last) // after the wind, which reads the buoyancy of before
        add_both(
            scalars<typename Order::Lifting, typename Order::LiftingParameters, true>(old, now, next, stage));
      else
        add_both(
            scalars<typename Order::Plain, typename Order::PlainParameters, false>(old, now, next, stage));
      if (s_.rain_) s_.rain_->add_to_stage(tasks_, old, now, next, stage.share);
      if (s_.sinking_) s_.sinking_->add_to_stage(tasks_, now, next, next.q, stage.share);
    }
    if (s_.longwave_) s_.longwave_->add_to_stage(tasks_, next.th, s_.clock_.length(), stage.share);
  }

  template <class Sweep, class Parameters>
  [[nodiscard]] Sweep momentum(State<T>& old, State<T>& now, State<T>& next, const Stage& stage) {
    const Column<T>& c = s_.column_;
    return Sweep(now.u, now.v, now.w, old.u, old.v, old.w, next.u, next.v, next.w, s_.viscosity_,
                 s_.buoyancy_, s_.drag_, c.rho, c.rho_face, c.per_height, c.per_distance, c.mass, c.per_mass,
                 c.per_face_mass, c.order_z, c.w_ls_wind, c.u_geostrophic, c.v_geostrophic, c.u0, c.v0,
                 c.sponge, c.face_sponge, s_.clock_.length(),
                 Parameters{.share = stage.share,
                            .blend = stage.blend,
                            .coriolis = s_.what_->coriolis,
                            .u_frame = s_.what_->u_frame,
                            .v_frame = s_.what_->v_frame,
                            .per_x = 1 / s_.place_.width_x,
                            .per_y = 1 / s_.place_.width_y});
  }

  template <class Sweep, class Parameters, bool lifts>
  [[nodiscard]] Sweep scalars(State<T>& old, State<T>& now, State<T>& next, const Stage& stage) {
    const Column<T>& c = s_.column_;
    const Parameters numbers{.share = stage.share,
                             .blend = stage.blend,
                             .per_prandtl = s_.what_->per_prandtl,
                             .theta_flux = s_.what_->theta_flux,
                             .water_flux = s_.what_->water_flux,
                             .theta_slope = slope_at_lid(s_.what_->theta, *s_.base_),
                             .water_slope = slope_at_lid(s_.what_->water, *s_.base_),
                             .per_x = 1 / s_.place_.width_x,
                             .per_y = 1 / s_.place_.width_y};
    if constexpr (lifts)
      return Sweep(now.u, now.v, now.w, old.th, old.q, next.th, next.q, s_.viscosity_, s_.buoyancy_, now.th,
                   now.q, c.rho_face, c.per_distance, c.per_mass, c.order_z, c.pressure, c.exner, c.tv0,
                   c.lift, c.w_ls, c.th0, c.q0, c.heating, c.moistening, c.sponge, s_.clock_.length(),
                   numbers);
    else
      return Sweep(now.u, now.v, now.w, old.th, old.q, next.th, next.q, s_.viscosity_, now.th, now.q,
                   c.rho_face, c.per_distance, c.per_mass, c.order_z, c.w_ls, c.th0, c.q0, c.heating,
                   c.moistening, c.sponge, s_.clock_.length(), numbers);
  }

  Stepper& s_;
  Tasks tasks_;
};

template <class T>
Stepper<T>::Stepper(const Case& what, const BaseState& base, const std::array<std::int64_t, 3>& cells,
                    Scheme scheme, heddle::Transport& transport, const Machine& machine, RungeKutta steps)
    : what_(&what), base_(&base), scheme_(scheme), runge_kutta_(steps), transport_(&transport),
      trace_(machine.trace),
      host_pressure_(machine.host_pressure && machine.memory == heddle::Memory::device),
      place_(place_of(what, cells, transport, machine.memory)),
      column_(place_, what, base, scheme == Scheme::fifth ? 5 : 2),
      projection_(staggered(what, base, cells), transport,
                  host_pressure_ ? heddle::Memory::host : place_.memory, heddle::SlabMethod::transposed),
      ranks_(transport), stream_(place_.memory), viscosity_(place_.field<T>("K")),
      cloud_(place_.field<T>("cloud")), buoyancy_(place_.field<T>("b")), drag_(place_.field<T>("drag")),
      rise_u_(place_.field<T>("rise_u")), rise_v_(place_.field<T>("rise_v")),
      surface_(surface_table(what, base)), drag_table_(on<T>(place_.memory, surface_.ratio)),
      advection_(1, place_.memory), diffusion_(1, place_.memory),
      clock_(what.longest_step, advection_, diffusion_) {
  if (Rain<T>::needed(what) && steps == RungeKutta::williamson)
    throw heddle::Error(
        "clouds",
        "the limiter that keeps water positive starts from the state before a step, as the last "
        "stage of Williamson's steps does not",
        "use --rk wrf with rain or a sea");
  if (Rain<T>::needed(what))
    rain_ = std::make_unique<Rain<T>>(what, base, place_, column_, scheme, viscosity_, clock_.length());
  if (what.sinks_by_means) sinking_ = std::make_unique<Sinking<T>>(what, base, place_, clock_.length());
  for (std::size_t n = 0; n < states_.size(); ++n)
    states_[n] = std::make_unique<State<T>>(place_,
                                            n == 0   ? ""
                                            : n == 1 ? "_a"
                                                     : "_b",
                                            what.rain != RainScheme::none);
  if (what.longwave)
    longwave_ = std::make_unique<Longwave<T>>(what, base, place_, column_, states_[0]->th, states_[0]->q,
                                              cloud_, *what.longwave, transport);
  if (host_pressure_) {
    Place host = place_;
    host.memory = heddle::Memory::host;
    mirror_ = std::make_unique<State<T>>(host, "_mirror");
  }
  winds_are_filled_ =
      transport.ranks() == 1 && !host_pressure_ && projection_.fills_beside(states_[0]->velocity(), reach);
  two_steps_ = std::make_unique<Graph>(*this, "two steps");
  for (const std::size_t n : {0U, 1U}) {
    surveys_[n] = std::make_unique<Graph>(*this, "survey");
    surveys_[n]->add_survey(*states_[n]);
    stages_[n] = std::make_unique<Graph>(*this, "stages");
    stages_[n]->add_stages(n);
    steps_[n] = std::make_unique<Graph>(*this, "step");
    steps_[n]->add_step(n);
    two_steps_->add_step(alternates() ? n : 0);
  }
}

template <class T> Stepper<T>::~Stepper() = default;

template <class T> void Stepper<T>::start(std::uint64_t seed) {
  State<T>& s = now();
  const Case& c = *what_;
  const auto level = [](std::int64_t k) { return static_cast<std::size_t>(k); };
  s.u.fill([&](auto, auto, auto k, int) { return c.u.at(base_->centre[level(k)]) - c.u_frame; });
  s.v.fill([&](auto, auto, auto k, int) { return c.v.at(base_->centre[level(k)]) - c.v_frame; });
  s.w.fill([](auto, auto, auto, int) { return 0.0; });
  const auto noise = [&](std::uint32_t stream, std::int64_t x, std::int64_t y, std::int64_t k) {
    return base_->centre[level(k)] < c.noise_below ? heddle::random_number(seed, stream, x, y, k) : 0.0;
  };
  s.th.fill([&](auto x, auto y, auto k, int) {
    double bump = c.theta_bump
                      ? c.theta_bump((static_cast<double>(x) + 0.5) * place_.width_x,
                                     (static_cast<double>(y) + 0.5) * place_.width_y, base_->centre[level(k)])
                      : 0.0;
    if (c.moist_bump && bump != 0)
      bump = theta_l_of(*base_, level(k), base_->tv[level(k)] * (1 + bump / offset)) - base_->theta[level(k)];
    return base_->theta[level(k)] - offset + bump + c.theta_noise * noise(0, x, y, k);
  });
  s.q.fill([&](auto x, auto y, auto k, int) {
    return base_->water[level(k)] + c.water_noise * noise(1, x, y, k);
  });
  if (s.r) s.r->fill([](auto, auto, auto, int) { return 0.0; });
  project();
}

template <class T> heddle::Memory Stepper<T>::work_of_streams() const {
  // Other messages wait for streams, and so does the host.
  return transport_->only_enqueues() && !host_pressure_ ? place_.memory : heddle::Memory::host;
}

template <class T> bool Stepper<T>::alternates() const {
  return stages_of(runge_kutta_).back().next == 1;
}

template <class T> bool Stepper<T>::scalars_lift() const {
  const bool wet = what_->rain != RainScheme::none;
  return place_.memory == heddle::Memory::device && !sinking_ && !longwave_ && (!rain_ || wet);
}

template <class T> bool Stepper<T>::recorded() const {
  return work_of_streams() == heddle::Memory::device && transport_->ranks() == 1 && trace_ == nullptr;
}

template <class T> void Stepper<T>::project() {
  Project{this, &now()}(stream_);
  stream_.synchronise();
}

template <class T> Rates Stepper<T>::survey() {
  surveys_[now_]->run();
  return {.advection = static_cast<double>(advection_.to_host()[0]),
          .diffusion = static_cast<double>(diffusion_.to_host()[0])};
}

template <class T> void Stepper<T>::radiate() {
  if (!longwave_) return;
  settle();
  longwave_->run();
}

template <class T> void Stepper<T>::finish() {
  if (longwave_) longwave_->finish();
}

template <class T> void Stepper<T>::step(double length) {
  clock_.set_length(length);
  stages_[now_]->run();
  if (alternates()) now_ = 1 - now_;
}

template <class T> std::int64_t Stepper<T>::advance(double time) {
  std::int64_t done = 0;
  clock_.set({.rest = time, .allowed = last_step_});
  auto reading = clock_.read();
  for (; reading.rest > 0; reading = clock_.read()) {
    std::int64_t left = clock_.steps(reading);
    done += left;
    const auto single = [&] {
      steps_[now_]->run();
      if (alternates()) now_ = 1 - now_;
      --left;
    };
    if (now_ == 1) single();
    if (left > 1) two_steps_->run(left / 2);
    if (left % 2 == 1) single();
  }
  last_step_ = reading.allowed;
  return done;
}

template <class T> double Stepper<T>::divergence() {
  if (mirror_) mirror_->copy_velocity(now());
  State<T>& state = mirror_ ? *mirror_ : now();
  heddle::Stream stream(state.u.memory());
  return projection_.norms(state.velocity(), stream).largest * std::max(place_.width_x, place_.width_y);
}

template <class T> void Stepper<T>::add_to(heddle::Checkpoint& checkpoint) {
  State<T>& s = *states_[0];
  for (heddle::Field<T>* field : {&s.u, &s.v, &s.w, &s.th, &s.q})
    checkpoint.add(*field);
  if (longwave_) longwave_->add_to(checkpoint);
  if (!s.r) return;
  checkpoint.add(*s.r);
  checkpoint.add(rain_->fallen());
}

template <class T> void Stepper<T>::settle() {
  if (now_ == 0) return;
  State<T>&to = *states_[0], &from = *states_[1];
  to.copy_velocity(from);
  to.th.copy_from(from.th);
  to.q.copy_from(from.q);
  if (to.r) to.r->copy_from(*from.r);
  now_ = 0;
}

#ifdef CLOUDS_F64
template class Stepper<double>;
#endif
#ifdef CLOUDS_F32
template class Stepper<float>;
#endif

} // namespace clouds
