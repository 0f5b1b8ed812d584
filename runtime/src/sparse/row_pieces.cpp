// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/row_pieces.hpp"

#include <algorithm>
#include <optional>

namespace heddle {

namespace {

/// Coordinates along an axis that follow each other and are alike: `what` says in which respect.
template <class What> struct Stretch {
  std::int64_t first;
  std::int64_t last;
  What what;
};

/// The coordinates 0 to count - 1, cut where what(coordinate) changes.
template <class F> auto stretches(std::int64_t count, F&& what) {
  using What = decltype(what(std::int64_t{0}));
  std::vector<Stretch<What>> result;
  for (std::int64_t x = 0; x < count; ++x) {
    What here = what(x);
    if (!result.empty() && result.back().what == here)
      ++result.back().last;
    else
      result.push_back({x, x + 1, std::move(here)});
  }
  return result;
}

/// For each coordinate the number of its stretch.
template <class What> std::vector<std::size_t> numbers(const std::vector<Stretch<What>>& all) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    result.insert(result.end(), static_cast<std::size_t>(all[i].last - all[i].first), i);
  return result;
}

/// The pieces of the rows at one stretch of y and one of z: kind(what along x), none where that says nothing.
template <class What, class F>
void add_row(const std::vector<Stretch<What>>& along_x, F&& kind, std::vector<RowPieces::Piece>& pieces) {
  const std::size_t begin = pieces.size();
  for (const Stretch<What>& stretch : along_x) {
    const std::optional<RowPieces::Kind> found = kind(stretch.what);
    if (!found) continue;
    if (pieces.size() > begin && pieces.back().kind == *found && pieces.back().last == stretch.first)
      pieces.back().last = stretch.last;
    else
      pieces.push_back({stretch.first, stretch.last, *found});
  }
}

/// A place along one axis of a grid of blocks, and whether it is to be counted as own there.
struct AxisPlace {
  int place;
  bool own;
  friend auto operator<=>(const AxisPlace&, const AxisPlace&) = default;
};

/// Where a coordinate lies, and what is within reach of it.
struct AxisReach {
  std::optional<AxisPlace> here;
  std::vector<AxisPlace> around;
  friend bool operator==(const AxisReach&, const AxisReach&) = default;
};

} // namespace

RowPieces::RowPieces(const Box& box, const std::array<bool, 6>& communicates) : rows_y_(box.extent(1)) {
  const auto at_face = [&](std::size_t d) {
    const std::int64_t last = box.upper[d] - box.lower[d] - 1;
    return stretches(last + 1, [&, d, last](std::int64_t x) {
      return (communicates[2 * d] && x == 0) || (communicates[2 * d + 1] && x == last);
    });
  };
  const auto x = at_face(0);
  const auto y = at_face(1);
  const auto z = at_face(2);
  of_y_ = numbers(y);
  of_z_ = numbers(z);
  alike_y_ = y.size();
  begin_.push_back(0);
  for (const auto& in_z : z) {
    for (const auto& in_y : y) {
      add_row(
          x, [&](bool in_x) { return std::optional(in_x || in_y.what || in_z.what ? rim : inner); }, pieces_);
      begin_.push_back(pieces_.size());
    }
  }
}

RowPieces::RowPieces(const Box& box, const Box& own, const BlockGrid& grid, int rank, int reach)
    : rows_y_(box.extent(1)) {
  const Box& domain = grid.domain();
  const auto along = [&](std::size_t d) {
    const auto place = [&, d](std::int64_t x) -> std::optional<AxisPlace> {
      std::array<std::int64_t, 3> cell = domain.lower;
      cell[d] = x;
      cell = grid.in_domain(cell);
      if (!domain.contains(cell)) return std::nullopt;
      if (x < box.lower[d] || x >= box.upper[d]) x = cell[d]; // around a box that is periodic
      return AxisPlace{grid.place_of(cell)[d], x >= own.lower[d] && x < own.upper[d]};
    };
    return stretches(box.upper[d] - box.lower[d], [&, d](std::int64_t column) {
      const std::int64_t x = box.lower[d] + column;
      AxisReach result{place(x), {}};
      for (std::int64_t other = x - reach; other <= x + reach; ++other) {
        if (const std::optional<AxisPlace> found = place(other)) result.around.push_back(*found);
      }
      std::ranges::sort(result.around);
      result.around.erase(std::unique(result.around.begin(), result.around.end()), result.around.end());
      return result;
    });
  };
  enum class Whose { outside, this_rank, others };
  const auto whose = [&](const AxisPlace& x, const AxisPlace& y, const AxisPlace& z) {
    const int block = grid.index({x.place, y.place, z.place});
    if (block < 0) return Whose::outside;
    return x.own && y.own && z.own && grid.rank(block) == rank ? Whose::this_rank : Whose::others;
  };
  const auto x = along(0);
  const auto y = along(1);
  const auto z = along(2);
  const auto within_reach = [&](Whose wanted, const AxisReach& in_x, const AxisReach& in_y,
                                const AxisReach& in_z) {
    for (const AxisPlace& c : in_z.around) {
      for (const AxisPlace& b : in_y.around) {
        for (const AxisPlace& a : in_x.around) {
          if (whose(a, b, c) == wanted) return true;
        }
      }
    }
    return false;
  };
  of_y_ = numbers(y);
  of_z_ = numbers(z);
  alike_y_ = y.size();
  begin_.push_back(0);
  for (const auto& [z_first, z_last, in_z] : z) {
    for (const auto& [y_first, y_last, in_y] : y) {
      const auto kind = [&, &in_y = in_y, &in_z = in_z](const AxisReach& in_x) -> std::optional<Kind> {
        if (!in_x.here || !in_y.here || !in_z.here) return std::nullopt;
        switch (whose(*in_x.here, *in_y.here, *in_z.here)) {
        case Whose::this_rank:
          return within_reach(Whose::others, in_x, in_y, in_z) ? rim : inner;
        case Whose::others:
          if (within_reach(Whose::this_rank, in_x, in_y, in_z)) return ghost;
          break;
        case Whose::outside:
          break;
        }
        return std::nullopt;
      };
      add_row(x, kind, pieces_);
      begin_.push_back(pieces_.size());
    }
  }
}

} // namespace heddle
