// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_CLOUDS_SIMULATION_HPP
#define HEDDLE_TESTS_CLOUDS_SIMULATION_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../support/noise.hpp"
#include "heddle/transport/transport.hpp"
#include "snapshot.hpp"
#include "statistics.hpp"
#include "stepper.hpp"

namespace clouds {

inline const std::vector<double> stretched{60, 70, 85, 100, 120, 140, 165, 190, 220, 250, 285, 320};

/// Air without forces, friction or heat over levels of different heights.
inline Case quiet() {
  Case c;
  c.name = "quiet";
  c.size = {1200, 1000, 2005};
  c.cells = {12, 10, 12};
  c.turbulence = false;
  return c;
}

template <class T> struct Simulation {
  Simulation(const Case& what_, const std::array<std::int64_t, 3>& cells, std::vector<double> heights,
             Scheme scheme = Scheme::fifth, RungeKutta steps = RungeKutta::wicker_skamarock)
      : what(what_), base(make_base_state(what, std::move(heights))),
        stepper(what, base, cells, scheme, alone, {}, steps), statistics(what, base, stepper, scheme, alone) {
  }
  Simulation(const Case& what_, const std::array<std::int64_t, 3>& cells, Scheme scheme = Scheme::fifth)
      : what(what_), base(make_base_state(what, cells[2])), stepper(what, base, cells, scheme, alone),
        statistics(what, base, stepper, scheme, alone) {}

  /// A swirling flow of about 2 m/s.
  void stir() {
    State<T>& s = stepper.now();
    const auto noise = [](auto x, auto y, auto z, int seed) {
      return 4 * test::noise(x + 50 * y + 3000 * z + 200000 * seed);
    };
    s.u.fill([&](auto x, auto y, auto z, int) { return noise(x, y, z, 1); });
    s.v.fill([&](auto x, auto y, auto z, int) { return noise(x, y, z, 2); });
    s.w.fill([&](auto x, auto y, auto z, int) { return noise(x, y, z, 3); });
    stepper.project();
  }
  void run(int steps, double length) {
    for (int n = 0; n < steps; ++n) {
      (void)stepper.survey();
      stepper.step(length);
    }
  }
  [[nodiscard]] Snapshot look() {
    (void)stepper.survey();
    return snapshot(stepper, alone, 0);
  }
  /// Statistics of the state, after survey().
  [[nodiscard]] Sample measure(double time = 0) { return statistics.measure(time); }
  [[nodiscard]] LowestLevel lowest() { return statistics.lowest(); }
  [[nodiscard]] std::size_t level_cells() const {
    const auto extents = stepper.place().blocks.domain().extents();
    return static_cast<std::size_t>(extents[0] * extents[1]);
  }
  /// Sum of h rho phi over all cells.
  [[nodiscard]] double mass_of(const std::vector<double>& phi) const {
    double sum = 0;
    for (std::size_t n = 0; n < phi.size(); ++n) {
      const std::size_t k = n / level_cells();
      sum += base.height[k] * base.density[k] * phi[n];
    }
    return sum;
  }
  [[nodiscard]] double kinetic_energy() {
    const Snapshot s = look();
    double sum = 0;
    for (std::size_t n = 0; n < s.u.size(); ++n) {
      const std::size_t k = n / level_cells();
      sum += base.height[k] * base.density[k] * (s.u[n] * s.u[n] + s.v[n] * s.v[n]) / 2 +
             base.distance[k] * base.face_density[k] * s.w[n] * s.w[n] / 2;
    }
    return sum;
  }

  Case what;
  BaseState base;
  heddle::LocalTransport alone;
  Stepper<T> stepper;
  Statistics<T> statistics;
};

/// What Stepper::advance needs in a state that is there. last_step: before its first one, s.
template <class T> void make_ready(Stepper<T>& stepper, double last_step) {
  stepper.set_last_step(last_step);
  (void)stepper.survey();
}

/// The start of a case, with noise of this seed, ready for Stepper::advance.
template <class T> void begin(Stepper<T>& stepper, std::uint64_t seed, double last_step) {
  stepper.start(seed);
  make_ready(stepper, last_step);
}

/// Starts a case with rain, with clouds and rain in it.
template <class T> void moisten(Stepper<T>& stepper) {
  stepper.start(3);
  stepper.now().q.fill(
      [](auto x, auto, auto k, int) { return k < 16 ? 15e-3 + (k > 6 && x % 5 < 2 ? 4e-3 : 0) : 2e-3; });
  stepper.now().r->fill([](auto x, auto y, auto k, int) {
    return (x + y) % 3 == 0 && k < 30 ? 2e-3 * (1 + test::noise(x + 70 * y + 900 * k)) : 0.0;
  });
}

inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

} // namespace clouds

#endif
