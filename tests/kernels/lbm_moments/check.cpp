// SPDX-License-Identifier: Apache-2.0
// Moments in memory give what populations give: to rounding, as they keep the momentum, by the generated
// kernels and by the tile that marches through planes.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/device/half.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "lbm_moments.hpp"
#include "lbm_moments_box.hpp"
#include "periodic_box.hpp"
#include "tile.hpp"

namespace {

constexpr std::array<std::int64_t, 3> extent{19, 9, 8}; // cut by tiles of 8 x 4 cells and 3 planes
constexpr double omega = 1.6;
const heddle::BlockGrid grid({{0, 0, 0}, extent});

using Cell = std::array<std::int64_t, 3>;

/// The walls among `sides` (bits of heddle::BoxWalls) behind which a cell lies.
std::uint32_t behind(const Cell& cell, const Cell& cells, std::uint32_t sides) {
  std::uint32_t found = 0;
  for (std::size_t a = 0; a < 3; ++a)
    found |= (cell[a] < 0 ? 1U : cell[a] >= cells[a] ? 2U : 0U) << 2 * a;
  return found & sides;
}

/// Fills the ghost layer of a box that is periodic, or has walls at `sides`, behind which nothing may be
/// read.
template <class T> void fill_ghosts(heddle::Field<T>& field, std::uint32_t sides = 0) {
  field.edit(0, [sides](heddle::FieldView<T> f) {
    const Cell cells{f.extent(0), f.extent(1), f.extent(2)};
    const auto inside = [&](std::int64_t i, int axis) { return (i + f.extent(axis)) % f.extent(axis); };
    const T nothing = std::is_same_v<T, std::uint16_t> ? static_cast<T>(0x7e00) : static_cast<T>(NAN);
    for (std::int64_t c = 0; c < f.extent(3); ++c) {
      for (std::int64_t z = -1; z <= f.extent(2); ++z) {
        for (std::int64_t y = -1; y <= f.extent(1); ++y) {
          for (std::int64_t x = -1; x <= f.extent(0); ++x)
            f(x, y, z, c) = behind({x, y, z}, cells, sides) != 0
                                ? nothing
                                : f(inside(x, 0), inside(y, 1), inside(z, 2), c);
        }
      }
    }
  });
}

/// Density and momentum, and the two parts of the stress, of which steps go from one copy to the other. The
/// components of a cell follow each other, as the tile wants it.
template <class Stress, class Flow = float> struct State {
  explicit State(heddle::Memory where, const heddle::BlockGrid& cells = grid)
      : flow(options<Flow>(4, where, "flow", cells)), flow_next(options<Flow>(4, where, "flow_next", cells)),
        stress(options<Stress>(4, where, "stress", cells)),
        stress_next(options<Stress>(4, where, "stress_next", cells)),
        shear(options<Stress>(2, where, "shear", cells)),
        shear_next(options<Stress>(2, where, "shear_next", cells)) {
    flow.fill([](auto x, auto y, auto z, int c) { return stored<Flow>(value(x, y, z, c, 1e-2)); });
    stress.fill([](auto x, auto y, auto z, int c) { return stored<Stress>(value(x, y, z, c + 4, 1e-4)); });
    shear.fill([](auto x, auto y, auto z, int c) { return stored<Stress>(value(x, y, z, c + 8, 1e-4)); });
  }
  template <class T>
  static heddle::Field<T> options(int components, heddle::Memory where, const char* name,
                                  const heddle::BlockGrid& cells) {
    return heddle::Field<T>(
        cells, {.components = components, .memory = where, .name = name, .cells_together = true});
  }
  static double value(std::int64_t x, std::int64_t y, std::int64_t z, int c, double size) {
    return size * std::sin(static_cast<double>(1 + x + 23 * y + 211 * z + 1733 * c));
  }
  template <class T> static T stored(double t) {
    if constexpr (std::is_same_v<T, std::uint16_t>)
      return heddle::to_half(static_cast<float>(t * 0x1p14));
    else
      return static_cast<T>(t);
  }

  /// sides: walls, behind which the ghost layer holds NaN.
  template <class Step> void run(int steps, Step&& step, std::uint32_t sides = 0) {
    for (int s = 0; s < steps; ++s) {
      fill_ghosts(flow, sides);
      fill_ghosts(stress, sides);
      fill_ghosts(shear, sides);
      step(flow.view(), stress.view(), shear.view(), flow_next.view(), stress_next.view(), shear_next.view());
      stream.synchronise();
      std::swap(flow, flow_next);
      std::swap(stress, stress_next);
      std::swap(shear, shear_next);
    }
  }

  heddle::Field<Flow> flow, flow_next;
  heddle::Field<Stress> stress, stress_next, shear, shear_next;
  heddle::Stream stream{test::device_memory};
};

/// The post-collision population q of D3Q19 that belongs to moments.
float population(const State<float>& state, const std::array<std::int64_t, 3>& cell, int q) {
  const heddle::FieldView<const float> flow = state.flow.view();
  const heddle::FieldView<const float> stress = state.stress.view();
  const heddle::FieldView<const float> shear = state.shear.view();
  const auto j = [&](std::int64_t a) { return flow(cell[0], cell[1], cell[2], a + 1); };
  const auto t = [&](std::int64_t ab) {
    return ab < 4 ? stress(cell[0], cell[1], cell[2], ab) : shear(cell[0], cell[1], cell[2], ab - 4);
  };
  const std::array<float, 3> e{4.5F * t(0), 4.5F * t(1), 4.5F * t(2)};
  const float trace = t(0) + t(1) + t(2);
  const float isotropic = flow(cell[0], cell[1], cell[2], 0) - 1.5F * trace;
  if (q == 0) return 1.0F / 3.0F * isotropic;
  const bool positive = q % 2 == 1;
  const test::Velocity& c = test::d3q19[static_cast<std::size_t>(positive ? q : q - 1)];
  float even = 0;
  float odd = 0;
  if (q <= 6) {
    const auto a = static_cast<std::size_t>((q - 1) / 2);
    even = 1.0F / 18.0F * (e[a] + isotropic);
    odd = 1.0F / 18.0F * (3.0F * j(static_cast<std::int64_t>(a)));
  } else {
    const std::size_t a = c[0] != 0 ? 0 : 1;
    const std::size_t b = c[2] != 0 ? 2 : 1;
    const float mixed = 9.0F * t(a == 0 ? (b == 1 ? 3 : 4) : 5);
    const float level = e[a] + e[b] + isotropic;
    even = 1.0F / 36.0F * (c[a] * c[b] > 0 ? mixed + level : level - mixed);
    const float first = 3.0F * j(static_cast<std::int64_t>(a));
    const float second = 3.0F * j(static_cast<std::int64_t>(b));
    odd = 1.0F / 36.0F * (c[b] > 0 ? first + second : first - second);
  }
  return positive ? even + odd : even - odd;
}

template <class F> void for_cells(F&& f) {
  for (std::int64_t z = 0; z < extent[2]; ++z) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      for (std::int64_t x = 0; x < extent[0]; ++x)
        f(std::array<std::int64_t, 3>{x, y, z});
    }
  }
}

int reference_q19(const tile::Floats& flow, const tile::Floats& stress, const tile::Floats& shear,
                  const tile::Floats& flow_next, const tile::Floats& stress_next,
                  const tile::Floats& shear_next) {
  return lbm_moments_q19_step_f32_reference(
      flow.data(), flow.extents().data(), flow.strides().data(), stress.data(), stress.extents().data(),
      stress.strides().data(), shear.data(), shear.extents().data(), shear.strides().data(), flow_next.data(),
      flow_next.extents().data(), flow_next.strides().data(), stress_next.data(),
      stress_next.extents().data(), stress_next.strides().data(), shear_next.data(),
      shear_next.extents().data(), shear_next.strides().data(), static_cast<float>(omega));
}

State<float> after_reference(int steps) {
  State<float> state(heddle::Memory::host);
  state.run(steps, [](const auto&... views) { ASSERT_EQ(reference_q19(views...), 0); });
  return state;
}

/// All moments of a state, component after component.
template <class Stress, class Flow> std::vector<double> moments(const State<Stress, Flow>& state) {
  std::vector<double> result;
  const auto append = [&]<class T>(const heddle::Field<T>& field) {
    for (int c = 0; c < field.components(); ++c) {
      for (const T value : field.read(0, c)) {
        if constexpr (std::is_same_v<T, std::uint16_t>)
          result.push_back(static_cast<double>(heddle::half_to_float(value)) * 0x1p-14);
        else
          result.push_back(static_cast<double>(value));
      }
    }
  };
  append(state.flow);
  append(state.stress);
  append(state.shear);
  return result;
}

/// Of the first `count` numbers; infinite where one is NaN.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  return largest_difference(a, b, a.size());
}

TEST(Moments, EqualPopulationsToRounding) {
  constexpr int steps = 5;
  constexpr float rounding = 2e-9F; // of populations of a few thousandths
  State<float> stored(heddle::Memory::host);
  heddle::Field<float> f(grid, {.components = 19, .name = "f"});
  heddle::Field<float> f_next(grid, {.components = 19, .name = "f_next"});
  const auto difference = [&] {
    float largest = 0;
    for_cells([&](const auto& cell) {
      for (int q = 0; q < 19; ++q)
        largest =
            std::max(largest, std::abs(f.view()(cell[0], cell[1], cell[2], q) - population(stored, cell, q)));
    });
    return largest;
  };
  for_cells([&](const auto& cell) {
    for (int q = 0; q < 19; ++q)
      f.view()(cell[0], cell[1], cell[2], q) = population(stored, cell, q);
  });
  for (int step = 0; step < steps; ++step) {
    stored.run(1, [](const auto&... views) { ASSERT_EQ(reference_q19(views...), 0); });
    fill_ghosts(f);
    lbm_moments::q19_pull(f.view(), f_next.view(), omega);
    std::swap(f, f_next);
    ASSERT_LT(difference(), rounding) << "after step " << step;
  }
}

TEST(Moments, SlopesOfTheTileKeepTheMomentum) {
  for (const tile::Slopes& slopes : {tile::slopes_q19(), tile::slopes_q27()}) {
    EXPECT_EQ(2 * slopes.axis + 8 * slopes.edge + 8 * slopes.corner, 1); // exact in f64
    EXPECT_NEAR(slopes.axis, 3 * slopes.w_axis, 3e-8);
    EXPECT_NEAR(slopes.edge, 3 * slopes.w_edge, 3e-8);
    EXPECT_NEAR(slopes.corner, 3 * slopes.w_corner, 3e-8);
  }
}

TEST(Moments, EveryTargetEqualsTheReferenceBitForBit) {
  const std::vector<double> expected = moments(after_reference(4));
  State<float> cpu(heddle::Memory::host);
  cpu.run(4, [](const auto&... views) { lbm_moments::q19_step(views..., omega); });
  EXPECT_EQ(moments(cpu), expected);
  State<float> cuda(test::device_memory);
  cuda.run(4,
           [&](const auto&... views) { lbm_moments::q19_step_cuda(views..., omega, cuda.stream.native()); });
  EXPECT_EQ(moments(cuda), expected);
}

TEST(Moments, TilesEqualTheGeneratedKernelsToRounding) {
  constexpr double rounding = 4e-8; // of populations of a few per cent, over four steps
  const std::vector<double> expected = moments(after_reference(4));
  State<float> q19(test::device_memory);
  q19.run(4, [&](const auto&... views) { ASSERT_EQ(tile::q19(views..., omega, q19.stream.native()), 0); });
  EXPECT_LT(largest_difference(moments(q19), expected), rounding);

  State<float> generated(heddle::Memory::host);
  generated.run(4, [](const auto&... views) { lbm_moments::q27_step(views..., omega); });
  State<float> q27(test::device_memory);
  q27.run(4, [&](const auto&... views) { ASSERT_EQ(tile::q27(views..., omega, q27.stream.native()), 0); });
  EXPECT_LT(largest_difference(moments(q27), moments(generated)), rounding);
  EXPECT_GT(largest_difference(moments(q27), expected), 100 * rounding); // another lattice
}

TEST(Moments, StressInHalvesHasTheAccuracyOfFloatsInDensityAndMomentum) {
  const std::vector<double> expected = moments(after_reference(20));
  State<std::uint16_t> generated(heddle::Memory::host);
  generated.run(20, [](const auto&... views) { lbm_moments::mixed_step(views..., omega); });
  State<std::uint16_t> tiled(test::device_memory);
  tiled.run(20,
            [&](const auto&... views) { ASSERT_EQ(tile::mixed(views..., omega, tiled.stream.native()), 0); });
  const double size = 1e-2;
  for (const State<std::uint16_t>* state : {&generated, &tiled}) {
    const std::vector<double> found = moments(*state);
    double flow = 0;
    const std::size_t values = expected.size() * 4 / 10;
    for (std::size_t i = 0; i < values; ++i)
      flow = std::max(flow, std::abs(found[i] - expected[i]));
    RecordProperty("error_of_density_and_momentum", std::to_string(flow / size));
    EXPECT_LT(flow / size, 2e-3);
  }
}

/// The directions of D3Q27 in the order of lbm.Lattice, of which D3Q19 has the first 19.
std::array<Cell, 27> directions() {
  std::array<Cell, 27> result{};
  for (std::size_t q = 0; q < 19; ++q) {
    for (std::size_t a = 0; a < 3; ++a)
      result[q][a] = test::d3q19[q][a];
  }
  constexpr std::array<Cell, 4> corners{{{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}}};
  for (std::size_t i = 0; i < 4; ++i) {
    result[19 + 2 * i] = corners[i];
    result[20 + 2 * i] = {-corners[i][0], -corners[i][1], -corners[i][2]};
  }
  return result;
}

/// A box as the generated kernels take it: bits of directions that come from a wall, and from the moving top,
/// a cell.
struct Links {
  Links(const heddle::BlockGrid& blocks, const Cell& cells, std::uint32_t sides)
      : walls(blocks, {.ghost_layers = 0, .name = "walls"}), lid(blocks, {.ghost_layers = 0, .name = "lid"}) {
    const auto bits = [&](bool moving) {
      return [&cells, sides, moving](auto x, auto y, auto z, int) {
        std::uint32_t found = 0;
        for (std::size_t q = 1; q < 27; ++q) {
          const Cell c = directions()[q];
          const std::uint32_t through = behind({x - c[0], y - c[1], z - c[2]}, cells, sides);
          if (moving ? through == 32U : through != 0) found |= 1U << q;
        }
        return found;
      };
    };
    walls.fill(bits(false));
    lid.fill(bits(true));
  }
  heddle::Field<std::uint32_t> walls, lid;
};

constexpr tile::Box driven{0, 0.02F, -0.01F, 1e-4F, -2e-4F, 3e-4F, 1.1F};

tile::Box with_walls(tile::Box box, std::uint32_t sides) {
  box.sides = sides;
  return box;
}

/// The state after steps by the generated kernel of a lattice, with all that a box has.
enum class Lattice { q19, q27 };
State<float> generated_box(Lattice lattice, const heddle::BlockGrid& blocks, const Cell& cells,
                           const tile::Box& box, int steps) {
  State<float> state(heddle::Memory::host, blocks);
  const Links links(blocks, cells, box.sides);
  state.run(
      steps,
      [&](const auto& flow, const auto& stress, const auto& shear, const auto&... next) {
        const auto step = [&](auto kernel) {
          const auto wide = [](float value) { return static_cast<double>(value); };
          kernel(flow, stress, shear, links.walls.view(), links.lid.view(), next..., wide(box.force_x),
                 wide(box.force_y), wide(box.force_z), wide(box.lid_x), wide(box.lid_y), omega,
                 wide(box.omega_bulk));
        };
        if (lattice == Lattice::q19)
          step([](const auto&... passed) { lbm_moments_box::q19(passed...); });
        else
          step([](const auto&... passed) { lbm_moments_box::q27(passed...); });
      },
      box.sides);
  return state;
}

/// The same by one of the tiles.
template <class Stress = float, class Flow = float, class Step>
std::vector<double> tiled_box(Step step, const heddle::BlockGrid& blocks, const tile::Box& box, int steps) {
  State<Stress, Flow> state(test::device_memory, blocks);
  state.run(
      steps, [&](const auto&... views) { ASSERT_EQ(step(views..., omega, box, state.stream.native()), 0); },
      box.sides);
  return moments(state);
}

TEST(Moments, TilesInABoxEqualTheGeneratedKernelsToRounding) {
  constexpr double rounding = 6e-8;
  const std::vector<double> periodic = moments(generated_box(Lattice::q19, grid, extent, driven, 4));
  for (const std::uint32_t sides : {63U, 0U, 1U, 2U, 4U, 8U, 16U, 32U, 21U, 42U}) {
    const tile::Box box = with_walls(driven, sides);
    const std::vector<double> q19 = moments(generated_box(Lattice::q19, grid, extent, box, 4));
    EXPECT_LT(largest_difference(tiled_box(tile::q19_box, grid, box, 4), q19), rounding) << "sides " << sides;
    const std::vector<double> q27 = moments(generated_box(Lattice::q27, grid, extent, box, 4));
    EXPECT_LT(largest_difference(tiled_box(tile::q27_box, grid, box, 4), q27), rounding) << "sides " << sides;
    EXPECT_GT(largest_difference(q19, q27), 100 * rounding);
    if (sides != 0) {
      EXPECT_GT(largest_difference(q19, periodic), 1000 * rounding);
    }
  }
}

TEST(Moments, WallsMayBeOneCellApart) {
  for (const Cell& cells : {Cell{1, 1, 1}, Cell{1, 2, 7}, Cell{9, 1, 3}, Cell{8, 4, 1}}) {
    const heddle::BlockGrid small({{0, 0, 0}, cells});
    const tile::Box box = with_walls(driven, 63);
    const std::vector<double> expected = moments(generated_box(Lattice::q27, small, cells, box, 4));
    EXPECT_LT(largest_difference(tiled_box(tile::q27_box, small, box, 4), expected), 6e-8);
  }
}

TEST(Moments, HalvesInABoxHaveTheirPrecision) {
  const tile::Box box = with_walls(driven, 63);
  const std::vector<double> expected = moments(generated_box(Lattice::q19, grid, extent, box, 20));
  const auto error = [&](const std::vector<double>& found) {
    return largest_difference(found, expected, expected.size() * 4 / 10) / 1e-2; // of density and momentum
  };
  EXPECT_LT(error(tiled_box<std::uint16_t>(tile::mixed_box, grid, box, 20)), 2e-3);
  EXPECT_LT(error((tiled_box<std::uint16_t, std::uint16_t>(tile::halves_box, grid, box, 20))), 4e-3);

  const std::vector<double> corners = moments(generated_box(Lattice::q27, grid, extent, box, 20));
  const auto error_q27 = [&](const std::vector<double>& found) {
    return largest_difference(found, corners, corners.size() * 4 / 10) / 1e-2;
  };
  EXPECT_LT(error_q27(tiled_box<std::uint16_t>(tile::mixed_q27_box, grid, box, 20)), 2e-3);
  EXPECT_LT(error_q27((tiled_box<std::uint16_t, std::uint16_t>(tile::halves_q27_box, grid, box, 20))), 4e-3);
}

/// Density and momentum, summed over the box.
std::array<double, 4> totals(const State<float>& state) {
  std::array<double, 4> sum{};
  for (int c = 0; c < 4; ++c) {
    for (const float value : state.flow.read(0, c))
      sum[static_cast<std::size_t>(c)] += static_cast<double>(value);
  }
  return sum;
}

/// What a force gives a cell: half of it is added twice a step, with roundings that all cells share (1e-6 of
/// it).
double momentum_of(float force, int steps) {
  float momentum = 0;
  for (int half = 0; half < 2 * steps; ++half)
    momentum += 0.5F * force;
  return static_cast<double>(momentum);
}

TEST(Moments, WallsKeepMassAndAForceGivesItsMomentum) {
  const tile::Box closed{.sides = 63, .lid_x = 0.02F, .lid_y = -0.01F};
  State<float> box(test::device_memory);
  const double mass = totals(box)[0];
  box.run(
      50,
      [&](const auto&... views) {
        ASSERT_EQ(tile::q19_walls(views..., omega, closed, box.stream.native()), 0);
      },
      closed.sides);
  EXPECT_NEAR(totals(box)[0], mass, 2e-6);
  State<float> corners(test::device_memory);
  corners.run(
      50,
      [&](const auto&... views) {
        ASSERT_EQ(tile::q27_box(views..., omega, closed, corners.stream.native()), 0);
      },
      closed.sides);
  EXPECT_NEAR(totals(corners)[0], mass, 2e-6);

  State<float> pushed(test::device_memory);
  const std::array<double, 4> before = totals(pushed);
  pushed.run(50, [&](const auto&... views) {
    ASSERT_EQ(tile::q19_driven(views..., omega, driven, pushed.stream.native()), 0);
  });
  const std::array<double, 4> after = totals(pushed);
  EXPECT_NEAR(after[0], before[0], 2e-6);
  const auto cells = static_cast<double>(extent[0] * extent[1] * extent[2]);
  EXPECT_NEAR(after[1] - before[1], cells * momentum_of(driven.force_x, 50), 5e-6);
  EXPECT_NEAR(after[2] - before[2], cells * momentum_of(driven.force_y, 50), 5e-6);
  EXPECT_NEAR(after[3] - before[3], cells * momentum_of(driven.force_z, 50), 5e-6);
}

TEST(Moments, CopiesAheadGiveTheSameBits) {
  State<float> registers(test::device_memory);
  registers.run(
      4, [&](const auto&... views) { ASSERT_EQ(tile::q19(views..., omega, registers.stream.native()), 0); });
  State<float> ahead(test::device_memory);
  ahead.run(4, [&](const auto&... views) {
    ASSERT_EQ(tile::q19_ahead(views..., omega, ahead.stream.native()), 0);
  });
  EXPECT_EQ(moments(ahead), moments(registers));
}

TEST(Moments, HalvesKeepDensityAndMomentumToTheirPrecision) {
  const std::vector<double> expected = moments(after_reference(20));
  State<std::uint16_t, std::uint16_t> state(test::device_memory);
  state.run(
      20, [&](const auto&... views) { ASSERT_EQ(tile::halves(views..., omega, state.stream.native()), 0); });
  const std::vector<double> found = moments(state);
  double error = 0;
  for (std::size_t i = 0; i < expected.size() * 4 / 10; ++i)
    error = std::max(error, std::abs(found[i] - expected[i]) / 1e-2);
  RecordProperty("error_of_density_and_momentum", std::to_string(error));
  EXPECT_LT(error, 1e-3); // a half has 11 bits: 5e-4 a step, at random
  EXPECT_GT(error, 1e-5);
}

TEST(Moments, MassAndMomentumAreConserved) {
  State<float> state(test::device_memory);
  const std::array<double, 4> before = totals(state);
  state.run(50,
            [&](const auto&... views) { ASSERT_EQ(tile::q19(views..., omega, state.stream.native()), 0); });
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(totals(state)[i], before[i], 2e-6) << "moment " << i;
}

TEST(Moments, DensityAndVelocityComeBackAsTheyWereSet) {
  heddle::Field<float> rho(grid, {.name = "rho"});
  heddle::Field<float> u(grid, {.components = 3, .name = "u"});
  rho.fill([](auto x, auto y, auto z, int) { return 1 + State<float>::value(x, y, z, 0, 1e-2); });
  u.fill([](auto x, auto y, auto z, int c) { return State<float>::value(x, y, z, c, 5e-2); });
  State<float> state(heddle::Memory::host);
  lbm_moments::initialise(rho.view(), u.view(), state.flow.view(), state.stress.view(), state.shear.view());
  heddle::Field<float> rho_out(grid, {.name = "rho_out"});
  heddle::Field<float> u_out(grid, {.components = 3, .name = "u_out"});
  lbm_moments::moments(state.flow.view(), rho_out.view(), u_out.view());
  for_cells([&](const auto& cell) {
    const auto [x, y, z] = cell;
    EXPECT_NEAR(rho_out.view()(x, y, z), rho.view()(x, y, z), 1e-7);
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(u_out.view()(x, y, z, c), u.view()(x, y, z, c), 1e-8);
  });
}

} // namespace
