// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_HPP
#define HEDDLE_LBM_BLOCKS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../lbm_common/exchanged_step.hpp"
#include "heddle/block_grid.hpp"
#include "heddle/field.hpp"
#include "heddle/field_access.hpp"
#include "heddle/halo_exchange.hpp"
#include "heddle/stream.hpp"
#include "heddle/task_graph.hpp"
#include "heddle/transport.hpp"
#include "lbm_blocks_sweeps.hpp"

/// Each streaming pattern on the blocks of one rank, with exchanges from the sweeps themselves.
namespace blocks {

using Field = heddle::Field<double>;

inline constexpr double omega = 1.6;
inline constexpr std::array<std::int64_t, 3> extent{9, 8, 7};
inline constexpr heddle::Box domain{{0, 0, 0}, extent};

/// Makes the ghost cells of a field NaN: who reads one that nobody filled shows.
class Poison {
public:
  explicit Poison(Field& field) : field_(&field) {}
  std::string_view name() const { return "poison"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) const { field_->fill_ghosts(std::numeric_limits<double>::quiet_NaN()); }

private:
  Field* field_;
};

inline Field field(const heddle::BlockGrid& grid, int rank, const char* name = "f") {
  Field f(grid, {.components = 19, .ghost_layers = 1, .name = name, .rank = rank});
  f.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
    return 1e-3 * std::sin(static_cast<double>(1 + x + 11 * y + 113 * z + 1009 * q));
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
class Rank {
public:
  virtual ~Rank() = default;
  Rank() = default;
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  Rank(Rank&&) = delete;
  Rank& operator=(Rank&&) = delete;
  virtual Field& field() = 0;
  virtual void add_to(heddle::TaskGraph& loop, bool poisoned) = 0;
};

template <class Even, class Odd> class InPlace final : public Rank {
public:
  InPlace(const heddle::BlockGrid& grid, heddle::Transport& transport)
      : f_(blocks::field(grid, transport.rank())), even_(Even(f_, {.omega = omega}), transport),
        odd_(Odd(f_, {.omega = omega}), transport) {}
  Field& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(Poison(f_));
    even_.add_to(loop);
    if (poisoned) loop.add(Poison(f_));
    odd_.add_to(loop);
  }

private:
  Field f_;
  test::ExchangedStep<Even> even_;
  test::ExchangedStep<Odd> odd_;
};

template <class Sweep> class TwoArrays final : public Rank {
public:
  TwoArrays(const heddle::BlockGrid& grid, heddle::Transport& transport)
      : f_(blocks::field(grid, transport.rank())), f_next_(blocks::field(grid, transport.rank(), "f_next")),
        there_(Sweep(f_, f_next_, {.omega = omega}), transport),
        back_(Sweep(f_next_, f_, {.omega = omega}), transport) {}
  Field& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool poisoned) override {
    if (poisoned) loop.add(Poison(f_));
    there_.add_to(loop);
    if (poisoned) loop.add(Poison(f_next_));
    back_.add_to(loop);
  }

private:
  Field f_;
  Field f_next_;
  test::ExchangedStep<Sweep> there_;
  test::ExchangedStep<Sweep> back_;
};

using Make = std::function<std::unique_ptr<Rank>(const heddle::BlockGrid&, heddle::Transport&)>;

template <class Pattern> Make make() {
  return [](const heddle::BlockGrid& grid, heddle::Transport& transport) {
    return std::make_unique<Pattern>(grid, transport);
  };
}

/// Every pattern by its name.
inline const std::vector<std::pair<std::string, Make>>& patterns() {
  static const std::vector<std::pair<std::string, Make>> all{
      {"pull", make<TwoArrays<lbm_blocks::Pull<double>>>()},
      {"push", make<TwoArrays<lbm_blocks::Push<double>>>()},
      {"AA", make<InPlace<lbm_blocks::AaEven<double>, lbm_blocks::AaOdd<double>>>()},
      {"EsoTwist", make<InPlace<lbm_blocks::TwistEven<double>, lbm_blocks::TwistOdd<double>>>()},
      {"EsoPull", make<InPlace<lbm_blocks::EsoPullEven<double>, lbm_blocks::EsoPullOdd<double>>>()}};
  return all;
}

/// All interior values of the blocks that are here, in the order of the domain; the others are zero.
inline std::vector<double> values(const Field& f) {
  std::vector<double> result(static_cast<std::size_t>(extent[0] * extent[1] * extent[2] * 19));
  for (int b = 0; b < f.blocks(); ++b) {
    const heddle::Box& box = f.box(b);
    for (int q = 0; q < 19; ++q) {
      const std::vector<double> block = f.read(b, q);
      std::size_t i = 0;
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
            const std::int64_t position = x + extent[0] * (y + extent[1] * (z + extent[2] * q));
            result[static_cast<std::size_t>(position)] = block[i++];
          }
        }
      }
    }
  }
  return result;
}

inline constexpr int pairs = 3;

/// What one block without neighbours comes to.
inline std::vector<double> alone(const Make& make, const heddle::BlockGrid& grid) {
  heddle::LocalTransport local;
  const heddle::BlockGrid one(grid.domain(), {1, 1, 1}, grid.periodic());
  const std::unique_ptr<Rank> rank = make(one, local);
  heddle::TaskGraph loop;
  rank->add_to(loop, true);
  loop.run(pairs);
  return values(rank->field());
}

/// The number of values of a rank that differ from those of one block; -1 if one of these is not finite.
inline std::int64_t differences(const std::vector<double>& whole, const Field& part) {
  const heddle::BlockGrid& grid = part.grid();
  const std::vector<double> found = values(part);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (!std::isfinite(whole[i])) return -1;
    const auto cell = static_cast<std::int64_t>(i);
    const int owner = grid.owner(
        {cell % extent[0], cell / extent[0] % extent[1], cell / extent[0] / extent[1] % extent[2]});
    if (grid.rank(owner) == part.rank() && found[i] != whole[i]) ++count;
  }
  return count;
}

inline std::int64_t differences(const Make& make, const heddle::BlockGrid& grid, heddle::Transport& transport,
                                const How& how = {}) {
  const std::unique_ptr<Rank> rank = make(grid, transport);
  heddle::TaskGraph loop(how.options);
  rank->add_to(loop, how.poisoned);
  loop.run(pairs);
  return differences(alone(make, grid), rank->field());
}

} // namespace blocks

#endif
