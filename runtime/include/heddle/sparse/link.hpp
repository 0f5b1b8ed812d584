// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_LINK_HPP
#define HEDDLE_SPARSE_LINK_HPP

#include <array>

namespace heddle {

/// One row of the neighbour table of an IndexList: where slot `slot` of the cell at `offset` lives. Where
/// that cell is not listed (a wall, or beyond a non-periodic face), the entry is slot `wall_slot` of the
/// current cell instead, so that bounce-back costs nothing. With q from 1 and opposite directions q, opp(q):
///   AA,   row q-1: {opp(q), -c_q, q}
///   pull, row q-1: {q, -c_q, opp(q)}
/// With wall_slot = `to_cell` the row has the number of the cell at `offset`, for all slots alike, and where
/// that is not listed the list holds populations of it even so: they get numbers beyond the listed cells and
/// nobody updates them. Where all such rows lead along one axis, they are meant to be followed one after the
/// other, and the cells that are reached so are solid boundary nodes:
///   EsoTwist, three rows: {0, (1, 0, 0), to_cell}, {0, (0, 1, 0), to_cell}, {0, (0, 0, 1), to_cell}
struct Link {
  static constexpr int to_cell = -1;
  int slot = 0;
  std::array<int, 3> offset{0, 0, 0};
  int wall_slot = 0;
};

} // namespace heddle

#endif
