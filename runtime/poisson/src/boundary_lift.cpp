// SPDX-License-Identifier: Apache-2.0
#include "heddle/boundary_lift.hpp"

#include <vector>

#include "heddle/dispatch.hpp"
#include "heddle/error.hpp"
#include "heddle/plane_view.hpp"
#include "poisson_planes.hpp"

namespace heddle {
namespace {

/// The boundary's coefficient times its value.
double lifted(double coefficient, Boundary boundary, double value) {
  if (boundary == Boundary::periodic && value != 0) {
    throw Error("PoissonProblem", "a periodic boundary has a value",
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
void BoundaryLift<Real>::operator()(Real* field, std::int64_t row_pitch, std::int64_t plane_pitch,
                                    Stream& stream) const {
  const std::array<std::int64_t, 3> pitch{1, row_pitch, plane_pitch};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    for (const bool upper : {false, true}) {
      const double value = upper ? upper_[axis] : lower_[axis];
      if (value == 0) continue;
      Real* const outermost = field + (upper ? unknowns_[axis] - 1 : 0) * pitch[axis];
      const PlaneView<Real> side(outermost, {unknowns_[a], unknowns_[b], 1}, {pitch[a], pitch[b], 1});
      detail::dispatch(
          stream,
          [&] {
            if (axis == 2)
              poisson_planes::lift_level(side, value);
            else
              poisson_planes::lift_side(side, density_.data(), value);
          },
          [&](void* native) {
            if (axis == 2)
              poisson_planes::lift_level_cuda(side, value, native);
            else
              poisson_planes::lift_side_cuda(side, density_.data(), value, native);
          });
    }
  }
}

template class BoundaryLift<double>;
template class BoundaryLift<float>;

} // namespace heddle
