// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_BLOCKS_HPP
#define HEDDLE_LIST_BLOCKS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../lbm_common/exchanged_step.hpp"
#include "../noise.hpp"
#include "heddle/block_grid.hpp"
#include "heddle/block_kinds.hpp"
#include "heddle/halo_exchange.hpp"
#include "heddle/index_list.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/stream.hpp"
#include "heddle/task_graph.hpp"
#include "heddle/transport.hpp"
#include "list_blocks_pull_sweeps.hpp"
#include "list_blocks_push_sweeps.hpp"
#include "list_blocks_sweeps.hpp"

/// Streaming patterns on lists of cells, one list a rank, with exchanges from the sweeps themselves.
namespace lists {

inline constexpr double omega = 1.6;
inline constexpr std::array<std::int64_t, 3> extent{12, 9, 10};
inline constexpr heddle::Box domain{{-2, 0, 3}, {10, 9, 13}};

/// A box of which some cells are solid, and its faces.
struct Medium {
  std::array<bool, 3> periodic{true, true, true};
  std::array<bool, 6> slips{};
  std::vector<std::uint8_t> flags;

  explicit Medium(double solid, const std::array<bool, 3>& axes = {true, true, true},
                  const std::array<bool, 6>& slip = {})
      : periodic(axes), slips(slip), flags(static_cast<std::size_t>(domain.volume())) {
    for (std::size_t i = 0; i < flags.size(); ++i)
      flags[i] = 0.5 + 0.5 * test::noise(static_cast<std::int64_t>(i)) < solid ? 0 : 1;
  }

  /// One list for all of it.
  [[nodiscard]] heddle::IndexList whole(std::span<const heddle::Link> links) const {
    return {domain, flags, periodic, links, heddle::Memory::host, {}, slips};
  }
  /// The list of one rank.
  [[nodiscard]] heddle::IndexList part(const std::array<int, 3>& blocks, heddle::Transport& transport,
                                       std::span<const heddle::Link> links, heddle::Memory memory) const {
    const heddle::BlockGrid grid(domain, blocks, periodic, transport.ranks());
    return {grid, transport.rank(), heddle::flags_in_memory(flags, domain, periodic), links, memory, slips};
  }
};

/// A finite value of any precision.
template <class T> T start(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
  const double value = test::noise(x + 2 + 12 * (y + 9 * (z - 3 + 10 * std::int64_t{q})));
  if constexpr (std::is_same_v<T, std::uint16_t>) { // up to 64, which is 2^-9 of a population
    const auto bits = static_cast<std::uint32_t>(std::fabs(value) * 0x1p22);
    return static_cast<T>((value < 0 ? 0x8000U : 0U) | (10 + bits % 11) << 10U | (bits / 11) % 1024);
  } else {
    return static_cast<T>(1e-3 * value);
  }
}

/// Makes the ghost cells of a field not a number: who reads one that nobody filled shows.
template <class T> class Poison {
public:
  explicit Poison(heddle::SparseField<T>& field) : field_(&field) {}
  std::string_view name() const { return "poison"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) const {
    T nan{0x7E00};
    if constexpr (std::is_floating_point_v<T>) nan = std::numeric_limits<T>::quiet_NaN();
    const heddle::CellRange ghosts = field_->list().ghosts();
    field_->edit([&](heddle::SparseView<T> view) {
      for (int q = 0; q < 19; ++q) {
        for (std::int64_t n = ghosts.first; n < ghosts.last; ++n)
          view(n, q) = nan;
      }
    });
  }

private:
  heddle::SparseField<T>* field_;
};

/// One rank: its field, and what advances it by two steps.
class Rank {
public:
  virtual ~Rank() = default;
  Rank() = default;
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  Rank(Rank&&) = delete;
  Rank& operator=(Rank&&) = delete;
  virtual void add_to(heddle::TaskGraph& loop, bool poisoned) = 0;
  /// All values of the domain, those of this rank's cells as they are, the others zero.
  [[nodiscard]] virtual std::vector<double> values() const = 0;
  [[nodiscard]] virtual std::size_t sent_bytes() const = 0;
};

template <class T> std::vector<double> values(const heddle::SparseField<T>& f) {
  std::vector<double> result(static_cast<std::size_t>(domain.volume() * 19));
  const heddle::IndexList& list = f.list();
  for (int q = 0; q < 19; ++q) {
    const std::vector<T> listed = f.read(q);
    for (std::int64_t n = 0; n < list.count(); ++n) {
      const auto [x, y, z] = list.position(n);
      const std::int64_t cell = x + 2 + extent[0] * (y + extent[1] * (z - 3 + extent[2] * q));
      result[static_cast<std::size_t>(cell)] = static_cast<double>(listed[static_cast<std::size_t>(n)]);
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

/// A pattern in a precision.
struct Method {
  std::string name;
  std::span<const heddle::Link> links;
  std::function<std::unique_ptr<Rank>(heddle::IndexList, heddle::Transport&)> make;
};

template <class Pattern> Method method(std::string name, std::span<const heddle::Link> links) {
  return {std::move(name), links, [](heddle::IndexList list, heddle::Transport& transport) {
            return std::make_unique<Pattern>(std::move(list), transport);
          }};
}

template <class T> Method aa(std::string name) {
  return method<InPlace<T, list_blocks::StepEven<T>, list_blocks::StepOdd<T>>>(std::move(name),
                                                                               list_blocks::links);
}
template <class T> Method pull(std::string name) {
  return method<TwoArrays<T, list_blocks_pull::Step<T>>>(std::move(name), list_blocks_pull::links);
}

inline const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      aa<double>("AA f64"),
      aa<float>("AA f32"),
      aa<std::uint16_t>("AA f16"),
      pull<float>("pull f32"),
      pull<std::uint16_t>("pull f16"),
      method<TwoArrays<double, list_blocks_push::Step<double>>>("push f64", list_blocks_push::links)};
  return all;
}

inline constexpr int pairs = 3;

/// What one list without neighbours comes to.
inline std::vector<double> alone(const Method& method, const Medium& medium) {
  heddle::LocalTransport local;
  const std::unique_ptr<Rank> rank = method.make(medium.whole(method.links), local);
  heddle::TaskGraph loop;
  rank->add_to(loop, false);
  loop.run(pairs);
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
  heddle::TaskGraph loop(how.options);
  rank->add_to(loop, how.poisoned);
  loop.run(pairs);
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
