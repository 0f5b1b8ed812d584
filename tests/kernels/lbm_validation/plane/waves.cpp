// SPDX-License-Identifier: Apache-2.0
// Periodic plane flows: decaying waves (viscosity, rotation, Galilean invariance), Taylor-Green vortices,
// budgets.
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "flows/periodic_flow.hpp"

namespace validation {
namespace {

/// A shear wave u = U + A e sin(k.x - k.U t), e across k = 2 pi (waves_x, waves_y) / cells.
struct Wave {
  int cells, waves_x, waves_y;
  Vector drift{};
  double viscosity = 0.01;
};

/// The viscosity of a wave, by the decay of its amplitude, over the one that omega stands for.
template <class Flow> double viscosity_ratio(Flow& flow, const Cell& extent, const Wave& wave) {
  constexpr double amplitude = 0.01;
  const double unit = 2 * std::numbers::pi / wave.cells;
  const Vector k{unit * wave.waves_x, unit * wave.waves_y, 0};
  const double length = std::hypot(k[0], k[1]);
  const Vector e{-k[1] / length, k[0] / length, 0};
  const double omega = rate(wave.viscosity);
  const auto phase = [&](const Cell& cell) {
    return k[0] * static_cast<double>(cell[0]) + k[1] * static_cast<double>(cell[1]);
  };
  flow.start(omega, [&](const Cell& cell) {
    State s;
    for (std::size_t a = 0; a < 2; ++a) {
      s.u[a] = wave.drift[a] + amplitude * e[a] * std::sin(phase(cell));
      for (std::size_t b = 0; b < 2; ++b)
        s.gradient[a][b] = amplitude * e[a] * k[b] * std::cos(phase(cell));
    }
    return s;
  });
  const auto size = [&] {
    std::complex<double> sum = 0;
    for_cells(extent, [&](const Cell& cell) {
      const Vector j = flow.moments(cell).second;
      sum += (j[0] * e[0] + j[1] * e[1]) * std::polar(1.0, -phase(cell));
    });
    return std::abs(sum);
  };
  // over about one decay time; what the start has left of other modes is gone before
  const int steps = static_cast<int>(1 / (wave.viscosity * length * length));
  double early = 0;
  for (int s = 0; s < 2 * steps; ++s) {
    if (s == steps / 4) early = size();
    flow.step(omega);
  }
  return std::log(early / size()) / (2 * steps - steps / 4) / (length * length * wave.viscosity);
}

double viscosity_ratio(Precision precision, const Wave& wave) {
  const Cell extent{wave.cells, wave.waves_y == 0 && wave.drift[1] == 0 ? 1 : wave.cells, 1};
  return with_plane_flow(precision, extent, [&](auto& flow) { return viscosity_ratio(flow, extent, wave); });
}

Outcome shear_wave(Precision precision, Size size) {
  Outcome outcome;
  for (const int cells : size == Size::small ? std::vector{64} : std::vector{64, 128}) {
    for (const double viscosity : {0.01, 0.1}) {
      const double ratio = viscosity_ratio(precision, {cells, 1, 0, {}, viscosity});
      outcome.quantities.push_back({"viscosity over nu = " + std::to_string(viscosity).substr(0, 4) +
                                        ", wave of " + std::to_string(cells),
                                    ratio, 1, 1e-3});
    }
  }
  return outcome;
}

Outcome rotation(Precision precision, Size size) {
  // waves of the same length along an axis and along (3, 4)
  const int cells = size == Size::small ? 80 : 120;
  const double viscosity = size == Size::small ? 0.05 : 0.02;
  const double along = viscosity_ratio(precision, {cells, 5, 0, {}, viscosity});
  const double oblique = viscosity_ratio(precision, {cells, 3, 4, {}, viscosity});
  const double expected =
      0.5 * std::pow(2 * std::numbers::pi * 5 / cells, 2) / 6; // the size of the k^2 error
  return {{{"viscosity along (3, 4) over that along x", oblique / along, 1, expected}}, {}};
}

Outcome galilean(Precision precision, Size size) {
  const int cells = size == Size::small ? 32 : 64;
  const double viscosity = size == Size::small ? 0.05 : 0.02;
  const double at_rest = viscosity_ratio(precision, {cells, 1, 0, {}, viscosity});
  const double moving = viscosity_ratio(precision, {cells, 1, 0, {0.1, 0.05, 0}, viscosity});
  // moments: the plain regularised operator has the O(u^2) error of its second-order equilibrium, 3 u^2 = 3 %
  const double tolerance = in_moments(precision) ? 0.04 : 2e-3;
  return {{{"viscosity in a stream of (0.1, 0.05) over that at rest", moving / at_rest, 1, tolerance}}, {}};
}

/// Relative L2 error of the velocity of Taylor-Green vortices in a square of `cells`, after a fixed part of
/// their decay.
double vortex_error(Precision precision, int cells) {
  // With few steps and a large error rounding does not spoil the order; that of the regularised operator has
  // a zero near nu = 0.1.
  const double viscosity = 0.15;
  const double speed = 0.08 * 16 / cells; // diffusive scaling: the Mach number falls with the cell
  const double k = 2 * std::numbers::pi / cells;
  const Cell extent{cells, cells, 1};
  const double omega = rate(viscosity);
  const auto exact = [&](const Cell& cell, int time) {
    const double x = k * (static_cast<double>(cell[0]) + 0.5), y = k * (static_cast<double>(cell[1]) + 0.5);
    const double now = speed * std::exp(-2 * viscosity * k * k * time);
    State s;
    s.rho = 1 - 0.75 * now * now * (std::cos(2 * x) + std::cos(2 * y));
    s.u = {-now * std::cos(x) * std::sin(y), now * std::sin(x) * std::cos(y), 0};
    s.gradient[0] = {now * k * std::sin(x) * std::sin(y), -now * k * std::cos(x) * std::cos(y), 0};
    s.gradient[1] = {now * k * std::cos(x) * std::cos(y), -now * k * std::sin(x) * std::sin(y), 0};
    return s;
  };
  return with_plane_flow(precision, extent, [&](auto& flow) {
    flow.start(omega, [&](const Cell& cell) { return exact(cell, 0); });
    const int steps = static_cast<int>(std::lround(0.025 / viscosity * cells * cells));
    for (int s = 0; s < steps; ++s)
      flow.step(omega);
    double difference = 0, whole = 0;
    for_cells(extent, [&](const Cell& cell) {
      const auto [rho, j] = flow.moments(cell);
      const State s = exact(cell, steps);
      for (std::size_t a = 0; a < 2; ++a) {
        difference += std::pow(j[a] / rho - s.u[a], 2);
        whole += s.u[a] * s.u[a];
      }
    });
    return std::sqrt(difference / whole);
  });
}

Outcome taylor_green(Precision precision, Size size) {
  Outcome outcome;
  Graph graph{"Taylor-Green vortices: error and cell width", "log2(cells)", "log10(relative L2 error)", {}};
  Curve errors{name_of(precision), {}, {}, false};
  const std::vector<int> sizes = size == Size::small ? std::vector{32, 64} : std::vector{16, 32, 64, 128};
  double before = 0;
  for (const int cells : sizes) {
    const double error = vortex_error(precision, cells);
    errors.x.push_back(std::log2(cells));
    errors.y.push_back(std::log10(error));
    if (before > 0) {
      const double order = std::log2(before / error);
      outcome.quantities.push_back(
          {"order from " + std::to_string(cells / 2) + " to " + std::to_string(cells), order, 2,
           cells == 32 ? 0.25 : 0.05, cells == 128 ? 1.0 : -1});
    }
    before = error;
  }
  outcome.quantities.push_back(
      {"relative error of " + std::to_string(sizes.back()) + " cells", before, 0, 2e-3});
  graph.curves.push_back(errors);
  outcome.graphs.push_back(graph);
  return outcome;
}

/// Mass and momentum a cell of a random periodic flow, and what they should be.
template <class Flow> Outcome budget(Flow& flow, const Cell& extent, const Vector& force, int steps) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> disturbance(-0.02, 0.02);
  std::vector<State> states; // drawn in the order of the cells, whoever asks for them
  for_cells(extent, [&](const Cell&) {
    states.push_back({1 + disturbance(random), {disturbance(random), disturbance(random), 0}, {}});
  });
  flow.start(
      1.0, [&](const Cell& cell) { return states[static_cast<std::size_t>(cell[0] + extent[0] * cell[1])]; });
  const auto totals = [&] {
    Vector sum{};
    for_cells(extent, [&](const Cell& cell) {
      const auto [rho, j] = flow.moments(cell);
      const double share = 1.0 / static_cast<double>(extent[0] * extent[1]);
      sum[0] += share * (rho - 1);
      sum[1] += share * j[0];
      sum[2] += share * j[1];
    });
    return sum;
  };
  const Vector before = totals();
  for (int s = 0; s < steps; ++s)
    flow.step(rate(0.01));
  const Vector after = totals();
  return {{{"mass gained", after[0] - before[0], 0, 1e-14, 1e-6},
           {"momentum gained along x", after[1] - before[1], force[0] * steps, 1e-14, 1e-6},
           {"momentum gained along y", after[2] - before[2], force[1] * steps, 1e-14, 1e-6}},
          {}};
}

/// A periodic flow with a force, by TRT.
template <class T> class Forced {
public:
  Forced(const Cell& extent, const Vector& force)
      : force_(force), flow_(d2q9, lbm_validation::links, extent, all_cells(extent), {true, true, true}) {}
  template <class F> void start(double omega, F&& state) { flow_.start(omega, state); }
  void step(double omega) {
    flow_.step([&](const auto&... arguments) {
      lbm_validation::trt(arguments..., force_[0], force_[1], 3.0 / 16, omega);
    });
  }
  [[nodiscard]] std::pair<double, Vector> moments(const Cell& cell) const {
    return flow_.moments(flow_.number(cell));
  }

private:
  Vector force_;
  ListFlow<T, 9> flow_;
};

Outcome budgets(Precision precision, Size size) {
  const Cell extent{37, 23, 1};
  const int steps = size == Size::small ? 500 : 10000;
  if (in_moments(precision)) {
    return with_stress(precision, [&]<class T>(T) {
      MomentFlow<2, T> flow(extent);
      return budget(flow, extent, {}, steps);
    });
  }
  const Vector force{1e-2 / steps, -2e-2 / steps, 0};
  return with_storage(precision, [&]<class T>(T) {
    Forced<T> flow(extent, force);
    return budget(flow, extent, force, steps);
  });
}

} // namespace

std::vector<Case> wave_cases(Size size) {
  const std::string setting = "D2Q9 cumulants; moments: regularised";
  std::vector<Case> found{
      {"Shear wave", setting, "u = A exp(-nu k^2 t) sin(k x)", {}},
      {"Rotational invariance", setting, "the viscosity does not depend on the direction", {}},
      {"Galilean invariance", setting, "the viscosity does not depend on the frame", {}},
      {"Taylor-Green vortices", setting, "exp(-2 nu k^2 t); diffusive scaling", {}},
      {"Budgets",
       "D2Q9 TRT with a force, random start; moments: regularised, no force",
       "mass constant, momentum F t, a cell",
       {}}};
  Outcome (*const flows[])(Precision, Size) = {shear_wave, rotation, galilean, taylor_green, budgets};
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i].add(with_moments, 2, 1, [flow = flows[i], size](Precision p) { return flow(p, size); });
  return found;
}

} // namespace validation
