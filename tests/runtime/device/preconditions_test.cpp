// SPDX-License-Identifier: Apache-2.0
// Whether arrays share an element: exact, and at once for the views of one array that boundary kernels take.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "heddle/device/interleaved.hpp"
#include "heddle/device/preconditions.hpp"

namespace {

using heddle::ArrayArgument;

struct View {
  std::int64_t first;
  std::array<std::int64_t, 2> extent, stride;
  std::array<int, 2> before{}, after{}; // cells around the interior that are accessed
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
        written,
        {view.before[0], view.before[1]},
        {view.after[0], view.after[1]}};
  };
  const ArrayArgument arrays[] = {argument(a, false), argument(b, true)};
  return heddle::check_arrays(arrays, false);
}

/// By looking at every element: whether b has one that a accesses, or one twice.
bool share(const View& a, const View& b) {
  const auto elements = [](const View& view) {
    std::set<std::int64_t> places;
    for (std::int64_t j = -view.before[1]; j < view.extent[1] + view.after[1]; ++j)
      for (std::int64_t i = -view.before[0]; i < view.extent[0] + view.after[0]; ++i)
        places.insert(view.first + i * view.stride[0] + j * view.stride[1]);
    return places;
  };
  if (std::ssize(elements(b)) != b.extent[0] * b.extent[1]) return true;
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
      for (std::int64_t first = -60; first <= 60; ++first)
        for (const int around : {0, 1, 2}) {
          const View a{100, extent, stride_a, {around, 0}, {1, around}}, b{100 + first, extent, stride_b};
          EXPECT_EQ(check(a, b) == heddle::fields_overlap, share(a, b))
              << first << ": " << stride_a[0] << " " << stride_a[1] << ", " << stride_b[0] << " "
              << stride_b[1] << ", " << around;
        }
}

/// Opposite sides of a box, as ghost cells are filled from: planes across x lie between each other's
/// elements. The search used to take 65,000 steps here, and gave up (as an overlap) in boxes a little larger.
TEST(Preconditions, AnswerAtOnceForSidesOfABox) {
  const std::array<std::int64_t, 2> extent{2048, 2048}, stride{2050, 2050 * 2050};
  EXPECT_EQ(check({0, extent, stride}, {2047, extent, stride}), heddle::ok);
  EXPECT_EQ(check({0, extent, stride}, {2050, extent, stride}), heddle::fields_overlap);
}

/// One field that is read as far as its ghost layers and one that is written, in two dimensions.
struct Case {
  const char* what;
  std::array<std::int64_t, 2> extent, stride; // of the first
  std::int64_t at;                            // of the second, in elements from the first
  std::array<std::int64_t, 2> written_stride;
  int status;
};

constexpr std::int64_t most = INT64_MAX;
const Case cases[] = {
    {"rows beside each other", {8, 4}, {1, 10}, 60, {1, 10}, heddle::ok},
    {"ghost rows that are shared by two fields that are read alone",
     {8, 4},
     {1, 10},
     50,
     {1, 10},
     heddle::ok},
    {"in the ghost row above", {8, 4}, {1, 10}, 40, {1, 10}, heddle::fields_overlap},
    {"in the ghost row below", {8, 4}, {1, 10}, -40, {1, 10}, heddle::fields_overlap},
    {"in the ghost column", {8, 4}, {1, 20}, 8, {1, 20}, heddle::fields_overlap},
    {"behind the ghost columns", {8, 4}, {1, 20}, 9, {1, 20}, heddle::ok},
    {"value beside value", {8, 4}, {2, 20}, 1, {2, 20}, heddle::ok},
    {"rows within rows", {8, 4}, {1, 10}, 60, {1, 4}, heddle::fields_overlap},
    {"columns and rows of one stride", {8, 4}, {1, 10}, 60, {1, 1}, heddle::fields_overlap},
    {"transposed rows within rows", {8, 4}, {1, 10}, 60, {3, 1}, heddle::fields_overlap},
    {"strides without a common element", {8, 4}, {1, 10}, 60, {4, 9}, heddle::ok},
    {"strides that meet", {8, 4}, {1, 10}, 60, {3, 9}, heddle::fields_overlap},
    {"strides that meet backwards", {8, 4}, {1, 10}, 90, {-3, 9}, heddle::fields_overlap},
    {"one row of any stride", {8, 1}, {1, 10}, 60, {1, most}, heddle::ok},
    {"one row of the lowest stride", {8, 1}, {1, 10}, 60, {1, -most - 1}, heddle::ok},
    {"two rows of the highest stride", {8, 2}, {1, 10}, 60, {1, most}, heddle::bad_stride},
    {"two rows of the lowest stride", {8, 2}, {1, 10}, 60, {1, -most - 1}, heddle::bad_stride},
    {"strides that are 0 in 64 bits", {8, 9}, {1, 10}, 60, {1, std::int64_t{1} << 61}, heddle::bad_stride},
    {"a read stride that leads out of memory", {8, 1}, {1, most}, 60, {1, 10}, heddle::bad_stride},
    {"the highest extent", {most, 1}, {1, 10}, 60, {1, 10}, heddle::extents_differ},
    {"extents whose product is 0",
     {std::int64_t{1} << 32, std::int64_t{1} << 32},
     {1, 10},
     60,
     {1, 10},
     heddle::extents_differ},
    {"no cells", {0, 4}, {1, 10}, 0, {1, 1}, heddle::ok},
};

TEST(Preconditions, HaveACodeForEachFault) {
  static const std::array<double, 1> memory{};
  for (const Case& c : cases) {
    const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto second = first + sizeof(double) * static_cast<std::uintptr_t>(c.at);
    const ArrayArgument arrays[] = {
        {memory.data(), sizeof(double), c.extent.data(), c.stride.data(), 2, 0, false, {1, 1}, {1, 1}},
        {reinterpret_cast<const void*>(second), sizeof(double), c.extent.data(), c.written_stride.data(), 2,
         0, true}};
    EXPECT_EQ(heddle::check_arrays(arrays, false), c.status) << c.what;
    const ArrayArgument turned[] = {arrays[1], arrays[0]};
    EXPECT_EQ(heddle::check_arrays(turned, false), c.status) << c.what << ", in the other order";
  }
}

TEST(Preconditions, LeaveAnotherGridItsExtents) {
  static const std::array<double, 64> memory{};
  const std::array<std::int64_t, 3> stride{1, 4, 8};
  const auto with = [&](const std::array<std::int64_t, 3>& coarse, bool other_grid, int at) {
    const std::array<std::int64_t, 2> fine{3, 2};
    const ArrayArgument other{
        memory.data(), sizeof(double), coarse.data(), stride.data(), 3, 0, false, {}, {},
        false,         false,          other_grid};
    const ArrayArgument own{memory.data() + at, sizeof(double), fine.data(), stride.data(), 2, 0, true};
    const ArrayArgument arrays[] = {other, own};
    const ArrayArgument turned[] = {own, other};
    const int status = heddle::check_arrays(arrays, false);
    EXPECT_EQ(heddle::check_arrays(turned, false), status);
    return status;
  };
  EXPECT_EQ(with({4, 2, 1}, true, 40), heddle::ok);
  EXPECT_EQ(with({4, 2, 1}, false, 40), heddle::extents_differ);
  EXPECT_EQ(with({4, 2, 1}, true, 4), heddle::fields_overlap);
  EXPECT_EQ(with({0, 2, 1}, true, 40), heddle::extents_differ);
}

/// A kernel that pushes writes into ghost cells: another field may not lie there, not even its ghost cells.
TEST(Preconditions, KnowWhereAKernelWrites) {
  static const std::array<float, 1> memory{};
  const std::array<std::int64_t, 2> extent{8, 4}, stride{1, 10};
  const auto status = [&](std::int64_t rows, bool pushes, int before) {
    const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto second = first + sizeof(float) * static_cast<std::uintptr_t>(10 * rows);
    const ArrayArgument arrays[] = {
        {memory.data(), sizeof(float), extent.data(), stride.data(), 2, 0, true, {1, 1}, {1, 1}, pushes},
        {reinterpret_cast<const void*>(second),
         sizeof(float),
         extent.data(),
         stride.data(),
         2,
         0,
         false,
         {0, before},
         {0, 0}}};
    return heddle::check_arrays(arrays, true);
  };
  EXPECT_EQ(status(4, false, 0), heddle::ok); // reads the other's first row
  EXPECT_EQ(status(4, true, 0), heddle::fields_overlap);
  EXPECT_EQ(status(5, true, 0), heddle::ok);
  EXPECT_EQ(status(5, true, 1), heddle::fields_overlap);
  EXPECT_EQ(status(5, false, 1), heddle::ok);
  EXPECT_EQ(status(6, true, 1), heddle::ok);
}

TEST(Preconditions, AskForAddressesOfElements) {
  static const std::array<double, 4> memory{};
  const std::array<std::int64_t, 1> extent{2}, stride{1};
  for (std::uintptr_t shift = 0; shift < sizeof(double); ++shift) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data()) + shift;
    const ArrayArgument arrays[] = {
        {reinterpret_cast<const void*>(address), sizeof(double), extent.data(), stride.data(), 1, 0, false}};
    EXPECT_EQ(heddle::check_arrays(arrays, true), shift == 0 ? heddle::ok : heddle::misaligned);
  }
}

/// By looking at every element: whether an array has one twice.
TEST(Preconditions, FindElementsThatAnArrayHasTwice) {
  static const std::array<float, 1> memory{};
  const std::array<std::int64_t, 3> extent{3, 4, 2};
  for (std::int64_t sx = -7; sx <= 7; ++sx)
    for (std::int64_t sy = -9; sy <= 9; ++sy)
      for (const std::int64_t sz : {-13, -5, -1, 1, 2, 6, 12, 25}) {
        if (sx == 0 || sy == 0) continue;
        std::set<std::int64_t> places;
        for (std::int64_t k = 0; k < extent[2]; ++k)
          for (std::int64_t j = 0; j < extent[1]; ++j)
            for (std::int64_t i = 0; i < extent[0]; ++i)
              places.insert(i * sx + j * sy + k * sz);
        const std::array<std::int64_t, 3> stride{sx, sy, sz};
        const ArrayArgument arrays[] = {
            {memory.data(), sizeof(float), extent.data(), stride.data(), 2, 2, true}};
        EXPECT_EQ(heddle::check_arrays(arrays, false) == heddle::ok, places.size() == 24)
            << sx << " " << sy << " " << sz;
      }
}

/// Elements of interleaved blocks stand for whole vectors.
TEST(Preconditions, OfInterleavedBlocksAreThoseOfVectors) {
  alignas(64) static const std::array<float, 256> memory{};
  const std::array<std::int64_t, 2> extent{4, 2}, stride{8, 32};
  const auto status = [&](std::size_t at) {
    const ArrayArgument arrays[] = {
        {memory.data(), sizeof(float), extent.data(), stride.data(), 2, 0, false},
        {&memory.at(at), sizeof(float), extent.data(), stride.data(), 2, 0, true}};
    return heddle::check_interleaved(arrays, 8);
  };
  EXPECT_EQ(status(64), heddle::ok);
  EXPECT_EQ(status(4), heddle::fields_overlap); // between two elements, among their lanes
  EXPECT_EQ(status(3), heddle::bad_stride);
}

/// One number of a cell serves all arrays of a box; planes beside them have strides of their own.
TEST(Preconditions, OfSameStridesAreThoseOfTheFirstInAnInt) {
  const std::array<float, 512> memory{};
  const std::array<std::int64_t, 3> cells{3, 4, 2}, strides{1, 5, 30}, others{1, 5, 35};
  const std::array<std::int64_t, 2> flat{3, 4}, dense{1, 3};
  const auto status = [&](const auto& stride, std::array<std::int64_t, 3> extent) {
    const ArrayArgument arrays[] = {
        {&memory.at(0), sizeof(float), flat.data(), dense.data(), 2, 0, false},
        {&memory.at(100), sizeof(float), extent.data(), strides.data(), 3, 0, false},
        {&memory.at(300), sizeof(float), extent.data(), stride.data(), 3, 0, false}};
    return heddle::check_same_strides(arrays, true);
  };
  EXPECT_EQ(status(strides, cells), heddle::ok);
  EXPECT_EQ(status(others, cells), heddle::bad_stride);
  EXPECT_EQ(status(std::array<std::int64_t, 3>{2, 5, 30}, cells), heddle::bad_stride);
  EXPECT_EQ(status(strides, {3, 4, 3}), heddle::ok);
  EXPECT_EQ(status(strides, {3, 4, 71582789}), heddle::extents_differ); // 2^31 elements and a few
}

/// A thread that takes two or four cells of a row loads them as a vector.
TEST(Preconditions, WholeVectorsOfARow) {
  alignas(64) const std::array<float, 512> memory{};
  using Numbers = std::array<std::int64_t, 3>;
  const auto status = [&](std::size_t place, const Numbers& extent, const Numbers& stride, int cells) {
    const ArrayArgument arrays[] = {
        {&memory.at(0), sizeof(float), extent.data(), stride.data(), 3, 0, false},
        {&memory.at(place), sizeof(float), extent.data(), stride.data(), 3, 0, false}};
    return heddle::check_row_cells(arrays, cells);
  };
  const Numbers cells{4, 2, 2}, stride{1, 8, 24};
  EXPECT_EQ(status(64, cells, stride, 2), heddle::ok);
  EXPECT_EQ(status(64, cells, stride, 4), heddle::ok);
  EXPECT_EQ(status(66, cells, stride, 2), heddle::ok);
  EXPECT_EQ(status(66, cells, stride, 4), heddle::uneven_rows); // an address
  EXPECT_EQ(status(65, cells, stride, 2), heddle::uneven_rows);
  EXPECT_EQ(status(64, {3, 2, 2}, stride, 2), heddle::uneven_rows); // cells of a row
  EXPECT_EQ(status(64, cells, {1, 7, 24}, 2), heddle::uneven_rows); // strides
  EXPECT_EQ(status(64, cells, {1, 8, 25}, 2), heddle::uneven_rows);
  EXPECT_EQ(status(64, cells, {2, 8, 24}, 2), heddle::bad_stride);
}

/// What is only read may be the same in all cells along an axis, or in all components; not what is written.
TEST(Preconditions, OnlyReadArraysMayHaveStrideZero) {
  const std::array<float, 64> memory{};
  using Numbers = std::array<std::int64_t, 3>;
  const Numbers extent{3, 4, 2}, written_stride{1, 3, 12};
  const auto status = [&](const Numbers& read, const Numbers& written) {
    const ArrayArgument arrays[] = {
        {&memory.at(0), sizeof(float), extent.data(), read.data(), 2, 2, false},
        {&memory.at(30), sizeof(float), extent.data(), written.data(), 2, 2, true}};
    return heddle::check_arrays(arrays, false);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Numbers stride = written_stride;
    stride.at(axis) = 0;
    EXPECT_EQ(status(stride, written_stride), heddle::ok) << axis;
    EXPECT_EQ(status(written_stride, stride), heddle::bad_stride) << axis;
  }
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
