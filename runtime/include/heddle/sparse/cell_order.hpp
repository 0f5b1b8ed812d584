// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_CELL_ORDER_HPP
#define HEDDLE_SPARSE_CELL_ORDER_HPP

namespace heddle {

/// How the cells of an IndexList follow each other.
enum class CellOrder {
  /// Row by row of the box, x fastest: most neighbours are contiguous, too, so tables are short and loads are
  /// of whole cache lines. The fastest order wherever it was measured (decision 0015).
  rows,
  /// Along Morton's curve: the bits of x, y and z taken in turn. Morton, IBM report, 1966.
  morton,
  /// Along Hilbert's curve: a stretch of the list is a compact part of the domain, without the jumps of
  /// Morton's. Skilling, AIP Conference Proceedings 707, 381 (2004).
  hilbert,
};

} // namespace heddle

#endif
