// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_BLOCKS_HPP
#define HEDDLE_LIST_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "esoteric_lists.hpp"
#include "heddle/block_grid.hpp"
#include "heddle/index_list.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/stream.hpp"
#include "heddle/task_graph.hpp"
#include "heddle/transport.hpp"
#include "list_blocks_pull_sweeps.hpp"
#include "list_blocks_push_sweeps.hpp"
#include "list_blocks_sweeps.hpp"
#include "rank.hpp"

/// Streaming patterns on lists of cells, one list a rank, with exchanges from the sweeps themselves.
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

template <class T> std::vector<Method> methods(const std::string& type) {
  namespace aa = list_blocks;
  std::vector<Method> all = esoteric_methods<T>(type);
  all.push_back(method<InPlace<T, aa::StepEven<T>, aa::StepOdd<T>>>("AA " + type, aa::links));
  all.push_back(method<TwoArrays<T, list_blocks_pull::Step<T>>>("pull " + type, list_blocks_pull::links));
  all.push_back(method<TwoArrays<T, list_blocks_push::Step<T>>>("push " + type, list_blocks_push::links));
  return all;
}

/// Every pattern in every precision.
inline const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> found = methods<double>("f64");
    for (const std::vector<Method>& more : {methods<float>("f32"), methods<std::uint16_t>("f16")})
      found.insert(found.end(), more.begin(), more.end());
    return found;
  }();
  return all;
}
/// One of them.
inline const Method& method_named(const std::string& name) {
  return *std::ranges::find(methods(), name, &Method::name);
}

inline constexpr int pairs = 3;

/// What one list without neighbours comes to.
inline std::vector<double> alone(const Method& method, const Medium& medium) {
  heddle::LocalTransport local;
  const std::unique_ptr<Rank> rank = method.make(medium.whole(method.links), local);
  run(*rank, pairs, {}, false);
  return rank->values();
}

/// How the steps are run: with what options, where, and whether ghost cells are made NaN before each. Without
/// that, nothing but the exchanges orders the parts of the sweeps.
struct How {
  heddle::TaskGraphOptions options{};
  bool poisoned = true;
};

/// How many values of the cells of one rank differ from those of one list; -1 if one of these is not finite.
inline std::int64_t differences(const std::vector<double>& expected, const std::vector<double>& found,
                                const heddle::BlockGrid& grid, int rank) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) return -1;
    const auto cell = static_cast<std::int64_t>(i);
    const std::array<std::int64_t, 3> at{cell % extent[0] - 2, cell / extent[0] % extent[1],
                                         cell / extent[0] / extent[1] % extent[2] + 3};
    if (grid.rank(grid.owner(at)) == rank && found[i] != expected[i]) ++count;
  }
  return count;
}

inline std::int64_t differences(const Method& method, const Medium& medium,
                                const std::vector<double>& expected, const std::array<int, 3>& blocks,
                                heddle::Transport& transport, const How& how = {},
                                heddle::Memory memory = heddle::Memory::host) {
  const std::unique_ptr<Rank> rank =
      method.make(medium.part(blocks, transport, method.links, memory), transport);
  run(*rank, pairs, how.options, how.poisoned);
  return differences(expected, rank->values(),
                     heddle::BlockGrid(domain, blocks, medium.periodic, transport.ranks()), transport.rank());
}

/// As many blocks as ranks, as cubic as they come.
inline std::array<int, 3> cut(int ranks) {
  switch (ranks) {
  case 1:
    return {1, 1, 1};
  case 4:
    return {2, 1, 2};
  case 6:
    return {3, 2, 1};
  case 8:
    return {2, 2, 2};
  case 12:
    return {2, 3, 2};
  case 18:
    return {3, 2, 3};
  case 27:
    return {3, 3, 3};
  default:
    return ranks % 2 == 0 ? std::array{2, ranks / 2, 1} : std::array{1, 1, ranks};
  }
}

} // namespace lists

#endif
