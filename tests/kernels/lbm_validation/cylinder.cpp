// SPDX-License-Identifier: Apache-2.0
// The cylinder in a channel of Schaefer and Turek: 2D-1 (Re = 20, steady) and 2D-2 (Re = 100, shedding).
#include <algorithm>
#include <cmath>

#include "body.hpp"
#include "case.hpp"
#include "lbm_validation.hpp"
#include "lbm_validation_sweeps.hpp"

namespace validation {
namespace {

/// Coefficients at one step: drag, lift, and the difference of pressure between front and rear, all in units
/// of density times the square of the mean velocity (drag and lift: half of it).
struct Sample {
  double drag, lift, pressure;
};

/// Lengths in diameters: channel 22 x 4.1, centre (2, 2); parabola at the inlet, density 1 at the outlet.
template <class T> class Cylinder {
public:
  Cylinder(int diameter, double reynolds, double fastest)
      : d_(diameter), mean_(2 * fastest / 3), fastest_(fastest), omega_(rate(mean_ * diameter / reynolds)),
        extent_{22 * d_, 41 * d_ / 10, 1}, ball_{{2.0 * diameter, 2.0 * diameter, 0}, diameter / 2.0, 2},
        flow_(d2q9, lbm_validation::links, extent_, outside(extent_, ball_), {false, false, false}),
        body_(flow_, ball_),
        inlet_(flow_.patch([this](const Cell& c) { return c[0] < 0 && c[1] >= 0 && c[1] < extent_[1]; })),
        outlet_(flow_.patch(
            [this](const Cell& c) { return c[0] >= extent_[0] && c[1] >= 0 && c[1] < extent_[1]; })),
        along_(flow_.values(inlet_, [this](const Cell& c) { return parabola(c); })),
        across_(flow_.values(inlet_, [](const Cell&) { return 0.0; })) {
    // the parabola everywhere, and a push across the wake, so that shedding begins at once
    flow_.start(omega_, [this, reynolds](const Cell& c) {
      const double x = static_cast<double>(c[0]) / static_cast<double>(d_) - 3.5;
      const double y = static_cast<double>(c[1]) / static_cast<double>(d_) - 2.05;
      const double push = reynolds > 50 ? 0.5 * mean_ * std::exp(-x * x - y * y) : 0;
      return State{1, {parabola(c), push, 0}, {}};
    });
  }

  Sample step() {
    flow_.step(
        [&](const auto&... arguments) { lbm_validation::trt(arguments..., 0.0, 0.0, 3.0 / 16, omega_); });
    const auto f = flow_.f();
    lbm_validation::moving_wall(f, along_.data(), across_.data(), inlet_.mask.data(), inlet_.cells.data(),
                                inlet_.size());
    lbm_validation::outlet(f, outlet_.mask.data(), outlet_.cells.data(), outlet_.size());
    const Vector force = body_.apply(flow_, [](auto... arguments) { lbm_validation::body(arguments...); });
    const double scale = 2 / (mean_ * mean_ * static_cast<double>(d_));
    return {scale * force[0], scale * force[1], pressure()};
  }

  /// Steps in which the mean velocity passes one diameter.
  [[nodiscard]] int passage() const { return static_cast<int>(std::lround(static_cast<double>(d_) / mean_)); }

private:
  [[nodiscard]] double parabola(const Cell& c) const {
    const double y = (static_cast<double>(c[1]) + 0.5) / static_cast<double>(extent_[1]);
    return 4 * fastest_ * y * (1 - y);
  }

  /// Half-way between the two rows beside the middle, extrapolated to the surface from two cells.
  [[nodiscard]] double pressure() const {
    const auto density = [this](std::int64_t x) {
      double sum = 0;
      for (const std::int64_t y : {2 * d_ - 1, 2 * d_})
        sum += flow_.arrived(flow_.number({x, y, 0})).first / 2;
      return sum;
    };
    const std::int64_t front = 3 * d_ / 2 - 1, rear = 5 * d_ / 2;
    const double difference =
        1.5 * (density(front) - density(rear)) - 0.5 * (density(front - 1) - density(rear + 1));
    return difference / 3 / (mean_ * mean_);
  }

  std::int64_t d_;
  double mean_, fastest_, omega_;
  Cell extent_;
  Ball ball_;
  ListFlow<T, 9> flow_;
  Body<T, 9> body_;
  Patch inlet_, outlet_;
  heddle::Buffer<T> along_, across_;
};

Sample steady(Precision precision, int diameter) {
  return with_storage(precision, [&]<class T>(T) {
    Cylinder<T> cylinder(diameter, 20, 0.1);
    const int passage = cylinder.passage();
    Sample before{}, mean{};
    for (int time = 0; time < 400; time += 10) {
      mean = {};
      for (int s = 0; s < 10 * passage; ++s) {
        const Sample now = cylinder.step();
        const double share = 1.0 / (10 * passage);
        mean = {mean.drag + share * now.drag, mean.lift + share * now.lift,
                mean.pressure + share * now.pressure};
      }
      const bool done = std::abs(mean.drag - before.drag) < 2e-4 && std::abs(mean.lift - before.lift) < 2e-5;
      before = mean;
      if (done) break;
    }
    return mean;
  });
}

Outcome first(Precision precision, Size size) {
  constexpr double drag = 5.57953523, lift = 0.010618948,
                   pressure = 2.9380042; // Nabh, spectral; in 1996: 5.57 ... 5.59
  Outcome outcome;
  Graph graph{"Schaefer-Turek 2D-1: drag error and diameter",
              "log2(diameter in cells)",
              "log10(|c_D / reference - 1|)",
              {}};
  Curve errors{"", {}, {}, false};
  const bool series = size == Size::full && precision == Precision::f64;
  for (const int diameter : series ? std::vector{10, 20, 40} : std::vector{20}) {
    const Sample found = steady(precision, diameter);
    const std::string at = ", D = " + std::to_string(diameter);
    const double coarse = 20.0 / diameter;
    outcome.quantities.push_back({"drag coefficient" + at, found.drag, drag, 0.01 * drag * coarse});
    outcome.quantities.push_back({"lift coefficient" + at, found.lift, lift, 0.12 * lift * coarse});
    outcome.quantities.push_back(
        {"difference of pressure" + at, found.pressure, pressure, 0.02 * pressure * coarse});
    errors.x.push_back(std::log2(diameter));
    errors.y.push_back(std::log10(std::abs(found.drag / drag - 1)));
  }
  graph.curves.push_back(errors);
  if (series) outcome.graphs.push_back(graph);
  return outcome;
}

struct Shedding {
  double drag, lift, strouhal, pressure;
  Curve drag_curve, lift_curve;
};

/// Largest coefficients and frequency over the last periods.
Shedding shedding(Precision precision, int diameter) {
  return with_storage(precision, [&]<class T>(T) {
    Cylinder<T> cylinder(diameter, 100, 0.1);
    const int passage = cylinder.passage();
    Shedding found{-1e9, -1e9, 0, 0, {"drag", {}, {}, false}, {"lift", {}, {}, false}};
    std::vector<double> upward; // times at which the lift crosses zero from below
    std::vector<Sample> history;
    const int whole = 75 * passage, begin = 63 * passage;
    Sample before{};
    for (int s = 0; s < whole; ++s) {
      const Sample now = cylinder.step();
      if (s >= begin) {
        history.push_back(now);
        if (before.lift < 0 && now.lift >= 0)
          upward.push_back(s - 1 + before.lift / (before.lift - now.lift));
      }
      before = now;
    }
    if (upward.size() < 2) return found;
    const double period = (upward.back() - upward.front()) / static_cast<double>(upward.size() - 1);
    found.strouhal = passage / period;
    std::size_t highest = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
      found.drag = std::max(found.drag, history[i].drag);
      const double time = static_cast<double>(i) / passage;
      if (i % 10 == 0) {
        found.drag_curve.x.push_back(time), found.drag_curve.y.push_back(history[i].drag);
        found.lift_curve.x.push_back(time), found.lift_curve.y.push_back(history[i].lift);
      }
      if (static_cast<double>(i) < static_cast<double>(history.size()) - period &&
          history[i].lift > history[highest].lift)
        highest = i;
    }
    found.lift = history[highest].lift;
    found.pressure = history[highest + static_cast<std::size_t>(period / 2)].pressure;
    return found;
  });
}

Outcome second(Precision precision, Size size) {
  // the middle of the bounds of 1996: 3.22 ... 3.24, 0.99 ... 1.01, 0.295 ... 0.305, 2.46 ... 2.50
  constexpr double drag = 3.23, lift = 1.0, strouhal = 0.3, pressure = 2.48;
  Outcome outcome;
  const bool series = size == Size::full && precision == Precision::f32;
  for (const int diameter : series ? std::vector{20, 40} : std::vector{20}) {
    const Shedding found = shedding(precision, diameter);
    const std::string at = ", D = " + std::to_string(diameter);
    const double coarse = 20.0 / diameter;
    outcome.quantities.push_back({"largest drag coefficient" + at, found.drag, drag, 0.06 * drag * coarse});
    outcome.quantities.push_back({"largest lift coefficient" + at, found.lift, lift, 0.03 * lift});
    outcome.quantities.push_back({"Strouhal number" + at, found.strouhal, strouhal, 0.01 * strouhal});
    outcome.quantities.push_back(
        {"difference of pressure" + at, found.pressure, pressure, 0.06 * pressure * coarse});
    if (diameter == 40) {
      outcome.graphs.push_back({"Schaefer-Turek 2D-2, D = 40",
                                "time U / D",
                                "coefficients",
                                {found.drag_curve, found.lift_curve}});
    }
  }
  return outcome;
}

} // namespace

std::vector<Case> cylinder_cases() {
  const std::string setting = "D2Q9 TRT, interpolated walls, velocity inlet, pressure outlet";
  return {
      {"Cylinder in a channel, Re 20", setting, "Schaefer and Turek 1996, 2D-1; Nabh", populations, first},
      {"Cylinder in a channel, Re 100", setting, "Schaefer and Turek 1996, 2D-2", populations, second}};
}

} // namespace validation
