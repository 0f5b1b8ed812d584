// SPDX-License-Identifier: Apache-2.0
// Vectors over interleaved blocks give what one block gives, bit for bit: with borders between the blocks of
// a vector, with walls, and with ghost cells that nobody filled made NaN.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../../support/device_memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/device/half.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_walls.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "lbm_lanes_sweeps.hpp"

namespace {

constexpr int lanes = 4;
constexpr std::array<std::int64_t, 3> extent{37, 5, 8};
constexpr double omega = 1.7;
constexpr double u_lid = 0.05;

template <class T> T stored(double value) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return heddle::to_half(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// Populations on a grid, stepped by one target of the kernels.
template <class T> class Simulation {
public:
  /// walls: a floor and a lid; sides: and four walls around.
  Simulation(const std::array<int, 3>& cut, bool walls, int interleaved, heddle::Memory where,
             bool sides = false)
      : walls_(walls), grid_({{0, 0, 0}, extent}, cut, {!sides, !sides, !walls}),
        f_(grid_, {.components = 19, .memory = where, .name = "f", .interleaved = interleaved}),
        stream_(where) {
    f_.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
      return stored<T>(1e-2 * std::sin(static_cast<double>(1 + x + 41 * (y + 7 * (z + 11 * q)))));
    });
  }

  heddle::Field<T>& f() { return f_; }

  /// All values in the order of the domain; the blocks are cut along z.
  std::vector<T> values() const {
    std::vector<T> result;
    for (int q = 0; q < 19; ++q) {
      for (int block = 0; block < f_.blocks(); ++block) {
        const std::vector<T> part = f_.read(block, q);
        result.insert(result.end(), part.begin(), part.end());
      }
    }
    return result;
  }

  /// A step: what has to arrive, the kernel, what has to be sent.
  template <class Sweep, class Run> void step(const Sweep& sweep, Run&& run) {
    if (!walls_) f_.fill_ghosts(stored<T>(std::numeric_limits<double>::quiet_NaN()));
    heddle::HaloExchange before(sweep.before(), {.as_on_device = vectors_});
    heddle::HaloExchange after(sweep.after(), {.as_on_device = vectors_});
    before(stream_);
    run();
    after(stream_);
    stream_.synchronise();
  }

  /// The layer of cells at the floor or under the lid.
  heddle::FieldView<T> layer(bool lid) {
    const heddle::FieldView<T> view = f_.view(lid ? f_.blocks() - 1 : 0);
    return {
        &view(0, 0, lid ? view.extent(2) - 1 : 0), {view.extent(0), view.extent(1), 1, 19}, view.strides()};
  }

  /// The layer of cells at one of the sides of the only block.
  heddle::FieldView<T> side(int axis, bool upper) {
    const heddle::FieldView<T> view = f_.view();
    const auto a = static_cast<std::size_t>(axis);
    std::array<std::int64_t, 3> first{};
    auto extents = view.extents();
    first[a] = upper ? extents[a] - 1 : 0;
    extents[a] = 1;
    return {&view(first[0], first[1], first[2]), extents, view.strides()};
  }

  heddle::Stream& stream() { return stream_; }
  /// From now on the kernels are those of a device, wherever they run.
  void take_vectors() { vectors_ = true; }

private:
  bool vectors_ = false;
  bool walls_;
  heddle::BlockGrid grid_;
  heddle::Field<T> f_;
  heddle::Stream stream_;
};

/// The entries of the reference, by precision.
#define HEDDLE_REFERENCE(kernel)                                                                             \
  template <class T> void kernel##_reference(const heddle::FieldView<T>& f, double rate) {                   \
    int status = -1;                                                                                         \
    if constexpr (std::is_same_v<T, float>)                                                                  \
      status = lbm_lanes_##kernel##_f32_reference(f.data(), f.extents().data(), f.strides().data(),          \
                                                  static_cast<float>(rate));                                 \
    else                                                                                                     \
      status = lbm_lanes_##kernel##_f16_reference(f.data(), f.extents().data(), f.strides().data(),          \
                                                  static_cast<float>(rate));                                 \
    ASSERT_EQ(status, 0);                                                                                    \
  }
HEDDLE_REFERENCE(aa_even)
HEDDLE_REFERENCE(aa_odd)
HEDDLE_REFERENCE(eso_pull_even)
HEDDLE_REFERENCE(eso_pull_odd)
HEDDLE_REFERENCE(lid_after_even)
HEDDLE_REFERENCE(lid_after_odd)

template <class T> class Lanes : public testing::Test {};
using Precisions = testing::Types<float, std::uint16_t>;
TYPED_TEST_SUITE(Lanes, Precisions);

/// Four AA steps of the reference on one block.
template <class T> std::vector<T> aa_on_one_block(bool walls) {
  Simulation<T> s({1, 1, 1}, walls, 1, heddle::Memory::host);
  const lbm_lanes::AaEven<T> even(s.f(), {.omega = omega});
  const lbm_lanes::AaOdd<T> odd(s.f(), {.omega = omega});
  for (int pair = 0; pair < 2; ++pair) {
    s.step(even, [&] { aa_even_reference<T>(s.f().view(), omega); });
    if (walls) lid_after_even_reference<T>(s.layer(true), u_lid);
    if (walls) lbm_lanes::floor_after_even(s.layer(false));
    s.step(odd, [&] { aa_odd_reference<T>(s.f().view(), omega); });
    if (walls) lid_after_odd_reference<T>(s.layer(true), u_lid);
    if (walls) lbm_lanes::floor_after_odd(s.layer(false));
  }
  return s.values();
}

/// The same with vectors, group after group of interleaved blocks.
template <class T> std::vector<T> aa_in_lanes(int blocks, bool walls) {
  Simulation<T> s({1, 1, blocks}, walls, lanes, test::device_memory);
  void* const stream = s.stream().native();
  const lbm_lanes::AaEven<T> even(s.f(), {.omega = omega});
  const lbm_lanes::AaOdd<T> odd(s.f(), {.omega = omega});
  for (int pair = 0; pair < 2; ++pair) {
    s.step(even, [&] {
      for (int block = 0; block < blocks; block += lanes)
        lbm_lanes::aa_even_cuda(s.f().view(block), omega, stream);
    });
    if (walls) lbm_lanes::lid_after_even_cuda(s.layer(true), u_lid, stream);
    if (walls) lbm_lanes::floor_after_even_cuda(s.layer(false), stream);
    s.step(odd, [&] {
      for (int block = 0; block < blocks; block += lanes)
        lbm_lanes::aa_odd_cuda(s.f().view(block), omega, stream);
    });
    if (walls) lbm_lanes::lid_after_odd_cuda(s.layer(true), u_lid, stream);
    if (walls) lbm_lanes::floor_after_odd_cuda(s.layer(false), stream);
  }
  s.stream().synchronise();
  return s.values();
}

TYPED_TEST(Lanes, AaEqualsOneBlockBitForBit) {
  using T = TypeParam;
  for (const bool walls : {false, true}) {
    const std::vector<T> expected = aa_on_one_block<T>(walls);
    for (const int blocks : {4, 8})
      EXPECT_EQ(aa_in_lanes<T>(blocks, walls), expected) << blocks << " blocks" << (walls ? ", walls" : "");
  }
}

/// Four AA steps of the reference on one block in a box, with a sweep for each of its six walls: the lid
/// first, so that those at rest have the links through its edges.
template <class T> std::vector<T> box_by_sweeps() {
  Simulation<T> s({1, 1, 1}, true, 1, heddle::Memory::host, true);
  const lbm_lanes::AaEven<T> even(s.f(), {.omega = omega});
  const lbm_lanes::AaOdd<T> odd(s.f(), {.omega = omega});
  for (int pair = 0; pair < 2; ++pair) {
    s.step(even, [&] { aa_even_reference<T>(s.f().view(), omega); });
    lid_after_even_reference<T>(s.layer(true), u_lid);
    lbm_lanes::wall_w_after_even(s.side(0, false));
    lbm_lanes::wall_e_after_even(s.side(0, true));
    lbm_lanes::wall_s_after_even(s.side(1, false));
    lbm_lanes::wall_n_after_even(s.side(1, true));
    lbm_lanes::floor_after_even(s.layer(false));
    s.step(odd, [&] { aa_odd_reference<T>(s.f().view(), omega); });
    lid_after_odd_reference<T>(s.layer(true), u_lid);
    lbm_lanes::wall_w_after_odd(s.side(0, false));
    lbm_lanes::wall_e_after_odd(s.side(0, true));
    lbm_lanes::wall_s_after_odd(s.side(1, false));
    lbm_lanes::wall_n_after_odd(s.side(1, true));
    lbm_lanes::floor_after_odd(s.layer(false));
  }
  return s.values();
}

TYPED_TEST(Lanes, WallsWithinTheStepEqualSweepsBitForBit) {
  using T = TypeParam;
  const std::vector<T> expected = box_by_sweeps<T>();
  for (const int blocks : {4, 8}) {
    Simulation<T> s({1, 1, blocks}, true, lanes, test::device_memory, true);
    void* const stream = s.stream().native();
    const lbm_lanes::WalledEven<T> even(s.f(), {.omega = omega});
    const lbm_lanes::WalledOdd<T> odd(s.f(), {.omega = omega});
    for (int pair = 0; pair < 2; ++pair) {
      s.step(even, [&] {
        for (int block = 0; block < blocks; block += lanes)
          lbm_lanes::walled_even_cuda(s.f().view(block), omega, stream);
      });
      lbm_lanes::walled_lid_after_even_cuda(s.layer(true), heddle::walls_of(s.f(), blocks - 1), u_lid,
                                            stream);
      lbm_lanes::walled_floor_after_even_cuda(s.layer(false), heddle::walls_of(s.f(), 0), stream);
      s.step(odd, [&] {
        for (int block = 0; block < blocks; block += lanes)
          lbm_lanes::walled_odd_cuda(s.f().view(block), heddle::walls_of(s.f(), block), omega, stream);
      });
      lbm_lanes::walled_lid_after_odd_cuda(s.layer(true), heddle::walls_of(s.f(), blocks - 1), u_lid, stream);
      lbm_lanes::walled_floor_after_odd_cuda(s.layer(false), heddle::walls_of(s.f(), 0), stream);
    }
    s.stream().synchronise();
    EXPECT_EQ(s.values(), expected) << blocks << " blocks";
  }
}

/// Four AA steps in a box, all walls of which are the kernel's and the exchange's. The lid adds its momentum
/// to what it sends back before that crosses.
template <class T> std::vector<T> box_in_lanes(const std::array<int, 3>& cut) {
  Simulation<T> s(cut, true, lanes, test::device_memory, true);
  s.take_vectors();
  void* const stream = s.stream().native();
  const int blocks = s.f().blocks();
  const lbm_lanes::BoxedEven<T> even(s.f(), {.omega = omega});
  const lbm_lanes::BoxedOdd<T> odd(s.f(), {.omega = omega});
  for (int pair = 0; pair < 2; ++pair) {
    s.step(even, [&] {
      for (int block = 0; block < blocks; block += lanes)
        lbm_lanes::boxed_even_cuda(s.f().view(block), omega, stream);
    });
    lbm_lanes::boxed_lid_after_even_cuda(s.layer(true), heddle::walls_of(s.f(), blocks - 1), u_lid, stream);
    s.step(odd, [&] {
      for (int block = 0; block < blocks; block += lanes)
        lbm_lanes::boxed_odd_cuda(s.f().view(block), heddle::shared_walls(s.f(), block), omega, stream);
    });
    lbm_lanes::boxed_lid_after_odd_cuda(s.layer(true), heddle::walls_of(s.f(), blocks - 1), u_lid, stream);
  }
  s.stream().synchronise();
  return s.values();
}

TYPED_TEST(Lanes, WallsOfSomeLanesEqualSweepsBitForBit) {
  using T = TypeParam;
  const std::vector<T> expected = box_by_sweeps<T>();
  for (const int blocks : {4, 8})
    EXPECT_EQ(box_in_lanes<T>({1, 1, blocks}), expected) << blocks << " blocks";
}

TYPED_TEST(Lanes, WallsWithinTheStepStandWhereTheGridEnds) {
  using T = TypeParam;
  Simulation<T> s({2, 2, 2}, true, 1, heddle::Memory::host,
                  true); // blocks of which each has some of the walls
  const lbm_lanes::WalledEven<T> even(s.f(), {.omega = omega});
  const lbm_lanes::WalledOdd<T> odd(s.f(), {.omega = omega});
  const auto top = [&](auto&& lid) {
    for (int block = 4; block < 8; ++block) {
      const heddle::FieldView<T> view = s.f().view(block);
      lid({&view(0, 0, view.extent(2) - 1), {view.extent(0), view.extent(1), 1, 19}, view.strides()},
          heddle::walls_of(s.f(), block));
    }
  };
  const auto bottom = [&](auto&& floor) {
    for (int block = 0; block < 4; ++block) {
      const heddle::FieldView<T> view = s.f().view(block);
      floor({view.data(), {view.extent(0), view.extent(1), 1, 19}, view.strides()},
            heddle::walls_of(s.f(), block));
    }
  };
  using View = heddle::FieldView<T>;
  for (int pair = 0; pair < 2; ++pair) {
    s.step(even, [&] { even(s.stream()); });
    top([&](const View& f, std::uint32_t walls) { lbm_lanes::walled_lid_after_even(f, walls, u_lid); });
    bottom([&](const View& f, std::uint32_t walls) { lbm_lanes::walled_floor_after_even(f, walls); });
    s.step(odd, [&] { odd(s.stream()); });
    top([&](const View& f, std::uint32_t walls) { lbm_lanes::walled_lid_after_odd(f, walls, u_lid); });
    bottom([&](const View& f, std::uint32_t walls) { lbm_lanes::walled_floor_after_odd(f, walls); });
  }
  const std::vector<T> expected = box_by_sweeps<T>();
  const heddle::Field<T>& f = s.f();
  for (int block = 0; block < 8; ++block) {
    const heddle::Box& box = f.box(block);
    for (int q = 0; q < 19; ++q) {
      const std::vector<T> part = f.read(block, q);
      std::size_t at = 0;
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z)
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y)
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x, ++at) {
            const std::int64_t where = x + extent[0] * (y + extent[1] * (z + extent[2] * q));
            ASSERT_EQ(part[at], expected[static_cast<std::size_t>(where)])
                << "block " << block << ", cell " << x << ' ' << y << ' ' << z << ", population " << q;
          }
    }
  }
}

TYPED_TEST(Lanes, EsoPullEqualsOneBlockBitForBit) {
  using T = TypeParam;
  Simulation<T> one({1, 1, 1}, false, 1, heddle::Memory::host);
  Simulation<T> vectors({1, 1, lanes}, false, lanes, test::device_memory);
  void* const stream = vectors.stream().native();
  for (int pair = 0; pair < 2; ++pair) {
    one.step(lbm_lanes::EsoPullEven<T>(one.f(), {.omega = omega}),
             [&] { eso_pull_even_reference<T>(one.f().view(), omega); });
    one.step(lbm_lanes::EsoPullOdd<T>(one.f(), {.omega = omega}),
             [&] { eso_pull_odd_reference<T>(one.f().view(), omega); });
    vectors.step(lbm_lanes::EsoPullEven<T>(vectors.f(), {.omega = omega}),
                 [&] { lbm_lanes::eso_pull_even_cuda(vectors.f().view(), omega, stream); });
    vectors.step(lbm_lanes::EsoPullOdd<T>(vectors.f(), {.omega = omega}),
                 [&] { lbm_lanes::eso_pull_odd_cuda(vectors.f().view(), omega, stream); });
  }
  EXPECT_EQ(vectors.values(), one.values());
}

TYPED_TEST(Lanes, TheProcessorTakesTheBlocksOneByOne) {
  using T = TypeParam;
  Simulation<T> s({1, 1, lanes}, false, lanes, heddle::Memory::host);
  const lbm_lanes::AaEven<T> even(s.f(), {.omega = omega});
  const lbm_lanes::AaOdd<T> odd(s.f(), {.omega = omega});
  for (int pair = 0; pair < 2; ++pair) {
    s.step(even, [&] { even(s.stream()); });
    s.step(odd, [&] { odd(s.stream()); });
  }
  EXPECT_EQ(s.values(), aa_on_one_block<T>(false));
}

TEST(LanesPreconditions, AreReportedByCode) {
  Simulation<float> plain({1, 1, 1}, false, 1, heddle::Memory::host);
  Simulation<float> four({1, 1, lanes}, false, lanes, heddle::Memory::host);
  Simulation<float> two({1, 1, 2}, false, 2, heddle::Memory::host);
  const auto even = [](const heddle::FieldView<float>& f) {
    return lbm_lanes_aa_even_f32_cuda(f.data(), f.extents().data(), f.strides().data(), 1.0F, nullptr);
  };
  EXPECT_EQ(even(plain.f().view()), -3); // cells of a row follow each other
  EXPECT_EQ(even(two.f().view()), -3);   // blocks of two
  EXPECT_EQ(even(four.f().view(1)), -3); // begins at the second lane of a vector
}

} // namespace
