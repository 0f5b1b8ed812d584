// SPDX-License-Identifier: Apache-2.0
// Whether arrays share an element: exact, and at once for the views of one array that boundary kernels take.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "heddle/device/preconditions.hpp"

namespace {

using heddle::ArrayArgument;

struct View {
  std::int64_t first;
  std::array<std::int64_t, 2> extent, stride;
};

int check(const View& a, const View& b) {
  static std::vector<float> memory(1);
  const auto argument = [](const View& view, bool written) {
    return ArrayArgument{
        reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(memory.data()) +
                                      sizeof(float) * static_cast<std::uintptr_t>(view.first)),
        sizeof(float),
        view.extent.data(),
        view.stride.data(),
        2,
        0,
        written};
  };
  const ArrayArgument arrays[] = {argument(a, false), argument(b, true)};
  return heddle::check_arrays(arrays, false);
}

/// By looking at every element.
bool share(const View& a, const View& b) {
  const auto elements = [](const View& view) {
    std::set<std::int64_t> places;
    for (std::int64_t j = 0; j < view.extent[1]; ++j)
      for (std::int64_t i = 0; i < view.extent[0]; ++i)
        places.insert(view.first + i * view.stride[0] + j * view.stride[1]);
    return places;
  };
  const std::set<std::int64_t> of_a = elements(a);
  for (const std::int64_t place : elements(b))
    if (of_a.count(place) != 0) return true;
  return false;
}

TEST(Preconditions, FindElementsThatAreShared) {
  const std::array<std::int64_t, 2> extent{3, 4};
  for (const std::array<std::int64_t, 2>& stride_a : {std::array<std::int64_t, 2>{1, 5}, {7, 2}, {-2, 9}})
    for (const std::array<std::int64_t, 2>& stride_b :
         {std::array<std::int64_t, 2>{1, 5}, {2, 7}, {2, 9}, {3, 3}})
      for (std::int64_t first = -40; first <= 40; ++first) {
        const View a{100, extent, stride_a}, b{100 + first, extent, stride_b};
        EXPECT_EQ(check(a, b) == heddle::fields_overlap, share(a, b))
            << first << ": " << stride_a[0] << " " << stride_a[1] << ", " << stride_b[0] << " "
            << stride_b[1];
      }
}

/// Opposite sides of a box, as ghost cells are filled from: planes across x lie between each other's
/// elements. The search used to take 65,000 steps here, and gave up (as an overlap) in boxes a little larger.
TEST(Preconditions, AnswerAtOnceForSidesOfABox) {
  const std::array<std::int64_t, 2> extent{2048, 2048}, stride{2050, 2050 * 2050};
  EXPECT_EQ(check({0, extent, stride}, {2047, extent, stride}), heddle::ok);
  EXPECT_EQ(check({0, extent, stride}, {2050, extent, stride}), heddle::fields_overlap);
}

/// Arrays with one value per column, before or after those with all cells.
TEST(Preconditions, OfPlanesAskForTheFirstExtents) {
  const std::array<float, 64> memory{};
  const std::array<std::int64_t, 3> cells{3, 4, 2}, none{3, 4, 0}, stride{1, 3, 12};
  const std::array<std::int64_t, 2> flat{3, 4}, wide{4, 4}, low{3, 5};
  const auto at = [&](std::size_t place, const auto& extent) {
    return ArrayArgument{&memory.at(place),
                         sizeof(float),
                         extent.data(),
                         stride.data(),
                         static_cast<int>(extent.size()),
                         0,
                         true};
  };
  const auto check = [](const ArrayArgument& a, const ArrayArgument& b) {
    const ArrayArgument arrays[] = {a, b};
    return heddle::check_arrays(arrays, true);
  };
  EXPECT_EQ(check(at(0, flat), at(12, cells)), heddle::ok);
  EXPECT_EQ(check(at(0, cells), at(24, flat)), heddle::ok);
  EXPECT_EQ(check(at(0, wide), at(16, cells)), heddle::extents_differ);
  EXPECT_EQ(check(at(0, cells), at(24, low)), heddle::extents_differ);
  EXPECT_EQ(check(at(0, flat), at(11, cells)), heddle::fields_overlap);
  EXPECT_EQ(check(at(0, flat), at(11, none)), heddle::ok) << "no cells";
  ArrayArgument without = at(12, cells);
  without.extent = nullptr;
  EXPECT_EQ(check(at(0, flat), without), heddle::null_pointer);
}

/// What links lead through belongs to one list; other fields may be of one that holds more or fewer cells.
TEST(Preconditions, OfAListAskForItsCells) {
  const std::array<float, 64> memory{};
  const std::array<std::int64_t, 2> list{12, 2}, longer{16, 2}, stride{1, 16};
  const auto at = [&](std::size_t place, const std::array<std::int64_t, 2>& extent, bool written) {
    return ArrayArgument{&memory.at(place), sizeof(float), extent.data(), stride.data(), 1, 2, written};
  };
  const ArrayArgument apart[] = {at(0, list, false), at(32, longer, true)};
  EXPECT_EQ(heddle::check_listed(apart, 1U, 12), heddle::ok);
  EXPECT_EQ(heddle::check_listed(apart, 0U, 12), heddle::ok);
  EXPECT_EQ(heddle::check_listed(apart, 3U, 12), heddle::extents_differ);
  EXPECT_EQ(heddle::check_listed(apart, 1U, 13), heddle::extents_differ);
  const ArrayArgument shared[] = {at(0, list, false), at(11, longer, true)};
  EXPECT_EQ(heddle::check_listed(shared, 1U, 12), heddle::fields_overlap);
}

} // namespace
