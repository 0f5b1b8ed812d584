// SPDX-License-Identifier: Apache-2.0
// Boundaries that look inwards, over lists that hold cells behind walls (EsoTwist): the bits of the face
// sweeps of a dense box with two arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "channel.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/neighbour_indices.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/sparse/wall_masks.hpp"
#include "lbm_boundaries_twist.hpp"
#include "lbm_boundaries_twist_sweeps.hpp"

namespace {

using namespace boundaries;
namespace twist = lbm_boundaries_twist;
using Numbers = heddle::Buffer<std::uint32_t>;

/// Where the step reads population q of a cell: as published (lbm.md, section 5), component q, odd the
/// opposite one, of the cell at max(0, -c_q).
struct Place {
  Place(int q, bool odd) : slot(odd ? opposite(q) : q) {
    for (std::size_t a = 0; a < 2; ++a)
      offset[a] = std::max(0, -d2q9[static_cast<std::size_t>(q)][a]);
  }
  int slot;
  std::array<int, 2> offset{};
};

/// The channel over a list of its cells, and what the sweep at one of its sides takes.
class TwistChannel {
public:
  TwistChannel(DenseChannel& dense, Boundary boundary, double distance)
      : boundary_(boundary), periodic_{dense.periodic(), false, false},
        list_({{0, 0, 0}, {length, height, 1}},
              std::vector<std::uint8_t>(static_cast<std::size_t>(length * height), 1), periodic_,
              twist::links),
        f_(list_, 9), u_(list_, 2), walls_(list_, 1), sums_(2), room_(heddle::reduction_work(length)),
        more_room_(heddle::reduction_work(length)) {
    std::vector<std::array<int, 3>> velocities;
    for (const auto& c : d2q9)
      velocities.push_back({c[0], c[1], 0});
    heddle::mark_walls(walls_, velocities, periodic_);
    find_entries();
    distance_ = heddle::Buffer<double>(
        std::span<const double>(std::vector<double>(static_cast<std::size_t>(cells_.size()), distance)));
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      const Cell cell = list_.position(n);
      for (int q = 0; q < 9; ++q) {
        const Place place(q, false);
        f_.view()(cell_at(n, place), place.slot) = dense.arrived(cell, q);
      }
      for (int a = 0; a < 2; ++a)
        u_.view()(n, a) = dense.velocity(cell, a);
    }
  }

  void step() {
    const auto run = [&](auto step, auto outflow, auto jump, auto curved) {
      step();
      if (boundary_ == Boundary::outflow) outflow();
      if (boundary_ == Boundary::jump) jump();
      if (boundary_ == Boundary::curved) curved();
    };
    const std::uint32_t* const table = list_.neighbour();
    const std::int64_t stride = list_.neighbour_stride(), count = cells_.size();
    const auto f = f_.view();
    const auto walls = std::as_const(walls_).view();
    const auto u = std::as_const(u_).view();
    const double* const d = distance_.data();
#define HEDDLE_RUN(parity)                                                                                   \
  run([&] { twist::step_##parity(f, walls, table, stride, 0, list_.count(), magic, omega); },                \
      [&] {                                                                                                  \
        twist::outflow_after_##parity(f, beside_[0].data(), mask_.data(), table, stride, cells_.data(),      \
                                      count);                                                                \
      },                                                                                                     \
      [&] {                                                                                                  \
        twist::jump_after_##parity(u, f, beside_[0].data(), beside_[1].data(), beside_[2].data(),            \
                                   mask_.data(), table, stride, cells_.data(), count, density_jump);         \
      },                                                                                                     \
      [&] {                                                                                                  \
        twist::curved_after_##parity(f, d, beside_[0].data(), mask_.data(), d, beside_[1].data(), d,         \
                                     beside_[2].data(), table, stride, cells_.data(), count, sums_.data(),   \
                                     room_.data(), sums_.data() + 1, more_room_.data(), u_x, u_y);           \
      })
    if (odd_)
      HEDDLE_RUN(odd);
    else
      HEDDLE_RUN(even);
    odd_ = !odd_;
  }

  /// Populations that differ from what arrives in the dense channel.
  int differing(DenseChannel& dense) {
    int count = 0;
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      for (int q = 0; q < 9; ++q) {
        const Place place(q, odd_);
        count += f_.view()(cell_at(n, place), place.slot) != dense.arrived(list_.position(n), q);
      }
    }
    return count;
  }
  [[nodiscard]] std::span<const double> push() const { return sums_.span(); }

private:
  /// The cells beside the boundary, what comes in there, and the cells that the sweep looks at: for an
  /// outflow the one inside, for a jump those beyond the face, for a curved wall two inwards along each link.
  void find_entries() {
    std::vector<std::uint32_t> numbers, masks;
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      std::uint32_t bits = 0;
      for (int q = 1; q < 9; ++q) {
        const Cell from = source(list_.position(n), q);
        const bool in = boundary_ == Boundary::curved ? from[1] < 0
                        : boundary_ == Boundary::jump ? from[0] >= length && !across(from)
                                                      : from[0] >= length;
        if (in) bits |= std::uint32_t{1} << q;
      }
      if (bits == 0) continue;
      numbers.push_back(static_cast<std::uint32_t>(n));
      masks.push_back(bits);
    }
    cells_ = Numbers(std::span<const std::uint32_t>(numbers));
    mask_ = Numbers(std::span<const std::uint32_t>(masks));
    const auto beside = [&](int x, int y) {
      return heddle::neighbour_indices(list_, cells_, {x, y, 0}, periodic_,
                                       boundary_ == Boundary::curved ? 2 : 1);
    };
    if (boundary_ == Boundary::outflow) beside_[0] = beside(-1, 0);
    if (boundary_ == Boundary::jump) beside_ = {beside(1, 0), beside(1, 1), beside(1, -1)};   // e, ne, se
    if (boundary_ == Boundary::curved) beside_ = {beside(0, 1), beside(1, 1), beside(-1, 1)}; // n, ne, nw
  }

  /// Pointer by pointer.
  [[nodiscard]] std::int64_t cell_at(std::int64_t n, const Place& place) const {
    for (std::size_t a = 0; a < 2; ++a) {
      if (place.offset[a] == 1)
        n = list_.neighbour()[static_cast<std::int64_t>(a) * list_.neighbour_stride() + n];
    }
    return n;
  }

  Boundary boundary_;
  std::array<bool, 3> periodic_;
  heddle::IndexList list_;
  heddle::SparseField<double> f_, u_;
  heddle::SparseField<std::uint32_t> walls_;
  heddle::Buffer<double> sums_, room_, more_room_, distance_;
  Numbers cells_, mask_;
  std::array<Numbers, 3> beside_;
  bool odd_ = false;
};

struct Case {
  Boundary boundary;
  double distance;
};
constexpr Case cases[] = {
    {Boundary::outflow, 0}, {Boundary::jump, 0}, {Boundary::curved, 0.3}, {Boundary::curved, 0.8}};

TEST(TwistBoundaries, EqualDenseFacesBitForBit) {
  for (const Case& what : cases) {
    DenseChannel dense(what.boundary, what.distance);
    TwistChannel flow(dense, what.boundary, what.distance);
    for (int t = 0; t < 6; ++t) {
      flow.step();
      dense.step();
      ASSERT_EQ(flow.differing(dense), 0) << "boundary " << static_cast<int>(what.boundary) << ", distance "
                                          << what.distance << ", step " << t;
      if (what.boundary != Boundary::curved) continue;
      for (std::size_t a = 0; a < 2; ++a) // the same terms in another order
        EXPECT_NEAR(flow.push()[a], dense.push()[a], 1e-13);
      EXPECT_GT(std::abs(dense.push()[1]), 1e-3);
    }
  }
}

} // namespace
