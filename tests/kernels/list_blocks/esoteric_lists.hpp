// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_ESOTERIC_LISTS_HPP
#define HEDDLE_ESOTERIC_LISTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../lbm_common/esoteric_places.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/sparse/wall_masks.hpp"
#include "rank.hpp"

/// EsoTwist and EsoPull on lists of cells, one list a rank.
namespace lists {

/// Makes what other ranks have to send not a number: all in ghost cells, solid nodes too, but what no other
/// rank has. That is what walls give back, and in a place without a block what two own cells share, or an own
/// one that comes before the ghost cell in the domain.
template <class T> class PoisonShared {
public:
  PoisonShared(heddle::SparseField<T>& field, test::Shift shift) : field_(&field), shift_(shift) {}
  std::string_view name() const { return "poison"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) const {
    const heddle::IndexList& list = field_->list();
    field_->edit([&](heddle::SparseView<T> view) {
      for (const heddle::CellRange cells : {list.ghosts(), list.solid_among_ghosts()}) {
        for (std::int64_t n = cells.first; n < cells.last; ++n) {
          for (int q = 1; q < 19; ++q) {
            if (!only_here(list.position(n), q)) view(n, q) = not_a_number<T>();
          }
        }
      }
    });
  }

private:
  using Cell = std::array<std::int64_t, 3>;

  /// Whether nobody else has component q of a cell: of the two that reach it, in turn.
  bool only_here(const Cell& cell, int q) const {
    const heddle::IndexList& list = field_->list();
    const std::int64_t one = seen(cell, test::before(shift_, false, q).offset);
    const std::int64_t other = seen(cell, test::before(shift_, true, test::opposite(q)).offset);
    const auto own = [&](std::int64_t n) { return n >= 0 && n < list.count(); };
    if ((one < 0 && own(other)) || (other < 0 && own(one))) return true; // behind a wall
    if (one < 0 || other < 0 || list.grid().owner(list.grid().in_domain(cell)) >= 0) return false;
    const auto place = [&](std::int64_t n) { return number(list.grid().in_domain(list.position(n)), 0); };
    return own(place(one) < place(other) ? one : other);
  }
  /// The number of the cell that sees this one at an offset.
  std::int64_t seen(Cell cell, const test::Velocity& offset) const {
    const heddle::IndexList& list = field_->list();
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] -= offset[d];
    const Cell wrapped = list.grid().in_domain(cell);
    for (std::size_t d = 0; d < 3; ++d) {
      if (list.spans(d)) cell[d] = wrapped[d];
    }
    return list.cell_of(cell[0], cell[1], cell[2]);
  }

  heddle::SparseField<T>* field_;
  test::Shift shift_;
};

/// Even and Odd: sweeps over `f`, with half-way walls over `f` and a mask.
template <class T, class Even, class Odd> class Esoteric final : public Rank {
public:
  Esoteric(heddle::IndexList list, heddle::Transport& transport, std::span<const heddle::Link> links,
           test::Shift shift)
      : list_(std::move(list)), links_(links), shift_(shift), f_(list_, 19, list_.memory()),
        walls_(marked(list_)), even_(bind<Even>(), transport), odd_(bind<Odd>(), transport),
        last_(bind<Even>().before(), transport, {.stamps = heddle::Stamps::checksums}) {
    f_.fill_with_ghosts(start<T>);
  }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(PoisonShared<T>(f_, shift_));
    even_.add_to(loop);
    if (poisoned) loop.add(PoisonShared<T>(f_, shift_));
    odd_.add_to(loop);
  }
  void add_last(heddle::TaskGraph& loop) override { loop.add(last_); }
  void add_to(heddle::Checkpoint& checkpoint, heddle::Transport& transport) override {
    checkpoint.add(f_, bind<Even>(), bind<Odd>(), transport);
  }
  void forget() override { f_.fill(not_a_number<T>()); }
  /// What the next step reads, wherever it lies.
  [[nodiscard]] std::vector<double> values() const override {
    std::vector<double> result(static_cast<std::size_t>(domain.volume() * 19));
    std::vector<std::uint32_t> table(static_cast<std::size_t>(list_.rows() * list_.neighbour_stride()));
    heddle::copy_bytes(table.data(), heddle::Memory::host, list_.neighbour(), list_.memory(),
                       table.size() * sizeof(std::uint32_t));
    f_.inspect([&](heddle::SparseView<const T> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int q = 0; q < 19; ++q) {
          const test::Place place = test::before(shift_, false, q);
          result[number(list_.position(n), q)] =
              static_cast<double>(view(at(table, n, place.offset), place.slot));
        }
      }
    });
    return result;
  }
  [[nodiscard]] std::size_t sent_bytes() const override { return even_.sent_bytes() + odd_.sent_bytes(); }

private:
  static heddle::SparseField<std::uint32_t> marked(const heddle::IndexList& list) {
    heddle::SparseField<std::uint32_t> walls(list, 1, list.memory(), "walls");
    heddle::mark_walls(walls, test::d3q19, list.grid().periodic());
    return walls;
  }
  template <class Sweep> Sweep bind() {
    if constexpr (requires { Sweep(f_, walls_, list_.all(), {.omega = omega}); })
      return Sweep(f_, walls_, list_.all(), {.omega = omega});
    else
      return Sweep(f_, list_.all(), {.omega = omega});
  }
  /// The number of the cell at an offset: by one row, or by those of the axes.
  [[nodiscard]] std::int64_t at(const std::vector<std::uint32_t>& table, std::int64_t n,
                                const test::Velocity& offset) const {
    const auto entry = [&](std::size_t row) {
      return table[row * static_cast<std::size_t>(list_.neighbour_stride()) + static_cast<std::size_t>(n)];
    };
    for (std::size_t row = 0; row < links_.size(); ++row) {
      if (links_[row].offset == offset) return entry(row);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      if (offset[d] != 0) n = entry(d);
    }
    return n;
  }

  heddle::IndexList list_;
  std::span<const heddle::Link> links_;
  test::Shift shift_;
  heddle::SparseField<T> f_;
  heddle::SparseField<std::uint32_t> walls_;
  test::ExchangedStep<Even> even_;
  test::ExchangedStep<Odd> odd_;
  heddle::HaloExchange last_;
};

template <class T, class Even, class Odd>
Method esoteric(std::string name, std::span<const heddle::Link> links, test::Shift shift) {
  return {std::move(name), links, [=](heddle::IndexList list, heddle::Transport& transport) {
            return std::make_unique<Esoteric<T, Even, Odd>>(std::move(list), transport, links, shift);
          }};
}

} // namespace lists

#endif
