// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "clouds_statistics_sweeps.hpp"
#include "constants.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/reduction/level_sums.hpp"

namespace clouds {
namespace {

/// The sums of the kernel `means`, in its order.
namespace sum {
enum Name {
  u,
  v,
  th,
  q,
  cloud,
  rain,
  theta,
  tv,
  heating,
  w,
  energy,
  in_cloud, // area, th, q, cloud, w
  th_flux = in_cloud + 5,
  q_flux,
  cloud_flux,
  tv_flux,
  u_flux,
  v_flux,
  th_subgrid,
  q_subgrid,
  cloud_subgrid,
  tv_subgrid,
  u_subgrid,
  v_subgrid,
  count
};
} // namespace sum

/// Those of the kernel `deviations`.
namespace deviation {
enum Name { u2, v2, th2, q2, w2, w3, in_core, count = in_core + 5 };
} // namespace deviation

/// Those of the kernel `lowest`.
constexpr int lowest_count = 5;

/// Which means the kernel `deviations` takes, in the order of its arguments.
constexpr std::array deviating{sum::u, sum::v, sum::th, sum::q, sum::tv, sum::w};

heddle::Field<double> rows_of(const Place& place, const char* name, int quantities) {
  return heddle::Field<double>(place.blocks, {.components = quantities,
                                              .ghost_layers = 0,
                                              .memory = place.memory,
                                              .name = name,
                                              .rank = place.rank,
                                              .same_along = 0});
}

/// The level of a view that is its lowest one.
template <class View> View lowest_of(const View& view) {
  View level = view;
  return {&level(0, 0, 0), {view.extent(0), view.extent(1), 1, 1}, view.strides()};
}

} // namespace

/// Tasks for a state.
template <class T> class Statistics<T>::Graphs {
public:
  Graphs(Statistics& statistics, State<T>& now)
      : s_(statistics), now_(now), means_(options("means"), *s_.transport_, s_.trace_ != nullptr),
        deviations_(options("deviations"), *s_.transport_, s_.trace_ != nullptr) {
    if (s_.scheme_ == Scheme::fifth)
      add_means<clouds_statistics::Means<T>, clouds_statistics::MeansParameters>();
    else
      add_means<clouds_statistics::MeansCentred<T>, clouds_statistics::MeansCentredParameters>();
    const auto& m = s_.mean_profiles_;
    deviations_.add(clouds_statistics::Deviations<T>(
        now_.u, now_.v, now_.w, s_.stepper_->cloud(), rain(), s_.deviation_rows_, now_.th, now_.q,
        s_.stepper_->column().exner, *m[0], *m[1], *m[2], *m[3], *m[4], *m[5],
        clouds_statistics::DeviationsParameters{.cloud_above = s_.what_->cloud_above}));
    means_.add(clouds_statistics::Columns<T>(now.w, s_.stepper_->cloud(), s_.densest_, s_.fastest_));
  }

  void sum() { means_.run(1); }
  void deviate() { deviations_.run(1); }

private:
  [[nodiscard]] heddle::TaskGraphOptions options(const char* name) const {
    return {.name = std::string("statistics: ") + name,
            .memory = s_.stepper_->place().memory,
            .capture = heddle::Capture::off,
            .trace = s_.trace_,
            .trace_process = s_.transport_->rank()};
  }

  template <class Sweep, class Parameters> void add_means() {
    const Column<T>& c = s_.stepper_->column();
    heddle::Field<T>* const heating = s_.stepper_->heating();
    means_.add(Sweep(now_.u, now_.v, now_.w, s_.stepper_->cloud(), rain(), s_.stepper_->viscosity(),
                     heating != nullptr ? *heating : s_.none_, s_.rows_, now_.th, now_.q, c.rho_face,
                     c.per_distance, c.order_z, c.exner, c.length2,
                     Parameters{.background = s_.what_->viscosity,
                                .per_prandtl = s_.what_->per_prandtl,
                                .cloud_above = s_.what_->cloud_above,
                                .per_x = 1 / s_.stepper_->place().width_x,
                                .per_y = 1 / s_.stepper_->place().width_y}));
  }

  [[nodiscard]] heddle::Field<T>& rain() { return now_.r ? *now_.r : s_.none_; }

  Statistics& s_;
  State<T>& now_;
  Tasks means_, deviations_;
};

template <class T>
Statistics<T>::Statistics(const Case& what, const BaseState& base, Stepper<T>& stepper, Scheme scheme,
                          heddle::Transport& transport, heddle::Trace* trace)
    : what_(&what), base_(&base), stepper_(&stepper), scheme_(scheme), transport_(&transport), trace_(trace),
      ranks_(transport), none_(stepper.place().template field<T>("none")),
      rows_(rows_of(stepper.place(), "sums of rows", sum::count)),
      deviation_rows_(rows_of(stepper.place(), "deviations of rows", deviation::count)),
      lowest_rows_(lowest_count * stepper.place().blocks.domain().extent(1), stepper.place().memory),
      none_fallen_(stepper.fallen() == nullptr
                       ? stepper.place().blocks.domain().extent(0) * stepper.place().blocks.domain().extent(1)
                       : 0,
                   stepper.place().memory),
      densest_(stepper.place().template field<T>("densest cloud", 0, 2)),
      fastest_(stepper.place().template field<T>("fastest w", 0, 2)) {
  const Place& place = stepper.place();
  for (std::size_t n = 0; n < deviating.size(); ++n)
    mean_profiles_.push_back(std::make_unique<heddle::Profile<double>>(place.template profile<double>({})));
}

template <class T> Statistics<T>::~Statistics() = default;

template <class T> typename Statistics<T>::Graphs& Statistics<T>::graphs() {
  State<T>& now = stepper_->now();
  std::unique_ptr<Graphs>& all = graphs_[&now];
  if (!all) all = std::make_unique<Graphs>(*this, now);
  return *all;
}

template <class T> typename Statistics<T>::Means Statistics<T>::means_of(const heddle::Field<double>& rows) {
  Means means = heddle::all_level_sums(rows);
  const std::array<std::int64_t, 3> cells = rows.grid().domain().extents();
  std::vector<double> own;
  for (const std::vector<double>& levels : means)
    own.insert(own.end(), levels.begin(), levels.end());
  const std::vector<double> all = ranks_.gather(own);
  for (std::size_t n = 0; n < own.size(); ++n) {
    double sum = 0; // one rank has the level, the others give 0
    for (std::size_t r = 0; r < all.size() / own.size(); ++r)
      sum += all[n + r * own.size()];
    means[n / base_->levels()][n % base_->levels()] = sum / static_cast<double>(cells[0] * cells[1]);
  }
  return means;
}

template <class T> LowestLevel Statistics<T>::lowest() {
  const Place& place = stepper_->place();
  std::array<double, lowest_count> sums{};
  if (place.blocks.block(place.rank).lower[2] == 0) {
    const State<T>& now = stepper_->now();
    const std::int64_t n_x = place.blocks.domain().extent(0), n_y = place.blocks.domain().extent(1);
    const heddle::FieldView<double> rows(lowest_rows_.data(), {n_x, n_y, 1, lowest_count}, {0, 1, n_y, n_y});
    const heddle::FieldView<double> fallen =
        stepper_->fallen() != nullptr
            ? lowest_of(stepper_->fallen()->view())
            : heddle::FieldView<double>(none_fallen_.data(), {n_x, n_y, 1, 1}, {1, n_x, n_x * n_y, 0});
    const heddle::Field<T>*heat = stepper_->sea_flux(0), *water = stepper_->sea_flux(1);
    const auto given = [&](const heddle::Field<T>* field) {
      return lowest_of((field != nullptr ? *field : none_).view());
    };
    heddle::Stream stream(place.memory);
    const auto call = [&](auto kernel) {
      kernel(lowest_of(now.u.view()), lowest_of(now.v.view()), lowest_of(stepper_->drag().view()),
             given(heat), given(water), fallen, rows, what_->u_frame, what_->v_frame);
    };
    heddle::dispatch(
        stream, [&] { call([](const auto&... a) { clouds_statistics::lowest(a...); }); },
        [&](void* native) { call([&](const auto&... a) { clouds_statistics::lowest_cuda(a..., native); }); });
    stream.synchronise();
    const std::vector<double> values = lowest_rows_.to_host();
    for (std::size_t n = 0; n < sums.size(); ++n) {
      for (std::int64_t y = 0; y < n_y; ++y)
        sums[n] += values[n * static_cast<std::size_t>(n_y) + static_cast<std::size_t>(y)];
      sums[n] /= static_cast<double>(n_x * n_y);
    }
  }
  const std::vector<double> all = ranks_.gather(sums); // the first rank has the ground
  return {
      .stress_u = all[0], .stress_v = all[1], .theta_flux = all[2], .water_flux = all[3], .fallen = all[4]};
}

template <class T> Sample Statistics<T>::measure(double time) {
  const std::size_t levels = base_->levels();
  Sample sample;
  sample.time = time;
  for (auto& row : sample.centres)
    row.assign(levels, 0);
  for (auto& row : sample.faces)
    row.assign(levels + 1, 0);
  Graphs& tasks = graphs();
  tasks.sum();
  const Means means = means_of(rows_);
  for (std::size_t n = 0; n < deviating.size(); ++n) {
    std::vector<double> values(levels + 2 * reach, 0);
    std::ranges::copy(means[deviating[n]], values.begin() + reach);
    mean_profiles_[n]->write(values);
  }
  tasks.deviate();
  set_centres(means, sample);
  set_faces(means, sample);
  set_deviations(means_of(deviation_rows_), sample);
  set_columns(sample);
  set_series(sample);
  const LowestLevel ground = lowest();
  const double theta_flux = what_->sea ? ground.theta_flux : what_->theta_flux;
  const double water_flux = what_->sea ? ground.water_flux : what_->water_flux;
  sample.faces[face::theta_l_subgrid][0] = theta_flux;
  sample.faces[face::q_subgrid][0] = water_flux;
  sample.faces[face::tv_subgrid][0] = what_->sea
                                          ? theta_flux * (1 + lightness * sample.centres[centre::q][0]) +
                                                lightness * sample.centres[centre::theta][0] * water_flux
                                          : what_->virtual_flux();
  sample.faces[face::u_subgrid][0] = ground.stress_u;
  sample.faces[face::v_subgrid][0] = ground.stress_v;
  sample.numbers[series::rain_fallen] = ground.fallen;
  return sample;
}

namespace {

/// The share of a level, and means over it from the sums behind it.
void set_conditional(const std::vector<std::vector<double>>& means, std::size_t first, std::size_t area,
                     Sample& sample) {
  constexpr std::array added{offset, 0.0, 0.0, 0.0};
  sample.centres[area] = means[first];
  for (std::size_t n = 0; n < added.size(); ++n)
    for (std::size_t k = 0; k < means[first].size(); ++k)
      sample.centres[area + 1 + n][k] = means[first][k] > 0
                                            ? added[n] + means[first + 1 + n][k] / means[first][k]
                                            : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

template <class T> void Statistics<T>::set_centres(const Means& means, Sample& sample) const {
  const auto set = [&](centre::Name name, sum::Name from, double more) {
    for (std::size_t k = 0; k < base_->levels(); ++k)
      sample.centres[name][k] = means[from][k] + more;
  };
  set(centre::u, sum::u, what_->u_frame);
  set(centre::v, sum::v, what_->v_frame);
  set(centre::theta_l, sum::th, offset);
  set(centre::q, sum::q, 0);
  set(centre::q_c, sum::cloud, 0);
  set(centre::rain, sum::rain, 0);
  set(centre::theta, sum::theta, offset);
  set(centre::tv, sum::tv, offset);
  set(centre::longwave, sum::heating, 0);
  set(centre::subgrid_energy, sum::energy, 0);
  set_conditional(means, sum::in_cloud, centre::cloud, sample);
}

template <class T> void Statistics<T>::set_faces(const Means& means, Sample& sample) const {
  // Of the mean velocity, which is 0 but for roundings, with the mean value; half of what both levels have.
  struct Flux {
    face::Name resolved, subgrid;
    sum::Name moved, mixed, value;
  };
  constexpr std::array fluxes{
      Flux{face::theta_l_flux, face::theta_l_subgrid, sum::th_flux, sum::th_subgrid, sum::th},
      Flux{face::q_flux, face::q_subgrid, sum::q_flux, sum::q_subgrid, sum::q},
      Flux{face::q_c_flux, face::q_c_subgrid, sum::cloud_flux, sum::cloud_subgrid, sum::cloud},
      Flux{face::tv_flux, face::tv_subgrid, sum::tv_flux, sum::tv_subgrid, sum::tv},
      Flux{face::u_flux, face::u_subgrid, sum::u_flux, sum::u_subgrid, sum::u},
      Flux{face::v_flux, face::v_subgrid, sum::v_flux, sum::v_subgrid, sum::v}};
  for (std::size_t k = 1; k < base_->levels(); ++k) {
    const double w = means[sum::w][k];
    sample.faces[face::w][k] = w;
    for (const Flux& flux : fluxes) {
      const double mean = (means[flux.value][k] + means[flux.value][k - 1]) / 2;
      sample.faces[flux.resolved][k] = means[flux.moved][k] / base_->face_density[k] - w * mean;
      sample.faces[flux.subgrid][k] = means[flux.mixed][k];
    }
  }
}

template <class T> void Statistics<T>::set_deviations(const Means& means, Sample& sample) const {
  sample.centres[centre::u_variance] = means[deviation::u2];
  sample.centres[centre::v_variance] = means[deviation::v2];
  sample.centres[centre::theta_variance] = means[deviation::th2];
  sample.centres[centre::q_variance] = means[deviation::q2];
  set_conditional(means, deviation::in_core, centre::core, sample);
  for (std::size_t k = 1; k < base_->levels(); ++k) {
    sample.faces[face::w_variance][k] = means[deviation::w2][k];
    sample.faces[face::w_skewness][k] = means[deviation::w3][k];
  }
}

namespace {

/// One value for each column, x fastest.
template <class T> std::vector<double> of_columns(const heddle::Field<T>& field) {
  std::vector<double> all;
  field.inspect(0, [&](heddle::FieldView<const T> view) {
    for (std::int64_t y = 0; y < view.extent(1); ++y)
      for (std::int64_t x = 0; x < view.extent(0); ++x)
        all.push_back(static_cast<double>(view(x, y, 0)));
  });
  return all;
}

} // namespace

template <class T> void Statistics<T>::set_columns(Sample& sample) {
  std::vector<double> own = of_columns(densest_);
  const std::vector<double> speed = of_columns(fastest_);
  const std::size_t columns = own.size();
  own.push_back(*std::ranges::max_element(speed));
  const std::vector<double> all = ranks_.gather(own);
  double covered = 0;
  for (std::size_t n = 0; n < columns; ++n) {
    double densest = 0;
    for (std::size_t r = 0; r < all.size() / own.size(); ++r)
      densest = std::max(densest, all[n + r * own.size()]);
    covered += densest > what_->cloud_above ? 1 : 0;
  }
  sample.numbers[series::cover] = covered / static_cast<double>(columns);
  for (std::size_t r = 0; r < all.size() / own.size(); ++r)
    sample.numbers[series::w_largest] =
        std::max(sample.numbers[series::w_largest], all[columns + r * own.size()]);
}

template <class T> void Statistics<T>::set_series(Sample& sample) const {
  using namespace series;
  const auto& theta = sample.centres[centre::theta_l];
  const auto& area = sample.centres[centre::cloud];
  const auto& w2 = sample.faces[face::w_variance];
  double steepest = 0;
  for (std::size_t k = 0; k < base_->levels(); ++k) {
    const double mass = base_->density[k] * base_->height[k];
    sample.numbers[liquid_path] += mass * sample.centres[centre::q_c][k];
    sample.numbers[rain_path] += mass * sample.centres[centre::rain][k];
    sample.numbers[kinetic_energy] += mass / 2 *
                                      (sample.centres[centre::u_variance][k] +
                                       sample.centres[centre::v_variance][k] + (w2[k] + w2[k + 1]) / 2);
    if (area[k] > 0) {
      if (sample.numbers[cloud_top] == 0) sample.numbers[cloud_base] = base_->centre[k];
      sample.numbers[cloud_top] = base_->centre[k];
    }
    if (k == 0) continue;
    const double gradient = (theta[k] - theta[k - 1]) / base_->distance[k];
    if (gradient > steepest) {
      steepest = gradient;
      sample.numbers[inversion] = base_->face[k];
    }
  }
}

#ifdef CLOUDS_F64
template class Statistics<double>;
#endif
#ifdef CLOUDS_F32
template class Statistics<float>;
#endif

} // namespace clouds
