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

/// Drag of a simple cubic array of spheres over 6 pi mu a U, U the mean over the whole volume of a periodic
/// box with `cells` an edge, and the force over what drives it.
template <class T>
std::pair<double, double> array_drag(ListFlow<T, 19>& flow, Body<T, 19>& body, int cells, double radius) {
  constexpr double viscosity = 1.0 / 6, g = 1e-6;
  flow.start(1.0, [](const Cell&) { return State{}; });
  Vector force{};
  const auto balance = [&] { return force[0] / (g * static_cast<double>(flow.list().count())); };
  for (int s = 0; s < 20 * cells * cells && !(s > cells && std::abs(balance() - 1) < 2e-5); ++s) {
    flow.sweep([&](auto&&... fields) {
      return lbm_validation_space::Trt<T>(fields..., {g, 3.0 / 16, rate(viscosity)});
    });
    force = body.apply(flow, SpaceBody{});
  }
  flow.fetch();
  double flux = 0;
  for (std::int64_t i = 0; i < flow.list().count(); ++i)
    flux += flow.velocity(i, {g, 0, 0})[0];
  const double volume = std::pow(cells, 3);
  return {g * volume / (6 * std::numbers::pi * viscosity * radius * (flux / volume)), balance()};
}

} // namespace validation

#endif
