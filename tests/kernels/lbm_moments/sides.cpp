// SPDX-License-Identifier: Apache-2.0
// Boundaries of moments in memory: a channel with inlet, outlet and obstacles, by every target.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "d2q9.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "lbm_moments.hpp"

namespace {

using heddle::Buffer;

enum class Target { reference, cpu, cuda };

constexpr std::int64_t length = 14, width = 9;
constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
constexpr float omega = 1.4F, inflow = 0.03F, outside = 1.002F;

/// An obstacle, and one in each corner beside the inlet, so that inlet and walls of both kinds meet in a
/// cell.
bool solid(std::int64_t x, std::int64_t y) {
  return (x >= 5 && x <= 7 && y >= 3 && y <= 4) || (x == 0 && y == 0) || (x == 9 && y >= width - 2);
}
bool in_box(std::int64_t x, std::int64_t y) {
  return x >= 0 && x < length && y >= 0 && y < width;
}

/// A field with a ghost layer; what is outside of the fluid is not a number.
struct Plane {
  static constexpr std::array<std::int64_t, 2> strides{1, length + 2};
  static constexpr std::int64_t cells = (length + 2) * (width + 2);
  static constexpr std::array<std::int64_t, 3> extent{length, width, 3}, stride{1, length + 2, cells};

  static std::size_t at(std::int64_t x, std::int64_t y, std::int64_t c) {
    return static_cast<std::size_t>(x + 1 + (y + 1) * stride[1] + c * stride[2]);
  }
  static std::vector<float> start(int seed, double size) {
    std::vector<float> values(static_cast<std::size_t>(3 * cells), nothing);
    for (std::int64_t c = 0; c < 3; ++c) {
      for (std::int64_t y = 0; y < width; ++y) {
        for (std::int64_t x = 0; x < length; ++x) {
          if (!solid(x, y))
            values[at(x, y, c)] =
                static_cast<float>(size * std::sin(static_cast<double>(seed + x + 17 * y + 131 * c)));
        }
      }
    }
    return values;
  }
};

template <class T> Buffer<T> buffer(const std::vector<T>& values, heddle::Memory memory) {
  return Buffer<T>(std::span<const T>(values), memory);
}

/// The cells beside inlet, outlet and obstacles.
struct Entries {
  explicit Entries(heddle::Memory memory) {
    std::vector<std::int32_t> xs, ys;
    std::array<std::vector<std::uint32_t>, 3> bits;
    std::array<std::vector<float>, 8> to_wall;
    std::array<std::vector<float>, 2> from_centre;
    for (std::int64_t row = 0; row < width; ++row) {
      for (std::int64_t column = 0; column < length; ++column) {
        if (solid(column, row)) continue;
        std::array<std::uint32_t, 3> found{};
        for (std::size_t q = 1; q < 9; ++q) {
          const std::int64_t from_x = column - test::d2q9[q][0], from_y = row - test::d2q9[q][1];
          if (from_y < 0 || from_y >= width) continue;                        // a wall within the step
          const std::size_t kind = from_x < 0 ? 1 : from_x >= length ? 2 : 0; // in the order of the model
          if (!in_box(from_x, from_y) || solid(from_x, from_y)) found[kind] |= 1U << q;
        }
        if ((found[0] | found[1] | found[2]) == 0) continue;
        xs.push_back(static_cast<std::int32_t>(column)), ys.push_back(static_cast<std::int32_t>(row));
        for (std::size_t b = 0; b < 3; ++b)
          bits[b].push_back(found[b]);
        for (std::size_t q = 0; q < 8; ++q)
          to_wall[q].push_back(static_cast<float>(1 + (7 * xs.size() + 3 * q) % 9) / 10);
        from_centre[0].push_back(static_cast<float>(column) - 5.5F);
        from_centre[1].push_back(static_cast<float>(row) - 3);
      }
    }
    count = static_cast<std::int64_t>(xs.size());
    x = buffer(xs, memory), y = buffer(ys, memory);
    for (std::size_t b = 0; b < 3; ++b)
      masks[b] = buffer(bits[b], memory);
    for (std::size_t q = 0; q < 8; ++q)
      distances[q] = buffer(to_wall[q], memory);
    for (std::size_t a = 0; a < 2; ++a)
      arms[a] = buffer(from_centre[a], memory);
    sums = Buffer<float>(3, memory);
    for (Buffer<float>& room : work)
      room = Buffer<float>(heddle::reduction_work(count), memory);
  }
  std::int64_t count = 0;
  Buffer<std::int32_t> x, y;
  std::array<Buffer<std::uint32_t>, 3> masks;
  std::array<Buffer<float>, 8> distances;
  std::array<Buffer<float>, 2> arms;
  Buffer<float> sums;
  std::array<Buffer<float>, 3> work;
};

template <class Cpu, class Reference, class Cuda, class... Arguments>
int call(Target target, Cpu cpu, Reference reference, Cuda cuda, void* stream, Arguments... arguments) {
  if (target == Target::cpu) return cpu(arguments...);
  if (target == Target::reference) return reference(arguments...);
  return cuda(arguments..., stream);
}

/// Moments of the fluid after some steps, and the sums of each step.
std::vector<float> computed(Target target) {
  const heddle::Memory memory = target == Target::cuda ? test::device_memory : heddle::Memory::host;
  heddle::Stream stream(memory);
  Buffer<float> flow = buffer(Plane::start(1, 0.02), memory), stress = buffer(Plane::start(5, 1e-3), memory);
  const std::vector<float> none(static_cast<std::size_t>(3 * Plane::cells), nothing);
  Buffer<float> flow_next = buffer(none, memory), stress_next = buffer(none, memory);
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(length * width));
  for (std::int64_t x = 0; x < length; ++x) {
    for (std::size_t q = 1; q < 9; ++q) {
      if (test::d2q9[q][1] > 0) bits[static_cast<std::size_t>(x)] |= 1U << q;
      if (test::d2q9[q][1] < 0) bits[static_cast<std::size_t>(x + (width - 1) * length)] |= 1U << q;
    }
  }
  const Buffer<std::uint32_t> walls = buffer(bits, memory);
  constexpr std::array<std::int64_t, 2> walls_extent{length, width}, walls_stride{1, length};
  Entries e(memory);
  const std::int64_t *const extent = Plane::extent.data(), *const stride = Plane::stride.data();
  const std::size_t first = Plane::at(0, 0, 0);
  std::vector<float> result;
  for (int step = 0; step < 6; ++step) {
    const auto run = [&](auto cpu, auto reference, auto cuda, auto... more) {
      return call(target, cpu, reference, cuda, stream.native(), flow.data() + first, extent, stride,
                  stress.data() + first, extent, stride, walls.data(), walls_extent.data(),
                  walls_stride.data(), flow_next.data() + first, extent, stride, stress_next.data() + first,
                  extent, stride, more...);
    };
    EXPECT_EQ(run(lbm_moments_plane_f32, lbm_moments_plane_f32_reference, lbm_moments_plane_f32_cuda, omega),
              0);
    const auto to_wall = [&](std::size_t q) -> const float* { return e.distances[q].data(); };
    float* const sums = e.sums.data();
    EXPECT_EQ(run(lbm_moments_sides_f32, lbm_moments_sides_f32_reference, lbm_moments_sides_f32_cuda,
                  e.x.data(), e.y.data(), e.masks[0].data(), e.masks[1].data(), e.masks[2].data(), to_wall(0),
                  to_wall(1), to_wall(2), to_wall(3), to_wall(4), to_wall(5), to_wall(6), to_wall(7),
                  e.arms[0].data(), e.arms[1].data(), e.count, sums, e.work[0].data(), sums + 1,
                  e.work[1].data(), sums + 2, e.work[2].data(), omega, outside, inflow),
              0);
    stream.synchronise();
    std::swap(flow, flow_next), std::swap(stress, stress_next);
    for (const float sum : e.sums.to_host())
      result.push_back(sum);
  }
  for (const Buffer<float>* field : {&flow, &stress}) {
    const std::vector<float> values = field->to_host();
    for (std::int64_t c = 0; c < 3; ++c) {
      for (std::int64_t y = 0; y < width; ++y) {
        for (std::int64_t x = 0; x < length; ++x) {
          if (!solid(x, y)) result.push_back(values[Plane::at(x, y, c)]);
        }
      }
    }
  }
  return result;
}

TEST(Sides, EveryTargetGivesTheBitsOfTheReferenceAndNothingComesOutOfSolids) {
  const std::vector<float> expected = computed(Target::reference);
  for (const float value : expected)
    ASSERT_LT(std::abs(value), 1) << "a NaN of what is solid would not be";
  EXPECT_GT(std::abs(expected[0]), 1e-4); // drag
  EXPECT_EQ(computed(Target::cpu), expected);
  EXPECT_EQ(computed(Target::cuda), expected);
}

} // namespace
