// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_NEIGHBOUR_INDICES_HPP
#define HEDDLE_SPARSE_NEIGHBOUR_INDICES_HPP

#include <array>
#include <cstdint>

#include "heddle/core/buffer.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Numbers of the cells at an offset from those of a boundary list, one per entry, in the memory of `list`:
/// what sweeps of EsoTwist and EsoPull that look at other cells take as `cell_w`, `cell_nw` and so on,
/// because the rows of their table do not lead to all neighbours. `offset`: (-1, 0, 0) for `cell_w`. Where
/// that cell is not listed the own number stands, at which a sweep stays in its cell: the link is the wall of
/// the list, and a face that slips bounces back. `cells`: of a boundary list, own cells of `list`; may be
/// empty. `depth`: how many cells have to be listed one after the other, 2 for quadratic interpolation
/// (lbm::Bouzidi), else 1. Throws Error for a depth below 1, and for numbers that are no cells of the list.
[[nodiscard]] Buffer<std::uint32_t> neighbour_indices(const IndexList& list,
                                                      const Buffer<std::uint32_t>& cells,
                                                      const std::array<int, 3>& offset,
                                                      const std::array<bool, 3>& periodic, int depth = 1);

/// The same for all own cells of a list, one value per cell: what kernels over whole lists of EsoTwist and
/// EsoPull take that look at a velocity beside (vorticity, q_criterion, lbm::WALE and lbm::Vreman), `cell_e`,
/// `cell_w`, `cell_n` and so on, one field an axis and way. Throws Error when `numbers` has several
/// components.
void neighbour_indices(SparseField<std::uint32_t>& numbers, const std::array<int, 3>& offset,
                       const std::array<bool, 3>& periodic);

} // namespace heddle

#endif
