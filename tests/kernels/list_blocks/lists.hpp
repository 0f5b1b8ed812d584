// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_BLOCKS_HPP
#define HEDDLE_LIST_BLOCKS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "rank.hpp"

/// Streaming patterns on lists of cells, one list a rank, with exchanges from the sweeps themselves.
namespace lists {

/// Every pattern in every precision, by names such as "AA f64" and "EsoPull half-way f16"; f64 first.
const std::vector<Method>& methods();
const Method& method_named(std::string_view name);
/// "EsoTwist full-way f64" with f32 in messages.
Method narrow();

inline constexpr int pairs = 3;

/// What one list without neighbours comes to.
std::vector<double> alone(const Method& method, const Medium& medium);

/// How the steps are run: with what options, where, and whether ghost cells are made NaN before each. Without
/// that, nothing but the exchanges orders the parts of the sweeps.
struct How {
  heddle::TaskGraphOptions options{};
  bool poisoned = true;
};

/// How many values of the cells of one rank differ from those of one list; -1 if one of these is not finite.
std::int64_t differences(const std::vector<double>& expected, const std::vector<double>& found,
                         const heddle::BlockGrid& grid, int rank);
std::int64_t differences(const Method& method, const Medium& medium, const std::vector<double>& expected,
                         const std::array<int, 3>& blocks, heddle::Transport& transport, const How& how = {},
                         heddle::Memory memory = heddle::Memory::host);

/// Steps on the ranks of one graph: `options` says where their fields lie, on the host or on a device each.
struct Peers {
  int ranks = 1;
  std::array<int, 3> blocks{1, 1, 1};
  heddle::TaskGraphOptions options{};
  bool stores = true;
};
/// How many of their values are not those of one list.
std::int64_t differences(const Method& method, const Medium& medium, const std::vector<double>& expected,
                         const Peers& run);

/// A porous box of which a corner has no fluid at all.
Medium with_an_empty_corner(const std::array<bool, 3>& periodic, const std::array<bool, 6>& slips);
/// Its blocks shared by their listed cells, without the empty ones.
heddle::BlockGrid balanced(const Medium& medium, const std::array<int, 3>& blocks, int ranks);

/// Whether HEDDLE_TESTS=full asks for what takes long.
inline bool all_tests() {
  const char* const tests = std::getenv("HEDDLE_TESTS");
  return tests != nullptr && std::string(tests) == "full";
}

/// As many blocks as ranks where the box can be cut so, as cubic as they come; else 27.
inline std::array<int, 3> cut(int ranks) {
  static constexpr std::array<std::array<int, 3>, 28> cuts{
      {{1, 1, 1}, {1, 1, 1},  {2, 1, 1}, {1, 1, 3}, {2, 1, 2},  {1, 1, 5}, {3, 2, 1},
       {1, 1, 7}, {2, 2, 2},  {3, 3, 1}, {2, 5, 1}, {11, 1, 1}, {2, 3, 2}, {3, 3, 3},
       {1, 7, 2}, {1, 3, 5},  {4, 2, 2}, {3, 3, 3}, {3, 2, 3},  {3, 3, 3}, {2, 2, 5},
       {1, 3, 7}, {11, 2, 1}, {3, 3, 3}, {4, 3, 2}, {5, 5, 1},  {3, 3, 3}, {3, 3, 3}}};
  return cuts.at(static_cast<std::size_t>(ranks));
}

} // namespace lists

#endif
