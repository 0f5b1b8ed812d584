// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_LINK_REACH_HPP
#define HEDDLE_HALO_LINK_REACH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "heddle/halo/exchange.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Where a cell of a list reaches the components of a field in one of two steps that take turns (EsoTwist,
/// EsoPull): in itself, or in a cell at the end of rows that lead to cells (Link::to_cell). As the exchanges
/// of the steps say it, in which what a cell reaches in itself is not mentioned.
class LinkPaths {
public:
  /// step, other_step: before the two steps. object: the field in them. Throws Error where a component is
  /// reached in two places.
  LinkPaths(const SparseExchange& step, const SparseExchange& other_step, const void* object, int components);

  /// The components that are populations of a link, in ascending order; none where rows lead to elements.
  [[nodiscard]] int linked_count() const noexcept { return static_cast<int>(linked_.size()); }
  [[nodiscard]] int linked(int i) const noexcept { return linked_[static_cast<std::size_t>(i)]; }
  /// The rows to follow from a cell, up to the first that is none.
  [[nodiscard]] const std::array<int, 3>& rows(int component) const {
    return rows_[static_cast<std::size_t>(component)];
  }
  [[nodiscard]] int components() const noexcept { return static_cast<int>(rows_.size()); }

  /// Of each cell a mask of what nobody else reaches: bit 1 + i for linked(i), where the cell that reaches it
  /// in the other step is not listed. Throws Error for more than 31 links.
  [[nodiscard]] SparseField<std::uint32_t> walls(const IndexList& list) const;

private:
  std::vector<std::array<int, 3>> rows_; // of each component
  std::vector<int> linked_;
  std::vector<std::array<int, 3>> others_; // of each link: the cell that reaches it in the other step
};

/// The same for one list, in elements of a field over it, in host memory.
class LinkReach {
public:
  /// The list must outlive this; of one on a device, rows are copied.
  LinkReach(const IndexList& list, const LinkPaths& paths);

  /// What cell `n` reaches of a component.
  [[nodiscard]] std::int64_t element(std::int64_t n, int component) const noexcept {
    for (const std::uint32_t* const row : rows_[static_cast<std::size_t>(component)]) {
      if (row == nullptr) break;
      n = row[n];
    }
    return component * stride_ + n;
  }

private:
  std::int64_t stride_;
  std::vector<std::array<const std::uint32_t*, 3>> rows_; // of each component
  std::map<int, std::vector<std::uint32_t>> copies_;      // of rows
};

} // namespace heddle

#endif
