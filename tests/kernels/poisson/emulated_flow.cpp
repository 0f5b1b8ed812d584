// SPDX-License-Identifier: Apache-2.0
// The first and the last pass of a projection, which take the divergence and correct the flow, run on the
// CPU: the bits of the transform of a divergence, and of a correction by a pressure, that loops make in the
// order of the generated kernels (runtime/src/projection/flow.py).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_launch.hpp"
#include "kernel_input.hpp"

namespace {

using heddle::PeriodicFlow;
using test::noisy;
using test::waves;

/// A flow with a level of faces above its cells and three layers of ghost cells beside them, pitches of its
/// own for each velocity, and a field for its divergence.
template <class Real> struct Case {
  std::int64_t nx, ny, nz, row_pitch, plane_pitch;
  std::array<std::vector<Real>, 3> velocity;
  std::vector<Real> field, wave_x, wave_y, per_height, density, per_distance, face_density;
  PeriodicFlow<Real> flow{};

  Case(std::int64_t x, std::int64_t y, std::int64_t z)
      : nx(x), ny(y), nz(z), row_pitch(x + 8), plane_pitch(row_pitch * y + 2),
        field(noisy<Real>(z * plane_pitch, 7)), wave_x(waves<Real>(x)), wave_y(waves<Real>(y)) {
    for (std::int64_t k = 0; k <= nz; ++k) {
      const double at = static_cast<double>(k) / static_cast<double>(nz);
      per_height.push_back(static_cast<Real>(1 + at));
      density.push_back(static_cast<Real>(1.2 - at / 4));
      per_distance.push_back(static_cast<Real>(1.1 + at));
      face_density.push_back(static_cast<Real>(1.3 - at / 4));
    }
    const auto component = [&](std::size_t axis) {
      const std::int64_t row = nx + 8 + 2 * static_cast<std::int64_t>(axis), plane = row * (ny + 6);
      velocity[axis] = noisy<Real>(plane * (nz + 1), static_cast<std::int64_t>(axis) * 1000);
      return typename PeriodicFlow<Real>::Component{velocity[axis].data() + 3 * row + 4, row, plane};
    };
    flow = {.u = component(0),
            .v = component(1),
            .w = component(2),
            .per_height = per_height.data(),
            .density = density.data(),
            .per_distance = per_distance.data(),
            .face_density = face_density.data(),
            .per_x = Real(0.75),
            .per_y = Real(1.25),
            .step = Real(0.3),
            .per_step = Real(1 / 0.3),
            .below = Real(0.25),
            .above = Real(-0.125),
            .lower = 3,
            .upper = 3};
  }

  [[nodiscard]] heddle::device::PlaneArguments<Real> arguments(std::vector<Real>& of) const {
    return {of.data(),
            nx,
            ny,
            nz,
            row_pitch,
            plane_pitch,
            wave_x.data(),
            wave_y.data(),
            2 / static_cast<Real>(nx * ny)};
  }
  [[nodiscard]] Real& at(std::size_t axis, std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto& component = axis == 0 ? flow.u : axis == 1 ? flow.v : flow.w;
    return component.first[k * component.plane + j * component.row + i];
  }
  [[nodiscard]] std::size_t place(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(k * plane_pitch + j * row_pitch + i);
  }
};

template <class T> class EmulatedFlow : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(EmulatedFlow, Precisions);

struct Size {
  std::int64_t nx, ny, nz;
};
constexpr std::array sizes{Size{64, 64, 3},   Size{128, 64, 1}, Size{256, 128, 2}, Size{512, 64, 11},
                           Size{1024, 64, 2}, Size{600, 64, 2}, Size{64, 512, 9}};

TYPED_TEST(EmulatedFlow, WavesOfADivergence) {
  using Real = TypeParam;
  for (const auto& [nx, ny, nz] : sizes) {
    Case<Real> c(nx, ny, nz);
    std::vector<Real> expected = c.field;
    for (std::int64_t k = 0; k < nz; ++k)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i) {
          const auto z = static_cast<std::size_t>(k);
          const Real bottom = k > 0 ? c.at(2, i, j, k) : c.flow.below;
          const Real top = k + 1 < nz ? c.at(2, i, j, k + 1) : c.flow.above;
          const Real across = c.flow.per_x * (c.at(0, (i + 1) % nx, j, k) - c.at(0, i, j, k)) +
                              c.flow.per_y * (c.at(1, i, (j + 1) % ny, k) - c.at(1, i, j, k));
          const Real along = c.face_density[z + 1] * top - c.face_density[z] * bottom;
          expected[c.place(i, j, k)] = c.flow.per_step * (c.per_height[z] * along + c.density[z] * across);
        }
    ASSERT_EQ(heddle::device::transform_x(false, c.arguments(expected), nullptr), 0);
    ASSERT_EQ(heddle::device::divergence_x(c.arguments(c.field), c.flow, nullptr), 0);
    EXPECT_EQ(expected, c.field) << nx << " " << ny;
  }
}

TYPED_TEST(EmulatedFlow, CorrectionByAPressure) {
  using Real = TypeParam;
  for (const auto& [nx, ny, nz] : sizes) {
    Case<Real> c(nx, ny, nz);
    std::vector<Real> p = c.field;
    const Case<Real> before(nx, ny, nz);
    ASSERT_EQ(heddle::device::transform_x(true, c.arguments(p), nullptr), 0);
    ASSERT_EQ(heddle::device::correction_x(c.arguments(c.field), c.flow, nullptr), 0);
    for (std::int64_t k = 0; k < nz; ++k)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i) {
          const Real here = p[c.place(i, j, k)];
          const Real west = p[c.place((i + nx - 1) % nx, j, k)], south = p[c.place(i, (j + ny - 1) % ny, k)];
          const Real u = before.at(0, i, j, k) - c.flow.step * (c.flow.per_x * (here - west));
          const Real v = before.at(1, i, j, k) - c.flow.step * (c.flow.per_y * (here - south));
          ASSERT_EQ(c.at(0, i, j, k), u);
          ASSERT_EQ(c.at(1, i, j, k), v);
          if (k == 0) {
            EXPECT_EQ(c.at(2, i, j, 0), c.flow.below);
            EXPECT_EQ(c.at(2, i, j, nz), c.flow.above);
          } else {
            const Real change =
                c.per_distance[static_cast<std::size_t>(k)] * (here - p[c.place(i, j, k - 1)]);
            ASSERT_EQ(c.at(2, i, j, k), before.at(2, i, j, k) - c.flow.step * change);
          }
        }
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::int64_t k = 0; k < nz + (axis == 2 ? 1 : 0); ++k)
        for (std::int64_t j = -3; j < ny + 3; ++j)
          for (std::int64_t i = -3; i < nx + 3; ++i)
            ASSERT_EQ(c.at(axis, i, j, k), c.at(axis, (i + nx) % nx, (j + ny) % ny, k)) << i << " " << j;
  }
}

/// The levels from `from` to `to` of a case as those of one rank: the parts of its flow and of its field.
template <class Real> struct Part {
  Part(Case<Real>& c, std::int64_t from, std::int64_t to) : flow(c.flow), arguments(c.arguments(c.field)) {
    for (auto* component : {&flow.u, &flow.v, &flow.w})
      component->first += from * component->plane;
    for (auto* profile : {&flow.per_height, &flow.density, &flow.per_distance, &flow.face_density})
      *profile += from;
    flow.neighbour_below = from > 0;
    flow.neighbour_above = to < c.nz;
    arguments.field += from * c.plane_pitch;
    arguments.planes = to - from;
  }
  PeriodicFlow<Real> flow;
  heddle::device::PlaneArguments<Real> arguments;
};

TYPED_TEST(EmulatedFlow, LevelsOfSeveralRanks) {
  using Real = TypeParam;
  for (const auto& [nx, ny, nz] : {Size{64, 64, 5}, Size{256, 64, 12}}) {
    Case<Real> whole(nx, ny, nz), parts(nx, ny, nz);
    ASSERT_EQ(heddle::device::divergence_x(whole.arguments(whole.field), whole.flow, nullptr), 0);
    ASSERT_EQ(heddle::device::correction_x(whole.arguments(whole.field), whole.flow, nullptr), 0);
    const std::array<std::int64_t, 4> ends{0, 2, 3, nz};
    for (std::size_t n = 0; n + 1 < ends.size(); ++n) {
      const Part<Real> part(parts, ends[n], ends[n + 1]);
      ASSERT_EQ(heddle::device::divergence_x(part.arguments, part.flow, nullptr), 0);
    }
    EXPECT_EQ(parts.field, whole.field);
    for (std::size_t n = 0; n + 1 < ends.size(); ++n) {
      const Part<Real> part(parts, ends[n], ends[n + 1]);
      ASSERT_EQ(heddle::device::correction_x(part.arguments, part.flow, nullptr), 0);
    }
    EXPECT_EQ(parts.velocity, whole.velocity);
  }
}

} // namespace
