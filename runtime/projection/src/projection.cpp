// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection.hpp"

#include <utility>

#include "rounds.hpp"

namespace heddle {

template <class T, class P>
Projection<T, P>::Projection(const StaggeredGrid& grid, Memory memory,
                             std::unique_ptr<PlaneTransform<P>> transform, int rounds)
    : operators_(grid, memory),
      solver_(transform
                  ? PoissonSolver<P>(without_values(pressure_problem(grid)), std::move(transform), memory)
                  : PoissonSolver<P>(without_values(pressure_problem(grid)), memory)),
      lift_(pressure_problem(grid), 0, grid.cells[2], memory),
      rounds_(detail::rounds_of<T, P>("Projection", rounds)),
      values_(solver_.plane_pitch() + solver_.size(), memory) {}

template <class T, class P> FieldView<P> Projection<T, P>::array() const noexcept {
  const auto& cells = operators_.grid().cells;
  return {values_.data() + solver_.plane_pitch(),
          {cells[0], cells[1], cells[2], 1},
          {1, solver_.row_pitch(), solver_.plane_pitch(), solver_.size()}};
}

template <class T, class P>
void Projection<T, P>::operator()(const Velocity<T>& velocity, double step, Stream& stream) {
  const FieldView<P> p = array();
  for (int round = 0; round < rounds_; ++round) {
    operators_.fill(velocity, Rim::faces, stream);
    const SidePressure sides = round == 0 ? SidePressure::given : SidePressure::zero;
    operators_.divergence(velocity, p, 1 / step, stream);
    if (sides == SidePressure::given) lift_(p.data(), p.stride(1), p.stride(2), stream);
    solver_.solve(p.data(), stream);
    operators_.correct(p, velocity, step, false, stream, sides);
  }
  operators_.fill(velocity, Rim::faces, stream);
}

template <class T, class P> void Projection<T, P>::operator()(const Velocity<T>& velocity, double step) {
  Stream stream;
  (*this)(velocity, step, stream);
}

template class Projection<double, double>;
template class Projection<float, float>;
template class Projection<double, float>;

} // namespace heddle
