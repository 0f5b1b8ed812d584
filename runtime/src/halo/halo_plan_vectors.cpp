// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "halo_piece.hpp"
#include "heddle/halo/interleaved/remote_halo.hpp"
#include "interleaved/local_halo_vector.hpp"

namespace heddle {

namespace {

constexpr std::size_t vector_alignment = 16;

/// Adds a row, and the blocks of its cells.
void add_vectors(HaloPlan::Vectors& to, const HaloPlan::Piece& piece, LaneSources sources,
                 std::int32_t first_value, std::int32_t target) {
  const auto number = static_cast<std::int32_t>(to.rows.size());
  to.rows.push_back({.component = piece.region->component,
                     .from = Index3(piece.from_cell),
                     .to = Index3(piece.to_cell),
                     .extent = Index3(piece.extent),
                     .sources = sources.packed(),
                     .first_value = first_value,
                     .target = target,
                     .first_of_its = static_cast<std::int32_t>(to.of_block.size())});
  const std::int64_t blocks =
      (piece.cells() + RemoteHaloRows::cells_of_block - 1) / RemoteHaloRows::cells_of_block;
  to.of_block.insert(to.of_block.end(), static_cast<std::size_t>(blocks), number);
}

} // namespace

/// Takes what crosses to or from one other rank in more than half of the lanes of a vector, in half of them
/// where others between the same groups cross in all, and returns the rest. Both ends find the same rows in
/// the same order, since they see the same pieces.
std::vector<const HaloPlan::Piece*> HaloPlan::take_vectors(const BoxExchange& exchange,
                                                           const std::vector<const Piece*>& pieces,
                                                           std::vector<Vectors>& vectors) {
  using Groups = std::tuple<int, int, int>; // field, group from and to
  struct Move {
    const Piece* first;
    Groups groups;
    int lanes = 0; // that move
    LaneSources sources;
  };
  using Cell = std::array<std::int64_t, 3>;
  const BlockGrid& grid = *exchange.grid();
  std::vector<Move> moves; // in the order of their first pieces
  std::map<std::tuple<Groups, int, Cell, Cell, Cell>, std::size_t>
      known; // component, cells from and to, extent
  std::vector<const Piece*> rest;
  const auto in_rank = [&](int block) { return block - grid.first_block(grid.rank(block)); };
  const auto side_of = [&](const Piece& piece) -> const ExchangedField& {
    return exchange.fields()[static_cast<std::size_t>(piece.region->field)];
  };
  const auto move_of = [&](const Piece& piece) -> Move& {
    const int lanes = side_of(piece).interleaved;
    const Groups groups{piece.region->field, in_rank(piece.from) / lanes, in_rank(piece.to) / lanes};
    const auto [place, is_new] = known.try_emplace(
        {groups, piece.region->component, piece.from_cell, piece.to_cell, piece.extent}, moves.size());
    if (is_new) moves.push_back({&piece, groups, 0, {}});
    return moves[place->second];
  };
  const auto in_vectors = [&](const Piece& piece) {
    const ExchangedField& side = side_of(piece);
    return can_shift(side.value_bytes, side.interleaved) && side.value_bytes == exchange.value_bytes();
  };
  for (const Piece* piece : pieces) {
    if (!in_vectors(*piece)) continue;
    Move& move = move_of(*piece);
    const int lanes = side_of(*piece).interleaved;
    move.sources.set(in_rank(piece->to) % lanes, in_rank(piece->from) % lanes);
    ++move.lanes;
  }
  std::set<Groups> in_all_lanes;
  for (const Move& move : moves) {
    if (move.lanes == side_of(*move.first).interleaved) in_all_lanes.insert(move.groups);
  }
  const auto whole = [&](const Move& move) {
    const int lanes = side_of(*move.first).interleaved;
    return 2 * move.lanes > lanes || (2 * move.lanes == lanes && in_all_lanes.contains(move.groups));
  };
  for (const Piece* piece : pieces) {
    if (!in_vectors(*piece) || !whole(move_of(*piece))) rest.push_back(piece);
  }
  for (const Move& move : moves) {
    if (!whole(move)) continue;
    const Piece& piece = *move.first;
    const ExchangedField& side = side_of(piece);
    const bool sent = grid.rank(piece.from) == exchange.rank();
    const auto& [field, from, to] = move.groups;
    const int own = sent ? from : to;
    const Target target{grid.rank(sent ? piece.to : piece.from), field, sent ? to : from};
    const auto number = static_cast<std::size_t>(std::ranges::find(targets_, target) - targets_.begin());
    if (number == targets_.size()) targets_.push_back(target);
    const std::size_t first = number / most_targets * most_targets;
    const auto same = [&](const Vectors& one) {
      return one.field == target.field && one.group == own && one.first_target == first;
    };
    auto group = std::ranges::find_if(vectors, same);
    if (group == vectors.end()) group = vectors.insert(group, {target.field, own, first, {}, {}});
    bytes_ = (bytes_ + vector_alignment - 1) / vector_alignment * vector_alignment;
    add_vectors(*group, piece, move.sources, static_cast<std::int32_t>(bytes_ / exchange.value_bytes()),
                static_cast<std::int32_t>(number - first));
    bytes_ += static_cast<std::size_t>(piece.cells() * side.interleaved) * exchange.value_bytes();
  }
  return rest;
}

} // namespace heddle
