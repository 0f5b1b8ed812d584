// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_NEIGHBOUR_TABLE_HPP
#define HEDDLE_SPARSE_NEIGHBOUR_TABLE_HPP

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/sparse/link.hpp"

namespace heddle {

/// Where the elements of fields over a list and of its neighbour table lie.
struct ListLayout {
  ListLayout() = default;
  /// For so many cells with a number.
  ListLayout(std::int64_t numbered, Memory memory);

  Memory memory = Memory::host;
  std::int64_t numbered = 0;
  std::int64_t cells = 0;            // with padding to a multiple of 32
  std::int64_t slot_stride = 0;      // elements between two slots of a field
  std::int64_t neighbour_stride = 0; // entries between two rows of the table
};

/// The neighbour table of a list, in the memory of its layout, and the forms that kernels read instead of it.
/// IndexList says what is in each.
class NeighbourTable {
public:
  using Words = Buffer<std::uint32_t>;

  /// Memory on the host for the rows of so many links.
  [[nodiscard]] static Words on_host(const ListLayout& layout, std::size_t rows);

  NeighbourTable() = default;
  /// `entries`: on_host(), with the rows of `links` written for all numbered cells.
  NeighbourTable(const ListLayout& layout, std::span<const Link> links, Words entries);

  [[nodiscard]] const ListLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] int rows() const noexcept { return rows_; }
  [[nodiscard]] const Words& entries() const noexcept { return entries_; }
  [[nodiscard]] const Words& runs() const noexcept { return runs_; }
  /// In host memory made by the first call, of any thread.
  [[nodiscard]] const Words& compressed() const;
  /// Of all forms that exist now.
  [[nodiscard]] std::int64_t bytes() const noexcept;

private:
  /// The compressed table, and the links that it takes to make it later.
  struct Compressed {
    std::once_flag once;
    std::vector<Link> links;
    Words words;
  };

  ListLayout layout_;
  int rows_ = 0;
  Words entries_;
  Words runs_;
  std::unique_ptr<Compressed> compressed_ = std::make_unique<Compressed>();
};

} // namespace heddle

#endif
