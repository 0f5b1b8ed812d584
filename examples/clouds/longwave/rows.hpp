// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_ROWS_HPP
#define HEDDLE_CLOUDS_ROWS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "flow.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/transport/message_round.hpp"

namespace clouds {

/// The domain with its rows along x shared out among ranks, in place of its levels: each rank has whole
/// columns. Throws heddle::Error for more ranks than rows.
[[nodiscard]] inline Place shared_rows(const Place& levels) {
  Place place = levels;
  const std::int64_t rows = levels.blocks.domain().extent(1);
  const int ranks = levels.blocks.ranks();
  if (rows < ranks)
    throw heddle::Error("longwave radiation",
                        std::to_string(ranks) + " ranks share " + std::to_string(rows) +
                            " rows of columns, one at least for each",
                        "use more cells along y, or fewer ranks");
  place.blocks = heddle::BlockGrid(levels.blocks.domain(), {1, ranks, 1}, {true, true, false}, ranks);
  return place;
}

/// Copies a field to one that shares the same cells otherwise among the same ranks, with one block each.
/// Ghost cells are left as they are.
template <class T> class Redistribution {
public:
  /// transport must outlive this. All ranks construct their redistributions in the same order.
  Redistribution(heddle::Transport& transport, const char* name)
      : rank_(transport.rank()), ranks_(transport.ranks()), round_(transport, name) {}

  /// All ranks together.
  void operator()(const heddle::Field<T>& from, heddle::Field<T>& to) {
    const std::vector<T> here = from.read();
    std::vector<T> wanted(static_cast<std::size_t>(to.box(0).volume()));
    std::vector<std::vector<T>> sent, received;
    for (int r = 0; r < ranks_; ++r) {
      const heddle::Box theirs = from.box(0).intersect(to.grid().block(r)),
                        mine = to.box(0).intersect(from.grid().block(r));
      sent.emplace_back(static_cast<std::size_t>(theirs.volume()));
      for_cells(from.box(0), theirs,
                [&](std::size_t in_box, std::size_t n) { sent.back()[n] = here[in_box]; });
      received.emplace_back(static_cast<std::size_t>(mine.volume()));
      if (r == rank_) continue;
      round_.send(r, sent.back().data(), theirs.volume());
      round_.receive(r, received.back().data(), mine.volume());
    }
    round_.run();
    received[static_cast<std::size_t>(rank_)].swap(sent[static_cast<std::size_t>(rank_)]);
    for (int r = 0; r < ranks_; ++r) {
      const std::vector<T>& values = received[static_cast<std::size_t>(r)];
      for_cells(to.box(0), to.box(0).intersect(from.grid().block(r)),
                [&](std::size_t in_box, std::size_t n) { wanted[in_box] = values[n]; });
    }
    to.write(0, 0, wanted);
  }

private:
  /// f(place of a cell in `box`, place in `part` of it), x fastest in both.
  template <class F> static void for_cells(const heddle::Box& box, const heddle::Box& part, F&& f) {
    std::size_t n = 0;
    for (std::int64_t z = part.lower[2]; z < part.upper[2]; ++z)
      for (std::int64_t y = part.lower[1]; y < part.upper[1]; ++y)
        for (std::int64_t x = part.lower[0]; x < part.upper[0]; ++x)
          f(static_cast<std::size_t>(x - box.lower[0] +
                                     box.extent(0) * (y - box.lower[1] + box.extent(1) * (z - box.lower[2]))),
            n++);
  }

  int rank_, ranks_;
  heddle::MessageRound<T> round_;
};

} // namespace clouds

#endif
