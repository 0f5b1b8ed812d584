// SPDX-License-Identifier: Apache-2.0
#include "cell_order.hpp"

#include <algorithm>
#include <numeric>

#include "heddle/chemistry/lane_use.hpp"

namespace heddle::detail {

std::vector<std::int64_t> cell_order(std::span<const std::int64_t> weights, int threads) {
  const auto count = static_cast<std::int64_t>(weights.size());
  std::vector<std::int64_t> sorted(weights.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, [&](std::int64_t a, std::int64_t b) {
    return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
  });
  const std::int64_t strips = count / LaneUse::strip;
  std::vector<std::int64_t> order;
  order.reserve(weights.size());
  // Of n strips, a static schedule gives the first n mod T threads one more: those that are dealt one more.
  for (std::int64_t thread = 0; thread < threads; ++thread)
    for (std::int64_t strip = thread; strip < strips; strip += threads)
      for (std::int64_t lane = 0; lane < LaneUse::strip; ++lane)
        order.push_back(sorted[static_cast<std::size_t>(strip * LaneUse::strip + lane)]);
  order.insert(order.end(), sorted.begin() + strips * LaneUse::strip, sorted.end()); // the incomplete strip
  return order;
}

} // namespace heddle::detail
