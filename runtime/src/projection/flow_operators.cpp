// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/flow_operators.hpp"

#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/reduction/reduction_work.hpp"
#include "plane.hpp"
#include "projection_flow.hpp"
#include "projection_mixed.hpp"
#include "projection_planes.hpp"

namespace heddle {
namespace {

using detail::plane;

Box domain(const StaggeredGrid& grid) {
  return {{0, 0, 0}, grid.cells};
}

/// A profile with an entry before and behind, of values that begin at the first cell; f is applied to each.
template <class T, class F>
Profile<T> profile(const StaggeredGrid& grid, const std::vector<double>& values, Memory memory, F f) {
  std::vector<T> entries{static_cast<T>(f(values.front()))};
  for (const double value : values)
    entries.push_back(static_cast<T>(f(value)));
  const auto wanted = static_cast<std::size_t>(grid.cells[2] + 2);
  while (entries.size() < wanted)
    entries.push_back(entries.back());
  return {domain(grid), 2, 1, std::span<const T>(entries), memory};
}

double same(double value) {
  return value;
}
double inverse(double value) {
  return 1 / value;
}

std::vector<double> or_ones(const std::vector<double>& values, std::int64_t count) {
  return values.empty() ? std::vector<double>(static_cast<std::size_t>(count), 1.0) : values;
}

double pressure_of(const Side& side, SidePressure sides) {
  return sides == SidePressure::given ? side.pressure : 0;
}

template <class T> void add_to(PlaneView<T> level, double value, Stream& stream) {
  dispatch(
      stream, [&] { projection_planes::level_add(level, value); },
      [&](void* native) { projection_planes::level_add_cuda(level, value, native); });
}

/// Values that a reduction over the cells of these levels needs as scratch.
std::int64_t scratch(const Box& levels) {
  return reduction_work((levels.extent(0) + 31) / 32 * 32 * levels.extent(1) * levels.extent(2));
}

/// Levels first … last - 1.
template <class T> FieldView<T> levels_of(const FieldView<T>& field, std::int64_t first, std::int64_t last) {
  return {field.data() + first * field.stride(2),
          {field.extent(0), field.extent(1), last - first, field.extent(3)},
          {field.stride(0), field.stride(1), field.stride(2), field.stride(3)}};
}
template <class T> Velocity<T> levels_of(const Velocity<T>& velocity, std::int64_t first, std::int64_t last) {
  return {levels_of(velocity.u, first, last), levels_of(velocity.v, first, last),
          levels_of(velocity.w, first, last)};
}

} // namespace

template <class T, class P>
FlowOperators<T, P>::FlowOperators(const StaggeredGrid& grid, std::int64_t first_level,
                                   std::int64_t last_level, Memory memory)
    : grid_(grid), column_(pressure_problem(grid).z),
      levels_{{0, 0, first_level}, {grid.cells[0], grid.cells[1], last_level}},
      height_(profile<T>(grid, column_.width, memory, same)),
      per_height_(profile<T>(grid, column_.width, memory, inverse)),
      per_distance_(profile<T>(grid, column_.distance, memory, inverse)),
      density_(profile<T>(grid, or_ones(grid.density, grid.cells[2]), memory, same)),
      face_density_(profile<T>(grid, or_ones(grid.face_density, grid.cells[2] + 1), memory, same)),
      sums_(2 * (1 + scratch(levels_)), memory) {
  if (first_level < 0 || last_level > grid.cells[2] || first_level >= last_level) {
    throw Error("FlowOperators", "the levels " + std::to_string(first_level) + " to " +
                                     std::to_string(last_level) + " are not a range of the grid's " +
                                     std::to_string(grid.cells[2]));
  }
}

template <class T, class P>
void FlowOperators<T, P>::divergence(const Velocity<T>& velocity, FieldView<P> right, double scale,
                                     Stream& stream) const {
  divergence(velocity, right, scale, 0, right.extent(2), stream);
}

template <class T, class P>
void FlowOperators<T, P>::divergence(const Velocity<T>& velocity, FieldView<P> all, double scale,
                                     std::int64_t first, std::int64_t last, Stream& stream) const {
  const auto& [u, v, w] = levels_of(velocity, first, last);
  const FieldView<P> right = levels_of(all, first, last);
  const T *const height = per_height() + first, *const rho = density() + first,
                 *const rho_face = face_density() + first;
  dispatch(
      stream,
      [&] {
        if constexpr (std::is_same_v<T, P>) {
          projection_flow::divergence(u, v, w, right, height, rho, rho_face, per_x(), per_y(), scale);
        } else {
          projection_mixed::divergence(u, v, w, right, height, rho, rho_face, per_x(), per_y(), scale);
        }
      },
      [&](void* native) {
        if constexpr (std::is_same_v<T, P>) {
          projection_flow::divergence_cuda(u, v, w, right, height, rho, rho_face, per_x(), per_y(), scale,
                                           native);
        } else {
          projection_mixed::divergence_cuda(u, v, w, right, height, rho, rho_face, per_x(), per_y(), scale,
                                            native);
        }
      });
}

template <class T, class P>
DivergenceNorms FlowOperators<T, P>::norms(const Velocity<T>& velocity, Stream& stream) const {
  const auto& [u, v, w] = velocity;
  T* largest = sums_.data();
  T* work = largest + 2;
  T* work_of_total = work + (sums_.size() - 2) / 2;
  dispatch(
      stream,
      [&] {
        projection_flow::norms(u, v, w, per_height(), density(), face_density(), largest, work, largest + 1,
                               work_of_total, per_x(), per_y());
      },
      [&](void* native) {
        projection_flow::norms_cuda(u, v, w, per_height(), density(), face_density(), largest, work,
                                    largest + 1, work_of_total, per_x(), per_y(), native);
      });
  stream.synchronise();
  std::array<T, 2> values{};
  copy_bytes(values.data(), Memory::host, largest, sums_.memory(), sizeof(values));
  return {static_cast<double>(values[0]), static_cast<double>(values[1])};
}

template <class T, class P>
void FlowOperators<T, P>::correct(FieldView<const P> p, const Velocity<T>& velocity, double step,
                                  bool level_below, Stream& stream, SidePressure sides) const {
  correct_between(p, velocity, step, level_below, 0, p.extent(2), stream);
  correct_sides(p, velocity, step, stream, sides);
}

template <class T, class P>
void FlowOperators<T, P>::correct_between(FieldView<const P> all, const Velocity<T>& velocity, double step,
                                          bool level_below, std::int64_t first, std::int64_t last,
                                          Stream& stream) const {
  const auto& [u, v, w] = levels_of(velocity, first, last);
  const FieldView<const P> p = levels_of(all, first, last);
  const T* const distance = per_distance() + first;
  const std::int64_t first_z = level_below || first > 0 ? 0 : 1;
  dispatch(
      stream,
      [&] {
        if constexpr (std::is_same_v<T, P>) {
          projection_flow::correct(p, u, v, w, distance, first_z, per_x(), per_y(), step);
        } else {
          projection_mixed::correct(p, u, v, w, distance, first_z, per_x(), per_y(), step);
        }
      },
      [&](void* native) {
        if constexpr (std::is_same_v<T, P>) {
          projection_flow::correct_cuda(p, u, v, w, distance, first_z, per_x(), per_y(), step, native);
        } else {
          projection_mixed::correct_cuda(p, u, v, w, distance, first_z, per_x(), per_y(), step, native);
        }
      });
}

template <class T, class P>
void FlowOperators<T, P>::correct_sides(FieldView<const P> p, const Velocity<T>& velocity, double step,
                                        Stream& stream, SidePressure sides) const {
  correct_lower_sides(p, velocity, step, sides, stream);
  correct_upper_sides(p, velocity, step, stream, sides);
}

template <class T, class P>
void FlowOperators<T, P>::correct_lower_sides(FieldView<const P> p, const Velocity<T>& velocity, double step,
                                              SidePressure sides, Stream& stream) const {
  const std::array<double, 3> per{per_x(), per_y(), 1 / column_.distance[0]};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (axis == 2 && !at_bottom()) continue;
    const PlaneView<T> face = plane(velocity[axis], axis, 0);
    const PlaneView<const P> inner = plane(p, axis, 0);
    if (grid_.lower[a].kind == SideKind::open)
      open_face(face, inner, 2 * step * per[a], pressure_of(grid_.lower[a], sides), stream);
    // Along z the end of the period may be on another rank, whose level then lies below.
    if (grid_.lower[a].kind != SideKind::periodic || (axis == 2 && !at_top())) continue;
    const PlaneView<const P> end = plane(p, axis, p.extent(axis) - 1);
    const double factor = step * per[a];
    dispatch(
        stream,
        [&] {
          if constexpr (std::is_same_v<T, P>)
            projection_planes::face_correct(end, inner, face, factor);
          else
            projection_mixed::face_correct(end, inner, face, factor);
        },
        [&](void* native) {
          if constexpr (std::is_same_v<T, P>)
            projection_planes::face_correct_cuda(end, inner, face, factor, native);
          else
            projection_mixed::face_correct_cuda(end, inner, face, factor, native);
        });
  }
}

template <class T, class P>
void FlowOperators<T, P>::correct_upper_sides(FieldView<const P> p, const Velocity<T>& velocity, double step,
                                              Stream& stream, SidePressure sides) const {
  const std::array<double, 3> per{per_x(), per_y(), 1 / column_.distance.back()};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (grid_.upper[a].kind != SideKind::open || (axis == 2 && !at_top())) continue;
    const std::int64_t n = p.extent(axis);
    open_face(plane(velocity[axis], axis, n), plane(p, axis, n - 1), -2 * step * per[a],
              pressure_of(grid_.upper[a], sides), stream);
  }
}

/// Beyond an open side lies 2 pressure - p: the difference across the face is 2 (p - pressure), and factor
/// holds the 2.
template <class T, class P>
void FlowOperators<T, P>::open_face(PlaneView<T> face, PlaneView<const P> inner, double factor,
                                    double pressure, Stream& stream) const {
  if (pressure != 0) add_to(face, factor * pressure, stream);
  dispatch(
      stream,
      [&] {
        if constexpr (std::is_same_v<T, P>)
          projection_planes::face_open(inner, face, factor);
        else
          projection_mixed::face_open(inner, face, factor);
      },
      [&](void* native) {
        if constexpr (std::is_same_v<T, P>)
          projection_planes::face_open_cuda(inner, face, factor, native);
        else
          projection_mixed::face_open_cuda(inner, face, factor, native);
      });
}

template <class T, class P>
void FlowOperators<T, P>::fill(const Velocity<T>& velocity, Rim rim, Stream& stream) const {
  const auto copy = [&](PlaneView<const T> from, PlaneView<T> to, double factor, double value) {
    dispatch(
        stream, [&] { projection_planes::fill(from, to, factor, value); },
        [&](void* native) { projection_planes::fill_cuda(from, to, factor, value, native); });
  };
  for (int component = 0; component < 3; ++component) {
    const FieldView<T>& field = velocity[component];
    const auto c = static_cast<std::size_t>(component);
    std::array<std::int64_t, 3> filled{0, 0,
                                       0}; // rims that planes take along, so that edges and corners come out
    // Along its own axis first: the faces at the upper end have neighbours beyond the other sides, too.
    for (const int axis : {component, (component + 1) % 3, (component + 2) % 3}) {
      const bool normal = axis == component;
      if (!normal && rim == Rim::faces) break;
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t n = field.extent(axis);
      const auto at = [&](std::int64_t index) { return plane(field, axis, index, filled); };
      const auto side = [&](const Side& s, std::int64_t inner, std::int64_t face, std::int64_t ghost) {
        if (normal && s.kind != SideKind::open) {
          copy(at(inner), at(face), 0, s.velocity[c]);
          if (ghost != face && rim == Rim::ghosts) copy(at(inner), at(ghost), 0, s.velocity[c]);
        } else if (normal) {
          if (ghost != face && rim == Rim::ghosts) copy(at(face), at(ghost), 1, 0);
        } else {
          const bool sticks = s.kind == SideKind::no_slip;
          copy(at(inner), at(ghost), sticks ? -1 : 1, sticks ? 2 * s.velocity[c] : 0);
        }
      };
      const bool lowest = axis < 2 || at_bottom(); // along z the sides may be on other ranks
      const bool highest = axis < 2 || at_top();
      if (grid_.lower[a].kind != SideKind::periodic) {
        if (lowest) side(grid_.lower[a], normal ? 1 : 0, 0, -1);
        if (highest) side(grid_.upper[a], n - 1, n, n);
      } else if (lowest && highest) {
        copy(at(0), at(n), 1, 0);
        if (rim == Rim::ghosts) copy(at(n - 1), at(-1), 1, 0);
      }
      if (rim == Rim::ghosts) filled[a] = 1;
    }
  }
}

template <class T, class P>
double FlowOperators<T, P>::mean(FieldView<T> component, int axis, Stream& stream) const {
  const WeightedSum sum = weighted_sum(component, axis, stream);
  return sum.total / sum.weight;
}

template <class T, class P>
WeightedSum FlowOperators<T, P>::weighted_sum(FieldView<T> component, int axis, Stream& stream) const {
  double total = 0;
  double weight = 0;
  const std::vector<double> density =
      or_ones(axis == 2 ? grid_.face_density : grid_.density, grid_.cells[2] + (axis == 2 ? 1 : 0));
  for (std::int64_t k = 0; k < component.extent(2); ++k) {
    const PlaneView<const T> level = plane(component, 2, k);
    T* sum = sums_.data();
    dispatch(
        stream, [&] { projection_planes::level_sum(level, sum, sum + 1); },
        [&](void* native) { projection_planes::level_sum_cuda(level, sum, sum + 1, native); });
    stream.synchronise();
    T value = 0;
    copy_bytes(&value, Memory::host, sum, sums_.memory(), sizeof(value));
    const auto z = static_cast<std::size_t>(levels_.lower[2] + k);
    const double mass = density[z] * (axis == 2 ? column_.distance[z] : column_.width[z]);
    total += mass * static_cast<double>(value);
    weight += mass * static_cast<double>(grid_.cells[0] * grid_.cells[1]);
  }
  return {total, weight};
}

template <class T, class P>
void FlowOperators<T, P>::add(FieldView<T> component, double value, Stream& stream) const {
  for (std::int64_t k = 0; k < component.extent(2); ++k)
    add_to(plane(component, 2, k), value, stream);
}

template class FlowOperators<double, double>;
template class FlowOperators<float, float>;
template class FlowOperators<double, float>;

} // namespace heddle
