// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_BLOCKS_HPP
#define HEDDLE_LIST_BLOCKS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rank.hpp"

/// Streaming patterns on lists of cells, one list a rank, with exchanges from the sweeps themselves.
namespace lists {

/// Every pattern in every precision, by names such as "AA f64" and "EsoPull half-way f16"; f64 first.
const std::vector<Method>& methods();
const Method& method_named(const std::string& name);
/// "EsoTwist full-way f64" with f32 on the wire.
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
