// SPDX-License-Identifier: Apache-2.0
// Natural convection in a square with a hot and a cold side, Pr = 0.71.
#include <algorithm>
#include <cmath>

#include "case.hpp"
#include "flows/coarse.hpp"
#include "flows/list_flow.hpp"
#include "flows/walled_moments.hpp"
#include "lbm_validation.hpp"
#include "lbm_validation_heat.hpp"
#include "lbm_validation_heat_sweeps.hpp"
#include "lbm_validation_sweeps.hpp"

namespace validation {
namespace {

/// The flow by populations on a list of n x n cells.
template <class T> class Listed {
public:
  using Value = T; ///< of the temperature and the velocity
  explicit Listed(int n)
      : flow_(d2q9, lbm_validation::links, {n, n, 1}, all_cells({n, n, 1}), {false, false, false}) {}
  template <class F> void start(double omega, F&& state) { flow_.start(omega, state); }
  Coarse coarse(const Cell& extent, double ratio) { return {flow_, extent, ratio, 1}; }

  /// One step in a temperature. u becomes the velocity before it.
  void step(const heddle::SparseField<T>& temperature, heddle::SparseField<T>& u, double expansion,
            double gravity, double omega) {
    const heddle::IndexList& list = flow_.list();
    const auto t = temperature.view();
    lbm_validation::velocity(std::as_const(flow_).f(), t, u.view(), list.neighbour(), list.neighbour_stride(),
                             0, list.count(), expansion, gravity);
    flow_.step([&](const auto& from, const auto& to, auto... rest) {
      lbm_validation::buoyant(from, to, t, rest..., expansion, gravity, omega);
    });
  }

private:
  ListFlow<T, 9> flow_;
};

/// The same with moments in memory, the stress in T, on a dense box.
template <class T> class Dense : public WalledMoments<T> {
public:
  using Value = float;
  explicit Dense(int n) : WalledMoments<T>({n, n, 1}, false), extent_{n, n, 1}, temperature_(extent_, 1) {}
  Coarse coarse(const Cell& extent, double ratio) {
    return Coarse(extent, ratio, 1, [this](const Cell& cell) { return std::optional(this->moments(cell)); });
  }

  void step(const heddle::SparseField<float>& temperature, heddle::SparseField<float>& u, double expansion,
            double gravity, double omega) {
    const auto t = temperature.view();
    const auto for_cells = [&](auto&& visit) {
      for (std::int64_t y = 0; y < extent_[1]; ++y)
        temperature.list().for_row(y, 0, [&](std::int64_t n, std::int64_t x) { visit(n, Cell{x, y, 0}); });
    };
    for_cells([&](std::int64_t n, const Cell& cell) { temperature_.at(cell, 0) = t(n, 0); });
    const auto walls = std::as_const(this->walls_).view();
    const auto warmth = std::as_const(temperature_).view();
    this->advance([&](const auto& flow, const auto& stress, const auto& flow_next, const auto& stress_next) {
      if constexpr (Dense::halves)
        lbm_validation_mixed::buoyant(flow, stress, walls, warmth, flow_next, stress_next, expansion, gravity,
                                      omega);
      else
        lbm_validation_mixed::buoyant_f32(flow, stress, walls, warmth, flow_next, stress_next, expansion,
                                          gravity, omega);
    });
    auto& velocity = this->velocity_;
    lbm_validation_mixed::buoyant_velocity(this->flow(), velocity.view(), warmth, expansion, gravity);
    for_cells([&](std::int64_t n, const Cell& cell) {
      for (const std::int64_t a : {0, 1})
        u.view()(n, a) = velocity.at(cell, a);
    });
  }

private:
  Cell extent_;
  BoxField<float, 2> temperature_;
};

/// n x n cells. The temperature is 1/2 on the left, -1/2 on the right; lengths in n, velocities in alpha / n.
template <class Flow> class Square {
  using T = typename Flow::Value;

public:
  Square(int n, double rayleigh)
      : n_(n), diffusivity_(speed * n / std::sqrt(rayleigh * prandtl)), flow_(n),
        list_({{0, 0, 0}, {n, n, 1}}, all_cells({n, n, 1}), {false, false, false},
              lbm_validation_heat::links),
        g_(list_, 5), g_next_(list_, 5), u_(list_, 2), t_(list_, 1), hot_(side(-1)), cold_(side(n)) {
    flow_.start(1.0, [](const Cell&) { return State{}; });
  }

  /// Goes on where fewer cells have come to; populations of the temperature at equilibrium.
  void start(Square& coarser) {
    const Cell extent{coarser.n_, coarser.n_, 1};
    const double ratio = static_cast<double>(n_) / coarser.n_;
    const Coarse flow = coarser.flow_.coarse(extent, ratio);
    const Coarse warmth(extent, ratio, 1, [&](const Cell& c) {
      return std::optional(
          std::pair(1 + load(coarser.t_.view()(coarser.list_.cell_of(c[0], c[1], 0), 0)), Vector{}));
    });
    flow_.start(rate(prandtl * diffusivity_), flow);
    for (std::int64_t n = 0; n < list_.count(); ++n) {
      const Cell cell = list_.position(n);
      const Vector u = flow(cell).u;
      const double temperature = warmth(cell).rho - 1;
      for (std::size_t q = 0; q < 5; ++q) {
        const double along = u[0] * d2q5.c[q][0] + u[1] * d2q5.c[q][1];
        store(g_.view()(n, static_cast<std::int64_t>(q)), d2q5.weight(q) * temperature * (1 + 3 * along));
      }
    }
  }

  /// Until five free-fall times change the Nusselt number by less than 2e-5 of it.
  void until_steady() {
    const int block = static_cast<int>(5 * n_ / speed);
    double before = 0;
    for (int blocks = 0; blocks < 120; ++blocks) {
      for (int s = 0; s < block; ++s)
        step();
      const double now = nusselt();
      if (std::abs(now - before) < 2e-5 * now) break;
      before = now;
    }
  }

  void step() {
    const double expansion = speed * speed / n_, gravity = -1; // of a temperature difference 1
    const auto g = std::as_const(g_).view();
    lbm_validation_heat::temperature(g, t_.view(), list_.neighbour(), list_.neighbour_stride(), 0,
                                     list_.count());
    flow_.step(t_, u_, expansion, gravity, rate(prandtl * diffusivity_));
    lbm_validation_heat::heat(g, g_next_.view(), std::as_const(u_).view(), list_.neighbour(),
                              list_.neighbour_stride(), list_.neighbour_run(), 0, list_.count(),
                              rate(diffusivity_));
    std::swap(g_, g_next_);
    lbm_validation_heat::side(g_.view(), hot_.mask.data(), hot_.cells.data(), hot_.size(), 0.5);
    lbm_validation_heat::side(g_.view(), cold_.mask.data(), cold_.cells.data(), cold_.size(), -0.5);
  }

  /// The mean of u_x T - alpha d_x T over alpha / n.
  double nusselt() {
    double carried = 0;
    for (std::int64_t n = 0; n < list_.count(); ++n)
      carried += load(u_.view()(n, 0)) * load(t_.view()(n, 0));
    return 1 + carried / n_ / diffusivity_;
  }

  /// The largest velocity along an axis on the middle line across it, by a parabola through three cells.
  double peak(int axis) {
    const auto at = [&](std::int64_t i) {
      double sum = 0;
      for (const std::int64_t beside : {n_ / 2 - 1, n_ / 2}) {
        const std::int64_t cell = axis == 0 ? list_.cell_of(beside, i, 0) : list_.cell_of(i, beside, 0);
        sum += load(u_.view()(cell, axis)) / 2;
      }
      return sum * n_ / diffusivity_;
    };
    std::int64_t best = 1;
    for (std::int64_t i = 1; i < n_ - 1; ++i) {
      if (at(i) > at(best)) best = i;
    }
    const double before = at(best - 1), top = at(best), after = at(best + 1);
    const double bend = before - 2 * top + after;
    return top - (after - before) * (after - before) / (8 * bend);
  }

  static constexpr double prandtl = 0.71, speed = 0.1; // speed: of buoyancy, sqrt(g beta dT n)

private:
  /// Cells beside the wall behind which x lies.
  Patch side(std::int64_t x) {
    std::vector<std::uint32_t> cells, masks;
    for (std::int64_t y = 0; y < n_; ++y) {
      cells.push_back(static_cast<std::uint32_t>(list_.cell_of(x < 0 ? 0 : n_ - 1, y, 0)));
      masks.push_back(x < 0 ? 2 : 4); // direction 1 comes in from the left, 2 from the right
    }
    return {buffer(cells), buffer(masks)};
  }

  int n_;
  double diffusivity_;
  Flow flow_;
  heddle::IndexList list_;
  heddle::SparseField<T> g_, g_next_, u_, t_;
  Patch hot_, cold_;
};

/// Chebyshev collocation on 44 x 44 or 54 x 54 points for this table; G. de Vahl Davis, Int. J. Numer.
/// Methods Fluids 3 (1983) 249: Nusselt 1.118, 2.243, 4.519, 8.800; P. Le Quere, Comput. Fluids 20 (1991) 29,
/// Ra = 1e6: 8.8252.
struct Reference {
  double rayleigh, nusselt, u, v;
  double coarse;         ///< relative error of the Nusselt number with 64 cells; of second order
  int small;             ///< cells a side of the test
  std::vector<int> full; ///< of the report
};
const Reference references[] = {{1e3, 1.11779, 3.64945, 3.69744, 0.0001, 24, {32}},
                                {1e4, 2.24482, 16.1833, 19.6282, 0.0010, 32, {32, 64}},
                                {1e5, 4.52164, 34.7407, 68.6354, 0.0040, 48, {64, 128}},
                                {1e6, 8.8252, 64.8344, 220.565, 0.0152, 64, {128, 192}}};

/// The steady flow; from that of half as many cells, where they are 64 or more.
template <class Flow> void settle(Square<Flow>& square, int n, double rayleigh) {
  if (n >= 128) {
    Square<Flow> coarser(n / 2, rayleigh);
    settle(coarser, n / 2, rayleigh);
    square.start(coarser);
  }
  square.until_steady();
}

Outcome convection(const Reference& row, Precision precision, int n) {
  const auto compute = [&]<class Flow>() -> Outcome {
    Square<Flow> square(n, row.rayleigh);
    settle(square, n, row.rayleigh);
    const double exponent = std::log10(row.rayleigh), nusselt = square.nusselt();
    const std::string at =
        ", Ra = 1e" + std::to_string(std::lround(exponent)) + ", " + std::to_string(n) + " cells";
    const double close = std::max(0.006, 1.3 * row.coarse * std::pow(64.0 / n, 2));
    Outcome outcome;
    outcome.quantities = {{"Nusselt number" + at, nusselt, row.nusselt, close * row.nusselt},
                          {"largest u on the middle line" + at, square.peak(0), row.u, 2 * close * row.u},
                          {"largest v on the middle line" + at, square.peak(1), row.v, 2 * close * row.v}};
    if (precision == Precision::f64) {
      outcome.graphs = {{"Natural convection: Nusselt number",
                         "log10(Ra)",
                         "log10(Nu)",
                         {{"spectral", {exponent}, {std::log10(row.nusselt)}, false},
                          {"computed", {exponent}, {std::log10(nusselt)}, true}}}};
    }
    return outcome;
  };
  if (in_moments(precision))
    return with_stress(precision, [&]<class T>(T) { return compute.template operator()<Dense<T>>(); });
  return with_storage(precision, [&]<class T>(T) { return compute.template operator()<Listed<T>>(); });
}

} // namespace

std::vector<Case> convection_cases(Size size) {
  Case one{"Natural convection in a square",
           "D2Q9 TRT, moments regularised, and D2Q5 TRT, Boussinesq, Pr = 0.71",
           "spectral; de Vahl Davis 1983; Le Quere 1991",
           {}};
  Case strong{one.name + ", Ra 1e5 and 1e6", one.setting, one.source, {}};
  const auto add = [&](const Reference& row, int n) {
    const double seconds = 0.8 * std::pow(n / 32.0, 3);
    const int threads = n < 128 ? 1 : 4;
    const auto compute = [row, n](Precision precision) { return convection(row, precision, n); };
    one.add(n < 192 ? std::vector{Precision::f64, Precision::f32} : std::vector{Precision::f32}, seconds,
            threads, compute);
    if (n <
        192) // f16 is long on the way to what is steady, moments pass their cells from box to list and back
      one.add({Precision::moments, Precision::mixed, Precision::f16}, 4 * seconds, threads, compute);
  };
  for (const Reference& row : references) {
    if (size != Size::small) {
      for (const int n : row.full)
        add(row, n);
    } else if (row.rayleigh < 1e5) {
      add(row, row.small);
    } else { // one precision, because it is long
      strong.add({Precision::f32}, 5, 1,
                 [row](Precision precision) { return convection(row, precision, row.small); });
    }
  }
  return {one, strong};
}

} // namespace validation
