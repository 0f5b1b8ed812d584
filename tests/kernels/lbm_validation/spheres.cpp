// SPDX-License-Identifier: Apache-2.0
// Spheres: creeping flow through a simple cubic array, and the drag on one sphere in a stream.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "body.hpp"
#include "case.hpp"
#include "lbm_validation_space.hpp"
#include "lbm_validation_space_sweeps.hpp"

namespace validation {
namespace {

/// Drag of a simple cubic array over 6 pi mu a U, U the mean over the whole volume, and the force over what
/// drives it.
std::pair<double, double> array_drag(Precision precision, int cells, double solid) {
  return with_storage(precision, [&]<class T>(T) {
    constexpr double viscosity = 1.0 / 6, g = 1e-6;
    const double n = cells, radius = n * std::cbrt(3 * solid / (4 * std::numbers::pi));
    const Cell extent{cells, cells, cells};
    const Ball ball{{n / 2, n / 2, n / 2}, radius, 3};
    ListFlow<T, 19> flow(d3q19, lbm_validation_space::links, extent, outside(extent, ball),
                         {true, true, true});
    Body<T, 19> body(flow, ball);
    flow.start(1.0, [](const Cell&) { return State{}; });
    Vector force{};
    const auto balance = [&] { return force[0] / (g * static_cast<double>(flow.list().count())); };
    for (int s = 0; s < 20 * cells * cells && !(s > cells && std::abs(balance() - 1) < 2e-5); ++s) {
      flow.step([&](const auto&... arguments) {
        lbm_validation_space::trt(arguments..., g, 3.0 / 16, rate(viscosity));
      });
      force = body.apply(flow, [](auto... arguments) { lbm_validation_space::body(arguments...); });
    }
    double flux = 0;
    for (std::int64_t i = 0; i < flow.list().count(); ++i)
      flux += flow.velocity(i, {g, 0, 0})[0];
    const double mean = flux / (n * n * n);
    return std::pair(g * n * n * n / (6 * std::numbers::pi * viscosity * radius * mean), balance());
  });
}

Outcome packed(Precision precision, Size size) {
  Outcome outcome;
  struct Row {
    double solid, drag;
  };
  const std::vector<Row> rows = size == Size::small
                                    ? std::vector<Row>{{0.125, 4.292}}
                                    : std::vector<Row>{{0.027, 2.008}, {0.125, 4.292}, {0.343, 15.4}};
  for (const auto& [solid, drag] : rows) {
    const auto [found, balance] = array_drag(precision, size == Size::small ? 24 : 32, solid);
    const std::string at = ", solid fraction " + std::to_string(solid).substr(0, 5);
    outcome.quantities.push_back({"drag over Stokes'" + at, found, drag, 0.02 * drag});
    outcome.quantities.push_back({"force over driving force" + at, balance, 1, 1e-3, 5e-3});
  }
  return outcome;
}

/// Clift, Grace and Weber 1978.
double clift(double reynolds) {
  return 24 / reynolds *
         (reynolds < 20 ? 1 + 0.1315 * std::pow(reynolds, 0.82 - 0.05 * std::log10(reynolds))
                        : 1 + 0.1935 * std::pow(reynolds, 0.6305));
}

/// Drag coefficient in a box of 7 x 7 x 10 diameters whose side walls move with the stream.
double stream_drag(Precision precision, int diameter, double reynolds) {
  return with_storage(precision, [&]<class T>(T) {
    constexpr double speed = 0.05;
    const std::int64_t d = diameter;
    const Cell extent{10 * d, 7 * d, 7 * d};
    const Ball ball{{3.0 * diameter, 3.5 * diameter, 3.5 * diameter}, diameter / 2.0, 3};
    const double omega = rate(speed * diameter / reynolds);
    ListFlow<T, 19> flow(d3q19, lbm_validation_space::links, extent, outside(extent, ball),
                         {false, false, false});
    Body<T, 19> body(flow, ball);
    const auto across = [&](const Cell& c) {
      return c[1] < 0 || c[2] < 0 || c[1] >= extent[1] || c[2] >= extent[2];
    };
    const Patch walls = flow.patch([&](const Cell& c) { return c[0] < 0 || across(c); });
    const Patch outlet = flow.patch([&](const Cell& c) { return c[0] >= extent[0] && !across(c); });
    flow.start(omega, [&](const Cell&) { return State{1, {speed, 0, 0}, {}}; });
    const int passage = static_cast<int>(diameter / speed);
    double mean = 0;
    for (int s = 0; s < 40 * passage; ++s) {
      flow.step([&](const auto&... arguments) { lbm_validation_space::trt(arguments..., 0.0, 0.25, omega); });
      lbm_validation_space::moving_wall(flow.f(), walls.mask.data(), walls.cells.data(), walls.size(), speed,
                                        0.0, 0.0);
      lbm_validation_space::outlet(flow.f(), outlet.mask.data(), outlet.cells.data(), outlet.size());
      const Vector force =
          body.apply(flow, [](auto... arguments) { lbm_validation_space::body(arguments...); });
      if (s >= 36 * passage) mean += force[0] / (4 * passage);
    }
    return mean / (speed * speed / 2 * std::numbers::pi * diameter * diameter / 4);
  });
}

Outcome stream(Precision precision, Size size) {
  if (size == Size::small) return {};
  Outcome outcome;
  Graph graph{"Drag on a sphere", "log10(Re)", "log10(drag coefficient)", {}};
  Curve found{"computed", {}, {}, true}, expected{"Clift, Grace and Weber", {}, {}, false};
  for (double exponent = 1; exponent <= 2.42; exponent += 0.05)
    expected.x.push_back(exponent), expected.y.push_back(std::log10(clift(std::pow(10, exponent))));
  const bool curve = precision == Precision::f32;
  for (const double reynolds : curve ? std::vector{20.0, 50.0, 100.0} : std::vector{50.0}) {
    const double drag = stream_drag(precision, 8, reynolds);
    outcome.quantities.push_back({"drag coefficient, Re = " + std::to_string(static_cast<int>(reynolds)),
                                  drag, clift(reynolds), 0.06 * clift(reynolds)});
    found.x.push_back(std::log10(reynolds)), found.y.push_back(std::log10(drag));
  }
  graph.curves = {expected, found};
  if (curve) outcome.graphs.push_back(graph);
  return outcome;
}

} // namespace

std::vector<Case> sphere_cases() {
  return {{"Simple cubic array of spheres", "D3Q19 TRT, interpolated walls, driven by a force",
           "Zick and Homsy 1982", populations, packed},
          {"Sphere in a stream", "D3Q19 TRT, interpolated walls, D = 8, box 10 x 7 x 7 D",
           "Clift, Grace and Weber 1978", populations, stream}};
}

} // namespace validation
