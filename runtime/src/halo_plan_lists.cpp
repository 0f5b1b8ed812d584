// SPDX-License-Identifier: Apache-2.0
// The plan of an exchange over a list: both ends read the elements off their own tables of neighbours.
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "heddle/error.hpp"
#include "heddle/halo_plan.hpp"
#include "heddle/memory.hpp"

namespace heddle {

namespace {

/// An element that a cell reaches through a row of the table. The order is that of both ends: cells by their
/// place in the domain.
struct Reached {
  int field;
  int row;
  std::int64_t cell; // that reaches it: its place in the domain, x fastest
  std::uint32_t element;

  friend bool operator<(const Reached& a, const Reached& b) noexcept {
    return std::tie(a.field, a.row, a.cell) < std::tie(b.field, b.row, b.cell);
  }
};

/// Cells of a list by their place in the domain, of which ghost cells may lie across a periodic face.
class Places {
public:
  explicit Places(const IndexList& list) : list_(list), domain_(list.grid().domain()) {}

  [[nodiscard]] std::array<std::int64_t, 3> in_domain(std::int64_t n) const {
    std::array<std::int64_t, 3> cell = list_.position(n);
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t extent = domain_.upper[d] - domain_.lower[d];
      const std::int64_t wrapped = (cell[d] - domain_.lower[d]) % extent;
      cell[d] = domain_.lower[d] + (wrapped < 0 ? wrapped + extent : wrapped);
    }
    return cell;
  }
  [[nodiscard]] std::int64_t number(const std::array<std::int64_t, 3>& cell) const noexcept {
    const std::int64_t row = cell[1] - domain_.lower[1] + domain_.extent(1) * (cell[2] - domain_.lower[2]);
    return cell[0] - domain_.lower[0] + domain_.extent(0) * row;
  }
  [[nodiscard]] int rank(const std::array<std::int64_t, 3>& cell) const {
    return list_.grid().rank(list_.grid().owner(cell));
  }

private:
  const IndexList& list_;
  const Box& domain_;
};

/// What of a row concerns others: entries of border and ghost cells, on the host.
std::vector<std::uint32_t> outer_entries(const IndexList& list, int row) {
  std::vector<std::uint32_t> entries(static_cast<std::size_t>(list.ghosts().last - list.border().first));
  const std::uint32_t* const from = list.neighbour() + row * list.neighbour_stride() + list.border().first;
  copy_bytes(entries.data(), Memory::host, from, list.memory(), entries.size() * sizeof(std::uint32_t));
  return entries;
}

} // namespace

/// What own cells reach in ghost cells is the business of those who own these; what ghost cells reach in own
/// cells is the business of those who own the ghost cells.
void HaloPlan::plan_list(const Exchange& exchange) {
  const IndexList& list = *exchange.list();
  const Places places(list);
  std::map<int, std::vector<Reached>> by_own; // of each rank
  std::map<int, std::vector<Reached>> by_ghosts;
  if (list.ghosts().size() != 0) {
    std::map<int, std::vector<std::uint32_t>> rows;
    for (const LinkCrossing& crossing : exchange.links())
      rows.try_emplace(crossing.row);
    for (auto& [row, entries] : rows)
      entries = outer_entries(list, row);
    const std::int64_t first = list.border().first;
    for (std::int64_t n = first; n < list.ghosts().last; ++n) {
      const bool own = n < list.count();
      const std::array<std::int64_t, 3> here = places.in_domain(n);
      for (const LinkCrossing& crossing : exchange.links()) {
        const std::uint32_t element = rows[crossing.row][static_cast<std::size_t>(n - first)];
        const std::int64_t cell = element % list.slot_stride();
        if (own == (cell < list.count())) continue;
        const int other = places.rank(own ? places.in_domain(cell) : here);
        if (other == list.rank()) {
          throw Error(exchange.name(), "a block is thinner than links reach, and meets itself across a face",
                      "use fewer ranks along that axis");
        }
        (own ? by_own : by_ghosts)[other].push_back(
            {crossing.field, crossing.row, places.number(here), element});
      }
    }
    depth_ = list.border_width();
  }

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
