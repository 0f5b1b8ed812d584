// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <deque>
#include <string>
#include <utility>

namespace front {

namespace {

column_physics::Stage<float> stage(Air& a, Tracers& group, heddle::Field<float>& q,
                                   heddle::Field<float>& next, double dt, double per_spacing) {
  return {q,
          next,
          a.ru,
          a.rv,
          a.om,
          a.mu,
          a.mu,
          group.q,
          a.rdnw,
          a.one,
          a.zero,
          a.own_weight,
          a.below_weight,
          a.order_x,
          a.order_y,
          a.order_z,
          {.dt = dt, .rdx = per_spacing, .rdy = per_spacing}};
}

} // namespace

/// Fluxes beyond first order are stored, and the share of them that stays: the fastest on a CPU.
class Part::InThreeKernels : public Limited {
public:
  InThreeKernels(const Place& place, Air& a, Tracers& group, double time_step, double per_spacing,
                 heddle::Transport& transport)
      : excess_(place.field((std::string(group.q.name()) + " excess").c_str(), 3 * tracers, 1)),
        keep_(place.field((std::string(group.q.name()) + " keep").c_str(), tracers, 1)),
        excess_stage_(group.q_b, a.ru, a.rv, a.om, group.q, excess_, a.own_weight, a.below_weight, a.order_x,
                      a.order_y, a.order_z, {.dt = time_step}),
        scale_(a.ru, a.rv, a.om, a.mu, group.q, keep_, excess_, a.rdnw, a.one, a.zero, a.order_x, a.order_y,
               a.order_z, {.dt = time_step, .rdx = per_spacing, .rdy = per_spacing}),
        stage_(group.q_a, a.ru, a.rv, a.om, a.mu, a.mu, group.q, keep_, excess_, a.rdnw, a.one, a.zero,
               a.order_x, a.order_y, a.order_z, {.dt = time_step, .rdx = per_spacing, .rdy = per_spacing}),
        before_excess_(excess_stage_.before(), transport), before_scale_(scale_.before(), transport),
        before_stage_(stage_.before(), transport) {}

  void add_to(heddle::TaskGraph& graph) override {
    graph.add(before_excess_);
    graph.add(excess_stage_);
    graph.add(before_scale_);
    graph.add(scale_);
    graph.add(before_stage_);
    graph.add(stage_);
  }

private:
  heddle::Field<float> excess_, keep_;
  column_physics::Excess<float> excess_stage_;
  column_physics::Scale<float> scale_;
  column_physics::LimitedStage<float> stage_;
  heddle::HaloExchange before_excess_, before_scale_, before_stage_;
};

/// Fluxes and shares are in no memory: the fastest on a GPU, whose threads share them.
class Part::AtOnce : public Limited {
public:
  AtOnce(Air& a, Tracers& group, double time_step, double per_spacing, heddle::Transport& transport)
      : stage_(a.ru, a.rv, a.om, a.mu, a.mu, group.q_b, group.q, group.q_a, a.one, a.zero, a.rdnw,
               a.own_weight, a.below_weight, a.order_x, a.order_y, a.order_z,
               {.dt = time_step, .rdx = per_spacing, .rdy = per_spacing}),
        before_(stage_.before(), transport) {}

  void add_to(heddle::TaskGraph& graph) override {
    graph.add(before_);
    graph.add(stage_);
  }

private:
  column_physics::LimitedAtOnce<float> stage_;
  heddle::HaloExchange before_;
};

Part::Advection::Advection(Air& a, Tracers& group, double time_step, double per_spacing,
                           heddle::Transport& transport)
    : first(stage(a, group, group.q, group.q_a, 1.0 / 3 * time_step, per_spacing)),
      second(stage(a, group, group.q_a, group.q_b, 1.0 / 2 * time_step, per_spacing)),
      before_first(first.before(), transport), before_second(second.before(), transport) {}

Part::Part(const Options& options, const Place& place, const Weather& weather, heddle::Transport& transport)
    : time_step_(options.time_step), per_spacing_(1 / options.spacing), scheme_(options.scheme),
      cells_apart_(options.apart()), clock_(options.time_step, weather.speed(), place.memory),
      air_(place, weather, (options.all_tracers() + tracers - 1) / tracers),
      nest_(place, weather, clock_, air_, options), radiation_(place, weather, air_, scheme_),
      wind_(air_.ru, air_.rv, air_.om, air_.w, air_.rho, air_.mu, air_.u, air_.v, air_.rdnw, air_.ascent,
            air_.x_face, air_.x_front, air_.strength, clock_.moved(),
            {.width = weather.width(), .rdx = per_spacing_}) {
  for (std::size_t n = 0; n < air_.groups(); ++n) {
    Tracers& group = air_.group(n);
    Advection& made = *advection_.emplace_back(
        std::make_unique<Advection>(air_, group, time_step_, per_spacing_, transport));
    if (options.at_once())
      made.last = std::make_unique<AtOnce>(air_, group, time_step_, per_spacing_, transport);
    else
      made.last = std::make_unique<InThreeKernels>(place, air_, group, time_step_, per_spacing_, transport);
  }
}

void Part::add_look(heddle::Transfers& graph, std::function<void()> look) {
  std::vector<heddle::FieldAccess> accesses;
  std::deque<std::string> names; // of accesses, until the task has them
  const auto take = [&](const std::string& name, heddle::HostCopy<heddle::Field<float>>& copy) {
    graph.pair(name, copy);
    accesses.push_back({&copy.host(), names.emplace_back(name), heddle::AccessMode::read});
  };
  for (std::size_t n = 0; n < air_.groups(); ++n) {
    take("q of group " + std::to_string(n), air_.group(n).q_here);
    graph.outside(air_.group(n).q_here, heddle::Transfers::Side::device,
                  heddle::AccessMode::write); // by steps
  }
  take("ru", air_.ru_here);
  take("rv", air_.rv_here);
  take("om", air_.om_here);
  graph.add("look", std::move(accesses), [look = std::move(look)](heddle::Stream&) { look(); });
}

void Part::add_advection(heddle::TaskGraph& graph) {
  for (const auto& group : advection_) {
    graph.add(group->before_first);
    graph.add(group->first);
    graph.add(group->before_second);
    graph.add(group->second);
    group->last->add_to(graph);
  }
}

void Part::add_microphysics(heddle::TaskGraph& graph) {
  Air& a = air_;
  if (scheme_ == Scheme::kessler)
    graph.add(column_physics::Kessler<float>(a.clipped, a.q_a, a.rho, a.exner, a.height, a.thickness,
                                             a.scratch_1, a.scratch_2, a.rain_fallen, a.scratch_plane,
                                             {.dt = time_step_}));
  else if (scheme_ == Scheme::wsm3)
    add_wsm3(graph);
  else
    add_wsm5(graph);
}

void Part::add_wsm3(heddle::TaskGraph& graph) {
  Air& a = air_;
  if (!cells_apart_) {
    graph.add(column_physics::Wsm3<float>(a.clipped, a.q_a, a.w, a.rho, a.exner, a.pressure, a.thickness,
                                          a.scratch_1, a.scratch_2, a.scratch_3, a.scratch_4, a.rain_fallen,
                                          a.snow_fallen, a.scratch_plane, {.dt = time_step_}));
    return;
  }
  graph.add(column_physics::Wsm3Speeds<float>(a.q_a, a.rho, a.exner, a.scratch_1, a.scratch_2));
  graph.add(column_physics::Wsm3Falls<float>(a.clipped, a.q_a, a.w, a.rho, a.exner, a.thickness, a.scratch_1,
                                             a.scratch_2, a.rain_fallen, a.snow_fallen, a.scratch_plane,
                                             a.freezing, a.melting, a.freezing_level, a.melting_level,
                                             {.dt = time_step_}));
  graph.add(column_physics::Wsm3Changes<float>(a.q_a, a.rho, a.exner, a.pressure, a.freezing, a.melting,
                                               a.freezing_level, a.melting_level, {.dt = time_step_}));
}

void Part::add_wsm5(heddle::TaskGraph& graph) {
  Air& a = air_;
  heddle::Field<float>& frozen = a.group(1).q_a;
  if (!cells_apart_) {
    graph.add(column_physics::Wsm5<float>(a.clipped, a.q_a, frozen, a.rho, a.exner, a.pressure, a.thickness,
                                          a.scratch_1, a.scratch_2, a.scratch_3, a.scratch_4, a.scratch_5,
                                          a.rain_fallen, a.snow_fallen, a.scratch_plane, {.dt = time_step_}));
    return;
  }
  graph.add(column_physics::Wsm5Speeds<float>(a.q_a, frozen, a.rho, a.exner, a.scratch_1, a.scratch_2,
                                              a.scratch_3));
  graph.add(column_physics::Wsm5Falls<float>(a.clipped, a.q_a, frozen, a.rho, a.exner, a.thickness,
                                             a.scratch_1, a.scratch_2, a.scratch_3, a.rain_fallen,
                                             a.snow_fallen, a.scratch_plane, {.dt = time_step_}));
  graph.add(
      column_physics::Wsm5Changes<float>(a.q_a, frozen, a.rho, a.exner, a.pressure, {.dt = time_step_}));
}

void Part::add_to(heddle::Checkpoint& checkpoint) {
  for (std::size_t n = 0; n < air_.groups(); ++n)
    checkpoint.add(air_.group(n).q);
  checkpoint.add(air_.rain_fallen);
  checkpoint.add(air_.snow_fallen);
  checkpoint.add(air_.heating);
  checkpoint.add(air_.clipped);
}

} // namespace front
