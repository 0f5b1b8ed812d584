// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/slab_projection.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/projection/rank_values.hpp"
#include "level_exchange.hpp"
#include "plane.hpp"
#include "rounds.hpp"
#include "time_step.hpp"

namespace heddle {

template <class T, class P> struct SlabProjection<T, P>::Parts {
  Parts(const StaggeredGrid& grid, Transport& transport, Memory memory, SlabMethod method, int wanted)
      : solver(without_values(pressure_problem(grid)), transport, memory, nullptr, method),
        operators(grid, solver.first_level(), solver.last_level(), memory),
        lift(pressure_problem(grid), solver.first_level(), solver.last_level(), memory),
        faces(grid, transport, memory), pressures(grid, transport, memory), numbers(transport),
        rounds(detail::rounds_of<T, P>("SlabProjection", wanted)),
        values(solver.plane_pitch() + solver.size(), memory) {}

  [[nodiscard]] FieldView<P> array() {
    const auto& cells = operators.grid().cells;
    const std::int64_t levels = solver.last_level() - solver.first_level();
    return {values.data() + solver.plane_pitch(),
            {cells[0], cells[1], levels, 1},
            {1, solver.row_pitch(), solver.plane_pitch(), solver.size()}};
  }
  /// Whether the level below this rank's lowest one belongs to another rank.
  [[nodiscard]] bool has_level_below() const {
    const bool periodic = operators.grid().lower[2].kind == SideKind::periodic;
    return !operators.at_bottom() || (periodic && !operators.at_top());
  }

  /// The velocities for a solver that takes their divergence and corrects them itself, where it can.
  [[nodiscard]] std::optional<PeriodicFlow<T>> periodic_flow(const Velocity<T>& velocity, double step) const {
    const StaggeredGrid& grid = operators.grid();
    const auto closed = [](const Side& side) {
      return side.kind == SideKind::no_slip || side.kind == SideKind::free_slip;
    };
    if (!solver.takes_flow() || !closed(grid.lower[2]) || !closed(grid.upper[2])) return {};
    const auto component = [](const FieldView<T>& field) {
      return typename PeriodicFlow<T>::Component{field.data(), field.stride(1), field.stride(2)};
    };
    const PeriodicFlow<T> flow{.u = component(velocity.u),
                               .v = component(velocity.v),
                               .w = component(velocity.w),
                               .per_height = operators.per_height(),
                               .density = operators.density(),
                               .per_distance = operators.per_distance(),
                               .face_density = operators.face_density(),
                               .per_x = static_cast<T>(operators.per_x()),
                               .per_y = static_cast<T>(operators.per_y()),
                               .step = static_cast<T>(step),
                               .per_step = static_cast<T>(1 / step),
                               .below = static_cast<T>(grid.lower[2].velocity[2]),
                               .above = static_cast<T>(grid.upper[2].velocity[2]),
                               .neighbour_below = !operators.at_bottom(),
                               .neighbour_above = !operators.at_top(),
                               .lower = ghosts,
                               .upper = std::max(ghosts, 1)};
    for (int axis = 0; axis < 3; ++axis) {
      const FieldView<T>& field = velocity[axis];
      const bool pairs = field.stride(0) == 1 && field.stride(1) % 2 == 0 && field.stride(2) % 2 == 0 &&
                         reinterpret_cast<std::uintptr_t>(field.data()) % (2 * sizeof(T)) == 0;
      if (!pairs) return {};
    }
    return flow;
  }

  SlabPoisson<P> solver;
  FlowOperators<T, P> operators;
  BoundaryLift<P> lift;
  detail::LevelExchange<T> faces;
  detail::LevelExchange<P> pressures;
  RankValues numbers;
  int rounds;
  int ghosts = 0;   // that a solver fills beside a flow that it corrects
  Buffer<P> values; // the level below, then the solver's levels
};

template <class T, class P>
SlabProjection<T, P>::SlabProjection(const StaggeredGrid& grid, Transport& transport, Memory memory,
                                     SlabMethod method, int rounds)
    : parts_(std::make_unique<Parts>(grid, transport, memory, method, rounds)) {}

template <class T, class P> SlabProjection<T, P>::~SlabProjection() = default;
template <class T, class P> SlabProjection<T, P>::SlabProjection(SlabProjection&&) noexcept = default;
template <class T, class P>
SlabProjection<T, P>& SlabProjection<T, P>::operator=(SlabProjection&&) noexcept = default;

template <class T, class P> std::int64_t SlabProjection<T, P>::first_level() const {
  return parts_->solver.first_level();
}
template <class T, class P> std::int64_t SlabProjection<T, P>::last_level() const {
  return parts_->solver.last_level();
}
template <class T, class P> const FlowOperators<T, P>& SlabProjection<T, P>::operators() const noexcept {
  return parts_->operators;
}
template <class T, class P> const SlabPoisson<P>& SlabProjection<T, P>::solver() const noexcept {
  return parts_->solver;
}

template <class T, class P> bool SlabProjection<T, P>::fills_beside(const Velocity<T>& velocity, int ghosts) {
  constexpr int most = 4;
  if constexpr (std::is_same_v<T, P>) {
    if (ghosts >= 0 && ghosts <= most && parts_->periodic_flow(velocity, 1)) {
      parts_->ghosts = ghosts;
      return true;
    }
  }
  return false;
}

template <class T, class P>
void SlabProjection<T, P>::operator()(const Velocity<T>& velocity, double step, Stream& stream) {
  require_time_step<T>("SlabProjection", step);
  Parts& parts = *parts_;
  const FieldView<P> p = parts.array();
  const std::int64_t top = p.extent(2) - 1;
  if constexpr (std::is_same_v<T, P>) {
    if (const auto flow = parts.periodic_flow(velocity, step)) {
      const auto faces_above = [&] {
        parts.faces.down({{detail::plane(velocity.w, 2, 0), detail::plane(velocity.w, 2, top + 1)}}, stream);
      };
      for (int round = 0; round < parts.rounds; ++round) {
        faces_above();
        parts.solver.project(*flow, p.data(), stream);
      }
      faces_above();
      return;
    }
  }
  for (int round = 0; round < parts.rounds; ++round) {
    const SidePressure sides = round == 0 ? SidePressure::given : SidePressure::zero;
    fill(velocity, Rim::faces, stream);
    parts.operators.divergence(velocity, p, 1 / step, stream);
    if (sides == SidePressure::given) parts.lift(p.data(), p.stride(1), p.stride(2), stream);
    parts.solver.solve(p.data(), stream);
    parts.pressures.up({{detail::plane(p, 2, top), detail::plane(p, 2, -1)}}, stream);
    parts.operators.correct(p, velocity, step, parts.has_level_below(), stream, sides);
  }
  fill(velocity, Rim::faces, stream);
}

template <class T, class P> void SlabProjection<T, P>::operator()(const Velocity<T>& velocity, double step) {
  Stream stream;
  (*this)(velocity, step, stream);
}

template <class T, class P>
void SlabProjection<T, P>::fill(const Velocity<T>& velocity, Rim rim, Stream& stream) {
  detail::fill_rim(parts_->operators, parts_->faces, velocity, rim, stream);
}

template <class T, class P>
DivergenceNorms SlabProjection<T, P>::norms(const Velocity<T>& velocity, Stream& stream) {
  const DivergenceNorms own = parts_->operators.norms(velocity, stream);
  return {parts_->numbers.largest(own.largest), parts_->numbers.sum(own.total)};
}

template <class T, class P>
double SlabProjection<T, P>::mean(FieldView<T> component, int axis, Stream& stream) {
  const WeightedSum own = parts_->operators.weighted_sum(component, axis, stream);
  return parts_->numbers.sum(own.total) / parts_->numbers.sum(own.weight);
}

template class SlabProjection<double, double>;
template class SlabProjection<float, float>;
template class SlabProjection<double, float>;

} // namespace heddle
