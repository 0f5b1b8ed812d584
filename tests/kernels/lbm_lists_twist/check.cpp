// SPDX-License-Identifier: Apache-2.0
// EsoTwist and EsoPull over lists of cells: the bits of the dense pattern with the same walls, and of AA.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "d3q19_values.hpp"
#include "esoteric_places.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/sparse/wall_masks.hpp"
#include "lbm_lists_aa_sweeps.hpp"
#include "lbm_lists_eso_pull_sweeps.hpp"
#include "lbm_lists_twist.h"
#include "lbm_lists_twist_sweeps.hpp"
#include "lbm_twist_dense.hpp"
#include "list_array.hpp"
#include "periodic_box.hpp"

namespace {

using heddle::CellOrder;
using heddle::IndexList;
using heddle::SparseField;
using test::after;
using test::before;
using test::d3q19;
using test::eso_pull_shift;
using test::opposite;
using test::PeriodicBox;
using test::Place;
using test::twist_shift;
using test::Velocity;
using Cell = std::array<std::int64_t, 3>;
using Flags = std::vector<std::uint8_t>;

enum class Target { cpu, reference, cuda };
enum class Walls { full_way, halfway, swept }; ///< swept: half-way, by a boundary sweep

constexpr double g_x = 1e-4;
constexpr double magic = 0.25;
constexpr double omega = 1.6;

Cell moved(const Cell& cell, const Velocity& by) {
  return {cell[0] + by[0], cell[1] + by[1], cell[2] + by[2]};
}

/// EsoTwist over all cells of a periodic box, its walls made by hand.
template <class T> class DenseFlow {
public:
  DenseFlow(const Cell& extent, Flags flags, bool halfway)
      : f_(extent, 19), flags_(std::move(flags)), halfway_(halfway) {
    test::Random random(11);
    f_.for_cells([&](const Cell& cell) {
      for (int q = 0; q < 19; ++q)
        f_.at(cell, q) = test::exactly<T>(random.below(1601) - 800);
    });
  }

  bool fluid(const Cell& cell) const {
    const Cell at = f_.image(cell);
    return flags_[static_cast<std::size_t>(at[0] + f_.extent(0) * (at[1] + f_.extent(1) * at[2]))] != 0;
  }
  T& at(const Cell& cell, const Place& place) {
    return f_.at(f_.image(moved(cell, place.offset)), place.slot);
  }
  /// What the next step reads as population q.
  T arrived(const Cell& cell, int q) { return at(cell, before(twist_shift, odd_, q)); }

  void step() {
    PeriodicBox<T> old = f_;
    f_.fill_ghosts();
    const View view{f_};
    odd_ ? lbm_twist_dense::step_odd(view, g_x, magic, omega)
         : lbm_twist_dense::step_even(view, g_x, magic, omega);
    for (int q = 1; q < 19; ++q)
      f_.return_ghosts(after(twist_shift, odd_, q).slot, after(twist_shift, odd_, q).offset);
    f_.for_cells([&](const Cell& cell) { // nobody updates what belongs to solid cells
      for (int q = 0; q < 19 && !fluid(cell); ++q) {
        const Place place = after(twist_shift, odd_, q);
        at(cell, place) = old.at(f_.image(moved(cell, place.offset)), place.slot);
      }
    });
    if (halfway_) bounce();
    odd_ = !odd_;
  }

private:
  /// As the wrappers take a user's own array.
  struct View {
    PeriodicBox<T>& box;
    T* data() const { return box.data(); }
    std::int64_t extent(std::size_t d) const { return box.extents()[d]; }
    std::int64_t stride(std::size_t d) const { return box.strides()[d]; }
  };

  void bounce() {
    f_.for_cells([&](const Cell& cell) {
      for (int q = 1; q < 19 && fluid(cell); ++q) {
        if (!fluid(moved(cell, d3q19[static_cast<std::size_t>(opposite(q))])))
          at(cell, before(twist_shift, !odd_, q)) = at(cell, after(twist_shift, odd_, opposite(q)));
      }
    });
  }

  PeriodicBox<T> f_;
  Flags flags_;
  bool halfway_;
  bool odd_ = false;
};

#define HEDDLE_PRECISION(kernel, ...)                                                                        \
  [](auto... arguments) {                                                                                    \
    if constexpr (std::is_same_v<T, double>)                                                                 \
      return lbm_lists_twist_##kernel##_f64##__VA_ARGS__(arguments...);                                      \
    else if constexpr (std::is_same_v<T, float>)                                                             \
      return lbm_lists_twist_##kernel##_f32##__VA_ARGS__(arguments...);                                      \
    else                                                                                                     \
      return lbm_lists_twist_##kernel##_f16##__VA_ARGS__(arguments...);                                      \
  }
#define HEDDLE_RUN(kernel, ...)                                                                              \
  ASSERT_EQ(target_ == Target::cpu         ? HEDDLE_PRECISION(kernel)(__VA_ARGS__)                           \
            : target_ == Target::reference ? HEDDLE_PRECISION(kernel, _reference)(__VA_ARGS__)               \
                                           : HEDDLE_PRECISION(kernel, _cuda)(__VA_ARGS__, nullptr),          \
            0)

/// EsoTwist over the flagged cells of a periodic box.
template <class T> class ListFlow {
  using Scalar = std::conditional_t<std::is_same_v<T, double>, double, float>;

public:
  ListFlow(Target target, Walls walls, const Cell& extent, const Flags& flags,
           CellOrder order = CellOrder::rows)
      : target_(target), walls_kind_(walls),
        memory_(target == Target::cuda ? test::device_memory : heddle::Memory::host),
        list_({{0, 0, 0}, extent}, flags, periodic, lbm_lists_twist::links, memory_, {}, {}, order),
        f_(list_, 19, memory_), walls_(list_, 1, memory_, "walls") {
    heddle::mark_walls(walls_, d3q19, periodic);
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> masks;
    walls_.inspect([&](heddle::SparseView<const std::uint32_t> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        if (view(n) == 0) continue;
        cells.push_back(static_cast<std::uint32_t>(n));
        masks.push_back(view(n));
      }
    });
    cells_ = heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(cells), memory_);
    masks_ = heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(masks), memory_);
    table_.resize(static_cast<std::size_t>(3 * list_.neighbour_stride()));
    heddle::copy_bytes(table_.data(), heddle::Memory::host, list_.neighbour(), memory_,
                       table_.size() * sizeof(std::uint32_t));
  }

  const IndexList& list() const { return list_; }

  /// Copies the elements that belong to listed cells, wherever they lie.
  void start_as(DenseFlow<T>& dense) {
    f_.edit([&](heddle::SparseView<T> view) {
      for_elements([&](std::int64_t n, std::int64_t cell, const Place& place) {
        view(cell, place.slot) = dense.at(list_.position(n), place);
      });
    });
  }

  /// One step, in two parts, as interior and border would be.
  void step() {
    collide(0, list_.count() / 3);
    collide(list_.count() / 3, list_.count());
    if (walls_kind_ == Walls::swept) sweep();
    odd_ = !odd_;
  }

  /// f(cell n, q, population q that the next step reads).
  template <class F> void for_arrived(F&& f) {
    f_.inspect([&](heddle::SparseView<const T> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int q = 0; q < 19; ++q) {
          const Place place = before(twist_shift, odd_, q);
          f(n, q, view(cell_at(n, place.offset), place.slot));
        }
      }
    });
  }

  /// Over all that belongs to listed cells.
  double mass() {
    double sum = 0;
    for_arrived([&](std::int64_t, int, T value) { sum += test::number(value); });
    return sum;
  }

  static constexpr std::array<bool, 3> periodic{true, true, true};

private:
  void collide(std::int64_t first, std::int64_t last) {
    const auto f = f_.view();
    const auto walls = walls_.view();
    const auto g = static_cast<Scalar>(g_x);
    const auto lambda = static_cast<Scalar>(magic);
    const auto rate = static_cast<Scalar>(omega);
    const std::uint32_t* const table = list_.neighbour();
    const std::int64_t stride = list_.neighbour_stride();
    if (walls_kind_ == Walls::halfway && odd_) {
      HEDDLE_RUN(half_odd, HEDDLE_ARRAY(f), HEDDLE_ARRAY(walls), table, stride, first, last, g, lambda, rate);
    } else if (walls_kind_ == Walls::halfway) {
      HEDDLE_RUN(half_even, HEDDLE_ARRAY(f), HEDDLE_ARRAY(walls), table, stride, first, last, g, lambda,
                 rate);
    } else if (odd_) {
      HEDDLE_RUN(full_odd, HEDDLE_ARRAY(f), table, stride, first, last, g, lambda, rate);
    } else {
      HEDDLE_RUN(full_even, HEDDLE_ARRAY(f), table, stride, first, last, g, lambda, rate);
    }
  }

  void sweep() {
    const auto f = f_.view();
    const std::uint32_t* const table = list_.neighbour();
    const std::int64_t stride = list_.neighbour_stride();
    if (odd_) {
      HEDDLE_RUN(no_slip_after_odd, HEDDLE_ARRAY(f), masks_.data(), table, stride, cells_.data(),
                 cells_.size());
    } else {
      HEDDLE_RUN(no_slip_after_even, HEDDLE_ARRAY(f), masks_.data(), table, stride, cells_.data(),
                 cells_.size());
    }
  }

  /// The number of the cell at an offset of {0, 1}^3, pointer by pointer.
  std::int64_t cell_at(std::int64_t n, const Velocity& offset) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (offset[d] == 1)
        n = table_[static_cast<std::size_t>(static_cast<std::int64_t>(d) * list_.neighbour_stride() + n)];
    }
    return n;
  }

  /// f(cell n, cell that holds the element, place seen from n): what the even step and what the odd one
  /// touches.
  template <class F> void for_elements(F&& f) {
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      for (int q = 0; q < 19; ++q) {
        for (const bool odd : {false, true}) {
          const Place place = before(twist_shift, odd, q);
          f(n, cell_at(n, place.offset), place);
        }
      }
    }
  }

  Target target_;
  Walls walls_kind_;
  heddle::Memory memory_;
  IndexList list_;
  SparseField<T> f_;
  SparseField<std::uint32_t> walls_;
  heddle::Buffer<std::uint32_t> cells_, masks_;
  std::vector<std::uint32_t> table_;
  bool odd_ = false;
};

struct Geometry {
  std::string name;
  Cell extent;
  int fluid; // percent of the cells, at random places
};

/// Rows that end inside a warp, much wall, no wall, and one cell.
const Geometry geometries[] = {{"a few solid cells", {13, 7, 6}, 75},
                               {"mostly solid", {40, 5, 4}, 15},
                               {"open", {33, 4, 3}, 100},
                               {"one cell", {2, 3, 2}, 0}};

Flags flags_of(const Geometry& geometry) {
  test::Random random(3);
  Flags flags;
  for (std::int64_t n = 0; n < geometry.extent[0] * geometry.extent[1] * geometry.extent[2]; ++n)
    flags.push_back(random.below(100) < geometry.fluid ? 1 : 0);
  flags[flags.size() / 2] = 1;
  return flags;
}

template <class T> class TwistLists : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(TwistLists, Precisions);

TYPED_TEST(TwistLists, EqualDenseBitForBit) {
  using T = TypeParam;
  for (const Geometry& geometry : geometries) {
    const Flags flags = flags_of(geometry);
    for (const Walls walls : {Walls::full_way, Walls::halfway, Walls::swept}) {
      DenseFlow<T> dense(geometry.extent, flags, walls != Walls::full_way);
      std::vector<std::unique_ptr<ListFlow<T>>> lists; // one a target
      for (const Target target : {Target::cpu, Target::reference, Target::cuda}) {
        lists.push_back(std::make_unique<ListFlow<T>>(target, walls, geometry.extent, flags));
        lists.back()->start_as(dense);
      }
      for (int s = 0; s < 4; ++s) {
        dense.step();
        for (std::size_t target = 0; target < lists.size(); ++target) {
          lists[target]->step();
          int differing = 0;
          lists[target]->for_arrived([&](std::int64_t n, int q, T value) {
            differing += value != dense.arrived(lists[target]->list().position(n), q);
          });
          ASSERT_EQ(differing, 0) << geometry.name << ", walls " << static_cast<int>(walls) << ", target "
                                  << target << ", step " << s;
        }
      }
    }
  }
}

TYPED_TEST(TwistLists, GiveTheSameBitsInEveryOrderOfCells) {
  using T = TypeParam;
  const Geometry& geometry = geometries[0];
  const Flags flags = flags_of(geometry);
  for (const CellOrder order : {CellOrder::morton, CellOrder::hilbert}) {
    DenseFlow<T> dense(geometry.extent, flags, true);
    ListFlow<T> listed(Target::cpu, Walls::halfway, geometry.extent, flags, order);
    listed.start_as(dense);
    for (int s = 0; s < 3; ++s) {
      listed.step();
      dense.step();
    }
    listed.for_arrived([&](std::int64_t n, int q, T value) {
      ASSERT_EQ(value, dense.arrived(listed.list().position(n), q)) << "cell " << n << " q " << q;
    });
  }
}

TEST(TwistLists, KeepTheMass) {
  const Geometry& geometry = geometries[0];
  const Flags flags = flags_of(geometry);
  DenseFlow<double> dense(geometry.extent, flags, true);
  ListFlow<double> listed(Target::cpu, Walls::halfway, geometry.extent, flags);
  listed.start_as(dense);
  const double mass = listed.mass();
  for (int s = 0; s < 20; ++s)
    listed.step();
  // round-off of 20 steps of 8000 sums; full-way walls hold part of the mass themselves
  EXPECT_NEAR(listed.mass(), mass, 1e-12);
  EXPECT_GT(std::abs(mass), 1e-3);
}

/// Another pattern over a list, its steps bound to a field; reads where its own publication says.
class AnyPattern {
public:
  AnyPattern(const Cell& extent, const Flags& flags, std::span<const heddle::Link> links)
      : list({{0, 0, 0}, extent}, flags, ListFlow<float>::periodic, links), f(list, 19), walls(list, 1) {
    heddle::mark_walls(walls, d3q19, ListFlow<float>::periodic);
  }
  IndexList list;
  SparseField<float> f;
  SparseField<std::uint32_t> walls;
  heddle::Stream stream;
};

TEST(TwistLists, EsoPullAndAaGiveTheSameBits) {
  const Geometry& geometry = geometries[0];
  const Flags flags = flags_of(geometry);
  for (const bool halfway : {false, true}) {
    DenseFlow<float> dense(geometry.extent, flags, halfway);
    AnyPattern pull(geometry.extent, flags, lbm_lists_eso_pull::links);
    AnyPattern aa(geometry.extent, flags, lbm_lists_aa::links);
    const auto pull_view = pull.f.view();
    const auto aa_view = aa.f.view();
    const auto node = [&](std::int64_t n, const Velocity& offset) {
      for (std::size_t r = 0; r < std::size(lbm_lists_eso_pull::links); ++r) {
        if (lbm_lists_eso_pull::links[r].offset == offset)
          return static_cast<std::int64_t>(
              pull.list.neighbour()[static_cast<std::int64_t>(r) * pull.list.neighbour_stride() + n]);
      }
      return n;
    };
    for (std::int64_t n = 0; n < pull.list.count(); ++n) {
      const Cell cell = pull.list.position(n);
      for (int q = 0; q < 19; ++q) {
        const Place place = before(eso_pull_shift, false, q);
        pull_view(node(n, place.offset), place.slot) = dense.arrived(cell, q);
        aa_view(n, q) = dense.arrived(cell, q);
        // full-way: what comes out of a wall in the second step is there from the start, too
        const Place late = before(eso_pull_shift, true, q);
        if (!dense.fluid(moved(cell, d3q19[static_cast<std::size_t>(opposite(q))])))
          pull_view(node(n, late.offset), late.slot) = dense.at(cell, before(twist_shift, true, q));
      }
    }
    for (int s = 0; s < 6; ++s) {
      const bool odd = s % 2 == 1;
      const heddle::CellRange all = pull.list.all();
      if (halfway && odd)
        lbm_lists_eso_pull::HalfOdd<float>(pull.f, pull.walls, all, {g_x, magic, omega})(pull.stream);
      if (halfway && !odd)
        lbm_lists_eso_pull::HalfEven<float>(pull.f, pull.walls, all, {g_x, magic, omega})(pull.stream);
      if (!halfway && odd) lbm_lists_eso_pull::FullOdd<float>(pull.f, all, {g_x, magic, omega})(pull.stream);
      if (!halfway && !odd)
        lbm_lists_eso_pull::FullEven<float>(pull.f, all, {g_x, magic, omega})(pull.stream);
      if (odd)
        lbm_lists_aa::StepOdd<float>(aa.f, all, {g_x, magic, omega})(aa.stream);
      else
        lbm_lists_aa::StepEven<float>(aa.f, all, {g_x, magic, omega})(aa.stream);
      dense.step();
      for (std::int64_t n = 0; n < pull.list.count(); ++n) {
        for (int q = 0; q < 19; ++q) {
          const float expected = dense.arrived(pull.list.position(n), q);
          const Place place = before(eso_pull_shift, !odd, q);
          ASSERT_EQ(pull_view(node(n, place.offset), place.slot), expected) << "EsoPull, step " << s;
          if (!halfway) continue; // AA's walls are half-way
          const float* const data = aa_view.data();
          const std::int64_t row = (q - 1) * aa.list.neighbour_stride();
          ASSERT_EQ(odd || q == 0 ? aa_view(n, q) : data[aa.list.neighbour()[row + n]], expected)
              << "AA, step " << s;
        }
      }
    }
  }
}

} // namespace
