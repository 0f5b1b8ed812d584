// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_BLOCKS_PLAIN_PATTERNS_HPP
#define HEDDLE_LIST_BLOCKS_PLAIN_PATTERNS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rank.hpp"

/// Patterns on lists of cells, one list a rank, whose tables have implicit bounce-back: AA, pull and push.
namespace lists {

/// Makes the ghost cells of a field not a number: who reads one that nobody filled shows.
template <class T> class Poison {
public:
  explicit Poison(heddle::SparseField<T>& field) : field_(&field) {}
  std::string_view name() const { return "poison"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) const {
    const heddle::CellRange ghosts = field_->list().ghosts();
    field_->edit([&](heddle::SparseView<T> view) {
      for (int q = 0; q < 19; ++q) {
        for (std::int64_t n = ghosts.first; n < ghosts.last; ++n)
          view(n, q) = not_a_number<T>();
      }
    });
  }

private:
  heddle::SparseField<T>* field_;
};

template <class T> std::vector<double> values(const heddle::SparseField<T>& f) {
  std::vector<double> result(static_cast<std::size_t>(domain.volume() * 19));
  const heddle::IndexList& list = f.list();
  for (int q = 0; q < 19; ++q) {
    const std::vector<T> listed = f.read(q);
    for (std::int64_t n = 0; n < list.count(); ++n) {
      result[number(list.position(n), q)] = static_cast<double>(listed[static_cast<std::size_t>(n)]);
    }
  }
  return result;
}

template <class T, class Even, class Odd> class InPlace final : public Rank {
public:
  InPlace(heddle::IndexList list, heddle::Transport& transport)
      : list_(std::move(list)), f_(list_, 19, list_.memory()),
        even_(Even(f_, list_.all(), {.omega = omega}), transport),
        odd_(Odd(f_, list_.all(), {.omega = omega}), transport) {
    f_.fill(start<T>);
  }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(Poison<T>(f_));
    even_.add_to(loop);
    if (poisoned) loop.add(Poison<T>(f_));
    odd_.add_to(loop);
  }
  void add_to(heddle::Checkpoint& checkpoint, heddle::Transport&) override { checkpoint.add(f_); }
  void forget() override { f_.fill(not_a_number<T>()); }
  [[nodiscard]] std::vector<double> values() const override { return lists::values(f_); }
  [[nodiscard]] std::size_t sent_bytes() const override { return even_.sent_bytes() + odd_.sent_bytes(); }

private:
  heddle::IndexList list_;
  heddle::SparseField<T> f_;
  test::ExchangedStep<Even> even_;
  test::ExchangedStep<Odd> odd_;
};

template <class T, class Sweep> class TwoArrays final : public Rank {
public:
  TwoArrays(heddle::IndexList list, heddle::Transport& transport)
      : list_(std::move(list)), f_(list_, 19, list_.memory()), f_next_(list_, 19, list_.memory(), "f_next"),
        there_(Sweep(f_, f_next_, list_.all(), {.omega = omega}), transport),
        back_(Sweep(f_next_, f_, list_.all(), {.omega = omega}), transport) {
    f_.fill(start<T>);
  }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(Poison<T>(f_));
    there_.add_to(loop);
    if (poisoned) loop.add(Poison<T>(f_next_));
    back_.add_to(loop);
  }
  void add_to(heddle::Checkpoint& checkpoint, heddle::Transport&) override { checkpoint.add(f_); }
  void forget() override { f_.fill(not_a_number<T>()); }
  [[nodiscard]] std::vector<double> values() const override { return lists::values(f_); }
  [[nodiscard]] std::size_t sent_bytes() const override { return there_.sent_bytes() + back_.sent_bytes(); }

private:
  heddle::IndexList list_;
  heddle::SparseField<T> f_;
  heddle::SparseField<T> f_next_;
  test::ExchangedStep<Sweep> there_;
  test::ExchangedStep<Sweep> back_;
};

template <class Pattern> Method method(std::string name, std::span<const heddle::Link> links) {
  return {std::move(name), links, [](heddle::IndexList list, heddle::Transport& transport) {
            return std::make_unique<Pattern>(std::move(list), transport);
          }};
}

} // namespace lists

#endif
