// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_HPP
#define HEDDLE_LBM_BLOCKS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../lbm_common/exchanged_step.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/device/half.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/transport/transport.hpp"
#include "lbm_blocks_sweeps.hpp"
#include "rims.hpp"

/// Each streaming pattern in each precision on the blocks of one rank, with exchanges from the sweeps
/// themselves.
namespace blocks {

template <class T> using Field = heddle::Field<T>;

inline constexpr double omega = 1.6;
inline constexpr std::array<std::int64_t, 3> extent{9, 8, 7};
inline constexpr heddle::Box domain{{0, 0, 0}, extent};

/// Populations as fields of type T hold them, and back: halves (std::uint16_t) hold 2^15 of them.
template <class T> T stored(double value) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return heddle::to_half(static_cast<float>(0x1p15 * value));
  else
    return static_cast<T>(value);
}
template <class T> double number(T value) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return 0x1p-15 * static_cast<double>(heddle::half_to_float(value));
  else
    return static_cast<double>(value);
}

/// Where fields lie, and how many blocks of a rank are interleaved.
struct Layout {
  heddle::Memory memory = heddle::Memory::host;
  int interleaved = 1;
  bool together = false; // see HaloOptions
};

/// All fields, and exchanges, are made so while one of these lives.
class FieldsAre {
public:
  explicit FieldsAre(const Layout& layout) { now() = layout; }
  ~FieldsAre() { now() = {}; }
  FieldsAre(const FieldsAre&) = delete;
  FieldsAre& operator=(const FieldsAre&) = delete;
  FieldsAre(FieldsAre&&) = delete;
  FieldsAre& operator=(FieldsAre&&) = delete;
  static Layout& now() {
    static Layout layout;
    return layout;
  }
};

inline bool together() {
  return FieldsAre::now().together;
}

template <class T>
Field<T> field(const heddle::BlockGrid& grid, int rank, const char* name = "f", int components = 19) {
  Field<T> f(grid, {.components = components,
                    .ghost_layers = 1,
                    .memory = FieldsAre::now().memory,
                    .name = name,
                    .rank = rank,
                    .interleaved = FieldsAre::now().interleaved});
  f.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return stored<T>(1e-3 * std::sin(static_cast<double>(1 + x + 11 * y + 113 * z + 1009 * q)));
  });
  return f;
}

/// How the steps are run: with what options, and whether ghost cells are made NaN before each. Without that,
/// nothing but the exchanges orders the parts of the sweeps.
struct How {
  heddle::TaskGraphOptions options{};
  bool poisoned = true;
};

/// One rank: its field, and what advances it by two steps.
template <class T> class Rank {
public:
  virtual ~Rank() = default;
  Rank() = default;
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  Rank(Rank&&) = delete;
  Rank& operator=(Rank&&) = delete;
  virtual Field<T>& field() = 0;
  virtual void add_to(heddle::TaskGraph& loop, bool poisoned) = 0;
  /// The state between pairs of steps.
  virtual void store_in(heddle::Checkpoint& checkpoint) { checkpoint.add(field()); }
};

/// The sweeps over floor and lid after a phase, of patterns that do not have these walls within the step.
template <class T> struct Walls {
  FaceKernel<T> floor{};
  FaceKernel<T> lid{};

  void add_to(heddle::TaskGraph& loop, Field<T>& f) const {
    if (floor.host == nullptr || f.grid().periodic()[2]) return;
    loop.add(Face<T>(f, "floor", 2, 0, floor));
    loop.add(Face<T>(f, "lid", 2, 1, lid));
  }
};

template <class T, class Even, class Odd, int Q = 19> class InPlace final : public Rank<T> {
public:
  InPlace(const heddle::BlockGrid& grid, heddle::Transport& transport, const Walls<T>& after_even,
          const Walls<T>& after_odd)
      : f_(blocks::field<T>(grid, transport.rank(), "f", Q)),
        even_(Even(f_, {.omega = omega}), transport, together()),
        odd_(Odd(f_, {.omega = omega}), transport, together()), after_even_(after_even),
        after_odd_(after_odd) {}
  Field<T>& field() override { return f_; }
  void store_in(heddle::Checkpoint& checkpoint) override {
    checkpoint.add(f_, Even(f_, {.omega = omega}), Odd(f_, {.omega = omega}));
  }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(Poison<T>(f_));
    even_.add_to(loop);
    after_even_.add_to(loop, f_);
    if (poisoned) loop.add(Poison<T>(f_));
    odd_.add_to(loop);
    after_odd_.add_to(loop, f_);
  }

private:
  Field<T> f_;
  test::ExchangedStep<Even> even_;
  test::ExchangedStep<Odd> odd_;
  Walls<T> after_even_;
  Walls<T> after_odd_;
};

template <class T, class Sweep, int Q = 19> class TwoArrays final : public Rank<T> {
public:
  TwoArrays(const heddle::BlockGrid& grid, heddle::Transport& transport)
      : f_(blocks::field<T>(grid, transport.rank(), "f", Q)),
        f_next_(blocks::field<T>(grid, transport.rank(), "f_next", Q)),
        there_(Sweep(f_, f_next_, {.omega = omega}), transport, together()),
        back_(Sweep(f_next_, f_, {.omega = omega}), transport, together()) {}
  Field<T>& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(Poison<T>(f_));
    there_.add_to(loop);
    if (poisoned) loop.add(Poison<T>(f_next_));
    back_.add_to(loop);
  }

private:
  Field<T> f_;
  Field<T> f_next_;
  test::ExchangedStep<Sweep> there_;
  test::ExchangedStep<Sweep> back_;
};

inline constexpr std::array<bool, 3> periodic{true, true, true};

/// A pattern by its name; `walled`: axes of a box with walls that are periodic all the same.
template <class T> struct Pattern {
  std::string name;
  std::array<bool, 3> walled;
  std::function<std::unique_ptr<Rank<T>>(const heddle::BlockGrid&, heddle::Transport&)> make;
  heddle::Box cells = domain;
};

template <class T, class R, class... Walls>
Pattern<T> pattern(std::string name, const std::array<bool, 3>& walled, const Walls&... walls) {
  return {std::move(name), walled, [walls...](const heddle::BlockGrid& grid, heddle::Transport& transport) {
            return std::make_unique<R>(grid, transport, walls...);
          }};
}

/// Every pattern. Compiled once, in blocks.cpp, as what runs them below.
template <class T> const std::vector<Pattern<T>>& patterns();

/// Those that have sweeps over walls without them, in a closed box: what leaves it stands beyond it until the
/// next but one step (full-way bounce-back).
template <class T> std::vector<Pattern<T>> patterns_without_sweeps_over_walls();

/// f(position in the order of the domain, value) for all interior values of the blocks that are here.
template <class T, class F> void for_values(const Field<T>& field, F&& f) {
  const heddle::Box& cells = field.grid().domain();
  for (int b = 0; b < field.blocks(); ++b) {
    const heddle::Box& box = field.box(b);
    for (int q = 0; q < field.components(); ++q) {
      const std::vector<T> block = field.read(b, q);
      std::size_t i = 0;
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
            f(static_cast<std::size_t>(x +
                                       cells.extent(0) * (y + cells.extent(1) * (z + cells.extent(2) * q))),
              block[i++]);
        }
      }
    }
  }
}

/// All of them; those of blocks that are elsewhere are zero.
template <class T> std::vector<T> values(const Field<T>& field) {
  std::vector<T> result(static_cast<std::size_t>(field.grid().domain().volume() * field.components()));
  for_values(field, [&](std::size_t i, T value) { result[i] = value; });
  return result;
}

/// The mass of all cells of all ranks, summed by the fixed tree over the cells of the domain.
template <class T> double mass(const Field<T>& f, heddle::Transport& transport) {
  const auto read = [&](int block, std::int64_t y, std::int64_t z, std::span<double> row) {
    const int here = block - f.number(0);
    const std::array<std::int64_t, 3>& lower = f.box(here).lower;
    const heddle::FieldView<const T> view = f.view(here);
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = 0;
      for (int q = 0; q < f.components(); ++q)
        row[x] += number(view(static_cast<std::int64_t>(x), y - lower[1], z - lower[2], q));
    }
  };
  return heddle::reduction_over_ranks<double>(f.grid(), heddle::ReductionKind::sum, read, transport)();
}

inline constexpr int pairs = 3;

/// What a run comes to.
template <class T> struct Outcome {
  std::vector<T> values;
  double mass = 0;
};

/// Of one block without neighbours.
template <class T> Outcome<T> alone(const Pattern<T>& pattern, const std::array<bool, 3>& axes);

/// How many values of a rank are not those of one block, or are not finite.
template <class T> std::int64_t differences(const std::vector<T>& whole, const Field<T>& part);

/// The same after a run, and one more where the mass of all ranks is another.
template <class T>
std::int64_t differences(const Pattern<T>& pattern, const Outcome<T>& whole, const heddle::BlockGrid& grid,
                         heddle::Transport& transport, const How& how = {});

} // namespace blocks

#endif
