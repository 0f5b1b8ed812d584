// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/halo_plan.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "border_axes.hpp"
#include "halo_piece.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"
#include "heddle/grid/positive_modulo.hpp"
#include "interleaved/group_walls.hpp"
#include "interleaved/local_halo_vector.hpp"

namespace heddle {

namespace {

/// Part of a range of cells on one axis that one block owns: the owner's coordinate is the cell's plus
/// `shift`.
struct Owned {
  int place;
  std::int64_t first;
  std::int64_t last;
  std::int64_t shift;
};

/// Splits first <= cell < last on `axis` by owner; cells beyond a face that is not periodic have none and are
/// left out.
std::vector<Owned> owners(const BlockGrid& grid, std::size_t axis, std::int64_t first, std::int64_t last) {
  const std::int64_t lower = grid.domain().lower[axis];
  const std::int64_t upper = grid.domain().upper[axis];
  const std::int64_t cells = upper - lower;
  if (!grid.periodic()[axis]) {
    first = std::max(first, lower);
    last = std::min(last, upper);
  }
  std::vector<Owned> parts;
  while (first < last) {
    const std::int64_t wrapped = lower + positive_modulo(first - lower, cells);
    std::array<std::int64_t, 3> cell = grid.domain().lower;
    cell[axis] = wrapped;
    const std::array<int, 3> place = grid.place_of(cell);
    const std::int64_t end = std::min(last, first + grid.cells_at(place).upper[axis] - wrapped);
    parts.push_back({place[axis], first, end, wrapped - first});
    first = end;
  }
  return parts;
}

template <class... Numbers> void add(Hash& hash, const Numbers&... numbers) {
  (hash.add(static_cast<std::uint64_t>(numbers)), ...);
}

void add_regions(Hash& hash, const BoxExchange& exchange) {
  for (const HaloRegion& region : exchange.regions()) {
    add(hash, region.field, region.component);
    for (std::size_t d = 0; d < 3; ++d)
      add(hash, region.anchor[d], region.near[d], region.far[d]);
  }
}

void add_regions(Hash& hash, const SparseExchange& exchange) {
  for (const HaloLink& link : exchange.links())
    add(hash, link.field, link.row, link.slot);
}

template <class Kind> std::uint64_t plan_hash(const Kind& exchange) {
  Hash hash;
  for (const char c : exchange.name())
    add(hash, static_cast<unsigned char>(c));
  const BlockGrid& grid = *exchange.grid();
  add(hash, exchange.direction(), exchange.value_bytes(), grid.ranks());
  for (int rank = 0; rank <= grid.ranks(); ++rank)
    add(hash, grid.first_block(rank));
  for (std::size_t d = 0; d < 3; ++d)
    add(hash, grid.domain().lower[d], grid.domain().upper[d], grid.blocks()[d], grid.periodic()[d]);
  for (int block = 0; block < grid.size(); ++block) { // cut by weights, ranks may have read different ones
    for (std::size_t d = 0; d < 3; ++d)
      add(hash, grid.block(block).lower[d], grid.block(block).upper[d]);
  }
  for (const ExchangedField& field : exchange.fields()) // both ends send the same vectors
    add(hash, field.interleaved, field.value_bytes);
  add_regions(hash, exchange);
  return hash.value();
}

} // namespace

HaloPlan::HaloPlan(const Exchange& exchange, bool as_on_device)
    : as_on_device_(as_on_device || base_of(exchange).memory() == Memory::device) {
  std::visit(
      [&](const auto& kind) {
        if (kind.empty()) return;
        if (kind.grid() == nullptr)
          throw Error(kind.name(), "the exchange has no field", "call exchange.add(field)");
        hash_ = plan_hash(kind);
        border_axes_ = heddle::border_axes(kind);
        lay_out(kind);
        if (bytes_ / kind.value_bytes() > std::numeric_limits<std::int32_t>::max())
          throw Error(kind.name(), "more than 2^31 - 1 values would be exchanged", "use more ranks");
      },
      exchange);
}

void HaloPlan::lay_out(const DenseExchange& exchange) {
  lay_out(exchange, as_on_device_ ? group_walls(exchange) : std::vector<GroupWall>());
}

void HaloPlan::lay_out(const BoundExchange& exchange) {
  lay_out(exchange, {});
}

/// Leaves room for a stamp and returns where the next bytes begin.
std::size_t HaloPlan::begin_segment() noexcept {
  bytes_ = (bytes_ + stamp_bytes - 1) / stamp_bytes * stamp_bytes + stamp_bytes;
  return bytes_;
}

/// What this rank sends or receives, in the one order that all ranks have.
std::vector<HaloPlan::Piece> HaloPlan::pieces(const BoxExchange& exchange) {
  const BlockGrid& grid = *exchange.grid();
  std::vector<Piece> found;
  for (int b = 0; b < grid.size(); ++b) {
    const Box& interior = grid.block(b);
    for (int d = 0; d < 3; ++d) {
      // Along an axis that no region leaves, a block may be one cell thin: the plane of a 2D kernel.
      const bool crossed = std::ranges::any_of(exchange.regions(), [&](const HaloRegion& region) {
        return region.anchor[static_cast<std::size_t>(d)] != 0;
      });
      if (crossed && interior.extent(d) < exchange.min_block_extent()) {
        throw Error(exchange.name(),
                    "block " + std::to_string(b) + " has " + std::to_string(interior.extent(d)) +
                        " cells along axis " + std::to_string(d) + ", but " +
                        std::to_string(exchange.min_block_extent()) + " are needed",
                    "split the domain into fewer blocks");
      }
    }
    for (const HaloRegion& region : exchange.regions()) {
      const Box box = region.cells(interior.extents()).shift(interior.lower);
      if (box.empty()) continue;
      bool border = false;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t below = interior.lower[d] - box.lower[d];
        const std::int64_t above = box.upper[d] - interior.upper[d];
        layers_[d] = std::max(layers_[d], static_cast<int>(std::max(below, above)));
        border = border || (border_axes_[d] && (below > 0 || above > 0));
      }
      for (const Owned& z : owners(grid, 2, box.lower[2], box.upper[2])) {
        for (const Owned& y : owners(grid, 1, box.lower[1], box.upper[1])) {
          for (const Owned& x : owners(grid, 0, box.lower[0], box.upper[0])) {
            const int owner = grid.index({x.place, y.place, z.place});
            if (owner < 0) continue; // no block there
            if (grid.rank(b) != exchange.rank() && grid.rank(owner) != exchange.rank()) continue;
            const Box ghost{{x.first, y.first, z.first}, {x.last, y.last, z.last}};
            std::array<std::int64_t, 3> ghost_cell = ghost.lower;
            std::array<std::int64_t, 3> owned_cell = ghost.shift({x.shift, y.shift, z.shift}).lower;
            for (std::size_t d = 0; d < 3; ++d) {
              ghost_cell[d] -= interior.lower[d];
              owned_cell[d] -= grid.block(owner).lower[d];
            }
            if (exchange.direction() == Direction::owner_to_ghost) {
              found.push_back({&region, owner, b, owned_cell, ghost_cell, ghost.extents(), border});
            } else {
              found.push_back({&region, b, owner, ghost_cell, owned_cell, ghost.extents(), border});
            }
          }
        }
      }
    }
  }
  return found;
}

/// Plans what crosses within groups of interleaved blocks as shifts, and returns the rest. The lanes of one
/// vector that move are one row, those that end at a wall with them; where such boxes would overlap, so that
/// one could undo what the other writes, nothing of them crosses as a shift. Walls beside which no lane moves
/// are rows of their own.
std::vector<const HaloPlan::Piece*> HaloPlan::take_shifts(const BoxExchange& exchange,
                                                          const std::vector<const Piece*>& pieces,
                                                          const std::vector<GroupWall>& walls,
                                                          std::vector<Shift>& shifts) {
  struct Move {
    std::vector<const Piece*> pieces;
    LaneSources sources;
    const GroupWall* wall = nullptr;
  };
  using Cell = std::array<std::int64_t, 3>;
  std::map<std::tuple<int, int, int, Cell, Cell, Cell>, Move>
      moves; // field, group, component, from, to, extent
  std::vector<const Piece*> rest;
  const int first_block = exchange.grid()->first_block(exchange.rank());
  for (const Piece* piece : pieces) {
    const ExchangedField& side = exchange.fields()[static_cast<std::size_t>(piece->region->field)];
    const int lanes = side.interleaved;
    const int from = piece->from - first_block;
    const int to = piece->to - first_block;
    if (!can_shift(side.value_bytes, lanes) || from / lanes != to / lanes) {
      rest.push_back(piece);
      continue;
    }
    Move& move = moves[{piece->region->field, from / lanes, piece->region->component, piece->from_cell,
                        piece->to_cell, piece->extent}];
    move.pieces.push_back(piece);
    move.sources.set(to % lanes, from % lanes);
  }
  const auto beside = [&](const GroupWall& wall) {
    return std::ranges::find_if(moves, [&](const auto& other) {
      const auto& [field, group, component, from, to, extent] = other.first;
      return field == wall.field && group == wall.group && component == wall.to_component && to == wall.to &&
             extent == wall.extent;
    });
  };
  for (const GroupWall& wall : walls) {
    const auto same = beside(wall);
    Move& move = same != moves.end()
                     ? same->second
                     : moves[{wall.field, wall.group, wall.to_component, wall.to, wall.to, wall.extent}];
    move.wall = &wall;
  }
  const auto meet = [](const auto& one, const auto& other) {
    const auto& [field, group, component, from, to, extent] = one;
    const auto& [other_field, other_group, other_component, other_from, other_to, other_extent] = other;
    bool overlap = field == other_field && group == other_group && component == other_component;
    for (std::size_t d = 0; d < 3; ++d) {
      overlap = overlap && to[d] < other_to[d] + other_extent[d] && other_to[d] < to[d] + extent[d];
    }
    return overlap;
  };
  for (auto& one : moves) {
    const bool alone = std::ranges::none_of(
        moves, [&](const auto& other) { return &other != &one && meet(one.first, other.first); });
    auto& [key, move] = one;
    if (!alone) {
      rest.insert(rest.end(), move.pieces.begin(), move.pieces.end());
      move.pieces.clear();
      move.sources.clear();
    }
    if (move.pieces.empty() && move.wall == nullptr) continue;
    const auto& [field, group, component, from, to, extent] = key;
    if (shifts.empty() || shifts.back().field != field || shifts.back().group != group) {
      shifts.push_back({field, group, {}, 0});
    }
    Shift& shift = shifts.back();
    LocalHaloRow row{.component = component,
                     .from = Index3(from),
                     .to = Index3(to),
                     .extent = Index3(extent),
                     .sources = move.sources.packed()};
    if (move.wall != nullptr) {
      row.wall_component = move.wall->from_component;
      row.wall = Index3(move.wall->from);
      row.reflected = move.wall->lanes;
    }
    shift.rows.push_back(row);
    const std::int64_t cells = extent[0] * extent[1] * extent[2];
    shift.longest = std::max(shift.longest, cells);
    local_bytes_ += move.pieces.size() * static_cast<std::size_t>(cells) * exchange.value_bytes();
  }
  return rest;
}

/// Lets what comes from another rank into one lane arrive with the shift of the other lanes of these vectors,
/// so that they are written once and whole; false where there is no such shift, or the message buffer has
/// other values.
bool HaloPlan::arrive_with_shift(const BoxExchange& exchange, const Piece& piece,
                                 std::vector<Shift>& shifts) const {
  const ExchangedField& side = exchange.fields()[static_cast<std::size_t>(piece.region->field)];
  if (side.value_bytes != exchange.value_bytes()) return false;
  const int to = piece.to - exchange.grid()->first_block(exchange.rank());
  const int lane = to % side.interleaved;
  for (Shift& shift : shifts) {
    if (shift.field != piece.region->field || shift.group != to / side.interleaved) continue;
    for (LocalHaloRow& row : shift.rows) {
      if (row.component != piece.region->component || row.to != Index3(piece.to_cell) ||
          row.extent != Index3(piece.extent))
        continue;
      LaneSources sources(row.sources);
      const bool reflected = (row.reflected >> lane & 1U) != 0;
      if (reflected || !sources.let_arrive(lane)) continue;
      row.sources = sources.packed();
      row.arrives_at = static_cast<std::int32_t>(bytes_ / exchange.value_bytes());
      return true;
    }
  }
  return false;
}

void HaloPlan::lay_out(const BoxExchange& exchange, const std::vector<GroupWall>& all_walls) {
  const std::vector<Piece> pieces = this->pieces(exchange);
  const BlockGrid& grid = *exchange.grid();
  const int me = exchange.rank();
  const int first_block = grid.first_block(me);
  const auto blocks = static_cast<std::size_t>(grid.first_block(me + 1) - first_block);

  std::map<int, std::vector<const Piece*>> to;
  std::map<int, std::vector<const Piece*>> from;
  for (const Piece& piece : pieces) {
    if (grid.rank(piece.from) == me) to[grid.rank(piece.to)].push_back(&piece);
    if (grid.rank(piece.to) == me && grid.rank(piece.from) != me)
      from[grid.rank(piece.from)].push_back(&piece);
  }

  const auto add_row = [&](Tables& tables, const Piece& piece, int block,
                           const std::array<std::int64_t, 3>& cell) {
    Table& table = tables[static_cast<std::size_t>(block - first_block)];
    table.rows.push_back(piece.region->field);
    table.rows.push_back(piece.region->component);
    for (const std::int64_t c : cell)
      table.rows.push_back(static_cast<std::int32_t>(c));
    for (const std::int64_t n : piece.extent)
      table.rows.push_back(static_cast<std::int32_t>(n));
    table.rows.push_back(static_cast<std::int32_t>(bytes_ / exchange.value_bytes()));
    table.longest = std::max(table.longest, piece.cells());
  };
  const auto add = [&](const Piece& piece, Tables* pack, Tables* unpack) {
    if (pack != nullptr) add_row(*pack, piece, piece.from, piece.from_cell);
    if (unpack != nullptr) add_row(*unpack, piece, piece.to, piece.to_cell);
    bytes_ += static_cast<std::size_t>(piece.cells()) * exchange.value_bytes();
  };
  for (const auto& [peer, list] : to) {
    if (peer == me) continue;
    const std::size_t begin = begin_segment();
    pack_.emplace_back(blocks);
    for (const Piece* piece : take_vectors(exchange, list, sent_vectors_))
      add(*piece, &pack_.back(), nullptr);
    send_.push_back({peer, begin, bytes_ - begin});
  }
  for (Local* local : {&borders_, &wrap_}) {
    local->pack.resize(blocks);
    local->unpack.resize(blocks);
    std::vector<const Piece*> here;
    std::ranges::copy_if(to[me], std::back_inserter(here),
                         [&](const Piece* piece) { return piece->border == (local == &borders_); });
    std::vector<GroupWall> walls;
    std::ranges::copy_if(all_walls, std::back_inserter(walls),
                         [&](const GroupWall& wall) { return wall.border == (local == &borders_); });
    const std::vector<const Piece*> rest = take_shifts(exchange, here, walls, local->shifts);
    if (rest.empty()) continue;
    const std::size_t begin = begin_segment();
    for (const Piece* piece : rest)
      add(*piece, &local->pack, &local->unpack);
    local_bytes_ += bytes_ - begin;
  }
  for (const auto& [peer, list] : from) {
    const std::size_t begin = begin_segment();
    unpack_.emplace_back(blocks);
    for (const Piece* piece : take_vectors(exchange, list, received_vectors_))
      add(*piece, nullptr, arrive_with_shift(exchange, *piece, borders_.shifts) ? nullptr : &unpack_.back());
    receive_.push_back({peer, begin, bytes_ - begin});
  }
}

} // namespace heddle
