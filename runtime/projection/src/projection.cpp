// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection.hpp"

#include <type_traits>
#include <utility>

#include "default_transform.hpp"
#include "heddle/error.hpp"

namespace heddle {

template <class T, class P>
Projection<T, P>::Projection(const StaggeredGrid& grid, Memory memory,
                             std::unique_ptr<PlaneTransform<P>> transform, int rounds)
    : operators_(grid, memory),
      solver_(pressure_problem(grid),
              transform ? std::move(transform) : detail::default_transform<P>(pressure_problem(grid), memory),
              memory),
      rounds_(rounds != 0            ? rounds
              : std::is_same_v<T, P> ? 1
                                     : 3),
      values_(solver_.plane_pitch() + solver_.size(), memory) {
  if (rounds < 0) throw Error("Projection", std::to_string(rounds) + " rounds make no projection");
}

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
    operators_.divergence(velocity, p, 1 / step, stream);
    solver_.solve(p.data(), stream);
    operators_.correct(p, velocity, step, false, stream);
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
