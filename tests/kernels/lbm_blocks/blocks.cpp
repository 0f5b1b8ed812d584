// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

#include <cmath>
#include <memory>

#include "heddle/core/with_cuda.hpp"
#include "heddle/graph/task_graph.hpp"

namespace blocks {

namespace {

/// Those after an even step, and after an odd one.
template <class T> std::array<Walls<T>, 2> twist_walls() {
  using namespace lbm_blocks;
  std::array<Walls<T>, 2> walls{Walls<T>{{twist_floor_after_even}, {twist_lid_after_even}},
                                Walls<T>{{twist_floor_after_odd}, {twist_lid_after_odd}}};
  if constexpr (heddle::with_cuda) {
    walls[0].floor.device = twist_floor_after_even_cuda;
    walls[0].lid.device = twist_lid_after_even_cuda;
    walls[1].floor.device = twist_floor_after_odd_cuda;
    walls[1].lid.device = twist_lid_after_odd_cuda;
  }
  return walls;
}

template <class T> std::array<Walls<T>, 2> eso_pull_walls() {
  using namespace lbm_blocks;
  std::array<Walls<T>, 2> walls{Walls<T>{{eso_pull_floor_after_even}, {eso_pull_lid_after_even}},
                                Walls<T>{{eso_pull_floor_after_odd}, {eso_pull_lid_after_odd}}};
  if constexpr (heddle::with_cuda) {
    walls[0].floor.device = eso_pull_floor_after_even_cuda;
    walls[0].lid.device = eso_pull_lid_after_even_cuda;
    walls[1].floor.device = eso_pull_floor_after_odd_cuda;
    walls[1].lid.device = eso_pull_lid_after_odd_cuda;
  }
  return walls;
}

} // namespace

template <class T> const std::vector<Pattern<T>>& patterns() {
  using namespace lbm_blocks;
  constexpr std::array<bool, 3> duct{true, false, false};
  constexpr std::array<bool, 3> channel{true, true, false};
  static const std::vector<Pattern<T>> all{
      pattern<T, TwoArrays<T, Pull<T>>>("pull", duct), pattern<T, TwoArrays<T, Push<T>>>("push", duct),
      pattern<T, InPlace<T, AaEven<T>, AaOdd<T>>>("AA", duct, Walls<T>{}, Walls<T>{}),
      pattern<T, InPlace<T, TwistEven<T>, TwistOdd<T>>>("EsoTwist", channel, twist_walls<T>()[0],
                                                        twist_walls<T>()[1]),
      pattern<T, InPlace<T, EsoPullEven<T>, EsoPullOdd<T>>>("EsoPull", channel, eso_pull_walls<T>()[0],
                                                            eso_pull_walls<T>()[1])};
  return all;
}

template <class T> std::vector<Pattern<T>> patterns_without_sweeps_over_walls() {
  using namespace lbm_blocks;
  constexpr std::array<bool, 3> closed{false, false, false};
  const Walls<T> none;
  return {pattern<T, InPlace<T, TwistEven<T>, TwistOdd<T>>>("EsoTwist alone", closed, none, none),
          pattern<T, InPlace<T, EsoPullEven<T>, EsoPullOdd<T>>>("EsoPull alone", closed, none, none)};
}

template <class T> Outcome<T> alone(const Pattern<T>& pattern, const std::array<bool, 3>& axes) {
  heddle::LocalTransport local;
  const std::unique_ptr<Rank<T>> rank =
      pattern.make(heddle::BlockGrid(pattern.cells, {1, 1, 1}, axes), local);
  heddle::TaskGraph loop;
  rank->add_to(loop, true);
  loop.run(pairs);
  return {values(rank->field()), mass(rank->field(), local)};
}

template <class T> std::int64_t differences(const std::vector<T>& whole, const Field<T>& part) {
  std::int64_t count = 0;
  for_values(part, [&](std::size_t i, T value) {
    if (value != whole[i] || !std::isfinite(number(value))) ++count;
  });
  return count;
}

template <class T>
std::int64_t differences(const Pattern<T>& pattern, const Outcome<T>& whole, const heddle::BlockGrid& grid,
                         heddle::Transport& transport, const How& how) {
  const std::unique_ptr<Rank<T>> rank = pattern.make(grid, transport);
  heddle::TaskGraph loop(how.options);
  rank->add_to(loop, how.poisoned);
  loop.run(pairs);
  const std::int64_t count = differences(whole.values, rank->field());
  return mass(rank->field(), transport) == whole.mass ? count : count + 1;
}

#define HEDDLE_IN_PRECISION(T)                                                                               \
  template const std::vector<Pattern<T>>& patterns<T>();                                                     \
  template std::vector<Pattern<T>> patterns_without_sweeps_over_walls<T>();                                  \
  template Outcome<T> alone<T>(const Pattern<T>&, const std::array<bool, 3>&);                               \
  template std::int64_t differences<T>(const std::vector<T>&, const Field<T>&);                              \
  template std::int64_t differences<T>(const Pattern<T>&, const Outcome<T>&, const heddle::BlockGrid&,       \
                                       heddle::Transport&, const How&);
HEDDLE_IN_PRECISION(double)
HEDDLE_IN_PRECISION(float)
HEDDLE_IN_PRECISION(std::uint16_t)
#undef HEDDLE_IN_PRECISION

} // namespace blocks
