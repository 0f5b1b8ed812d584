// SPDX-License-Identifier: Apache-2.0
// The plan of an exchange over a list: both ends read the elements off their own tables of neighbours.
#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/sparse/periodic_image.hpp"

namespace heddle {

namespace {

/// An element that a cell reaches. The order is that of both ends: links as the generator lists them, and
/// cells by their place in the domain.
struct Reached {
  int field;
  std::size_t link;
  std::int64_t cell; // that reaches it: its place in the domain, x fastest
  std::uint32_t element;

  friend bool operator<(const Reached& a, const Reached& b) noexcept {
    return std::tie(a.link, a.cell) < std::tie(b.link, b.cell);
  }
};

/// Cells of a list by their place in the domain, of which ghost cells may lie across a periodic face.
class Places {
public:
  explicit Places(const IndexList& list) : list_(list), domain_(list.grid().domain()) {}

  [[nodiscard]] std::array<std::int64_t, 3> in_domain(std::int64_t n) const {
    return list_.grid().in_domain(list_.position(n));
  }
  /// Whether the cell at an offset from another is listed; both lie among the cells and ghost cells here.
  [[nodiscard]] bool listed(std::int64_t n, const std::array<int, 3>& offset) const {
    std::array<std::int64_t, 3> cell = list_.position(n);
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] += offset[d];
    return cell_of_image(list_, list_.grid().periodic(), cell) >= 0;
  }
  [[nodiscard]] std::int64_t number(const std::array<std::int64_t, 3>& cell) const noexcept {
    const std::int64_t row = cell[1] - domain_.lower[1] + domain_.extent(1) * (cell[2] - domain_.lower[2]);
    return cell[0] - domain_.lower[0] + domain_.extent(0) * row;
  }
  /// Of the owner; -1 where there is none.
  [[nodiscard]] int rank(const std::array<std::int64_t, 3>& cell) const {
    const int block = list_.grid().owner(cell);
    return block < 0 ? -1 : list_.grid().rank(block);
  }
  /// Of the owner of what lies in cell `at` and both ends of a link reach in turn, of which cell `n` is one
  /// and the other lies at an offset. Where the place of `at` has no block (it was left out, for all there is
  /// solid), this is the owner of the end that comes first in the domain.
  [[nodiscard]] int keeper(std::int64_t at, std::int64_t n, const std::array<int, 3>& to_other) const {
    if (!list_.is_copy(at)) return list_.rank();
    const int owner = rank(in_domain(at));
    if (owner >= 0) return owner;
    const std::array<std::int64_t, 3> one = in_domain(n);
    std::array<std::int64_t, 3> other = list_.position(n);
    for (std::size_t d = 0; d < 3; ++d)
      other[d] += to_other[d];
    other = list_.grid().in_domain(other);
    return rank(number(one) < number(other) ? one : other);
  }

private:
  const IndexList& list_;
  const Box& domain_;
};

/// Rows of the table on the host, as far as they concern others.
class Rows {
public:
  Rows(const IndexList& list, std::span<const HaloLink> links) : list_(list) {
    for (const HaloLink& link : links) {
      for (const int row : {link.row, link.then[0], link.then[1]}) {
        if (row == HaloLink::none || entries_.contains(row)) continue;
        // What follows on a row may begin at any cell.
        CellRange cells{list.border().first, list.ghosts().last};
        if (link.slot != HaloLink::none) cells = {0, list.solid_among_ghosts().last};
        std::vector<std::uint32_t>& entries = entries_[row];
        entries.resize(static_cast<std::size_t>(cells.size()));
        const std::uint32_t* const from = list.neighbour() + row * list.neighbour_stride() + cells.first;
        copy_bytes(entries.data(), Memory::host, from, list.memory(), entries.size() * sizeof(std::uint32_t));
        first_ = cells.first;
      }
    }
  }

  /// The element that cell `n` reaches.
  [[nodiscard]] std::uint32_t element(std::int64_t n, const HaloLink& link) const {
    std::uint32_t entry = at(link.row, n);
    if (link.slot == HaloLink::none) return entry;
    for (const int row : link.then) {
      if (row != HaloLink::none) entry = at(row, entry);
    }
    return static_cast<std::uint32_t>(link.slot * list_.slot_stride() + entry);
  }

private:
  [[nodiscard]] std::uint32_t at(int row, std::int64_t n) const {
    return entries_.at(row)[static_cast<std::size_t>(n - first_)];
  }

  const IndexList& list_;
  std::map<int, std::vector<std::uint32_t>> entries_;
  std::int64_t first_ = 0; // cell
};

/// Elements have 32 bits in the list of a message.
void check_numbers(const SparseExchange& exchange) {
  const std::int64_t stride = exchange.list()->slot_stride();
  for (const HaloLink& link : exchange.links()) {
    if (link.slot != HaloLink::none && (link.slot + 1) * stride > 0xFFFFFFFFLL) {
      throw Error(exchange.name(),
                  "the elements of slot " + std::to_string(link.slot) + " of " +
                      std::to_string(exchange.list()->count()) + " cells do not fit into 32-bit indices",
                  "split the domain into more blocks");
    }
  }
}

} // namespace

/// What own cells reach in ghost cells is the business of those who own these; what ghost cells reach in own
/// cells is the business of those who own the ghost cells.
void HaloPlan::lay_out(const SparseExchange& exchange) {
  const IndexList& list = *exchange.list();
  const Places places(list);
  std::map<int, std::vector<Reached>> by_own; // of each rank
  std::map<int, std::vector<Reached>> by_ghosts;
  if (list.ghosts().size() != 0) {
    check_numbers(exchange);
    const Rows rows(list, exchange.links());
    for (std::int64_t n = list.border().first; n < list.ghosts().last; ++n) {
      const bool own = n < list.count();
      const std::array<std::int64_t, 3> here = places.in_domain(n);
      const int reaches = own ? list.rank() : places.rank(here);
      for (std::size_t number = 0; number < exchange.links().size(); ++number) {
        const HaloLink& link = exchange.links()[number];
        const std::uint32_t element = rows.element(n, link);
        const std::int64_t cell = element % list.slot_stride();
        if (own ? !list.is_copy(cell) : cell >= list.ghosts().first && cell < list.ghosts().last) continue;
        if (link.slot != HaloLink::none && !places.listed(n, link.other)) continue;
        const int keeps = places.keeper(cell, n, link.other);
        if (keeps == list.rank() && reaches == keeps && !(own && places.rank(places.in_domain(cell)) < 0)) {
          throw Error(exchange.name(),
                      "a block is thinner than the links are long, and would exchange with itself",
                      "use fewer ranks along that axis");
        }
        if (keeps == reaches || (keeps != list.rank() && !own)) continue; // no message, or one between others
        (own ? by_own[keeps] : by_ghosts[reaches])
            .push_back({link.field, number, places.number(here), element});
      }
    }
  }
  layers_.fill(list.border_width()); // no kernel over the list reaches further

  const auto add = [&](std::map<int, std::vector<Reached>>& reached, std::vector<Segment>& segments,
                       std::vector<Elements>& elements) {
    for (auto& [peer, list_of] : reached) {
      std::sort(list_of.begin(), list_of.end());
      Elements& part = elements.emplace_back();
      for (const Reached& one : list_of) {
        part.fields.push_back(static_cast<std::uint8_t>(one.field));
        part.numbers.push_back(one.element);
      }
      const std::size_t begin = begin_segment();
      bytes_ += list_of.size() * exchange.value_bytes();
      segments.push_back({peer, begin, bytes_ - begin});
    }
  };
  const bool to_ghosts = exchange.direction() == Direction::owner_to_ghost;
  add(to_ghosts ? by_ghosts : by_own, send_, sent_);
  add(to_ghosts ? by_own : by_ghosts, receive_, received_);
}

} // namespace heddle
