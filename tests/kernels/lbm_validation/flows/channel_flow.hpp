// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_CHANNEL_FLOW_HPP
#define LBM_VALIDATION_CHANNEL_FLOW_HPP

#include <cmath>
#include <optional>
#include <utility>

#include "body.hpp"
#include "lbm_validation.hpp"
#include "lbm_validation_sweeps.hpp"
#include "moment_sides.hpp"
#include "walled_moments.hpp"

namespace validation {

/// What collides: TRT with the magic parameter of half-way walls, or cumulants, whose odd moments are gone
/// after a step. TRT holds the error of interpolated walls at Lambda Re / (3 D^2) whatever the velocity is,
/// which is small in the steady flow and 5 % of the drag of the other one at D = 20. Moments in memory always
/// collide with the regularised operator, whose third moments are gone, too.
enum class Operator { trt, cumulant };

/// What lies where in a plane channel along x with a body in it: corners are walls.
inline Kind kind_in_channel(const Cell& cell, const Cell& extent, const Ball& ball) {
  if (cell[1] < 0 || cell[1] >= extent[1]) return Kind::wall;
  if (cell[0] < 0) return Kind::inlet;
  if (cell[0] >= extent[0]) return Kind::outlet;
  return ball.inside(cell) ? Kind::body : Kind::fluid;
}

struct PlaneBody {
  template <class... A> void operator()(A... arguments) const { lbm_validation::body(arguments...); }
  template <class... A> void on_device(A... arguments) const {
    if constexpr (heddle::with_cuda) lbm_validation::body_cuda(arguments...);
  }
};

/// A channel with a body, velocity given at the inlet and density at the outlet: populations over a list.
template <class T> class ListChannel {
public:
  /// inflow(cell): along x, beside the inlet.
  template <class F>
  ListChannel(const Cell& extent, const Ball& ball, F&& inflow)
      : flow_(d2q9, lbm_validation::links, extent, outside(extent, ball), {false, false, false}),
        body_(flow_, ball),
        inlet_(flow_.patch([&](const Cell& c) { return kind_in_channel(c, extent, ball) == Kind::inlet; })),
        outlet_(flow_.patch([&](const Cell& c) { return kind_in_channel(c, extent, ball) == Kind::outlet; })),
        along_(flow_.values(inlet_, inflow)), across_(flow_.values(inlet_, [](const Cell&) { return 0.0; })) {
  }

  template <class F> void start(double omega, F&& state) { flow_.start(omega, state); }

  /// Returns the force on the body. outlet(): its density, asked between collision and boundaries.
  template <class F> Vector step(Operator collision, double omega, F&& outlet) {
    if (collision == Operator::trt) {
      flow_.step(
          [&](const auto&... arguments) { lbm_validation::trt(arguments..., 0.0, 0.0, 3.0 / 16, omega); });
    } else {
      flow_.step([&](const auto&... arguments) { lbm_validation::cumulant(arguments..., omega); });
    }
    const auto f = flow_.f();
    lbm_validation::moving_wall(f, along_.data(), across_.data(), inlet_.mask.data(), inlet_.cells.data(),
                                inlet_.size());
    lbm_validation::outlet(f, outlet_.mask.data(), outlet_.cells.data(), outlet_.size(), outlet());
    return body_.apply(flow_, PlaneBody{});
  }

  /// That the last collision left.
  [[nodiscard]] Vector momentum(const Cell& cell) const { return flow_.moments(flow_.number(cell)).second; }
  /// Density and momentum; nothing where no fluid is.
  [[nodiscard]] std::optional<std::pair<double, Vector>> at(const Cell& cell) const {
    const std::int64_t n = flow_.number(cell);
    if (n < 0) return std::nullopt;
    return flow_.arrived(n);
  }

private:
  ListFlow<T, 9> flow_;
  Body<T, 9> body_;
  Patch inlet_, outlet_;
  heddle::Buffer<T> along_, across_;
};

/// The same with moments in memory.
template <class T> class MomentChannel : public WalledMoments<T> {
public:
  template <class F>
  MomentChannel(const Cell& extent, const Ball& ball, F&& inflow)
      : WalledMoments<T>(extent, true), extent_(extent), ball_(ball),
        sides_(d2q9, extent, ball, [&](const Cell& c) { return kind_in_channel(c, extent, ball); }, inflow) {}

  /// The force is of what the step before has left: a step and its boundaries are one.
  template <class F> Vector step(Operator, double omega, F&& outlet) {
    const auto walls = std::as_const(this->walls_).view(), lids = std::as_const(this->lid_).view();
    const double density = outlet();
    this->advance([&](const auto& flow, const auto& stress, const auto& flow_next, const auto& stress_next) {
      const auto run = [&](auto step, auto sides) {
        step(flow, stress, walls, lids, flow_next, stress_next, 0.0, 0.0, 0.0, 0.0, omega);
        sides_.run([&](auto... entries) {
          sides(flow, stress, walls, lids, flow_next, stress_next, entries..., density, 0.0, 0.0, 0.0, 0.0,
                omega);
        });
      };
      if constexpr (MomentChannel::halves)
        run([](const auto&... a) { lbm_validation_mixed::walled(a...); },
            [](const auto&... a) { lbm_validation_mixed::sides(a...); });
      else
        run([](const auto&... a) { lbm_validation_mixed::walled_f32(a...); },
            [](const auto&... a) { lbm_validation_mixed::sides_f32(a...); });
    });
    return sides_.force();
  }

  [[nodiscard]] Vector momentum(const Cell& cell) const { return this->moments(cell).second; }
  [[nodiscard]] std::optional<std::pair<double, Vector>> at(const Cell& cell) const {
    if (kind_in_channel(cell, extent_, ball_) != Kind::fluid) return std::nullopt;
    return this->moments(cell);
  }

private:
  Cell extent_;
  Ball ball_;
  MomentSides<2, 9> sides_;
};

} // namespace validation

#endif
