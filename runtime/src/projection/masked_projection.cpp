// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/masked_projection.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/projection/rank_values.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "level_exchange.hpp"
#include "plane.hpp"
#include "projection_planes.hpp"
#include "projection_topography.hpp"
#include "time_step.hpp"

namespace heddle {
namespace {

using detail::plane;

FieldOptions options_of(const char* name, Memory memory, int ghosts) {
  return {.ghost_layers = ghosts, .memory = memory, .name = name};
}

/// The only rank.
std::unique_ptr<Transport> one_rank() {
  return std::make_unique<LocalTransport>();
}

} // namespace

template <class Real> struct MaskedProjection<Real>::Ranks {
  Ranks(const StaggeredGrid& grid, Transport& transport, Memory memory)
      : levels(grid, transport, memory), numbers(transport) {}
  detail::LevelExchange<Real> levels;
  RankValues numbers;
};

template <class Real>
MaskedProjection<Real>::MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                                         Memory memory, MaskedOptions options,
                                         std::unique_ptr<PlaneTransform<Real>> transform)
    : MaskedProjection(grid, solid, one_rank(), memory, options, std::move(transform)) {}

template <class Real>
MaskedProjection<Real>::MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                                         Transport& transport, Memory memory, MaskedOptions options,
                                         std::unique_ptr<PlaneTransform<Real>> transform)
    : solver_(without_values(pressure_problem(grid)), transport, memory, std::move(transform)),
      lift_(pressure_problem(grid), first_level(), last_level(), memory),
      operators_(grid, first_level(), last_level(), memory),
      topography_(grid, solid, first_level(), last_level(), memory),
      ranks_(std::make_unique<Ranks>(grid, transport, memory)), options_(options),
      singular_(is_singular(pressure_problem(grid))), values_(solver_.size(), memory),
      pi_(BlockGrid(Box{{0, 0, 0}, {grid.cells[0], grid.cells[1], last_level() - first_level()}}),
          options_of("pi", memory, 1)),
      p_(pi_.grid(), options_of("p", memory, 1)), q_(pi_.grid(), options_of("q", memory, 0)),
      r_(pi_.grid(), options_of("r", memory, 0)), sums_(sum_count, memory),
      work_(2 * reduction_work(q_, {0, 1, 2}), memory) {
  if (!(options.tolerance > 0) || options.most_iterations < 1) {
    throw Error("MaskedProjection",
                "a tolerance of " + std::to_string(options.tolerance) + " in " +
                    std::to_string(options.most_iterations) + " iterations is not valid",
                "use a positive tolerance and at least 1 iteration");
  }
}

template <class Real>
MaskedProjection<Real>::MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                                         std::unique_ptr<Transport> alone, Memory memory,
                                         MaskedOptions options,
                                         std::unique_ptr<PlaneTransform<Real>> transform)
    : MaskedProjection(grid, solid, *alone, memory, options, std::move(transform)) {
  alone_ = std::move(alone);
}

template <class Real> MaskedProjection<Real>::~MaskedProjection() = default;
template <class Real> MaskedProjection<Real>::MaskedProjection(MaskedProjection&&) noexcept = default;
template <class Real>
MaskedProjection<Real>& MaskedProjection<Real>::operator=(MaskedProjection&&) noexcept = default;

template <class Real> FieldView<Real> MaskedProjection<Real>::solver_array() const noexcept {
  const auto& n = operators_.grid().cells;
  return {values_.data(),
          {n[0], n[1], last_level() - first_level(), 1},
          {1, solver_.row_pitch(), solver_.plane_pitch(), solver_.size()}};
}

template <class Real> double MaskedProjection<Real>::value(Sum which, Stream& stream) const {
  return ranks_->numbers.sum(own_value(which, stream));
}

template <class Real> void MaskedProjection<Real>::add_up(Sum which, Stream& stream) const {
  if (ranks_->levels.alone()) return;
  const auto all = static_cast<Real>(value(which, stream));
  copy_bytes(sum(which), sums_.memory(), &all, Memory::host, sizeof(all));
}

template <class Real> double MaskedProjection<Real>::own_value(Sum which, Stream& stream) const {
  stream.synchronise();
  Real result = 0;
  copy_bytes(&result, Memory::host, sum(which), sums_.memory(), sizeof(result));
  return static_cast<double>(result);
}

template <class Real>
void MaskedProjection<Real>::right_side(const Velocity<Real>& velocity, double step, Stream& stream) {
  const auto& [u, v, w] = velocity;
  const auto open = topography_.open();
  const auto& o = operators_;
  fill_faces(velocity, stream);
  dispatch(
      stream, [&] { projection_topography::close(open, u, v, w); },
      [&](void* native) { projection_topography::close_cuda(open, u, v, w, native); });
  fill_faces(velocity, stream); // what was closed at one end of a period, or on another rank
  dispatch(
      stream,
      [&] {
        projection_topography::divergence(open, u, v, w, solver_array(), o.per_height(), o.density(),
                                          o.face_density(), o.per_x(), o.per_y(), 1 / step);
      },
      [&](void* native) {
        projection_topography::divergence_cuda(open, u, v, w, solver_array(), o.per_height(), o.density(),
                                               o.face_density(), o.per_x(), o.per_y(), 1 / step, native);
      });
  const FieldView<Real> right = solver_array();
  lift_(right.data(), right.stride(1), right.stride(2), stream);
}

template <class Real>
void MaskedProjection<Real>::fill_faces(const Velocity<Real>& velocity, Stream& stream) const {
  detail::fill_rim(operators_, ranks_->levels, velocity, Rim::faces, stream);
}

template <class Real>
void MaskedProjection<Real>::fill(FieldView<Real> p, SidePressure sides, Stream& stream) const {
  const auto copy = [&](int axis, std::int64_t from, std::int64_t to, double factor, double value) {
    const PlaneView<const Real> inner = plane(p, axis, from);
    const PlaneView<Real> ghost = plane(p, axis, to);
    dispatch(
        stream, [&] { projection_planes::fill(inner, ghost, factor, value); },
        [&](void* native) { projection_planes::fill_cuda(inner, ghost, factor, value, native); });
  };
  const StaggeredGrid& grid = operators_.grid();
  const auto twice = [&](const Side& side) { return sides == SidePressure::given ? 2 * side.pressure : 0; };
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t n = p.extent(axis);
    const bool lowest = axis < 2 || operators_.at_bottom(); // along z the sides may be on other ranks
    const bool highest = axis < 2 || operators_.at_top();
    if (grid.lower[a].kind == SideKind::periodic && lowest && highest) {
      copy(axis, n - 1, -1, 1, 0);
      copy(axis, 0, n, 1, 0);
    }
    if (lowest && grid.lower[a].kind == SideKind::open) copy(axis, 0, -1, -1, twice(grid.lower[a]));
    if (highest && grid.upper[a].kind == SideKind::open) copy(axis, n - 1, n, -1, twice(grid.upper[a]));
  }
  ranks_->levels.fill_ghosts(p, stream);
}

template <class Real>
void MaskedProjection<Real>::correct(FieldView<Real> p, const Velocity<Real>& velocity, double step,
                                     Stream& stream) const {
  fill(p, SidePressure::given, stream);
  const auto& [u, v, w] = velocity;
  const auto& o = operators_;
  const auto open = topography_.open();
  dispatch(
      stream,
      [&] { projection_topography::correct(open, p, u, v, w, o.per_distance(), o.per_x(), o.per_y(), step); },
      [&](void* native) {
        projection_topography::correct_cuda(open, p, u, v, w, o.per_distance(), o.per_x(), o.per_y(), step,
                                            native);
      });
  o.correct_upper_sides(p, velocity, step, stream);
  fill_faces(velocity, stream);
}

template <class Real> void MaskedProjection<Real>::reset_sums(Stream& stream) {
  stream.synchronise();
  zero(sums_.data(), sums_.bytes(), sums_.bytes(), sums_.memory());
}

template <class Real> void MaskedProjection<Real>::forget(Stream& stream) {
  stream.synchronise();
  const FieldView<Real> pi = pi_.view();
  const FieldLayout layout({pi.extent(0), pi.extent(1), pi.extent(2)}, 1, 1, sizeof(Real));
  const auto bytes = static_cast<std::size_t>(layout.size) * sizeof(Real);
  zero(pi.data() - layout.origin, bytes, bytes, pi_.memory());
}

template <class Real> double MaskedProjection<Real>::norm_of_right_side(Stream& stream) {
  const FieldView<const Real> right = solver_array();
  dispatch(
      stream,
      [&] { projection_topography::weigh(right, right, operators_.height(), sum(r_r), work_.data()); },
      [&](void* native) {
        projection_topography::weigh_cuda(right, right, operators_.height(), sum(r_r), work_.data(), native);
      });
  return std::sqrt(value(r_r, stream));
}

template <class Real> double MaskedProjection<Real>::start(Stream& stream) {
  fill(pi_.view(), SidePressure::zero, stream);
  const auto& o = operators_;
  const auto open = topography_.open();
  const FieldView<const Real> pi = pi_.view();
  const FieldView<Real> right = solver_array();
  dispatch(
      stream,
      [&] {
        projection_topography::start(open, pi, right, r_.view(), o.height(), o.density(), o.per_distance(),
                                     o.per_height(), o.face_density(), sum(total), work_.data(), o.per_x(),
                                     o.per_y());
      },
      [&](void* native) {
        projection_topography::start_cuda(open, pi, right, r_.view(), o.height(), o.density(),
                                          o.per_distance(), o.per_height(), o.face_density(), sum(total),
                                          work_.data(), o.per_x(), o.per_y(), native);
      });
  const double mean = singular_ ? value(total, stream) / topography_.fluid_height() : 0;
  dispatch(
      stream,
      [&] {
        projection_topography::deflate(open, r_.view(), right, o.height(), sum(r_r), work_.data(), mean);
      },
      [&](void* native) {
        projection_topography::deflate_cuda(open, r_.view(), right, o.height(), sum(r_r), work_.data(), mean,
                                            native);
      });
  return std::sqrt(value(r_r, stream));
}

template <class Real> void MaskedProjection<Real>::iterate(std::int64_t iteration, Stream& stream) {
  const auto& o = operators_;
  const auto open = topography_.open();
  const FieldView<Real> pre = solver_array();
  const Sum now = iteration % 2 == 0 ? r_z_even : r_z_odd;
  Real* const r_z = sum(now);
  Real* const r_z_before = sum(now == r_z_even ? r_z_odd : r_z_even);
  Real* const work = work_.data();
  solver_.solve(pre.data(), stream);
  dispatch(
      stream, [&] { projection_topography::weigh(r_.view(), pre, o.height(), r_z, work); },
      [&](void* native) {
        projection_topography::weigh_cuda(r_.view(), pre, o.height(), r_z, work, native);
      });
  add_up(now, stream);
  dispatch(
      stream, [&] { projection_topography::turn(p_.view(), pi_.view(), pre, sum(p_q), r_z_before, r_z); },
      [&](void* native) {
        projection_topography::turn_cuda(p_.view(), pi_.view(), pre, sum(p_q), r_z_before, r_z, native);
      });
  fill(p_.view(), SidePressure::zero, stream);
  dispatch(
      stream,
      [&] {
        projection_topography::apply(open, p_.view(), q_.view(), o.height(), o.density(), o.per_distance(),
                                     o.per_height(), o.face_density(), sum(p_q), work, o.per_x(), o.per_y());
      },
      [&](void* native) {
        projection_topography::apply_cuda(open, p_.view(), q_.view(), o.height(), o.density(),
                                          o.per_distance(), o.per_height(), o.face_density(), sum(p_q), work,
                                          o.per_x(), o.per_y(), native);
      });
  add_up(p_q, stream);
  dispatch(
      stream,
      [&] {
        projection_topography::advance(q_.view(), r_.view(), pre, sum(p_q), r_z, o.height(), sum(r_r), work);
      },
      [&](void* native) {
        projection_topography::advance_cuda(q_.view(), r_.view(), pre, sum(p_q), r_z, o.height(), sum(r_r),
                                            work, native);
      });
}

template <class Real>
Solution MaskedProjection<Real>::operator()(const Velocity<Real>& velocity, double step, Stream& stream) {
  require_time_step<Real>("MaskedProjection", step);
  right_side(velocity, step, stream);
  const double before = norm_of_right_side(stream); // NaN if the velocity has one
  if (!options_.warm_start || before == 0) forget(stream);
  double left = start(stream);
  Solution solution;
  const auto part = [&] { return before == 0 ? 0 : left / before; };
  const auto small = [&] { return part() <= options_.tolerance; };
  reset_sums(stream);
  while (!small() && std::isfinite(left) && solution.cycles < options_.most_iterations) {
    iterate(solution.cycles++, stream);
    left = std::sqrt(value(r_r, stream));
  }
  if (solution.cycles > 0) {
    Real* const r_z = sum((solution.cycles - 1) % 2 == 0 ? r_z_even : r_z_odd);
    dispatch(
        stream, [&] { projection_topography::finish(p_.view(), pi_.view(), sum(p_q), r_z); },
        [&](void* native) {
          projection_topography::finish_cuda(p_.view(), pi_.view(), sum(p_q), r_z, native);
        });
  }
  solution.measure = part();
  solution.outcome = small()               ? Outcome::converged
                     : std::isfinite(left) ? Outcome::exhausted
                                           : Outcome::diverged;
  correct(pi_.view(), velocity, step, stream);
  stream.synchronise();
  return solution;
}

template <class Real>
Solution MaskedProjection<Real>::operator()(const Velocity<Real>& velocity, double step) {
  Stream stream;
  return (*this)(velocity, step, stream);
}

template <class Real>
void MaskedProjection<Real>::project_once(const Velocity<Real>& velocity, double step, Stream& stream) {
  require_time_step<Real>("MaskedProjection", step);
  right_side(velocity, step, stream);
  solver_.solve(values_.data(), stream);
  reset_sums(stream); // turn then copies what was solved for
  dispatch(
      stream,
      [&] {
        projection_topography::turn(p_.view(), pi_.view(), solver_array(), sum(p_q), sum(r_z_odd),
                                    sum(r_z_even));
      },
      [&](void* native) {
        projection_topography::turn_cuda(p_.view(), pi_.view(), solver_array(), sum(p_q), sum(r_z_odd),
                                         sum(r_z_even), native);
      });
  correct(p_.view(), velocity, step, stream);
}

template <class Real> void MaskedProjection<Real>::project_once(const Velocity<Real>& velocity, double step) {
  Stream stream;
  project_once(velocity, step, stream);
}

template <class Real>
DivergenceNorms MaskedProjection<Real>::norms(const Velocity<Real>& velocity, Stream& stream) const {
  const auto& [u, v, w] = velocity;
  const auto& o = operators_;
  const auto open = topography_.open();
  Real* const work = work_.data();
  Real* const second = work + work_.size() / 2;
  dispatch(
      stream,
      [&] {
        projection_topography::norms(open, u, v, w, o.per_height(), o.density(), o.face_density(), sum(r_r),
                                     work, sum(total), second, o.per_x(), o.per_y());
      },
      [&](void* native) {
        projection_topography::norms_cuda(open, u, v, w, o.per_height(), o.density(), o.face_density(),
                                          sum(r_r), work, sum(total), second, o.per_x(), o.per_y(), native);
      });
  return {ranks_->numbers.largest(own_value(r_r, stream)), value(total, stream)};
}

template <class Real> DivergenceNorms MaskedProjection<Real>::norms(const Velocity<Real>& velocity) const {
  Stream stream;
  return norms(velocity, stream);
}

template class MaskedProjection<double>;
template class MaskedProjection<float>;

} // namespace heddle
