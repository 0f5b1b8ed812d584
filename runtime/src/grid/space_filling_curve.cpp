// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/space_filling_curve.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle {

/// The curve of a cube is made of eight smaller ones, turned and mirrored: from the largest cube down this
/// undoes the turns, so that at the end the bits of the three numbers, taken in turn, are the Gray code of
/// the distance.
std::uint64_t curve_distance(std::array<std::uint32_t, 3> cell, int bits) {
  for (std::uint32_t half = bits > 0 ? 1U << (bits - 1) : 0; half > 1; half >>= 1U) {
    for (std::size_t d = 0; d < 3; ++d) {
      if ((cell[d] & half) != 0) {
        cell[0] ^= half - 1; // mirrored
      } else {
        const std::uint32_t differ = (cell[0] ^ cell[d]) & (half - 1); // x and d change places
        cell[0] ^= differ;
        cell[d] ^= differ;
      }
    }
  }
  for (std::size_t d = 1; d < 3; ++d)
    cell[d] ^= cell[d - 1];
  std::uint32_t flips = 0;
  for (std::uint32_t half = bits > 0 ? 1U << (bits - 1) : 0; half > 1; half >>= 1U) {
    if ((cell[2] & half) != 0) flips ^= half - 1;
  }
  std::uint64_t result = 0;
  for (int b = bits; b-- > 0;) {
    for (const std::uint32_t c : cell)
      result = result << 1U | (((c ^ flips) >> b) & 1U);
  }
  return result;
}

std::vector<int> curve_order(const std::array<int, 3>& extent) {
  const auto longest = static_cast<std::uint32_t>(*std::max_element(extent.begin(), extent.end()));
  const auto bits = static_cast<int>(std::bit_width(longest - 1));
  std::vector<std::pair<std::uint64_t, int>> places;
  int place = 0;
  for (int z = 0; z < extent[2]; ++z) {
    for (int y = 0; y < extent[1]; ++y) {
      for (int x = 0; x < extent[0]; ++x) {
        places.emplace_back(curve_distance({static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                                            static_cast<std::uint32_t>(z)},
                                           bits),
                            place++);
      }
    }
  }
  std::sort(places.begin(), places.end());
  std::vector<int> order;
  for (const auto& [along, number] : places)
    order.push_back(number);
  return order;
}

std::vector<int> cut_by_weight(std::span<const std::int64_t> weights, int parts) {
  std::vector<std::int64_t> before{0}; // weight before each thing; the sum last
  for (const std::int64_t weight : weights)
    before.push_back(before.back() + weight);
  const auto count = static_cast<int>(weights.size());
  std::vector<int> first{0};
  for (int part = 1; part < parts; ++part) {
    const double share = static_cast<double>(before.back()) * part / parts;
    const auto above =
        std::lower_bound(before.begin(), before.end(), share,
                         [](std::int64_t sum, double wanted) { return static_cast<double>(sum) < wanted; });
    auto cut = static_cast<int>(above - before.begin());
    if (cut > 0 && share - static_cast<double>(before[static_cast<std::size_t>(cut - 1)]) <
                       static_cast<double>(before[static_cast<std::size_t>(cut)]) - share)
      --cut;
    first.push_back(std::clamp(cut, first.back() + 1, count - (parts - part)));
  }
  first.push_back(count);
  return first;
}

} // namespace heddle
