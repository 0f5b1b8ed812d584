// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/projection.hpp"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "heddle/core/graph_cache.hpp"
#include "rounds.hpp"
#include "time_step.hpp"

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
      values_(solver_.plane_pitch() + solver_.size(), memory),
      captured_(std::make_unique<GraphCache<std::vector<std::int64_t>>>()) {}

template <class T, class P> Projection<T, P>::~Projection() = default;
template <class T, class P> Projection<T, P>::Projection(Projection&&) noexcept = default;
template <class T, class P> Projection<T, P>& Projection<T, P>::operator=(Projection&&) noexcept = default;

template <class T, class P> FieldView<P> Projection<T, P>::array() const noexcept {
  const auto& cells = operators_.grid().cells;
  return {values_.data() + solver_.plane_pitch(),
          {cells[0], cells[1], cells[2], 1},
          {1, solver_.row_pitch(), solver_.plane_pitch(), solver_.size()}};
}

template <class T, class P>
void Projection<T, P>::operator()(const Velocity<T>& velocity, double step, Stream& stream) {
  require_time_step<T>("Projection", step);
  const auto& [u, v, w] = velocity;
  std::vector<std::int64_t> same{std::bit_cast<std::int64_t>(step)};
  for (const auto* field : {&u, &v, &w}) {
    same.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(field->data())));
    for (int d = 0; d < 3; ++d)
      same.insert(same.end(), {field->extent(d), field->stride(d)});
  }
  captured_->run(same, stream, [&] {
    for (int round = 0; round < rounds_; ++round)
      project(velocity, step, round == 0 ? SidePressure::given : SidePressure::zero, stream);
    operators_.fill(velocity, Rim::faces, stream);
  });
}

/// The divergence goes into planes that are about to be transformed, and the correction takes them when they
/// have just been.
template <class T, class P>
void Projection<T, P>::project(const Velocity<T>& velocity, double step, SidePressure sides, Stream& stream) {
  const FieldView<P> p = array();
  operators_.fill(velocity, Rim::faces, stream);
  const auto source = [&](std::int64_t first, std::int64_t last) {
    operators_.divergence(velocity, p, 1 / step, first, last, stream);
    if (sides == SidePressure::given) lift_(p.data(), first, last, p.stride(1), p.stride(2), stream);
  };
  const auto use = [&](std::int64_t first, std::int64_t last) {
    operators_.correct_between(p, velocity, step, false, first, last, stream);
  };
  solver_.solve(source, use, p.data(), stream);
  operators_.correct_sides(p, velocity, step, stream, sides);
}

template <class T, class P> void Projection<T, P>::operator()(const Velocity<T>& velocity, double step) {
  Stream stream;
  (*this)(velocity, step, stream);
}

template class Projection<double, double>;
template class Projection<float, float>;
template class Projection<double, float>;

} // namespace heddle
