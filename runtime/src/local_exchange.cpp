// SPDX-License-Identifier: Apache-2.0
#include "heddle/local_exchange.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "heddle/error.hpp"
#include "heddle/parallel.hpp"

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
    const std::int64_t wrapped = lower + (((first - lower) % cells) + cells) % cells;
    std::array<std::int64_t, 3> cell = grid.domain().lower;
    cell[axis] = wrapped;
    const int block = grid.owner(cell);
    const std::int64_t end = std::min(last, first + grid.block(block).upper[axis] - wrapped);
    parts.push_back({grid.place(block)[axis], first, end, wrapped - first});
    first = end;
  }
  return parts;
}

void check(std::span<const SlotOffset> footprint, int components, const std::array<int, 3>& layers) {
  for (const SlotOffset& touch : footprint) {
    if (touch.slot < 0 || touch.slot >= components) {
      throw Error("LocalExchange", "the footprint names slot " + std::to_string(touch.slot) +
                                       ", the field has " + std::to_string(components));
    }
    for (std::size_t d = 0; d < 3; ++d) {
      if (std::abs(touch.offset[d]) > layers[d]) {
        throw Error("LocalExchange",
                    "slot " + std::to_string(touch.slot) + " is touched " + std::to_string(touch.offset[d]) +
                        " cells away, but there are " + std::to_string(layers[d]) + " ghost layers",
                    "give the field more ghost layers");
      }
    }
  }
}

} // namespace

std::vector<SlotOffset> ghost_shell(int components, const std::array<int, 3>& layers) {
  std::vector<SlotOffset> footprint;
  for (int slot = 0; slot < components; ++slot) {
    for (int z = -layers[2]; z <= layers[2]; ++z) {
      for (int y = -layers[1]; y <= layers[1]; ++y) {
        for (int x = -layers[0]; x <= layers[0]; ++x)
          footprint.push_back({slot, {x, y, z}});
      }
    }
  }
  return footprint;
}

std::vector<LocalExchange::Piece> LocalExchange::plan(const BlockGrid& grid, int components,
                                                      const std::array<int, 3>& layers,
                                                      std::span<const SlotOffset> footprint,
                                                      ExchangePhase phase) {
  check(footprint, components, layers);
  std::vector<Piece> pieces;
  std::map<std::pair<int, int>, std::vector<Box>> owner_cells; // of (slot, block): written by `after`
  for (int b = 0; b < grid.size(); ++b) {
    const Box& interior = grid.block(b);
    std::map<int, std::vector<Box>> ghosts; // of each slot: disjoint, in domain coordinates
    for (const SlotOffset& touch : footprint) {
      std::vector<Box>& known = ghosts[touch.slot];
      std::vector<Box> fresh =
          subtract(interior.shift({touch.offset[0], touch.offset[1], touch.offset[2]}), interior);
      for (const Box& old : std::vector<Box>(known)) {
        std::vector<Box> rest;
        for (const Box& box : fresh) {
          for (const Box& part : subtract(box, old))
            rest.push_back(part);
        }
        fresh = std::move(rest);
      }
      known.insert(known.end(), fresh.begin(), fresh.end());
    }
    for (const auto& [slot, boxes] : ghosts) {
      for (const Box& box : boxes) {
        for (const Owned& z : owners(grid, 2, box.lower[2], box.upper[2])) {
          for (const Owned& y : owners(grid, 1, box.lower[1], box.upper[1])) {
            for (const Owned& x : owners(grid, 0, box.lower[0], box.upper[0])) {
              const int owner = grid.index({x.place, y.place, z.place});
              const Box ghost{{x.first, y.first, z.first}, {x.last, y.last, z.last}};
              const Box owned = ghost.shift({x.shift, y.shift, z.shift});
              const auto local = [&](const Box& cells, int block) {
                std::array<std::int64_t, 3> cell = cells.lower;
                for (std::size_t d = 0; d < 3; ++d)
                  cell[d] -= grid.block(block).lower[d];
                return cell;
              };
              if (phase == ExchangePhase::before) {
                pieces.push_back({b, owner, slot, local(ghost, b), local(owned, owner), ghost.extents()});
                continue;
              }
              std::vector<Box>& written = owner_cells[{slot, owner}];
              for (const Box& other : written) {
                if (other.intersect(owned).empty()) continue;
                throw Error("LocalExchange",
                            "two ghost cells of slot " + std::to_string(slot) +
                                " belong to one owner, near " + to_string(other.intersect(owned)),
                            "a kernel that writes beyond its block writes each slot at one offset only");
              }
              written.push_back(owned);
              pieces.push_back({owner, b, slot, local(owned, owner), local(ghost, b), ghost.extents()});
            }
          }
        }
      }
    }
  }
  return pieces;
}

std::vector<FieldAccess> LocalExchange::accesses() const {
  return {{object_, field_name_, AccessMode::read}, {object_, field_name_, AccessMode::write}};
}

void LocalExchange::operator()(Stream& stream) const {
  if (memory_ == Memory::device) {
    for (const BoxCopy& copy : copies_)
      copy_box(copy, memory_, stream);
    return;
  }
  // Owners are interior cells and ghosts are not, so the copies do not depend on each other.
  parallel_ranges(static_cast<std::int64_t>(copies_.size()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      copy_box(copies_[static_cast<std::size_t>(i)], memory_, stream);
  });
}

std::int64_t LocalExchange::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const BoxCopy& copy : copies_) {
    sum += copy.extent[0] * copy.extent[1] * copy.extent[2] * static_cast<std::int64_t>(copy.element);
  }
  return sum;
}

} // namespace heddle
