// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_IMPLICIT_BOUNCE_BACK_HPP
#define HEDDLE_SRC_SPARSE_IMPLICIT_BOUNCE_BACK_HPP

#include <array>
#include <span>

#include "heddle/sparse/cell_numbering.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/neighbour_table.hpp"

namespace heddle {

/// The neighbour table of a list whose links lead to elements: it has implicit bounce-back and free slip
/// (heddle/sparse/link.hpp). Throws Error for links that it cannot have.
[[nodiscard]] NeighbourTable implicit_bounce_back(const CellNumbering& numbers, const ListLayout& layout,
                                                  const std::array<bool, 3>& periodic,
                                                  std::span<const Link> links,
                                                  const std::array<bool, 6>& slips);

} // namespace heddle

#endif
