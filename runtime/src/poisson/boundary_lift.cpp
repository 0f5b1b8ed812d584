// SPDX-License-Identifier: Apache-2.0
#include "heddle/poisson/boundary_lift.hpp"

#include <vector>

#include "heddle/core/dispatch.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/field_view.hpp"
#include "poisson_planes.hpp"

namespace heddle {
namespace {

/// The boundary's coefficient times its value.
double lifted(double coefficient, Boundary boundary, double value) {
  if (boundary == Boundary::periodic && value != 0) {
    throw Error("PoissonProblem", "a periodic boundary has a boundary value",
                "leave lower_value and upper_value 0 there");
  }
  return coefficient * value;
}

template <class Real>
Buffer<Real> densities(const PoissonColumn& column, std::int64_t first, std::int64_t last, Memory memory) {
  std::vector<Real> values;
  for (std::int64_t k = first; k < last; ++k)
    values.push_back(
        static_cast<Real>(column.density.empty() ? 1.0 : column.density.at(static_cast<std::size_t>(k))));
  return Buffer<Real>(std::span<const Real>(values), memory);
}

} // namespace

template <class Real>
BoundaryLift<Real>::BoundaryLift(const PoissonProblem& problem, std::int64_t first_level,
                                 std::int64_t last_level, Memory memory)
    : unknowns_{problem.x.unknowns, problem.y.unknowns, last_level - first_level}, lower_{}, upper_{},
      density_(densities<Real>(problem.z, first_level, last_level, memory)) {
  std::size_t axis = 0;
  for (const PoissonDirection* d : {&problem.x, &problem.y}) {
    lower_[axis] = lifted(boundary_lift(d->spacing, d->lower, d->location), d->lower, d->lower_value);
    upper_[axis] = lifted(boundary_lift(d->spacing, d->upper, d->location), d->upper, d->upper_value);
    ++axis;
  }
  const PoissonColumn& z = problem.z;
  const ColumnCoefficients rows = column_coefficients(z, problem.shift);
  const double bottom = lifted(rows.lift_lower, z.lower, z.lower_value);
  const double top = lifted(rows.lift_upper, z.upper, z.upper_value);
  if (first_level == 0) lower_[2] = bottom;
  if (last_level == z.unknowns()) upper_[2] = top;
}

template <class Real>
void BoundaryLift<Real>::operator()(Real* field, std::int64_t begin, std::int64_t end, std::int64_t row_pitch,
                                    std::int64_t plane_pitch, Stream& stream) const {
  const std::int64_t nx = unknowns_[0], ny = unknowns_[1], levels = end - begin;
  const auto level = [&](double value, std::int64_t k) {
    if (value == 0 || k < begin || k >= end) return;
    const PlaneView<Real> side(field + k * plane_pitch, {nx, ny, 1}, {1, row_pitch, 1});
    dispatch(
        stream, [&] { poisson_planes::lift_level(side, value); },
        [&](void* native) { poisson_planes::lift_level_cuda(side, value, native); });
  };
  const auto side = [&](double value, std::int64_t outermost, std::int64_t unknowns, std::int64_t pitch) {
    if (value == 0) return;
    const PlaneView<Real> plane(field + begin * plane_pitch + outermost, {unknowns, levels, 1},
                                {pitch, plane_pitch, 1});
    const Real* const density = density_.data() + begin;
    dispatch(
        stream, [&] { poisson_planes::lift_side(plane, density, value); },
        [&](void* native) { poisson_planes::lift_side_cuda(plane, density, value, native); });
  };
  side(lower_[0], 0, ny, row_pitch);
  side(upper_[0], nx - 1, ny, row_pitch);
  side(lower_[1], 0, nx, 1);
  side(upper_[1], (ny - 1) * row_pitch, nx, 1);
  level(lower_[2], 0);
  level(upper_[2], unknowns_[2] - 1);
}

template class BoundaryLift<double>;
template class BoundaryLift<float>;

} // namespace heddle
