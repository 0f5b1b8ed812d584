// SPDX-License-Identifier: Apache-2.0
#include "heddle/reduction.hpp"

#include <vector>

#include "heddle/parallel.hpp"

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
  throw Error("Reduction", "unknown kind");
}

template double reduce_rows<double>(const Box&, ReductionKind, const RowReader<double>&);
template std::int64_t reduce_rows<std::int64_t>(const Box&, ReductionKind, const RowReader<std::int64_t>&);

} // namespace heddle
