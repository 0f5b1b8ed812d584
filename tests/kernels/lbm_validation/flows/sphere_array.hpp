// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_SPHERE_ARRAY_HPP
#define LBM_VALIDATION_SPHERE_ARRAY_HPP

#include <cmath>
#include <numbers>
#include <utility>

#include "body.hpp"
#include "lbm_validation_space.hpp"
#include "lbm_validation_space_sweeps.hpp"

namespace validation {

/// Walls of a body in flows of the module lbm_validation_space.
struct SpaceBody {
  template <class... A> void operator()(A... arguments) const { lbm_validation_space::body(arguments...); }
  template <class... A> void on_device(A... arguments) const {
    if constexpr (heddle::with_cuda) lbm_validation_space::body_cuda(arguments...);
  }
};

/// A periodic flow past a body, driven along x: populations over a list.
template <class T> class ListArray {
public:
  static constexpr double viscosity = 1.0 / 6;

  ListArray(ListFlow<T, 19>& flow, Body<T, 19>& body) : flow_(&flow), body_(&body) {}

  void start_at_rest() {
    flow_->start(1.0, [](const Cell&) { return State{}; });
  }
  /// Returns the force on the body.
  Vector step(double omega, double force) {
    flow_->sweep(
        [&](auto&&... fields) { return lbm_validation_space::Trt<T>(fields..., {force, 3.0 / 16, omega}); });
    return body_->apply(*flow_, SpaceBody{});
  }
  [[nodiscard]] std::int64_t fluid_cells() const { return flow_->list().count(); }
  /// The sum of the velocities along x.
  [[nodiscard]] double flux(double force) {
    flow_->fetch();
    double sum = 0;
    for (std::int64_t i = 0; i < flow_->list().count(); ++i)
      sum += flow_->velocity(i, {force, 0, 0})[0];
    return sum;
  }

private:
  ListFlow<T, 19>* flow_;
  Body<T, 19>* body_;
};

/// Drag of a simple cubic array of spheres over 6 pi mu a U, U the mean over the whole volume of a periodic
/// box with `cells` an edge, and the force over what drives it.
template <class Array> std::pair<double, double> array_drag(Array flow, int cells, double radius) {
  constexpr double viscosity = Array::viscosity, g = 1e-6;
  flow.start_at_rest();
  Vector force{};
  const auto balance = [&] { return force[0] / (g * static_cast<double>(flow.fluid_cells())); };
  for (int s = 0; s < 20 * cells * cells && !(s > cells && std::abs(balance() - 1) < 2e-5); ++s)
    force = flow.step(rate(viscosity), g);
  const double volume = std::pow(cells, 3), mean = flow.flux(g) / volume;
  return {g * volume / (6 * std::numbers::pi * viscosity * radius * mean), balance()};
}

} // namespace validation

#endif
