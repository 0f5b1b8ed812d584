// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_STREAM_FLOW_HPP
#define LBM_VALIDATION_STREAM_FLOW_HPP

#include <optional>
#include <utility>
#include <vector>

#include "moment_flow.hpp"
#include "moment_sides.hpp"
#include "sphere_array.hpp"

namespace validation {

/// A flow in space past a body with moments in memory, periodic, or open along x.
template <class T> class MomentSpace : public MomentFlow<3, T> {
public:
  /// Of an array: third moments are gone after a step, so that 3/16, which TRT has as its magic parameter in
  /// any case, is 3/2 of the viscosity here.
  static constexpr double viscosity = 1.0 / 8;

  /// inflow: the velocity at an inlet; 0 for a flow that is periodic along x.
  MomentSpace(const Cell& extent, const Ball& ball, double inflow)
      : MomentFlow<3, T>(extent), extent_(extent), ball_(ball), open_(inflow != 0),
        sides_(
            d3q19, extent, ball, [this](const Cell& c) { return kind(c); },
            [&](const Cell&) { return inflow; }) {}

  /// Returns the force on the body, of what the step before has left. force: along x. density: at an outlet.
  Vector step(double omega, double force, double density = 1) {
    this->advance([&](const auto&... fields) {
      this->step_in_space(force, omega, fields...);
      sides_.run([&](auto... entries) {
        if constexpr (MomentSpace::halves)
          lbm_validation_mixed::space_sides(fields..., entries..., density, force, omega);
        else
          lbm_validation_mixed::space_sides_f32(fields..., entries..., density, force, omega);
      });
    });
    return sides_.force();
  }

  [[nodiscard]] bool fluid(const Cell& cell) const { return kind(cell) == Kind::fluid; }

  // as ListArray
  void start_at_rest() {
    this->start(1.0, [](const Cell&) { return State{}; });
  }
  [[nodiscard]] std::int64_t fluid_cells() const {
    std::int64_t count = 0;
    for_fluid([&](const Cell&) { ++count; });
    return count;
  }
  [[nodiscard]] double flux(double force) const {
    double sum = 0;
    for_fluid([&](const Cell& cell) {
      const auto [rho, j] = this->moments(cell);
      sum += (j[0] - force / 2) / rho;
    });
    return sum;
  }

private:
  [[nodiscard]] Kind kind(const Cell& cell) const {
    if (open_ && cell[0] < 0) return Kind::inlet;
    if (open_ && cell[0] >= extent_[0]) return Kind::outlet;
    return ball_.inside(cell) ? Kind::body : Kind::fluid;
  }

  template <class F> void for_fluid(F&& f) const {
    for_cells(extent_, [&](const Cell& cell) {
      if (fluid(cell)) f(cell);
    });
  }

  Cell extent_;
  Ball ball_;
  bool open_;
  MomentSides<3, 19> sides_;
};

/// A stream along x past a body, periodic across: populations over a list.
template <class T> class ListStream {
public:
  ListStream(const Cell& extent, const Ball& ball, double speed, heddle::Memory memory)
      : speed_(speed), extent_(extent),
        flow_(d3q19, lbm_validation_space::links, extent, outside(extent, ball), {false, true, true}, memory),
        body_(flow_, ball), inlet_(flow_.patch([](const Cell& c) { return c[0] < 0; })),
        outlet_(flow_.patch([this](const Cell& c) { return c[0] >= extent_[0]; })), plane_(before_outlet()),
        sum_(1, memory), flux_(flow_.field(), plane_, sum_) {}

  template <class F> void start(double omega, F&& state) { flow_.start(omega, state); }
  /// Brings what the host reads up to date.
  void fetch() { flow_.fetch(); }

  /// Returns the force on the body. outlet(): its density, asked between collision and boundaries.
  template <class F> Vector step(double omega, F&& outlet) {
    flow_.sweep(
        [omega](auto&&... fields) { return lbm_validation_space::Trt<T>(fields..., {0, 3.0 / 16, omega}); });
    flow_.boundary(
        [this](auto& f) { return lbm_validation_space::Inlet<T>(f, inlet_.cells, inlet_.mask, {speed_}); });
    flow_.boundary([this, density = outlet()](auto& f) {
      return lbm_validation_space::Outlet<T>(f, outlet_.cells, outlet_.mask, {density});
    });
    return body_.apply(flow_, SpaceBody{});
  }

  /// The mean momentum along x in the plane of cells next to the last.
  [[nodiscard]] double outflow() {
    flux_(flow_.stream());
    flow_.stream().synchronise();
    return static_cast<double>(sum_.to_host()[0]) / static_cast<double>(plane_.size());
  }
  /// Density and momentum; nothing where no fluid is.
  [[nodiscard]] std::optional<std::pair<double, Vector>> at(const Cell& cell) const {
    const std::int64_t n = flow_.number(cell);
    if (n < 0) return std::nullopt;
    return flow_.arrived(n);
  }

private:
  [[nodiscard]] heddle::Buffer<std::uint32_t> before_outlet() const {
    std::vector<std::uint32_t> cells;
    for (std::int64_t z = 0; z < extent_[2]; ++z) {
      for (std::int64_t y = 0; y < extent_[1]; ++y)
        cells.push_back(static_cast<std::uint32_t>(flow_.number({extent_[0] - 2, y, z})));
    }
    return buffer(cells, flow_.memory());
  }

  double speed_;
  Cell extent_;
  ListFlow<T, 19> flow_;
  Body<T, 19> body_;
  Patch inlet_, outlet_;
  heddle::Buffer<std::uint32_t> plane_;
  heddle::Buffer<typename Body<T, 19>::Real> sum_;
  lbm_validation_space::Flux<T> flux_;
};

/// The same with moments in memory; on the host.
template <class T> class MomentStream {
public:
  MomentStream(const Cell& extent, const Ball& ball, double speed, heddle::Memory)
      : extent_(extent), flow_(extent, ball, speed) {}

  template <class F> void start(double omega, F&& state) { flow_.start(omega, state); }
  void fetch() {}

  template <class F> Vector step(double omega, F&& outlet) { return flow_.step(omega, 0, outlet()); }

  [[nodiscard]] double outflow() const {
    double sum = 0;
    for (std::int64_t z = 0; z < extent_[2]; ++z) {
      for (std::int64_t y = 0; y < extent_[1]; ++y)
        sum += flow_.moments({extent_[0] - 2, y, z}).second[0];
    }
    return sum / static_cast<double>(extent_[1] * extent_[2]);
  }
  [[nodiscard]] std::optional<std::pair<double, Vector>> at(const Cell& cell) const {
    if (!flow_.fluid(cell)) return std::nullopt;
    return flow_.moments(cell);
  }

private:
  Cell extent_;
  MomentSpace<T> flow_;
};

} // namespace validation

#endif
