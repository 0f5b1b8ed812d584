// SPDX-License-Identifier: Apache-2.0
#include "level_exchange.hpp"

#include "plane.hpp"
#include "projection_planes.hpp"

namespace heddle::detail {
namespace {

constexpr std::int64_t most_levels = 3; // u, v and w

/// Cells of a level with its rim.
std::int64_t cells_of_level(const StaggeredGrid& grid) {
  return (grid.cells[0] + 2) * (grid.cells[1] + 2);
}

int neighbour(const StaggeredGrid& grid, const Transport& transport, int by) {
  const int ranks = transport.ranks(), to = transport.rank() + by;
  if (ranks == 1) return -1;
  if (to >= 0 && to < ranks) return to;
  return grid.lower[2].kind == SideKind::periodic ? (to + ranks) % ranks : -1;
}

template <class T> void copy(PlaneView<const T> from, PlaneView<T> to, Stream& stream) {
  dispatch(
      stream, [&] { projection_planes::fill(from, to, 1, 0); },
      [&](void* native) { projection_planes::fill_cuda(from, to, 1, 0, native); });
}

/// The part of a buffer that holds a level, without gaps.
template <class T> PlaneView<T> packed(T* at, const PlaneView<const T>& level) {
  return {at, {level.extent(0), level.extent(1), 1}, {1, level.extent(0), 1}};
}

} // namespace

template <class T>
LevelExchange<T>::LevelExchange(const StaggeredGrid& grid, Transport& transport, Memory memory)
    : below_(neighbour(grid, transport, -1)), above_(neighbour(grid, transport, 1)),
      round_(transport, "levels between ranks"),
      sent_(alone() ? 0 : most_levels * cells_of_level(grid), memory), received_(sent_.size(), memory) {}

template <class T>
void LevelExchange<T>::pass(std::initializer_list<MovedLevel> levels, int to, int from, Stream& stream) {
  if (alone()) return;
  std::int64_t count = 0;
  for (const MovedLevel& level : levels) {
    if (to >= 0) copy<T>(level.leaves, packed(sent_.data() + count, level.leaves), stream);
    count += level.leaves.extent(0) * level.leaves.extent(1);
  }
  if (to >= 0) round_.send(to, sent_.data(), count);
  if (from >= 0) round_.receive(from, received_.data(), count);
  round_.run(sent_.memory(), stream);
  if (from < 0) return;
  count = 0;
  for (const MovedLevel& level : levels) {
    copy<T>(packed(received_.data() + count, level.leaves), level.arrives, stream);
    count += level.leaves.extent(0) * level.leaves.extent(1);
  }
}

template <class T> void LevelExchange<T>::fill_ghosts(const FieldView<T>& field, Stream& stream) {
  const std::int64_t top = field.extent(2) - 1;
  down({{plane(field, 2, 0), plane(field, 2, top + 1)}}, stream);
  up({{plane(field, 2, top), plane(field, 2, -1)}}, stream);
}

template <class T, class P>
void fill_rim(const FlowOperators<T, P>& operators, LevelExchange<T>& exchange, const Velocity<T>& velocity,
              Rim rim, Stream& stream) {
  operators.fill(velocity, rim, stream);
  if (exchange.alone()) return;
  const auto& [u, v, w] = velocity;
  const std::int64_t top = w.extent(2) - 1;
  if (rim == Rim::faces) {
    exchange.down({{plane(w, 2, 0), plane(w, 2, top + 1)}}, stream);
    return;
  }
  const std::array<std::int64_t, 3> around{1, 1, 0};
  const auto moved = [&](const FieldView<T>& field, std::int64_t leaves, std::int64_t arrives) {
    return typename LevelExchange<T>::MovedLevel{plane(field, 2, leaves, around),
                                                 plane(field, 2, arrives, around)};
  };
  exchange.down({moved(u, 0, top + 1), moved(v, 0, top + 1), moved(w, 0, top + 1)}, stream);
  exchange.up({moved(u, top, -1), moved(v, top, -1), moved(w, top, -1)}, stream);
}

template class LevelExchange<double>;
template class LevelExchange<float>;
template void fill_rim(const FlowOperators<double>&, LevelExchange<double>&, const Velocity<double>&, Rim,
                       Stream&);
template void fill_rim(const FlowOperators<float>&, LevelExchange<float>&, const Velocity<float>&, Rim,
                       Stream&);
template void fill_rim(const FlowOperators<double, float>&, LevelExchange<double>&, const Velocity<double>&,
                       Rim, Stream&);

} // namespace heddle::detail
