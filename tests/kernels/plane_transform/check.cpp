// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "definition.hpp"
#include "heddle/core/error.hpp"
#include "heddle/poisson/plane_transform.hpp"
#include "transformed.hpp"

using definition::Line;
using definition::Plane;
using heddle::PlaneShape;
using heddle::TransformBackEnd;
using heddle::TransformKind;

namespace {

std::int64_t least(TransformKind kind) {
  return kind == TransformKind::dct1 ? 2 : 1;
}

std::string name(const PlaneShape& shape, TransformBackEnd back_end) {
  return std::string(to_string(back_end)) + ": " + to_string(shape.kind_x) + " of " +
         std::to_string(shape.nx) + " by " + to_string(shape.kind_y) + " of " + std::to_string(shape.ny);
}

/// Forward against the definition (not along x for dft, whose layout is the back end's own), and back.
template <class Real> void follows_the_definition(const PlaneShape& shape, TransformBackEnd back_end) {
  const auto transform = heddle::make_plane_transform<Real>(shape, test::device_memory, back_end);
  Planes<Real> planes(*transform, shape.nx, shape.ny, 1);
  planes.randomise(1);
  const Plane before = planes.plane();
  planes.forward();
  const double bound = allowed(shape.nx) + allowed(shape.ny);
  if (shape.kind_x != TransformKind::dft) {
    const definition::Matrix &x = definition::matrix(shape.kind_x, shape.nx),
                             &y = definition::matrix(shape.kind_y, shape.ny);
    const Plane expected = definition::along_both(
        before, [&](const Line& line) { return x.times(line); },
        [&](const Line& line) { return y.times(line); });
    EXPECT_LT(error<Real>(planes.plane(), expected), bound) << name(shape, back_end);
  }
  planes.inverse();
  EXPECT_LT(error<Real>(planes.plane(), before), 2 * bound) << name(shape, back_end) << ", there and back";
}

double damping(std::int64_t l, std::int64_t m) {
  return 1.0 / (1.0 + 0.37 * static_cast<double>(l) + 0.11 * static_cast<double>(m * m));
}

/// What the transform is for: damps each mode by a factor of its own, as the definition does it.
template <class Real> void damps_modes(const PlaneShape& shape, TransformBackEnd back_end) {
  const auto transform = heddle::make_plane_transform<Real>(shape, test::device_memory, back_end);
  Planes<Real> planes(*transform, shape.nx, shape.ny, 2);
  planes.randomise(2);
  std::array<Plane, 2> before = {planes.plane(0), planes.plane(1)};
  planes.forward();
  planes.filter(damping);
  planes.inverse();
  const definition::Matrix &x = definition::matrix(shape.kind_x, shape.nx),
                           &y = definition::matrix(shape.kind_y, shape.ny);
  for (const std::int64_t k : {0, 1}) {
    Plane expected = definition::along_both(
        before[static_cast<std::size_t>(k)], [&](const Line& line) { return x.times(line); },
        [&](const Line& line) { return y.times(line); });
    for (std::int64_t m = 0; m < shape.ny; ++m) {
      for (std::int64_t l = 0; l < shape.nx; ++l) {
        expected.at(l, m) *= static_cast<long double>(damping(
            definition::mode_of(shape.kind_x, shape.nx, l), definition::mode_of(shape.kind_y, shape.ny, m)));
      }
    }
    expected = definition::along_both(
        expected, [&](const Line& line) { return definition::undone(shape.kind_x, line); },
        [&](const Line& line) { return definition::undone(shape.kind_y, line); });
    // The filter spreads amplitudes over an order of magnitude or two, and the rounding with them.
    const double bound = 6 * (allowed(shape.nx) + allowed(shape.ny));
    EXPECT_LT(error<Real>(planes.plane(k), expected), bound) << name(shape, back_end) << ", plane " << k;
  }
}

/// Lengths to 64: all of them for our own transform, some for those that others have tested.
bool tested(TransformBackEnd back_end, std::int64_t n) {
  return back_end == TransformBackEnd::generated || n < 6 || n == 17 || n == 32 || n == 63;
}

TEST(PlaneTransform, FollowsTheDefinitionForEveryKindAndSize) {
  for (const TransformBackEnd back_end : back_ends()) {
    for (const TransformKind kind : definition::kinds) {
      for (std::int64_t n = least(kind); n <= 64; ++n) {
        if (!tested(back_end, n)) continue;
        follows_the_definition<double>({kind, n, TransformKind::dct2, 3}, back_end);
        follows_the_definition<double>({TransformKind::dct2, 17, kind, n}, back_end);
        follows_the_definition<float>({kind, n, TransformKind::dst2, 17}, back_end);
        follows_the_definition<float>({TransformKind::dst4, 2, kind, n}, back_end);
      }
    }
  }
}

TEST(PlaneTransform, FollowsTheDefinitionForLongLines) {
  for (const TransformBackEnd back_end : back_ends()) {
    if (back_end == TransformBackEnd::fftw) continue;
    for (const std::int64_t n : {97, 128, 143, 243, 255, 256, 257, 343, 509, 600}) {
      for (const TransformKind kind : definition::kinds) {
        follows_the_definition<double>({TransformKind::dct2, 1, kind, n}, back_end);
        follows_the_definition<float>({kind, n, TransformKind::dct2, 1}, back_end);
      }
    }
    for (const std::int64_t n : {1009, 1024, 1331, 2048}) {
      for (const TransformKind kind :
           {TransformKind::dft, TransformKind::dct1, TransformKind::dct2, TransformKind::dst4}) {
        follows_the_definition<double>({TransformKind::dct2, 1, kind, n}, back_end);
      }
    }
  }
}

TEST(PlaneTransform, DampsModesAsTheDefinitionDoes) {
  for (const TransformBackEnd back_end : back_ends()) {
    for (const TransformKind x : definition::kinds) {
      for (const TransformKind y : definition::kinds) {
        damps_modes<double>({x, 12, y, 15}, back_end);
        if (back_end == TransformBackEnd::generated || x == y) damps_modes<float>({x, 35, y, 22}, back_end);
      }
    }
    for (const std::int64_t n : {1, 2, 3, 4, 16, 17, 33, 34, 64}) {
      damps_modes<double>({TransformKind::dft, n, TransformKind::dft, 9}, back_end);
      damps_modes<double>({TransformKind::dft, 10, TransformKind::dft, n}, back_end);
      damps_modes<float>({TransformKind::dft, n, TransformKind::dft, n}, back_end);
    }
  }
}

TEST(PlaneTransform, IsLinear) {
  for (const TransformBackEnd back_end : back_ends()) {
    for (const TransformKind kind : definition::kinds) {
      const PlaneShape shape = {kind, 30, TransformKind::dft, 14};
      const auto transform = heddle::make_plane_transform<double>(shape, test::device_memory, back_end);
      Planes<double> planes(*transform, shape.nx, shape.ny, 3);
      planes.randomise(3);
      for (std::int64_t j = 0; j < shape.ny; ++j) {
        for (std::int64_t i = 0; i < shape.nx; ++i)
          planes.at(i, j, 2) = planes.at(i, j, 0) - 3 * planes.at(i, j, 1);
      }
      planes.forward();
      const auto a = planes.plane(0), b = planes.plane(1);
      Plane expected = a;
      for (std::size_t i = 0; i < a.values.size(); ++i)
        expected.values[i] -= 3 * b.values[i];
      EXPECT_LT(error<double>(planes.plane(2), expected), 20) << name(shape, back_end);
    }
  }
}

TEST(PlaneTransform, KeepsTheSumOfSquares) {
  // Parseval: of an orthogonal kind each amplitude has the same weight; of the plane n_x n_y, or 2 n each.
  for (const TransformBackEnd back_end : back_ends()) {
    for (const TransformKind kind : {TransformKind::dct4, TransformKind::dst4, TransformKind::dst1}) {
      const PlaneShape shape = {kind, 45, kind, 26};
      const auto transform = heddle::make_plane_transform<double>(shape, test::device_memory, back_end);
      Planes<double> planes(*transform, shape.nx, shape.ny, 1);
      planes.randomise(4);
      const auto squares = [](const Plane& plane) {
        long double sum = 0;
        for (const long double value : plane.values)
          sum += value * value;
        return sum;
      };
      const long double before = squares(planes.plane());
      planes.forward();
      const std::int64_t node = kind == TransformKind::dst1 ? 1 : 0;
      const auto gain = static_cast<long double>(4 * (shape.nx + node) * (shape.ny + node));
      EXPECT_NEAR(static_cast<double>(squares(planes.plane()) / (gain * before)), 1.0, 1e-14)
          << name(shape, back_end);
    }
  }
}

TEST(PlaneTransform, LeavesAloneWhatLiesBetweenRowsAndPlanes) {
  for (const TransformBackEnd back_end : back_ends()) {
    if (back_end == TransformBackEnd::fftw) continue; // scales whole planes
    const PlaneShape shape = {TransformKind::dct2, 21, TransformKind::dft, 19, 26};
    const auto transform = heddle::make_plane_transform<double>(shape, test::device_memory, back_end);
    Planes<double> planes(*transform, shape.nx, shape.ny, 2);
    planes.randomise(5);
    planes.forward();
    planes.inverse();
    for (std::int64_t k = 0; k < 2; ++k) {
      for (std::int64_t j = 0; j < shape.ny; ++j) {
        for (std::int64_t i = shape.nx; i < 26; ++i)
          EXPECT_EQ(planes.at(i, j, k), Planes<double>::untouched);
      }
      EXPECT_EQ(planes.at(0, shape.ny, k), Planes<double>::untouched);
    }
  }
}

TEST(PlaneTransform, GivesTheSameBitsForAnyNumberOfPlanesAndCallers) {
  for (const TransformBackEnd back_end : back_ends()) {
    const PlaneShape shape = {TransformKind::dft, 40, TransformKind::dct2, 33};
    const auto transform = heddle::make_plane_transform<double>(shape, test::device_memory, back_end);
    Planes<double> together(*transform, shape.nx, shape.ny, 5);
    together.randomise(6);
    Planes<double> again = together;
    std::vector<Planes<double>> alone(5, Planes<double>(*transform, shape.nx, shape.ny, 1));
    for (std::int64_t k = 0; k < 5; ++k) {
      for (std::int64_t j = 0; j < shape.ny; ++j) {
        for (std::int64_t i = 0; i < shape.nx; ++i)
          alone[static_cast<std::size_t>(k)].at(i, j) = together.at(i, j, k);
      }
    }
    together.forward();
    again.forward();
    EXPECT_EQ(together.values(), again.values()) << to_string(back_end);
    const auto all = [](Planes<double>& planes) { planes.forward(); };
    if (test::device_memory == heddle::Memory::host) {
      std::vector<std::thread> callers;
      for (Planes<double>& planes : alone)
        callers.emplace_back(all, std::ref(planes));
      for (std::thread& caller : callers)
        caller.join();
    } else {
      for (Planes<double>& planes : alone)
        planes.forward();
    }
    for (std::int64_t k = 0; k < 5; ++k) {
      EXPECT_EQ(alone[static_cast<std::size_t>(k)].plane().values, together.plane(k).values)
          << to_string(back_end);
    }
  }
}

TEST(PlaneTransform, SaysHowItTransforms) {
  const auto transform = heddle::make_plane_transform<double>(
      {TransformKind::dft, 256, TransformKind::dct2, 17}, test::device_memory);
  const auto halved = heddle::make_plane_transform<double>(
      {TransformKind::dct1, 129, TransformKind::dst1, 30}, test::device_memory);
  if (test::device_memory == heddle::Memory::device) {
    EXPECT_EQ(transform->description(), "cuFFT line by line: dft of 256 by dct2 of 17");
  } else {
    EXPECT_EQ(transform->description(), "generated (8 lines a vector): x dft of 256 by radices 16 16, y dct2 "
                                        "of 17 by Bluestein, radices 11 3");
    EXPECT_EQ(halved->description(),
              "generated (8 lines a vector): x dct1 of 129 by radices 8 4 and radices 16 and "
              "radices 8 4 and radices 16 4, y dst1 of 30 by Bluestein, radices 16 8");
  }
}

std::string refusal(const PlaneShape& shape, TransformBackEnd back_end = TransformBackEnd::automatic,
                    heddle::Memory where = test::device_memory) {
  try {
    static_cast<void>(heddle::make_plane_transform<double>(shape, where, back_end));
  } catch (const heddle::Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(PlaneTransform, RefusesWhatIsNoPlane) {
  EXPECT_EQ(refusal({TransformKind::dft, 0, TransformKind::dft, 4}),
            "make_plane_transform: nx is 0. Hint: use at least one number per direction");
  EXPECT_EQ(refusal({TransformKind::dft, 4, TransformKind::dst1, -2}),
            "make_plane_transform: ny is -2. Hint: use at least one number per direction");
  EXPECT_EQ(
      refusal({TransformKind::dct1, 1, TransformKind::dft, 4}),
      "make_plane_transform: a dct1 needs at least 2 numbers, but the direction has 1. Hint: use more cells");
  EXPECT_EQ(refusal({TransformKind::dct2, 8, TransformKind::dft, 4, 7}),
            "make_plane_transform: rows of 8 numbers do not fit into a row pitch of 7. Hint: use 0 for the "
            "smallest pitch");
}

TEST(PlaneTransform, RefusesABackEndOfAnotherMemory) {
  EXPECT_EQ(
      refusal({TransformKind::dft, 4, TransformKind::dft, 4}, TransformBackEnd::cufft, heddle::Memory::host),
      "make_plane_transform: cufft does not transform host memory. Hint: use TransformBackEnd::automatic");
}

} // namespace
