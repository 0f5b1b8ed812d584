// SPDX-License-Identifier: Apache-2.0
// Flows whose solution is known, with open, periodic and curved boundaries over lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../support/full_speed.hpp"
#include "channel.hpp"
#include "flows/list_flow.hpp"
#include "heddle/reduction/reduction_work.hpp"
#include "lbm_boundaries_pull.hpp"
#include "lbm_boundaries_pull_sweeps.hpp"

namespace {

using validation::Cell;
using validation::d2q9;
using validation::Patch;
using validation::State;
using validation::Vector;
using Flow = validation::ListFlow<double, 9>;

void step(Flow& flow, double omega, double magic = 3.0 / 16) {
  flow.step([&](auto from, auto to, auto* table, std::int64_t stride, auto*, std::int64_t first,
                std::int64_t last) {
    lbm_boundaries_pull::step(from, to, table, stride, first, last, magic, omega);
  });
}

Flow channel(const Cell& extent, bool along, bool across) {
  return {d2q9, lbm_boundaries_pull::links, extent, validation::all_cells(extent), {along, across, false}};
}

/// Values of f_q(x, t) that a convective outflow keeps: at first those of a stream along the channel.
struct Kept {
  Kept(const Patch& patch, double u) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i] = heddle::Buffer<double>(patch.size());
      const double weight = i == 0 ? 1.0 / 9 : 1.0 / 36;
      std::fill_n(of[i].data(), patch.size(), weight * (-3 * u + 3 * u * u)); // c.u = -u
    }
  }
  std::array<heddle::Buffer<double>, 3> of; // w, sw, nw
};

void leave(Flow& flow, const Patch& outlet, Kept* kept, double speed) {
  const heddle::IndexList& list = flow.list();
  if (kept == nullptr) {
    lbm_boundaries_pull::outflow(flow.f(), outlet.mask.data(), list.neighbour(), list.neighbour_stride(),
                                 outlet.cells.data(), outlet.size());
  } else {
    lbm_boundaries_pull::convective(flow.f(), kept->of[0].data(), kept->of[1].data(), kept->of[2].data(),
                                    outlet.mask.data(), list.neighbour(), list.neighbour_stride(),
                                    outlet.cells.data(), outlet.size(), speed);
  }
}

enum class Outlet { wall, outflow, convective };

// A channel, periodic through faces with a jump of the density: u = 4 u_m y (H - y) / H^2 where the jump
// drives as the force jump / (3 L) would, and the density falls along the channel.
TEST(Flows, PressureJumpDrivesPoiseuille) {
  constexpr std::int64_t length = 6, height = 16;
  constexpr double nu = 0.1, top = 1e-4, h = height;
  constexpr double jump = 3 * length * 8 * nu * top / (h * h);
  Flow flow = channel({length, height, 1}, true, false);
  const auto inside = [](const Cell& c) { return c[1] >= 0 && c[1] < height; };
  const Patch east = flow.patch([&](const Cell& c) { return c[0] >= length && inside(c); });
  const Patch west = flow.patch([&](const Cell& c) { return c[0] < 0 && inside(c); });
  heddle::SparseField<double> u(flow.list(), 2);
  const heddle::IndexList& list = flow.list();
  for (int t = 0; t < 6000; ++t) {
    step(flow, validation::rate(nu));
    lbm_boundaries_pull::jump_w(std::as_const(u).view(), flow.f(), west.mask.data(), list.neighbour(),
                                list.neighbour_stride(), west.cells.data(), west.size(), jump);
    lbm_boundaries_pull::jump_e(std::as_const(u).view(), flow.f(), east.mask.data(), list.neighbour(),
                                list.neighbour_stride(), east.cells.data(), east.size(), -jump);
    lbm_boundaries_pull::velocity(std::as_const(flow).f(), u.view(), list.neighbour(),
                                  list.neighbour_stride(), 0, list.count());
  }
  double worst = 0;
  for (std::int64_t n = 0; n < list.count(); ++n) {
    const double y = static_cast<double>(list.position(n)[1]) + 0.5;
    worst = std::max(worst, std::abs(u.view()(n, 0) - 4 * top * y * (h - y) / (h * h)) / top);
  }
  EXPECT_LT(worst, 2e-6);
  const auto density = [&](std::int64_t x) { return flow.arrived(flow.number({x, height / 2, 0})).first; };
  const double drop = density(0) - density(length - 1);
  EXPECT_NEAR(drop / (jump * (length - 1) / length), 1, 1e-6);
}

/// A fluid between circles of radius R and 2 R, of which the inner one turns; over a list, or in a dense box
/// of which all cells are computed.
class Annulus {
public:
  Annulus(double radius, bool quadratic, bool in_box = false)
      : inner_(radius), outer_(2 * radius), centre_(std::ceil(outer_) + 1.63), turn_(2e-3 / radius),
        quadratic_(quadratic), in_box_(in_box), flow_(make()), box_(edge(), edge(), 9), next_(box_) {
    walls_.emplace_back(wall([this](double r) { return r < inner_; }, true));
    walls_.emplace_back(wall([this](double r) { return r >= outer_; }, false));
  }

  /// Runs into the steady state; {relative L2 error of the velocity, torque on the inner and on the outer
  /// wall}.
  std::array<double, 3> run() {
    constexpr double nu = 0.1;
    const int steps = static_cast<int>(4 * inner_ * inner_ / nu);
    std::array<double, 2> torque{};
    for (int t = 0; t < steps; ++t) {
      constexpr double magic = 1.0 / 12; // then curvature is no error of the collision
      if (in_box_) {
        lbm_boundaries_pull::dense(box_.view(), next_.view(), magic, validation::rate(nu));
        std::swap(box_, next_);
      } else {
        step(flow_, validation::rate(nu), magic);
      }
      for (std::size_t w = 0; w < 2; ++w)
        torque[w] = sweep(walls_[w]);
    }
    double error = 0, norm = 0;
    const double share = inner_ * inner_ / (outer_ * outer_ - inner_ * inner_);
    for (std::int64_t n = 0; n < flow_.list().count(); ++n) {
      const Cell cell = flow_.list().position(n);
      const Vector d = from_centre(cell), u = in_box_ ? velocity_in_box(cell) : flow_.velocity(n);
      const double r = std::hypot(d[0], d[1]);
      const double exact = turn_ * share * (outer_ * outer_ / r - r); // around the centre
      error += std::pow(u[0] + exact * d[1] / r, 2) + std::pow(u[1] - exact * d[0] / r, 2);
      norm += exact * exact;
    }
    const double pi = std::acos(-1.0);
    const double whole = 4 * pi * nu * turn_ * outer_ * outer_ * share; // Landau and Lifshitz, section 18
    return {std::sqrt(error / norm), torque[0] / whole, torque[1] / whole};
  }

private:
  struct Wall {
    Patch patch;
    std::vector<heddle::Buffer<double>> distance; // of each incoming direction: along the one opposite to it
    heddle::Buffer<double> arm_x, arm_y, speed_x, speed_y;
    std::array<std::vector<double>, 3> room;
    std::vector<std::int32_t> x, y;
    std::vector<std::uint32_t> linear; // no gap is that narrow
  };

  [[nodiscard]] Vector from_centre(const Cell& cell) const {
    return {static_cast<double>(cell[0]) + 0.5 - centre_, static_cast<double>(cell[1]) + 0.37 - centre_, 0};
  }
  [[nodiscard]] double radius(const Cell& cell) const {
    const Vector d = from_centre(cell);
    return std::hypot(d[0], d[1]);
  }
  [[nodiscard]] std::int64_t edge() const { return static_cast<std::int64_t>(2 * centre_) + 2; }
  [[nodiscard]] Vector velocity_in_box(const Cell& cell) {
    double rho = 1;
    Vector j{};
    for (std::size_t q = 0; q < 9; ++q) {
      const validation::Velocity c = d2q9.c[q];
      const double f = box_.at({cell[0] - c[0], cell[1] - c[1], 0}, static_cast<int>(q));
      rho += f, j[0] += c[0] * f, j[1] += c[1] * f;
    }
    return {j[0] / rho, j[1] / rho, 0};
  }
  Flow make() const {
    std::vector<std::uint8_t> flags;
    for (std::int64_t y = 0; y < edge(); ++y) {
      for (std::int64_t x = 0; x < edge(); ++x) {
        const double r = radius({x, y, 0});
        flags.push_back(r >= inner_ && r < outer_);
      }
    }
    return {d2q9, lbm_boundaries_pull::links, {edge(), edge(), 1}, flags, {false, false, false}};
  }
  template <class F> Wall wall(F&& solid, bool inner) const {
    Wall made{
        flow_.patch([&](const Cell& c) { return solid(radius(c)); }), {}, {}, {}, {}, {}, {}, {}, {}, {}};
    for (std::int64_t i = 0; i < made.patch.size(); ++i) {
      const Cell cell = flow_.list().position(made.patch.cells.data()[i]);
      made.x.push_back(static_cast<std::int32_t>(cell[0])),
          made.y.push_back(static_cast<std::int32_t>(cell[1]));
    }
    made.linear.resize(made.x.size());
    const double r = inner ? inner_ : outer_;
    for (std::size_t q = 1; q < 9; ++q) {
      const validation::Velocity c = d2q9.c[validation::opposite(q)];
      made.distance.push_back(flow_.values(made.patch, [&](const Cell& cell) {
        const Vector d = from_centre(cell);
        const double cc = c[0] * c[0] + c[1] * c[1], cd = c[0] * d[0] + c[1] * d[1];
        const double root = cd * cd - cc * (d[0] * d[0] + d[1] * d[1] - r * r);
        const double found = root < 0 ? -1 : (-cd + (inner ? -1 : 1) * std::sqrt(root)) / cc;
        return found > 0 && found <= 1 ? found : 0.5; // no wall along c
      }));
    }
    // a link points at the wall, so the velocity there may be taken at the cell: c.(w x (r + d c)) = c.(w x
    // r)
    const double turn = inner ? turn_ : 0;
    made.arm_x = flow_.values(made.patch, [&](const Cell& cell) { return from_centre(cell)[0]; });
    made.arm_y = flow_.values(made.patch, [&](const Cell& cell) { return from_centre(cell)[1]; });
    made.speed_x = flow_.values(made.patch, [&](const Cell& cell) { return -turn * from_centre(cell)[1]; });
    made.speed_y = flow_.values(made.patch, [&](const Cell& cell) { return turn * from_centre(cell)[0]; });
    for (std::vector<double>& room : made.room)
      room.resize(static_cast<std::size_t>(heddle::reduction_work(made.patch.size())));
    return made;
  }
  double sweep(Wall& w) {
    double push_x = 0, push_y = 0, couple = 0;
    const auto& d = w.distance;
    const auto run_in_box = [&](auto&& kernel, auto... linear) {
      kernel(box_.view(), w.x.data(), w.y.data(), w.speed_x.data(), w.speed_y.data(), d[0].data(), linear...,
             w.patch.mask.data(), d[1].data(), d[2].data(), d[3].data(), d[4].data(), d[5].data(),
             d[6].data(), d[7].data(), w.arm_x.data(), w.arm_y.data(), w.patch.size(), &push_x,
             w.room[0].data(), &push_y, w.room[1].data(), &couple, w.room[2].data());
    };
    const auto run = [&](auto&& kernel) {
      kernel(flow_.f(), w.speed_x.data(), w.speed_y.data(), d[0].data(), w.patch.mask.data(), d[1].data(),
             d[2].data(), d[3].data(), d[4].data(), d[5].data(), d[6].data(), d[7].data(), w.arm_x.data(),
             w.arm_y.data(), flow_.list().neighbour(), flow_.list().neighbour_stride(), w.patch.cells.data(),
             w.patch.size(), &push_x, w.room[0].data(), &push_y, w.room[1].data(), &couple, w.room[2].data());
    };
    if (in_box_ && quadratic_)
      run_in_box([](auto... arguments) { lbm_boundaries_pull::curved_body(arguments...); }, w.linear.data());
    else if (in_box_)
      run_in_box([](auto... arguments) { lbm_boundaries_pull::straight_body(arguments...); });
    else if (quadratic_)
      run([](auto... arguments) { lbm_boundaries_pull::curved(arguments...); });
    else
      run([](auto... arguments) { lbm_boundaries_pull::straight(arguments...); });
    return couple;
  }

  double inner_, outer_, centre_, turn_;
  bool quadratic_, in_box_;
  Flow flow_; // in a box: the cells beside the walls
  boundaries::Plane box_, next_;
  std::vector<Wall> walls_;
};

// Between a circle that turns and one at rest u = A r + B / r, and each feels the same couple.
TEST(Flows, TurningCircle) {
  NEEDS_FULL_SPEED();
  std::array<double, 2> errors{};
  for (const bool quadratic : {false, true}) {
    const auto coarse = Annulus(5, quadratic).run(), fine = Annulus(10, quadratic).run();
    EXPECT_GT(std::log2(coarse[0] / fine[0]), 2.0) << (quadratic ? "quadratic" : "linear");
    EXPECT_NEAR(fine[1], -1, 2e-3);
    EXPECT_NEAR(fine[1] + fine[2], 0, 1e-5);
    errors[quadratic] = fine[0];
  }
  EXPECT_LT(errors[0], 3e-3);
  EXPECT_LT(errors[1], 0.75 * errors[0]);
}

// The same circle, and the rest of the world, as bodies in a dense box.
TEST(Flows, TurningCircleInABox) {
  NEEDS_FULL_SPEED();
  const auto coarse = Annulus(5, true, true).run(), fine = Annulus(10, true, true).run();
  EXPECT_GT(std::log2(coarse[0] / fine[0]), 2.0);
  EXPECT_LT(fine[0], 2.3e-3);
  EXPECT_NEAR(fine[1], -1, 2e-3);
  EXPECT_NEAR(fine[1] + fine[2], 0, 1e-5);
}

/// What comes back of a pulse of sound that leaves through the end of a channel, as a part of it.
double reflected(Outlet kind) {
  constexpr std::int64_t length = 200;
  constexpr double size = 1e-3, width = 8;
  const double sound = 1 / std::sqrt(3.0), omega = validation::rate(0.01);
  Flow flow = channel({length, 3, 1}, false, true);
  const Patch outlet = flow.patch([](const Cell& c) { return c[0] >= length; });
  Kept kept(outlet, 0);
  flow.start(omega, [&](const Cell& c) {
    const double x = (static_cast<double>(c[0]) - length / 2) / width;
    const double rise = size * std::exp(-x * x / 2);
    State state{1 + rise, {sound * rise, 0, 0}, {}};
    state.gradient[0][0] = -sound * rise * x / width;
    return state;
  });
  const int steps = static_cast<int>(0.75 * length / sound); // out, and half-way back
  for (int t = 0; t < steps; ++t) {
    step(flow, omega);
    if (kind != Outlet::wall) leave(flow, outlet, kind == Outlet::convective ? &kept : nullptr, sound);
  }
  double largest = 0;
  for (std::int64_t n = 0; n < flow.list().count(); ++n)
    largest = std::max(largest, std::abs(flow.arrived(n).first - 1));
  return largest / size;
}

TEST(Flows, SoundLeaves) {
  const double wall = reflected(Outlet::wall), outflow = reflected(Outlet::outflow),
               convective = reflected(Outlet::convective);
  EXPECT_GT(wall, 0.8);
  EXPECT_LT(outflow, 0.3);
  EXPECT_LT(convective, 0.02);
}

constexpr double vortex = 0.02; // the largest velocity in it

/// Velocity in the first 60 columns of a stream with a vortex, which has been carried out of the 60th by
/// then.
std::vector<Vector> after_a_vortex(std::int64_t length, Outlet kind) {
  constexpr std::int64_t width = 40, seen = 60;
  constexpr double u_in = 0.08, core = 4;
  const double omega = validation::rate(0.01);
  Flow flow = channel({length, width, 1}, false, true);
  const Patch inlet = flow.patch([](const Cell& c) { return c[0] < 0; });
  const Patch outlet = flow.patch([&](const Cell& c) { return c[0] >= length; });
  Kept kept(outlet, u_in);
  flow.start(omega, [&](const Cell& c) {
    const double x = (static_cast<double>(c[0]) - 35) / core,
                 y = (static_cast<double>(c[1]) - width / 2.0) / core;
    const double strength = vortex * std::exp(0.5 - (x * x + y * y) / 2);
    return State{1, {u_in - strength * y, strength * x, 0}, {}};
  });
  for (int t = 0; t < 600; ++t) {
    step(flow, omega);
    lbm_boundaries_pull::inlet(flow.f(), inlet.mask.data(), inlet.cells.data(), inlet.size(), u_in);
    leave(flow, outlet, kind == Outlet::convective ? &kept : nullptr, u_in);
  }
  std::vector<Vector> found;
  for (std::int64_t y = 0; y < width; ++y) {
    for (std::int64_t x = 0; x < seen; ++x)
      found.push_back(flow.velocity(Cell{x, y, 0}));
  }
  return found;
}

// Against a channel in which the vortex is still on its way; the velocity across, since neither of them holds
// the pressure, so that the mean of the other one drifts.
TEST(Flows, AVortexLeaves) {
  NEEDS_FULL_SPEED();
  const std::vector<Vector> expected = after_a_vortex(120, Outlet::convective);
  for (const Outlet kind : {Outlet::outflow, Outlet::convective}) {
    const std::vector<Vector> found = after_a_vortex(60, kind);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      largest = std::max(largest, std::abs(found[i][1] - expected[i][1]));
    EXPECT_LT(largest / vortex, kind == Outlet::outflow ? 0.04 : 0.004);
  }
}

} // namespace
