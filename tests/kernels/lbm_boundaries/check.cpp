// SPDX-License-Identifier: Apache-2.0
// Open, periodic and curved boundaries over lists: every target, in place and with two arrays, gives the bits
// of the face sweeps of a dense box.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "bodies.hpp"
#include "channel.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/device/preconditions.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "lbm_boundaries.hpp"
#include "lbm_boundaries_pull_sweeps.hpp"
#include "lbm_boundaries_sweeps.hpp"

namespace {

using namespace boundaries;
template <class T> using Buffer = heddle::Buffer<T>;

enum class Target { cpu, reference, cuda };

/// What a boundary sweep over a list takes: the cells beside it, which directions come in, and values an
/// entry.
struct Patch {
  Patch(const heddle::IndexList& list, Boundary boundary, double distance, heddle::Memory memory) {
    std::vector<std::uint32_t> numbers, masks;
    std::vector<double> x, y;
    for (std::int64_t n = 0; n < list.count(); ++n) {
      const Cell cell = list.position(n);
      std::uint32_t bits = 0;
      for (int q = 1; q < 9; ++q) {
        const Cell from = source(cell, q);
        const bool in = boundary == Boundary::curved ? from[1] < 0
                        : boundary == Boundary::jump ? from[0] >= length && !across(from)
                                                     : from[0] >= length;
        if (in) bits |= std::uint32_t{1} << q;
      }
      if (bits == 0) continue;
      numbers.push_back(static_cast<std::uint32_t>(n));
      masks.push_back(bits);
      x.push_back(static_cast<double>(cell[0]) - 2);
      y.push_back(static_cast<double>(cell[1]) + 3);
    }
    const auto values = [&]<class T>(const std::vector<T>& from) {
      return Buffer<T>(std::span<const T>(from), memory);
    };
    cells = values(numbers), mask = values(masks), arm_x = values(x), arm_y = values(y);
    distances = values(std::vector<double>(numbers.size(), distance));
    speed_x = values(std::vector<double>(numbers.size(), u_x));
    speed_y = values(std::vector<double>(numbers.size(), u_y));
    for (Buffer<double>& kept : outflow)
      kept = values(std::vector<double>(numbers.size(), 0.0));
    room.resize(3);
    for (Buffer<double>& work : room)
      work = Buffer<double>(heddle::reduction_work(size()), memory);
    sums = Buffer<double>(3, memory);
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(cells.size()); }
  /// The force and the torque of the last sweep.
  [[nodiscard]] std::array<double, 3> found() const {
    std::array<double, 3> result{};
    heddle::copy_bytes(result.data(), heddle::Memory::host, sums.data(), sums.memory(), sizeof result);
    return result;
  }

  Buffer<std::uint32_t> cells, mask;
  Buffer<double> arm_x, arm_y, distances, speed_x, speed_y, sums;
  std::array<Buffer<double>, 3> outflow;
  std::vector<Buffer<double>> room;
};

std::vector<std::uint8_t> everywhere() {
  return std::vector<std::uint8_t>(static_cast<std::size_t>(length * height), 1);
}

/// The same channel over a list of cells.
template <class Links> class ListChannel {
public:
  ListChannel(DenseChannel& dense, Boundary boundary, double distance, const Links& links,
              heddle::Memory memory)
      : boundary_(boundary),
        table_({{0, 0, 0}, {length, height, 1}}, everywhere(), {dense.periodic(), false, false}, links),
        list_({{0, 0, 0}, {length, height, 1}}, everywhere(), {dense.periodic(), false, false}, links,
              memory),
        f_(list_, 9, memory), next_(list_, 9, memory), u_(list_, 2, memory),
        patch_(list_, boundary, distance, memory) {
    u_.edit([&](heddle::SparseView<double> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int a = 0; a < 2; ++a)
          view(n, a) = dense.velocity(list_.position(n), a);
      }
    });
  }

  template <class F> void start(F&& value) {
    f_.edit([&](heddle::SparseView<double> view) {
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int q = 0; q < 9; ++q)
          view(n, q) = value(list_.position(n), q);
      }
    });
  }

  /// Populations that differ from what arrives in the dense channel. through: the next step reads them
  /// through the table, else in the own cell.
  int differing(DenseChannel& dense, bool through) {
    int count = 0;
    f_.inspect([&](heddle::SparseView<const double> view) {
      // a device's list has slots elsewhere: an entry of the host's table is taken apart
      const std::int64_t slots = table_.slot_stride();
      for (std::int64_t n = 0; n < list_.count(); ++n) {
        for (int q = 0; q < 9; ++q) {
          const auto linked = [&] {
            const std::int64_t entry = table_.neighbour()[(q - 1) * table_.neighbour_stride() + n];
            return view(entry % slots, entry / slots);
          };
          const double found = q == 0 || !through ? view(n, q) : linked();
          count += found != dense.arrived(list_.position(n), q);
        }
      }
    });
    return count;
  }

  Boundary boundary_;
  heddle::IndexList table_; // in host memory
  heddle::IndexList list_;
  heddle::SparseField<double> f_, next_, u_;
  Patch patch_;
};

/// Force and torque about (2, -3) on the wall below, from the dense channel.
std::array<double, 3> exchanged(DenseChannel& dense) {
  std::array<double, 3> sums{};
  for (std::int64_t x = 0; x < length; ++x) {
    for (int q = 1; q < 9; ++q) {
      const auto& c = d2q9[static_cast<std::size_t>(q)];
      if (c[1] != 1) continue;
      const double both = dense.post({x, 0, 0}, opposite(q)) + dense.arrived({x, 0, 0}, q);
      sums[0] -= c[0] * both, sums[1] -= c[1] * both;
      sums[2] -= (static_cast<double>(x) - 2) * c[1] * both - 3 * c[0] * both;
    }
  }
  return sums;
}

template <class Cpu, class Reference, class Cuda, class... Arguments>
int call(Target target, Cpu cpu, Reference reference, Cuda cuda, Arguments... arguments) {
  if (target == Target::cuda) return cuda(arguments..., static_cast<void*>(nullptr));
  return target == Target::cpu ? cpu(arguments...) : reference(arguments...);
}

#define HEDDLE_CALL(kernel, ...)                                                                             \
  ASSERT_EQ(call(target, lbm_boundaries_##kernel##_f64, lbm_boundaries_##kernel##_f64_reference,             \
                 lbm_boundaries_##kernel##_f64_cuda, __VA_ARGS__),                                           \
            0)
#define HEDDLE_ARRAY(name) name.data(), name##_extent.data(), name##_stride.data()

/// One step in place and the sweep after it.
template <class Links> void in_place(Target target, bool odd, ListChannel<Links>& flow) {
  const auto f = flow.f_.view();
  const auto u = std::as_const(flow.u_).view();
  const std::array<std::int64_t, 2> f_extent{f.extent(0), f.extent(1)}, f_stride{f.stride(0), f.stride(1)};
  const std::array<std::int64_t, 2> u_extent{u.extent(0), u.extent(1)}, u_stride{u.stride(0), u.stride(1)};
  const heddle::IndexList& list = flow.list_;
  const std::uint32_t* const table = list.neighbour();
  const std::int64_t stride = list.neighbour_stride(), first = 0;
  Patch& p = flow.patch_;
  const std::uint32_t *const mask = p.mask.data(), *const cells = p.cells.data();
  double *const d = p.distances.data(), *const sums = p.sums.data();
  std::array<double*, 3> kept{p.outflow[0].data(), p.outflow[1].data(), p.outflow[2].data()};
  std::array<double*, 3> room{p.room[0].data(), p.room[1].data(), p.room[2].data()};
  if (!odd) {
    HEDDLE_CALL(step_even, HEDDLE_ARRAY(f), first, list.count(), magic, omega);
  } else {
    HEDDLE_CALL(step_odd, HEDDLE_ARRAY(f), table, stride, first, list.count(), magic, omega);
  }
  switch (flow.boundary_) {
  case Boundary::outflow:
    if (odd) {
      HEDDLE_CALL(outflow_after_odd, HEDDLE_ARRAY(f), mask, table, stride, cells, p.size());
    } else {
      HEDDLE_CALL(outflow_after_even, HEDDLE_ARRAY(f), mask, table, stride, cells, p.size());
    }
    break;
  case Boundary::convective:
    if (odd) {
      HEDDLE_CALL(convective_after_odd, HEDDLE_ARRAY(f), kept[0], kept[1], kept[2], mask, table, stride,
                  cells, p.size(), speed);
    } else {
      HEDDLE_CALL(convective_after_even, HEDDLE_ARRAY(f), kept[0], kept[1], kept[2], mask, table, stride,
                  cells, p.size(), speed);
    }
    break;
  case Boundary::jump:
    if (odd) {
      HEDDLE_CALL(jump_after_odd, HEDDLE_ARRAY(u), HEDDLE_ARRAY(f), mask, table, stride, cells, p.size(),
                  density_jump);
    } else {
      HEDDLE_CALL(jump_after_even, HEDDLE_ARRAY(u), HEDDLE_ARRAY(f), mask, table, stride, cells, p.size(),
                  density_jump);
    }
    break;
  case Boundary::curved:
    if (odd) {
      HEDDLE_CALL(curved_after_odd, HEDDLE_ARRAY(f), d, mask, d, d, d, d, d, d, d, p.arm_x.data(),
                  p.arm_y.data(), table, stride, cells, p.size(), sums, room[0], sums + 1, room[1], sums + 2,
                  room[2], u_x, u_y);
    } else {
      HEDDLE_CALL(curved_after_even, HEDDLE_ARRAY(f), d, mask, d, d, d, d, d, d, d, p.arm_x.data(),
                  p.arm_y.data(), table, stride, cells, p.size(), sums, room[0], sums + 1, room[1], sums + 2,
                  room[2], u_x, u_y);
    }
    break;
  }
}

/// The same with two arrays, on the CPU.
template <class Links> void two_arrays(ListChannel<Links>& flow) {
  const heddle::IndexList& list = flow.list_;
  const std::uint32_t* const table = list.neighbour();
  const std::int64_t stride = list.neighbour_stride();
  lbm_boundaries_pull::step(std::as_const(flow.f_).view(), flow.next_.view(), table, stride, 0, list.count(),
                            magic, omega);
  std::swap(flow.f_, flow.next_);
  const auto f = flow.f_.view();
  Patch& p = flow.patch_;
  const std::uint32_t *const mask = p.mask.data(), *const cells = p.cells.data();
  double *const d = p.distances.data(), *const sums = p.sums.data();
  switch (flow.boundary_) {
  case Boundary::outflow:
    lbm_boundaries_pull::outflow(f, mask, table, stride, cells, p.size());
    break;
  case Boundary::convective:
    lbm_boundaries_pull::convective(f, p.outflow[0].data(), p.outflow[1].data(), p.outflow[2].data(), mask,
                                    table, stride, cells, p.size(), speed);
    break;
  case Boundary::jump:
    lbm_boundaries_pull::jump_e(std::as_const(flow.u_).view(), f, mask, table, stride, cells, p.size(),
                                density_jump);
    break;
  case Boundary::curved:
    lbm_boundaries_pull::curved(f, p.speed_x.data(), p.speed_y.data(), d, mask, d, d, d, d, d, d, d,
                                p.arm_x.data(), p.arm_y.data(), table, stride, cells, p.size(), sums,
                                p.room[0].data(), sums + 1, p.room[1].data(), sums + 2, p.room[2].data());
    break;
  }
}

struct Case {
  Boundary boundary;
  double distance;
};
constexpr Case cases[] = {{Boundary::outflow, 0},
                          {Boundary::convective, 0},
                          {Boundary::jump, 0},
                          {Boundary::curved, 0.3},
                          {Boundary::curved, 0.8}};

/// The sums of a list against those of the dense channel, whose terms are added in another order.
void same_sums(const Case& what, DenseChannel& dense, const Patch& patch) {
  if (what.boundary != Boundary::curved) return;
  const std::array<double, 3> expected = exchanged(dense), found = patch.found();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-13);
    if (i < 2) {
      EXPECT_NEAR(dense.push()[i], expected[i], 1e-13);
    }
  }
  EXPECT_GT(std::abs(expected[2]), 1e-3);
}

TEST(Boundaries, InPlaceOverAListEqualDenseFacesBitForBit) {
  for (const Case& what : cases) {
    for (const Target target : {Target::cpu, Target::reference, Target::cuda}) {
      DenseChannel dense(what.boundary, what.distance);
      ListChannel flow(dense, what.boundary, what.distance, lbm_boundaries::links,
                       target == Target::cuda ? test::device_memory : heddle::Memory::host);
      flow.start([&](const Cell& cell, int q) { return dense.arrived(cell, q); });
      for (int t = 0; t < 6; ++t) {
        in_place(target, t % 2 == 1, flow);
        dense.step();
        ASSERT_EQ(flow.differing(dense, t % 2 == 0), 0)
            << "boundary " << static_cast<int>(what.boundary) << ", target " << static_cast<int>(target)
            << ", step " << t;
        same_sums(what, dense, flow.patch_);
      }
    }
  }
}

TEST(Boundaries, TwoArraysOverAListEqualDenseFacesBitForBit) {
  for (const Case& what : cases) {
    DenseChannel dense(what.boundary, what.distance);
    ListChannel flow(dense, what.boundary, what.distance, lbm_boundaries_pull::links, heddle::Memory::host);
    flow.start([&](const Cell& cell, int q) { return dense.post(cell, q); });
    for (int t = 0; t < 6; ++t) {
      two_arrays(flow);
      dense.step();
      ASSERT_EQ(flow.differing(dense, true), 0)
          << "boundary " << static_cast<int>(what.boundary) << ", step " << t;
      same_sums(what, dense, flow.patch_);
    }
  }
}

/// A list of the cells between bodies, and the box with them.
template <class Links> struct BothWays {
  BothWays(const Links& links, heddle::Memory memory)
      : host({{0, 0, 0}, {Bodies::n_x, Bodies::n_y, 1}}, bodies.fluid, {false, false, false}, links),
        list({{0, 0, 0}, {Bodies::n_x, Bodies::n_y, 1}}, bodies.fluid, {false, false, false}, links, memory),
        f(list, 9, memory), over_list(bodies, host, memory), in_box(bodies, host, memory), box(memory) {
    f.edit([&](heddle::SparseView<double> view) {
      for (std::int64_t n = 0; n < list.count(); ++n) {
        for (int q = 0; q < 9; ++q)
          view(n, q) = bodies.start(list.position(n), q);
      }
    });
  }
  /// Populations that differ where the next step reads them. through: it reads those of the list through the
  /// table. slot: of which component in the box; away: in the cell that they come from, else in the own one.
  template <class Slot> int differing(bool through, Slot slot, bool away) {
    box.fetch();
    int count = 0;
    f.inspect([&](heddle::SparseView<const double> view) {
      const std::int64_t slots = host.slot_stride();
      for (std::int64_t n = 0; n < host.count(); ++n) {
        const Cell cell = host.position(n);
        for (int q = 0; q < 9; ++q) {
          const Cell from = away ? source(cell, q) : cell;
          const auto linked = [&] {
            const std::int64_t entry = host.neighbour()[(q - 1) * host.neighbour_stride() + n];
            return view(entry % slots, entry / slots);
          };
          const double expected = q == 0 || !through ? view(n, q) : linked();
          count += !(box.at(from[0], from[1], slot(q)) == expected);
        }
      }
    });
    return count;
  }

  Bodies bodies;
  heddle::IndexList host, list; // the same, one of them in host memory
  heddle::SparseField<double> f;
  BodyEntries over_list, in_box;
  BodyBox box;
};

#define HEDDLE_WALLS(entries)                                                                                \
  entries.to_wall(2), entries.to_wall(3), entries.to_wall(4), entries.to_wall(5), entries.to_wall(6),        \
      entries.to_wall(7), entries.to_wall(8), entries.arm_x.data(), entries.arm_y.data()
#define HEDDLE_SUMS(entries)                                                                                 \
  entries.sums.data(), entries.room[0].data(), entries.sums.data() + 1, entries.room[1].data(),              \
      entries.sums.data() + 2, entries.room[2].data()

/// Moving bodies with walls anywhere on the links, in a dense box whose steps compute bodies, too: NaN there
/// never reaches the fluid, and force and torque are the same bits as over the list.
TEST(Boundaries, BodiesInABoxEqualAListBitForBit) {
  for (const Target target : {Target::cpu, Target::reference, Target::cuda}) {
    BothWays flow(lbm_boundaries::links, target == Target::cuda ? test::device_memory : heddle::Memory::host);
    for (std::int64_t n = 0; n < flow.host.count(); ++n) {
      const Cell cell = flow.host.position(n);
      for (int q = 0; q < 9; ++q)
        flow.box.at(cell[0], cell[1], q) = flow.bodies.start(cell, q);
    }
    flow.box.send();
    const auto f = flow.f.view();
    const std::array<std::int64_t, 2> f_extent{f.extent(0), f.extent(1)}, f_stride{f.stride(0), f.stride(1)};
    double* const box = flow.box.data();
    const std::int64_t *const extent = BodyBox::extent.data(), *const stride = BodyBox::stride.data();
    const std::uint32_t* const table = flow.list.neighbour();
    const std::int64_t rows = flow.list.neighbour_stride(), first = 0, count = flow.list.count();
    BodyEntries &p = flow.over_list, &b = flow.in_box;
    const std::uint32_t *const cells = p.cells.data(), *const mask = p.mask.data();
    const std::uint32_t *const in_mask = b.mask.data(), *const linear = b.linear.data();
    const std::int32_t *const x = b.x.data(), *const y = b.y.data();
    for (int t = 0; t < 6; ++t) {
      const bool odd = t % 2 == 1;
      if (odd) {
        HEDDLE_CALL(step_odd, HEDDLE_ARRAY(f), table, rows, first, count, magic, omega);
        HEDDLE_CALL(curved_after_odd, HEDDLE_ARRAY(f), p.to_wall(1), mask, HEDDLE_WALLS(p), table, rows,
                    cells, p.size(), HEDDLE_SUMS(p), u_x, u_y);
        HEDDLE_CALL(dense_odd, box, extent, stride, magic, omega);
        HEDDLE_CALL(body_after_odd, box, extent, stride, x, y, b.to_wall(1), linear, in_mask, HEDDLE_WALLS(b),
                    b.size(), HEDDLE_SUMS(b), u_x, u_y);
      } else {
        HEDDLE_CALL(step_even, HEDDLE_ARRAY(f), first, count, magic, omega);
        HEDDLE_CALL(curved_after_even, HEDDLE_ARRAY(f), p.to_wall(1), mask, HEDDLE_WALLS(p), table, rows,
                    cells, p.size(), HEDDLE_SUMS(p), u_x, u_y);
        HEDDLE_CALL(dense_even, box, extent, stride, magic, omega);
        HEDDLE_CALL(body_after_even, box, extent, stride, x, y, b.to_wall(1), linear, in_mask,
                    HEDDLE_WALLS(b), b.size(), HEDDLE_SUMS(b), u_x, u_y);
      }
      const auto slot = [&](int q) { return odd ? q : opposite(q); }; // what the odd step reads lies turned
      ASSERT_EQ(flow.differing(!odd, slot, !odd), 0)
          << "target " << static_cast<int>(target) << ", step " << t;
      EXPECT_EQ(b.found(), p.found());
      EXPECT_GT(std::abs(p.found()[2]), 1e-3);
    }
    EXPECT_TRUE(std::isnan(flow.box.at(0, 0, 0)));
  }
}

/// The same with two arrays, linear and quadratic.
TEST(Boundaries, BodiesInABoxWithTwoArraysEqualAListBitForBit) {
  for (const bool quadratic : {false, true}) {
    BothWays flow(lbm_boundaries_pull::links, heddle::Memory::host);
    heddle::SparseField<double> next_list(flow.list, 9);
    BodyBox next_box(heddle::Memory::host);
    for (std::int64_t n = 0; n < flow.host.count(); ++n) {
      const Cell cell = flow.host.position(n);
      const auto start = [&](const Cell& from, int q) { return flow.bodies.start(from, q); };
      for (int q = 0; q < 9; ++q) {
        const Cell from = source(cell, q); // in a body what the list has in the own cell
        flow.box.at(from[0], from[1], q) =
            flow.bodies.is_fluid(from[0], from[1]) ? start(from, q) : start(cell, opposite(q));
        flow.box.at(cell[0], cell[1], 0) = start(cell, 0);
      }
    }
    flow.box.send();
    const std::uint32_t* const table = flow.list.neighbour();
    const std::int64_t rows = flow.list.neighbour_stride();
    BodyEntries &p = flow.over_list, &b = flow.in_box;
    for (int t = 0; t < 4; ++t) {
      lbm_boundaries_pull::step(std::as_const(flow.f).view(), next_list.view(), table, rows, 0,
                                flow.list.count(), magic, omega);
      std::swap(flow.f, next_list);
      using Box = Plane::View;
      lbm_boundaries_pull::dense(Box{flow.box.data(), BodyBox::extent, BodyBox::stride},
                                 Box{next_box.data(), BodyBox::extent, BodyBox::stride}, magic, omega);
      std::swap(flow.box, next_box);
      const Box box{flow.box.data(), BodyBox::extent, BodyBox::stride};
      const auto sweep = [&](auto over_list, auto in_box) {
        over_list(flow.f.view(), p.speed_x.data(), p.speed_y.data(), p.to_wall(1), p.mask.data(),
                  HEDDLE_WALLS(p), table, rows, p.cells.data(), p.size(), HEDDLE_SUMS(p));
        in_box(box, b.x.data(), b.y.data(), b.speed_x.data(), b.speed_y.data(), b.to_wall(1));
      };
      if (quadratic)
        sweep([](auto... given) { lbm_boundaries_pull::curved(given...); },
              [&](auto... given) {
                lbm_boundaries_pull::curved_body(given..., b.linear.data(), b.mask.data(), HEDDLE_WALLS(b),
                                                 b.size(), HEDDLE_SUMS(b));
              });
      else
        sweep([](auto... given) { lbm_boundaries_pull::straight(given...); },
              [&](auto... given) {
                lbm_boundaries_pull::straight_body(given..., b.mask.data(), HEDDLE_WALLS(b), b.size(),
                                                   HEDDLE_SUMS(b));
              });
      ASSERT_EQ(flow.differing(true, [](int q) { return q; }, true), 0) << "step " << t;
      EXPECT_EQ(b.found(), p.found());
    }
  }
}

/// A block beside no boundary has an empty list, and no memory for it.
TEST(Boundaries, AnEmptyListIsNoWork) {
  for (const Target target : {Target::cpu, Target::reference, Target::cuda}) {
    const heddle::Memory memory = target == Target::cuda ? test::device_memory : heddle::Memory::host;
    const heddle::IndexList list({{0, 0, 0}, {length, height, 1}}, everywhere(), {false, false, false},
                                 lbm_boundaries::links, memory);
    heddle::SparseField<double> field(list, 9, memory);
    field.fill(
        [](std::int64_t x, std::int64_t y, std::int64_t, int q) { return static_cast<double>(x + y + q); });
    const auto f = field.view();
    const std::array<std::int64_t, 2> f_extent{f.extent(0), f.extent(1)}, f_stride{f.stride(0), f.stride(1)};
    const heddle::Buffer<std::uint32_t> none(0, memory);
    const std::uint32_t *const mask = none.data(), *const cells = none.data();
    const double* const d = nullptr;
    ASSERT_EQ(cells, nullptr);
    heddle::Buffer<double> sums(std::span<const double>(std::array<double, 3>{7, 7, 7}), memory);
    std::vector<heddle::Buffer<double>> room;
    for (int a = 0; a < 3; ++a)
      room.emplace_back(heddle::reduction_work(0), memory);
    const auto outflow = [&](std::int64_t count) {
      return call(target, lbm_boundaries_outflow_after_odd_f64,
                  lbm_boundaries_outflow_after_odd_f64_reference, lbm_boundaries_outflow_after_odd_f64_cuda,
                  HEDDLE_ARRAY(f), mask, list.neighbour(), list.neighbour_stride(), cells, count);
    };
    EXPECT_EQ(outflow(0), 0);
    EXPECT_EQ(outflow(1), heddle::null_pointer);
    HEDDLE_CALL(curved_after_even, HEDDLE_ARRAY(f), d, mask, d, d, d, d, d, d, d, d, d, list.neighbour(),
                list.neighbour_stride(), cells, none.size(), sums.data(), room[0].data(), sums.data() + 1,
                room[1].data(), sums.data() + 2, room[2].data(), u_x, u_y);
    std::array<double, 3> found{1, 1, 1};
    heddle::copy_bytes(found.data(), heddle::Memory::host, sums.data(), memory, sizeof found);
    EXPECT_EQ(found, (std::array<double, 3>{0, 0, 0}));
    field.inspect([&](heddle::SparseView<const double> view) {
      for (std::int64_t n = 0; n < list.count(); ++n) {
        const Cell cell = list.position(n);
        for (int q = 0; q < 9; ++q)
          ASSERT_EQ(view(n, q), static_cast<double>(cell[0] + cell[1] + q));
      }
    });
  }
}

} // namespace
