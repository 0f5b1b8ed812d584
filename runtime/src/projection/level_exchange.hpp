// SPDX-License-Identifier: Apache-2.0
// Levels that cross from rank to rank.
#ifndef HEDDLE_SRC_PROJECTION_LEVEL_EXCHANGE_HPP
#define HEDDLE_SRC_PROJECTION_LEVEL_EXCHANGE_HPP

#include <array>
#include <cstdint>
#include <initializer_list>

#include "heddle/core/buffer.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/projection/flow_operators.hpp"
#include "heddle/projection/staggered_grid.hpp"
#include "heddle/transport/message_round.hpp"

namespace heddle::detail {

/// Passes levels of fields between neighbouring ranks of slabs, whose last and first are neighbours where the
/// grid is periodic along z. All ranks make the same calls; one rank alone has no neighbours.
template <class T> class LevelExchange {
public:
  LevelExchange(const StaggeredGrid& grid, Transport& transport, Memory memory);

  /// A level that leaves for one neighbour, and where that of the other neighbour goes.
  struct MovedLevel {
    PlaneView<const T> leaves;
    PlaneView<T> arrives;
  };
  /// To the rank below, and from that above; or the other way. At most three levels at a time, each with a
  /// rim of one cell at most. Waits for the stream, but where messages lie on its device.
  void down(std::initializer_list<MovedLevel> levels, Stream& stream) {
    pass(levels, below_, above_, stream);
  }
  void up(std::initializer_list<MovedLevel> levels, Stream& stream) { pass(levels, above_, below_, stream); }

  /// The levels beyond those of this rank (of fields with ghost cells), where another rank has them.
  void fill_ghosts(const FieldView<T>& field, Stream& stream);

  [[nodiscard]] bool alone() const noexcept { return below_ < 0 && above_ < 0; }

private:
  void pass(std::initializer_list<MovedLevel> levels, int to, int from, Stream& stream);

  int below_, above_; // ranks, -1 for none
  MessageRound<T> round_;
  Buffer<T> sent_, received_;
};

/// FlowOperators::fill for slabs: the rim beyond the sides of the grid and between ranks.
template <class T, class P>
void fill_rim(const FlowOperators<T, P>& operators, LevelExchange<T>& exchange, const Velocity<T>& velocity,
              Rim rim, Stream& stream);

} // namespace heddle::detail

#endif
