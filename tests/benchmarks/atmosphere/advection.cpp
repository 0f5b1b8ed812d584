// SPDX-License-Identifier: Apache-2.0
// Advection of 16 tracers, a launch of each kernel per group of four: a plain stage, and the limited one in
// four forms, of which one is for GPUs. Bytes are those of the banners, per tracer; `fraction_of_28_bytes`
// counts what the limited stage of one tracer alone has to move at least (f32: 28 bytes per cell; six words
// read and one written).
#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "advection_bench_sweeps.hpp"
#include "atmosphere/place.hpp"
#include "atmosphere/rows.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "measure.hpp"

namespace {

constexpr int tracers = 16, group = 4;
// How often a flux of high order is computed, and what is stored in between.
enum class Form {
  plain,  // no limiter: each twice
  two,    // scale, limited stage: each four times
  stored, // scale stores them for the limited stage: twice
  three,  // a kernel of their own: once
  once    // one kernel, whose threads share them: once
};

constexpr const char* name_of(Form form) {
  return form == Form::plain    ? "plain"
         : form == Form::two    ? "limited"
         : form == Form::stored ? "limited_stored"
         : form == Form::three  ? "limited_three"
                                : "limited_at_once";
}

/// Of one tracer, in numbers per cell. Each kernel reads q or three stored fluxes, q_old, and where it takes
/// it keep, and writes one number or three; a group shares three mass fluxes.
constexpr double words_of(Form form) {
  constexpr double shared = 3.0 / group;
  switch (form) {
  case Form::plain:
    return 3 + shared;
  case Form::two:
    return 3 + shared + 4 + shared;
  case Form::stored:
    return 6 + shared + 6 + shared;
  case Form::once:
    return 3 + shared;
  default:
    return 5 + shared + 5 + shared + 6 + shared;
  }
}
constexpr double least_words = 7;

/// A flow that turns in the plane and rises in waves; its mass fluxes need not balance.
template <class T, class Place> struct Air {
  using Levels = std::vector<T>;

  explicit Air(const std::array<std::int64_t, 3>& n)
      : grid({{0, 0, 0}, n}), box{{0, 0, 0}, n}, ru(flux("ru")), rv(flux("rv")), om(flux("om")),
        mu(plane("mu")), mu_old(plane("mu_old")), c1(profile(n[2], 1)), c2(profile(n[2], 0)),
        rdnw(profile(n[2], -static_cast<double>(n[2]))), half(profile(n[2], 0.5)), order_z(orders(n[2])),
        excess(grid, {.components = 3 * group, .ghost_layers = 4, .memory = Place::memory, .name = "excess"}),
        stream(Place::memory) {
    const auto wave = [](std::int64_t i, std::int64_t period) {
      return std::sin(6.283 * static_cast<double>(i) / static_cast<double>(period));
    };
    for (heddle::Field<T>* one : {&mu, &mu_old})
      one->fill(T(9e4));
    excess.fill(T(0));
    for (int n = 0; n < tracers; n += group)
      add_group(n, wave);
    ru.fill([=](auto, auto y, auto z, int) { return 9e4 * (10 * wave(y, 97) + 3 * wave(z, 31)); });
    rv.fill([=](auto x, auto, auto z, int) { return 9e4 * (10 * wave(x, 89) + 3 * wave(z, 29)); });
    om.fill([=](auto x, auto y, auto, int) { return 20 * wave(x, 71) * wave(y, 61); });
  }

  template <class Wave> void add_group(int first, Wave wave) {
    for (std::vector<heddle::Field<T>>* one : {&q, &q_old}) {
      one->push_back(tracer("q"));
      one->back().fill([=](auto x, auto y, auto z, int n) {
        return 1e-3 * std::max(0.0, wave(x + 7 * (first + n), 53) * wave(y, 47) + wave(z, 23));
      });
    }
    keep.push_back(tracer("keep"));
    keep.back().fill(T(1));
    q_next.push_back(tracer("q_next"));
  }

  heddle::Field<T> flux(const char* name) {
    return heddle::Field<T>(grid, {.ghost_layers = 4, .memory = Place::memory, .name = name}); // as q
  }
  heddle::Field<T> plane(const char* name) {
    return heddle::Field<T>(grid,
                            {.ghost_layers = 2, .memory = Place::memory, .name = name, .same_along = 2});
  }
  heddle::Field<T> tracer(const char* name) {
    return heddle::Field<T>(grid,
                            {.components = group, .ghost_layers = 4, .memory = Place::memory, .name = name});
  }
  heddle::Profile<T> profile(std::int64_t n, double value) {
    return {box, 2, 2, Levels(static_cast<std::size_t>(n + 4), static_cast<T>(value)), Place::memory};
  }
  heddle::Profile<T> orders(std::int64_t n) {
    Levels all(static_cast<std::size_t>(n + 4), T(3)); // with two ghost entries below and two above
    all[0] = all[1] = all[2] = T(0);
    all[static_cast<std::size_t>(n + 2)] = all[static_cast<std::size_t>(n + 3)] = T(0);
    all[3] = all[static_cast<std::size_t>(n + 1)] = T(2);
    return {box, 2, 2, all, Place::memory};
  }

  heddle::BlockGrid grid;
  heddle::Box box;
  heddle::Field<T> ru, rv, om, mu, mu_old;
  std::vector<heddle::Field<T>> q, q_old, keep, q_next; // of each group
  heddle::Profile<T> c1, c2, rdnw, half, order_z;
  heddle::Field<T> excess; // of the group that is under way
  heddle::Stream stream;
};

constexpr double step = 6, per_cell = 1.0 / 1000;

/// One stage of a group of tracers.
template <class T, class Place> void stage(Air<T, Place>& a, std::size_t n, Form form) {
  const auto scale = [&] {
    advection_bench::Scale<T>(a.ru, a.rv, a.om, a.mu_old, a.q[n], a.q_old[n], a.keep[n], a.c1, a.c2, a.rdnw,
                              a.half, a.half, a.order_z, {step, per_cell, per_cell})(a.stream);
  };
  const auto limited = [&] {
    advection_bench::LimitedStage<T>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q[n], a.q_old[n], a.keep[n],
                                     a.q_next[n], a.c1, a.c2, a.rdnw, a.half, a.half, a.order_z,
                                     {step, per_cell, per_cell})(a.stream);
  };
  const auto excess = [&] {
    advection_bench::Excess<T>(a.ru, a.rv, a.om, a.q[n], a.q_old[n], a.excess, a.half, a.half, a.order_z,
                               {step})(a.stream);
  };
  const auto scale_of_excess = [&] {
    advection_bench::ScaleOfExcess<T>(a.ru, a.rv, a.om, a.mu_old, a.q_old[n], a.keep[n], a.excess, a.c1, a.c2,
                                      a.rdnw, a.order_z, {step, per_cell, per_cell})(a.stream);
  };
  const auto limited_of_excess = [&] {
    advection_bench::LimitedOfExcess<T>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q_old[n], a.keep[n], a.q_next[n],
                                        a.excess, a.c1, a.c2, a.rdnw, a.order_z,
                                        {step, per_cell, per_cell})(a.stream);
  };
  const auto at_once = [&] {
    advection_bench::LimitedAtOnce<T>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q[n], a.q_old[n], a.q_next[n], a.c1,
                                      a.c2, a.rdnw, a.half, a.half, a.order_z,
                                      {step, per_cell, per_cell})(a.stream);
  };
  const auto scale_and_store = [&] {
    advection_bench::ScaleAndStore<T>(a.ru, a.rv, a.om, a.mu_old, a.q[n], a.q_old[n], a.keep[n], a.excess,
                                      a.c1, a.c2, a.rdnw, a.half, a.half, a.order_z,
                                      {step, per_cell, per_cell})(a.stream);
  };
  switch (form) {
  case Form::plain:
    advection_bench::Stage<T>(a.ru, a.rv, a.om, a.mu_old, a.mu, a.q[n], a.q_old[n], a.q_next[n], a.c1, a.c2,
                              a.rdnw, a.half, a.half, a.order_z, {step, per_cell, per_cell})(a.stream);
    break;
  case Form::two:
    scale();
    limited();
    break;
  case Form::stored:
    scale_and_store();
    limited_of_excess();
    break;
  case Form::once:
    at_once();
    break;
  case Form::three:
    excess();
    scale_of_excess();
    limited_of_excess();
    break;
  }
}

template <class T, class Place> bench::Case advection(Form form, bool transfers) {
  const auto n =
      atmosphere::cells(Place::memory == heddle::Memory::device ? std::array<std::int64_t, 3>{425, 300, 35}
                                                                : std::array<std::int64_t, 3>{212, 100, 35});
  const std::int64_t count = n[0] * n[1] * n[2];
  auto air = std::make_shared<Air<T, Place>>(n);
  std::shared_ptr<atmosphere::HostCopies<T>> copies;
  if (transfers) {
    typename atmosphere::HostCopies<T>::Fields read{&air->ru, &air->rv, &air->om}, written;
    for (std::size_t group_at = 0; group_at < air->q.size(); ++group_at) {
      read.insert(read.end(), {&air->q[group_at], &air->q_old[group_at]});
      written.push_back(&air->q_next[group_at]);
    }
    copies = std::make_shared<atmosphere::HostCopies<T>>(read, written);
  }
  auto yardstick = std::make_shared<atmosphere::Yardstick<T, Place>>(count * tracers *
                                                                     static_cast<std::int64_t>(sizeof(T)));
  return {.name = {},
          .updates = static_cast<double>(count) * tracers,
          .bytes_per_update = words_of(form) * sizeof(T),
          .limit_bytes = yardstick->bytes(),
          .kernel =
              [air, form, copies] {
                return Place::seconds(air->stream, [&] {
                  if (copies) copies->upload(air->stream);
                  for (std::size_t group_at = 0; group_at < tracers / group; ++group_at)
                    stage(*air, group_at, form);
                  if (copies) copies->download(air->stream);
                });
              },
          .limit = [air, yardstick] { return yardstick->seconds(air->stream); }};
}

template <class T, class Place> void add(const char* precision, Form form, bool transfers) {
  const std::string name = std::string("advection/16_tracers/") + name_of(form) + "/" +
                           (transfers ? "transfers/" : "") + precision + "/" + Place::name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [form, transfers](benchmark::State& state) {
                                 bench::run(state, advection<T, Place>(form, transfers));
                                 const double rate = 1e6 * state.counters["MLUPS"]; // cells times tracers
                                 state.counters["ns_per_tracer"] = 1e9 / rate;
                                 if (form != Form::plain)
                                   state.counters["fraction_of_28_bytes"] =
                                       rate * least_words * sizeof(T) /
                                       (1e9 * state.counters["stream_GB_per_s"]);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(11);
}

template <class Place> void add_forms(std::initializer_list<Form> forms, bool transfers = false) {
  for (const Form form : forms) {
    add<float, Place>("f32", form, transfers);
    add<double, Place>("f64", form, transfers);
  }
}

template <class Place> void add_all() {
  add_forms<Place>({Form::plain, Form::two, Form::stored, Form::three});
  if (Place::memory == heddle::Memory::device) {
    add_forms<Place>({Form::once});
    add_forms<Place>({Form::stored}, true);
  }
}

} // namespace

void atmosphere::add_advection() {
  add_all<Host>();
#if HEDDLE_WITH_CUDA
  add_all<Device>();
#endif
}
