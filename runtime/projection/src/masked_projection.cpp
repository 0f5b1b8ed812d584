// SPDX-License-Identifier: Apache-2.0
#include "heddle/masked_projection.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "heddle/error.hpp"
#include "heddle/reduction_work.hpp"
#include "plane.hpp"
#include "projection_planes.hpp"
#include "projection_topography.hpp"

namespace heddle {
namespace {

using detail::dispatch;
using detail::plane;

FieldOptions options_of(const char* name, Memory memory, int ghosts) {
  return {.ghost_layers = ghosts, .memory = memory, .name = name};
}

} // namespace

template <class Real>
MaskedProjection<Real>::MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                                         Memory memory, MaskedOptions options,
                                         std::unique_ptr<PlaneTransform<Real>> transform)
    : operators_(grid, memory), topography_(grid, solid, memory),
      solver_(transform ? PoissonSolver<Real>(pressure_problem(grid), std::move(transform), memory)
                        : PoissonSolver<Real>(pressure_problem(grid), memory)),
      options_(options), singular_(is_singular(pressure_problem(grid))), values_(solver_.size(), memory),
      pi_(BlockGrid({{0, 0, 0}, grid.cells}), options_of("pi", memory, 1)),
      p_(pi_.grid(), options_of("p", memory, 1)), q_(pi_.grid(), options_of("q", memory, 0)),
      r_(pi_.grid(), options_of("r", memory, 0)), sums_(sum_count, memory),
      work_(2 * reduction_work(q_, {0, 1, 2}), memory) {
  if (!(options.tolerance > 0) || options.most_iterations < 1) {
    throw Error("MaskedProjection", "a tolerance of " + std::to_string(options.tolerance) + " in " +
                                        std::to_string(options.most_iterations) +
                                        " iterations makes no sense");
  }
}

template <class Real> FieldView<Real> MaskedProjection<Real>::solver_array() const noexcept {
  const auto& n = operators_.grid().cells;
  return {
      values_.data(), {n[0], n[1], n[2], 1}, {1, solver_.row_pitch(), solver_.plane_pitch(), solver_.size()}};
}

template <class Real> double MaskedProjection<Real>::value(Sum which, Stream& stream) const {
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
  o.fill(velocity, Rim::faces, stream);
  dispatch(
      stream, [&] { projection_topography::close(open, u, v, w); },
      [&](void* native) { projection_topography::close_cuda(open, u, v, w, native); });
  o.fill(velocity, Rim::faces, stream); // what was closed at one end of a period
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
}

template <class Real> void MaskedProjection<Real>::fill(FieldView<Real> p, Stream& stream) const {
  const auto copy = [&](int axis, std::int64_t from, std::int64_t to, double factor) {
    const PlaneView<const Real> inner = plane(p, axis, from);
    const PlaneView<Real> ghost = plane(p, axis, to);
    dispatch(
        stream, [&] { projection_planes::fill(inner, ghost, factor, 0); },
        [&](void* native) { projection_planes::fill_cuda(inner, ghost, factor, 0, native); });
  };
  const StaggeredGrid& grid = operators_.grid();
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t n = grid.cells[a];
    if (grid.lower[a].kind == SideKind::periodic) {
      copy(axis, n - 1, -1, 1);
      copy(axis, 0, n, 1);
    }
    if (grid.lower[a].kind == SideKind::open) copy(axis, 0, -1, -1);
    if (grid.upper[a].kind == SideKind::open) copy(axis, n - 1, n, -1);
  }
}

template <class Real>
void MaskedProjection<Real>::correct(FieldView<Real> p, const Velocity<Real>& velocity, double step,
                                     Stream& stream) const {
  fill(p, stream);
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
  o.fill(velocity, Rim::faces, stream);
}

template <class Real> void MaskedProjection<Real>::reset_sums(Stream& stream) {
  stream.synchronise();
  zero(sums_.data(), sums_.bytes(), sums_.bytes(), sums_.memory());
}

template <class Real> void MaskedProjection<Real>::forget(Stream& stream) {
  stream.synchronise();
  const FieldView<Real> pi = pi_.view();
  const FieldLayout layout(operators_.grid().cells, 1, 1, sizeof(Real));
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
  fill(pi_.view(), stream);
  const auto& o = operators_;
  const auto open = topography_.open();
  const FieldView<const Real> pi = pi_.view();
  const FieldView<Real> right = solver_array();
  dispatch(
      stream,
      [&] {
        projection_topography::start(open, pi, right, r_.view(), o.density(), o.per_distance(),
                                     o.per_height(), o.face_density(), o.height(), sum(total), work_.data(),
                                     o.per_x(), o.per_y());
      },
      [&](void* native) {
        projection_topography::start_cuda(open, pi, right, r_.view(), o.density(), o.per_distance(),
                                          o.per_height(), o.face_density(), o.height(), sum(total),
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
  Real* const r_z = sum(iteration % 2 == 0 ? r_z_even : r_z_odd);
  Real* const r_z_before = sum(iteration % 2 == 0 ? r_z_odd : r_z_even);
  Real* const work = work_.data();
  solver_.solve(pre.data(), stream);
  dispatch(
      stream,
      [&] {
        projection_topography::weigh(pre, r_.view(), o.height(), r_z, work);
        projection_topography::turn(p_.view(), pi_.view(), pre, sum(p_q), r_z_before, r_z);
      },
      [&](void* native) {
        projection_topography::weigh_cuda(pre, r_.view(), o.height(), r_z, work, native);
        projection_topography::turn_cuda(p_.view(), pi_.view(), pre, sum(p_q), r_z_before, r_z, native);
      });
  fill(p_.view(), stream);
  dispatch(
      stream,
      [&] {
        projection_topography::apply(open, p_.view(), q_.view(), o.density(), o.per_distance(),
                                     o.per_height(), o.face_density(), o.height(), sum(p_q), work, o.per_x(),
                                     o.per_y());
        projection_topography::advance(q_.view(), r_.view(), pre, sum(p_q), r_z, o.height(), sum(r_r), work);
      },
      [&](void* native) {
        projection_topography::apply_cuda(open, p_.view(), q_.view(), o.density(), o.per_distance(),
                                          o.per_height(), o.face_density(), o.height(), sum(p_q), work,
                                          o.per_x(), o.per_y(), native);
        projection_topography::advance_cuda(q_.view(), r_.view(), pre, sum(p_q), r_z, o.height(), sum(r_r),
                                            work, native);
      });
}

template <class Real>
Solution MaskedProjection<Real>::operator()(const Velocity<Real>& velocity, double step, Stream& stream) {
  right_side(velocity, step, stream);
  const double before = norm_of_right_side(stream);
  if (!options_.warm_start) forget(stream);
  double left = start(stream);
  Solution solution;
  const auto part = [&] { return before > 0 ? left / before : 0; };
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
  return {value(r_r, stream), value(total, stream)};
}

template <class Real> DivergenceNorms MaskedProjection<Real>::norms(const Velocity<Real>& velocity) const {
  Stream stream;
  return norms(velocity, stream);
}

template class MaskedProjection<double>;
template class MaskedProjection<float>;

} // namespace heddle
