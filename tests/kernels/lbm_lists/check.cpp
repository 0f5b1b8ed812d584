// SPDX-License-Identifier: Apache-2.0
// D3Q19 with two arrays over a list of cells: every target and precision gives the bits of the dense method.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "d3q19_values.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "lbm_lists.hpp"
#include "lbm_lists_push.hpp"
#include "lbm_lists_push_sweeps.hpp"
#include "lbm_lists_sweeps.hpp"
#include "periodic_box.hpp"

namespace {

using test::d3q19;
using test::opposite;
using test::PeriodicBox;
using Cell = std::array<std::int64_t, 3>;
using Flags = std::vector<std::uint8_t>;

enum class Target { cpu, reference, cuda };

constexpr double g_x = 1e-4;
constexpr double magic = 0.25;
constexpr double omega = 1.6;

/// One step over the cells first <= n < last.
template <class T>
int step(Target target, const heddle::SparseField<T>& f, heddle::SparseField<T>& f_next, std::int64_t first,
         std::int64_t last) {
  const auto from = f.view();
  const auto to = f_next.view();
  const std::array<std::int64_t, 2> extent{from.extent(0), from.extent(1)};
  const std::array<std::int64_t, 2> stride{from.stride(0), from.stride(1)};
  const heddle::IndexList& list = f.list();
  const auto call = [&](auto entry, auto scalar, auto... stream) {
    using Scalar = decltype(scalar);
    return entry(from.data(), extent.data(), stride.data(), to.data(), extent.data(), stride.data(),
                 list.neighbour(), list.neighbour_stride(), list.neighbour_run(), list.neighbour_chunk(),
                 first, last, static_cast<Scalar>(g_x), static_cast<Scalar>(magic),
                 static_cast<Scalar>(omega), stream...);
  };
  const auto choose = [&](auto cpu, auto reference, auto cuda, auto scalar) {
    if (target == Target::cuda) return call(cuda, scalar, static_cast<void*>(nullptr));
    return call(target == Target::cpu ? cpu : reference, scalar);
  };
  if constexpr (sizeof(T) == 4)
    return choose(lbm_lists_step_f32, lbm_lists_step_f32_reference, lbm_lists_step_f32_cuda, 0.0F);
  if constexpr (sizeof(T) == 2)
    return choose(lbm_lists_step_f16, lbm_lists_step_f16_reference, lbm_lists_step_f16_cuda, 0.0F);
}

/// The dense method in a periodic box, with half-way bounce-back made by hand.
template <class T> class DenseFlow {
public:
  /// slip_axis: the first and the last layer along it are solid, and walls there without friction; 3: none.
  DenseFlow(const Cell& extent, const Flags& flags, std::size_t slip_axis = 3)
      : f_(extent, 19), f_next_(extent, 19), flags_(flags), slip_axis_(slip_axis) {
    test::Random random(11);
    f_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q)
        f_.at(cell, q) = test::exactly<T>(random.below(1601) - 800); // as post-collision values
    });
    walls();
  }

  void step() {
    f_.fill_ghosts();
    lbm_lists::dense(View{f_}, View{f_next_}, g_x, magic, omega);
    std::swap(f_, f_next_);
    walls();
  }

  T at(const Cell& cell, int q) { return f_.at(cell, q); }
  /// What the next step reads as population q.
  T arrived(const Cell& cell, int q) { return f_.at(source(cell, q), q); }

private:
  /// As the wrappers take a user's own array.
  struct View {
    PeriodicBox<T>& box;
    T* data() const { return box.data(); }
    std::int64_t extent(std::size_t d) const { return box.extents()[d]; }
    std::int64_t stride(std::size_t d) const { return box.strides()[d]; }
  };

  bool fluid(const Cell& cell) const {
    return flags_[static_cast<std::size_t>(cell[0] + f_.extent(0) * (cell[1] + f_.extent(1) * cell[2]))] != 0;
  }
  Cell source(const Cell& cell, int q) const {
    const test::Velocity& c = d3q19[static_cast<std::size_t>(q)];
    return f_.image({cell[0] - c[0], cell[1] - c[1], cell[2] - c[2]});
  }
  /// What a fluid cell sent into a solid one comes back: the solid cell holds it for the next step.
  void walls() {
    f_.for_cells([&](const Cell& cell) {
      if (!fluid(cell)) return;
      for (int q = 1; q < 19; ++q) {
        const Cell behind = source(cell, q);
        if (!fluid(behind)) f_.at(behind, q) = returned(cell, q, behind);
      }
    });
  }
  /// f*_p of the cell, or at a layer that slips f*_r of the cell beside it, r being q mirrored at the layer.
  T returned(const Cell& cell, int q, const Cell& behind) {
    const std::size_t a = slip_axis_;
    if (a < 3 && (behind[a] == 0 || behind[a] == f_.extent(a) - 1)) {
      test::Velocity mirrored = d3q19[static_cast<std::size_t>(q)];
      mirrored[a] = -mirrored[a];
      Cell beside = behind;
      beside[a] = cell[a];
      int r = 0;
      while (d3q19[static_cast<std::size_t>(r)] != mirrored)
        ++r;
      if (fluid(beside)) return f_.at(beside, r);
    }
    return f_.at(cell, opposite(q));
  }

  PeriodicBox<T> f_, f_next_;
  Flags flags_;
  std::size_t slip_axis_;
};

struct Geometry {
  std::string name;
  Cell extent;
  std::function<bool(const Cell&, int draw)> fluid; // draw: 0 <= draw < 100
};

/// Chunks that end inside rows, rows that end inside chunks, one cell, and differences of one byte and of
/// two.
const Geometry geometries[] = {
    {"a few solid cells", {13, 7, 6}, [](const Cell&, int draw) { return draw < 75; }},
    {"mostly solid", {40, 9, 5}, [](const Cell&, int draw) { return draw < 15; }},
    {"rows of whole chunks", {64, 4, 3}, [](const Cell&, int) { return true; }},
    {"long rows", {320, 3, 3}, [](const Cell& cell, int) { return cell[1] != 0; }},
    {"one cell", {3, 3, 3}, [](const Cell& cell, int) { return cell == Cell{1, 1, 1}; }},
};

template <class T> class Lists : public testing::Test {};
using Precisions = testing::Types<float, std::uint16_t>;
TYPED_TEST_SUITE(Lists, Precisions);

TYPED_TEST(Lists, PullEqualsDenseBitForBit) {
  using T = TypeParam;
  for (const Geometry& geometry : geometries) {
    test::Random random(3);
    Flags flags;
    PeriodicBox<T>(geometry.extent, 1).for_cells([&](const Cell& cell) {
      flags.push_back(geometry.fluid(cell, random.below(100)) ? 1 : 0);
    });
    for (const Target target : {Target::cpu, Target::reference, Target::cuda}) {
      const heddle::Memory memory = target == Target::cuda ? test::device_memory : heddle::Memory::host;
      DenseFlow<T> dense(geometry.extent, flags);
      const heddle::IndexList list({{0, 0, 0}, geometry.extent}, flags, {true, true, true}, lbm_lists::links,
                                   memory);
      heddle::SparseField<T> f(list, 19, memory);
      heddle::SparseField<T> f_next(list, 19, memory);
      f.edit([&](heddle::SparseView<T> view) {
        for (std::int64_t n = 0; n < list.count(); ++n) {
          for (int q = 0; q < 19; ++q)
            view(n, q) = dense.at(list.position(n), q);
        }
      });
      for (int s = 0; s < 5; ++s) {
        heddle::SparseField<T>& from = s % 2 == 0 ? f : f_next;
        heddle::SparseField<T>& to = s % 2 == 0 ? f_next : f;
        const std::int64_t cut = list.count() / 3; // in two parts, as interior and border would be
        ASSERT_EQ(step(target, from, to, 0, cut), 0);
        ASSERT_EQ(step(target, from, to, cut, list.count()), 0);
        ASSERT_EQ(step(target, from, to, cut, cut), 0); // nothing
        dense.step();
        int differing = 0;
        to.inspect([&](heddle::SparseView<const T> view) {
          for (std::int64_t n = 0; n < list.count(); ++n) {
            for (int q = 0; q < 19; ++q)
              differing += view(n, q) != dense.at(list.position(n), q);
          }
        });
        ASSERT_EQ(differing, 0) << geometry.name << ", target " << static_cast<int>(target) << ", step " << s;
      }
    }
  }
}

TYPED_TEST(Lists, FacesThatSlipEqualDenseBitForBit) {
  using T = TypeParam;
  const Cell extent{11, 7, 6};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    test::Random random(5);
    Flags flags;
    Flags inside; // without the two layers
    PeriodicBox<T>(extent, 1).for_cells([&](const Cell& cell) {
      const bool layer = cell[axis] == 0 || cell[axis] == extent[axis] - 1;
      flags.push_back(!layer && random.below(100) < 80 ? 1 : 0);
      if (!layer) inside.push_back(flags.back());
    });
    heddle::Box box{{0, 0, 0}, extent};
    box.lower[axis] += 1;
    box.upper[axis] -= 1;
    std::array<bool, 3> periodic{true, true, true};
    periodic[axis] = false;
    std::array<bool, 6> slips{};
    slips[2 * axis] = slips[2 * axis + 1] = true;
    for (const Target target : {Target::cpu, Target::cuda}) {
      const heddle::Memory memory = target == Target::cuda ? test::device_memory : heddle::Memory::host;
      DenseFlow<T> dense(extent, flags, axis);
      const heddle::IndexList list(box, inside, periodic, lbm_lists::links, memory, {}, slips);
      heddle::SparseField<T> f(list, 19, memory);
      heddle::SparseField<T> f_next(list, 19, memory);
      f.edit([&](heddle::SparseView<T> view) {
        for (std::int64_t n = 0; n < list.count(); ++n) {
          for (int q = 0; q < 19; ++q)
            view(n, q) = dense.at(list.position(n), q);
        }
      });
      for (int s = 0; s < 4; ++s) {
        heddle::SparseField<T>& from = s % 2 == 0 ? f : f_next;
        heddle::SparseField<T>& to = s % 2 == 0 ? f_next : f;
        ASSERT_EQ(step(target, from, to, 0, list.count()), 0);
        dense.step();
        int differing = 0;
        to.inspect([&](heddle::SparseView<const T> view) {
          for (std::int64_t n = 0; n < list.count(); ++n) {
            for (int q = 0; q < 19; ++q)
              differing += view(n, q) != dense.at(list.position(n), q);
          }
        });
        ASSERT_EQ(differing, 0) << "axis " << axis << ", target " << static_cast<int>(target) << ", step "
                                << s;
      }
    }
  }
}

/// A slab, periodic along x and y, with a wall at rest below and a boundary sweep above: dense and on a list.
template <class T> class Slab {
public:
  explicit Slab(Target target)
      : target_(target), memory_(target == Target::cuda ? test::device_memory : heddle::Memory::host),
        list_({{0, 0, 0}, extent}, Flags(static_cast<std::size_t>(cells), 1), {true, true, false},
              lbm_lists::links, memory_),
        f_(list_, 19, memory_), f_next_(list_, 19, memory_), dense_(extent, 19), dense_next_(extent, 19) {
    test::Random random(17);
    dense_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q)
        dense_.at(cell, q) = test::exactly<T>(random.below(1601) - 800);
    });
    f_.edit([&](heddle::SparseView<T> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int q = 0; q < 19; ++q)
          view(n, q) = dense_.at(list_.position(n), q);
      }
    });
    std::vector<std::uint32_t> top;
    std::vector<std::uint32_t> mask;
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      if (list_.position(n)[2] != extent[2] - 1) continue;
      top.push_back(static_cast<std::uint32_t>(n));
      std::uint32_t bits = 0;
      for (std::size_t q = 1; q < 19; ++q)
        bits |= d3q19[q][2] < 0 ? std::uint32_t{1} << q : 0U;
      mask.push_back(bits);
    }
    top_ = heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(top), memory_);
    mask_ = heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(mask), memory_);
  }

  /// Both sweeps, with the momentum that each gives the wall above.
  template <class Sweep, class Face> void sweep(Sweep&& listed, Face&& face) {
    using Sum = float;
    const std::int64_t work = heddle::reduction_work(static_cast<std::int64_t>(top_.size()));
    std::array<heddle::Buffer<Sum>, 3> sums{heddle::Buffer<Sum>(1, memory_), heddle::Buffer<Sum>(1, memory_),
                                            heddle::Buffer<Sum>(1, memory_)};
    std::array<heddle::Buffer<Sum>, 3> room{heddle::Buffer<Sum>(work, memory_),
                                            heddle::Buffer<Sum>(work, memory_),
                                            heddle::Buffer<Sum>(work, memory_)};
    const auto view = f_.view();
    listed(target_, view, mask_.data(), top_.data(), top_.size(), sums, room);
    dense_.fill_ghosts();
    lbm_lists::floor_face(layer(0));
    std::array<Sum, 3> dense_sums{};
    std::array<std::vector<Sum>, 3> dense_room;
    for (std::vector<Sum>& values : dense_room)
      values.resize(64);
    face(layer(extent[2] - 1), dense_sums, dense_room);
    for (std::size_t a = 0; a < 3; ++a) {
      Sum found = 0;
      heddle::copy_bytes(&found, heddle::Memory::host, sums[a].data(), memory_, sizeof found);
      // the same terms in another order: the dense tree has a tile a row
      constexpr double rounding = 1e-4;
      EXPECT_NEAR(static_cast<double>(found), static_cast<double>(dense_sums[a]), rounding) << "axis " << a;
    }
    EXPECT_GT(std::abs(static_cast<double>(dense_sums[2])), 1e-3);
  }

  void step() {
    ASSERT_EQ(::step(target_, f_, f_next_, 0, list_.count()), 0);
    std::swap(f_, f_next_);
    lbm_lists::dense(View{dense_}, View{dense_next_}, g_x, magic, omega);
    std::swap(dense_, dense_next_);
  }

  int differing() {
    int count = 0;
    f_.inspect([&](heddle::SparseView<const T> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int q = 0; q < 19; ++q)
          count += view(n, q) != dense_.at(list_.position(n), q);
      }
    });
    return count;
  }

private:
  static constexpr Cell extent{9, 6, 5};
  static constexpr std::int64_t cells = extent[0] * extent[1] * extent[2];

  struct View {
    PeriodicBox<T>& box;
    T* data() const { return box.data(); }
    std::int64_t extent(std::size_t d) const { return box.extents()[d]; }
    std::int64_t stride(std::size_t d) const { return box.strides()[d]; }
  };
  /// One layer of the box as a face sweep takes it.
  struct Layer {
    PeriodicBox<T>& box;
    std::int64_t z;
    T* data() const { return &box.at(0, 0, z, 0); }
    std::int64_t extent(std::size_t d) const { return d == 2 ? 1 : box.extents()[d]; }
    std::int64_t stride(std::size_t d) const { return box.strides()[d]; }
  };
  Layer layer(std::int64_t z) { return {dense_, z}; }

  Target target_;
  heddle::Memory memory_;
  heddle::IndexList list_;
  heddle::SparseField<T> f_, f_next_;
  heddle::Buffer<std::uint32_t> top_, mask_;
  PeriodicBox<T> dense_, dense_next_;
};

/// The C entry of a listed sweep, called with the arrays of a field; scalars last.
template <class T, class Cpu, class Cuda, class Sums, class... Scalars>
void run_listed(Target target, Cpu cpu, Cuda cuda, heddle::SparseView<T> f, const std::uint32_t* mask,
                const std::uint32_t* cells, std::int64_t count, Sums& sums, Sums& room, Scalars... scalars) {
  using Sum = float;
  const std::array<std::int64_t, 2> extent{f.extent(0), f.extent(1)};
  const std::array<std::int64_t, 2> stride{f.stride(0), f.stride(1)};
  const auto call = [&](auto entry, auto... stream) {
    return entry(f.data(), extent.data(), stride.data(), mask, cells, count, sums[0].data(), room[0].data(),
                 sums[1].data(), room[1].data(), sums[2].data(), room[2].data(), static_cast<Sum>(scalars)...,
                 stream...);
  };
  ASSERT_EQ(target == Target::cuda ? call(cuda, static_cast<void*>(nullptr)) : call(cpu), 0);
}

#define HEDDLE_ENTRY(kernel, suffix)                                                                         \
  [] {                                                                                                       \
    if constexpr (sizeof(T) == 4)                                                                            \
      return lbm_lists_##kernel##_f32##suffix;                                                               \
    else                                                                                                     \
      return lbm_lists_##kernel##_f16##suffix;                                                               \
  }()

TYPED_TEST(Lists, MovingWallAndPressureEqualDenseFacesBitForBit) {
  using T = TypeParam;
  for (const bool lid : {true, false}) {
    for (const Target target : {Target::cpu, Target::reference, Target::cuda}) {
      Slab<T> slab(target);
      for (int s = 0; s < 4; ++s) {
        const auto listed = [&](Target on, auto f, auto* mask, auto* cells, auto count, auto& sums,
                                auto& room) {
          const auto host_lid = on == Target::cpu ? HEDDLE_ENTRY(lid, ) : HEDDLE_ENTRY(lid, _reference);
          const auto host_open = on == Target::cpu ? HEDDLE_ENTRY(open, ) : HEDDLE_ENTRY(open, _reference);
          if (lid)
            run_listed<T>(on, host_lid, HEDDLE_ENTRY(lid, _cuda), f, mask, cells, count, sums, room, 0.03,
                          0.01);
          else
            run_listed<T>(on, host_open, HEDDLE_ENTRY(open, _cuda), f, mask, cells, count, sums, room, 1.01,
                          0.03, 0.01);
        };
        slab.sweep(listed, [&](auto layer, auto& sums, auto& room) {
          if (lid)
            lbm_lists::lid_face(layer, &sums[0], room[0].data(), &sums[1], room[1].data(), &sums[2],
                                room[2].data(), 0.03, 0.01);
          else
            lbm_lists::open_face(layer, &sums[0], room[0].data(), &sums[1], room[1].data(), &sums[2],
                                 room[2].data(), 1.01, 0.03, 0.01);
        });
        slab.step();
        ASSERT_EQ(slab.differing(), 0)
            << (lid ? "lid" : "open") << ", target " << static_cast<int>(target) << ", step " << s;
      }
    }
  }
}

TEST(Push, OverAListEqualsDenseBitForBit) {
  const Geometry& geometry = geometries[0];
  test::Random random(3);
  Flags flags;
  PeriodicBox<float>(geometry.extent, 1).for_cells([&](const Cell& cell) {
    flags.push_back(geometry.fluid(cell, random.below(100)) ? 1 : 0);
  });
  DenseFlow<float> dense(geometry.extent, flags);
  const heddle::IndexList list({{0, 0, 0}, geometry.extent}, flags, {true, true, true},
                               lbm_lists_push::links);
  heddle::SparseField<float> f(list, 19);
  heddle::SparseField<float> f_next(list, 19);
  for (std::int64_t n = 0; n < list.count(); ++n) {
    for (int q = 0; q < 19; ++q)
      f.view()(n, q) = dense.arrived(list.position(n), q);
  }
  for (int s = 0; s < 5; ++s) {
    heddle::SparseField<float>& from = s % 2 == 0 ? f : f_next;
    heddle::SparseField<float>& to = s % 2 == 0 ? f_next : f;
    lbm_lists_push::step(std::as_const(from).view(), to.view(), list.neighbour(), list.neighbour_stride(), 0,
                         list.count(), g_x, magic, omega);
    dense.step();
    for (std::int64_t n = 0; n < list.count(); ++n) {
      for (int q = 0; q < 19; ++q)
        ASSERT_EQ(to.view()(n, q), dense.arrived(list.position(n), q)) << "step " << s;
    }
  }
}

} // namespace
