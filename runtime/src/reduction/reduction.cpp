// SPDX-License-Identifier: Apache-2.0
#include "heddle/reduction/reduction.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "heddle/core/parallel.hpp"
#include "heddle/transport/collective.hpp"

namespace heddle {

namespace {

// A NaN wins in both: as `a` it differs from itself, as `b` it makes the comparison false.
struct Sum {
  template <class Value> Value operator()(Value a, Value b) const { return a + b; }
};
struct Min {
  template <class Value> Value operator()(Value a, Value b) const { return a < b || a != a ? a : b; }
};
struct Max {
  template <class Value> Value operator()(Value a, Value b) const { return a > b || a != a ? a : b; }
};

/// Combines neighbours in pairs until one is left; an odd last one goes up unchanged. So the node k at height
/// h holds the values k 2^h … (k + 1) 2^h - 1.
template <class Value, class Combine> Value tree(std::span<Value> values, Combine combine) {
  std::size_t n = values.size();
  while (n > 1) {
    const std::size_t pairs = n / 2;
    for (std::size_t i = 0; i < pairs; ++i)
      values[i] = combine(values[2 * i], values[2 * i + 1]);
    if (n % 2 != 0) values[pairs] = values[n - 1];
    n = pairs + n % 2;
  }
  return values[0];
}

template <class Value, class Combine>
Value reduce(const Box& domain, const RowReader<Value>& read, Combine combine) {
  const std::int64_t ny = domain.extent(1);
  std::vector<Value> rows(static_cast<std::size_t>(ny * domain.extent(2)));
  parallel_ranges(static_cast<std::int64_t>(rows.size()), [&](std::int64_t first, std::int64_t last) {
    std::vector<Value> row(static_cast<std::size_t>(domain.extent(0)));
    for (std::int64_t r = first; r < last; ++r) {
      read(domain.lower[1] + r % ny, domain.lower[2] + r / ny, row);
      rows[static_cast<std::size_t>(r)] = tree<Value>(row, combine);
    }
  });
  return tree<Value>(rows, combine);
}

/// The nodes of the tree over a row of `n` cells that hold cells first <= x < last and no others, the largest
/// ones: f(height, k) in ascending x, for node k at a height, which holds the cells from k 2^height on,
/// 2^height of them or what is left.
template <class F> void for_nodes(std::int64_t first, std::int64_t last, std::int64_t n, F&& f) {
  while (first < last) {
    int height = 0;
    std::int64_t end = first + 1;
    while (end < last && first % (std::int64_t{2} << height) == 0) {
      const std::int64_t higher = std::min(first + (std::int64_t{2} << height), n);
      if (higher > last) break;
      ++height;
      end = higher;
    }
    f(height, first >> height);
    first = end;
  }
}

/// Combines the nodes of a row, in ascending x as for_nodes gives them for one block after another, to one
/// value.
template <class Value, class Combine> class NodeStack {
public:
  NodeStack(std::int64_t n, Combine combine) : n_(n), combine_(combine) {}

  void push(int height, std::int64_t k, Value value) {
    nodes_.push_back({height, k, value});
    while (rise()) {
    }
  }
  /// When all nodes came.
  [[nodiscard]] Value value() const { return nodes_.front().value; }

private:
  struct Node {
    int height;
    std::int64_t k;
    Value value;
  };

  /// Brings the last node one step up, if what belongs to that step is there.
  bool rise() {
    Node& last = nodes_.back();
    const std::int64_t end = std::min((last.k + 1) << last.height, n_);
    if (last.k % 2 == 0) {
      if (end < n_ || last.k == 0) return false;        // its neighbour is still to come, or it is the root
      last = {last.height + 1, last.k / 2, last.value}; // an odd last one goes up unchanged
      return true;
    }
    if (nodes_.size() < 2) return false;
    const Node& before = nodes_[nodes_.size() - 2];
    if (before.height != last.height || before.k + 1 != last.k) return false;
    const Node both{last.height + 1, last.k / 2, combine_(before.value, last.value)};
    nodes_.pop_back();
    nodes_.back() = both;
    return true;
  }

  std::int64_t n_;
  Combine combine_;
  std::vector<Node> nodes_;
};

template <class Value, class Combine>
Value reduce_over_ranks(const BlockGrid& grid, ReductionKind kind, const BlockRowReader<Value>& read,
                        Collective& ranks, Combine combine) {
  const Box& domain = grid.domain();
  const std::int64_t n = domain.extent(0);
  const auto for_blocks = [&](int rank, auto&& f) {
    for (int b = grid.first_block(rank); b < grid.first_block(rank + 1); ++b)
      f(b);
  };
  // What this rank knows: for each block and row the values of its nodes.
  std::vector<Value> mine;
  std::vector<Value> row;
  for_blocks(ranks.rank(), [&](int b) {
    const Box& box = grid.block(b);
    const std::int64_t begin = box.lower[0] - domain.lower[0];
    row.resize(static_cast<std::size_t>(box.extent(0)));
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        read(b, y, z, row);
        for_nodes(begin, begin + box.extent(0), n, [&](int height, std::int64_t k) {
          const std::int64_t first = (k << height) - begin;
          const std::int64_t last = std::min((k + 1) << height, n) - begin;
          mine.push_back(tree<Value>(std::span<Value>(row).subspan(static_cast<std::size_t>(first),
                                                                   static_cast<std::size_t>(last - first)),
                                     combine));
        });
      }
    }
  });
  const std::vector<std::string> all =
      ranks.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(Value)});

  std::string result(sizeof(Value), '\0');
  if (ranks.rank() == 0) {
    // Where the nodes of each block begin.
    std::vector<const char*> place(static_cast<std::size_t>(grid.size()));
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const char* next = all[static_cast<std::size_t>(rank)].data();
      for_blocks(rank, [&](int b) {
        place[static_cast<std::size_t>(b)] = next;
        const Box& box = grid.block(b);
        const std::int64_t begin = box.lower[0] - domain.lower[0];
        for_nodes(begin, begin + box.extent(0), n, [&](int, std::int64_t) {
          next += static_cast<std::int64_t>(sizeof(Value)) * box.extent(1) * box.extent(2);
        });
      });
    }
    std::vector<Value> rows;
    for (std::int64_t z = domain.lower[2]; z < domain.upper[2]; ++z) {
      for (std::int64_t y = domain.lower[1]; y < domain.upper[1]; ++y) {
        const std::array<int, 3> at = grid.place_of({domain.lower[0], y, z});
        NodeStack<Value, Combine> stack(n, combine);
        for (int i = 0; i < grid.blocks()[0]; ++i) {
          const Box box = grid.cells_at({i, at[1], at[2]});
          const int b = grid.index({i, at[1], at[2]});
          const std::int64_t begin = box.lower[0] - domain.lower[0];
          for_nodes(begin, begin + box.extent(0), n, [&](int height, std::int64_t k) {
            Value value = neutral_value<Value>(kind);
            if (b >= 0) {
              const char*& next = place[static_cast<std::size_t>(b)];
              std::memcpy(&value, next, sizeof value);
              next += sizeof value;
            }
            stack.push(height, k, value);
          });
        }
        rows.push_back(stack.value());
      }
    }
    const Value value = tree<Value>(rows, combine);
    std::memcpy(result.data(), &value, sizeof value);
  }
  result = ranks.broadcast(result);
  Value value{};
  std::memcpy(&value, result.data(), sizeof value);
  return value;
}

} // namespace

template <class Value>
Value reduce_rows(const Box& domain, ReductionKind kind, const RowReader<Value>& read) {
  if (domain.empty()) throw Error("Reduction", "the domain " + to_string(domain) + " has no cells");
  switch (kind) {
  case ReductionKind::sum:
    return reduce(domain, read, Sum{});
  case ReductionKind::min:
    return reduce(domain, read, Min{});
  case ReductionKind::max:
    return reduce(domain, read, Max{});
  }
  throw Error("Reduction", "the kind of reduction is unknown");
}

template <class Value>
std::function<Value()> reduction_over_ranks(const BlockGrid& grid, ReductionKind kind,
                                            const BlockRowReader<Value>& read, Transport& transport) {
  if (grid.ranks() != transport.ranks()) {
    throw Error("Reduction",
                "the grid is made for " + std::to_string(grid.ranks()) + " ranks, but there are " +
                    std::to_string(transport.ranks()),
                "construct BlockGrid(..., transport.ranks())");
  }
  // std::function copies what it holds
  const auto ranks = std::make_shared<Collective>(&transport, "reduction");
  return [grid, kind, read, ranks] {
    switch (kind) {
    case ReductionKind::min:
      return reduce_over_ranks<Value>(grid, kind, read, *ranks, Min{});
    case ReductionKind::max:
      return reduce_over_ranks<Value>(grid, kind, read, *ranks, Max{});
    default:
      return reduce_over_ranks<Value>(grid, kind, read, *ranks, Sum{});
    }
  };
}

std::function<double()> reduction_of_numbers(ReductionKind kind, const std::function<double()>& mine,
                                             Transport& transport) {
  const int ranks = transport.ranks();
  const BlockGrid one_each({{0, 0, 0}, {ranks, 1, 1}}, {ranks, 1, 1}, {false, false, false}, ranks);
  return reduction_over_ranks<double>(
      one_each, kind,
      [mine](int, std::int64_t, std::int64_t, std::span<double> row) { row.front() = mine(); }, transport);
}

template <class T>
std::vector<T> gather_cells(const BlockGrid& grid, const BlockRowReader<T>& read, Transport& transport) {
  Collective ranks(&transport, "gather_cells");
  std::string mine;
  std::vector<T> row;
  for (int b = grid.first_block(ranks.rank()); b < grid.first_block(ranks.rank() + 1); ++b) {
    const Box& box = grid.block(b);
    row.resize(static_cast<std::size_t>(box.extent(0)));
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        read(b, y, z, row);
        mine.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(T));
      }
    }
  }
  const std::vector<std::string> all = ranks.gather(mine);
  if (ranks.rank() != 0) return {};
  const Box& domain = grid.domain();
  std::vector<T> cells(static_cast<std::size_t>(domain.volume()));
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const char* from = all[static_cast<std::size_t>(rank)].data();
    for (int b = grid.first_block(rank); b < grid.first_block(rank + 1); ++b) {
      const Box& box = grid.block(b);
      const auto bytes = static_cast<std::size_t>(box.extent(0)) * sizeof(T);
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y, from += bytes) {
          const std::int64_t place =
              box.lower[0] - domain.lower[0] +
              domain.extent(0) * (y - domain.lower[1] + domain.extent(1) * (z - domain.lower[2]));
          std::memcpy(cells.data() + place, from, bytes);
        }
      }
    }
  }
  return cells;
}

template std::vector<float> gather_cells<float>(const BlockGrid&, const BlockRowReader<float>&, Transport&);
template std::vector<double> gather_cells<double>(const BlockGrid&, const BlockRowReader<double>&,
                                                  Transport&);
template std::function<double()> reduction_over_ranks<double>(const BlockGrid&, ReductionKind,
                                                              const BlockRowReader<double>&, Transport&);
template std::function<std::int64_t()> reduction_over_ranks<std::int64_t>(const BlockGrid&, ReductionKind,
                                                                          const BlockRowReader<std::int64_t>&,
                                                                          Transport&);
template double reduce_rows<double>(const Box&, ReductionKind, const RowReader<double>&);
template std::int64_t reduce_rows<std::int64_t>(const Box&, ReductionKind, const RowReader<std::int64_t>&);

} // namespace heddle
