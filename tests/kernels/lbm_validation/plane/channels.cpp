// SPDX-License-Identifier: Apache-2.0
// Flows between two plates, half-way bounce-back: Poiseuille, Couette, Womersley, a shear-thinning fluid.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "case.hpp"
#include "flows/list_flow.hpp"
#include "flows/walled_moments.hpp"
#include "lbm_validation.hpp"
#include "lbm_validation_sweeps.hpp"

namespace validation {
namespace {

constexpr double magic = 3.0 / 16; // puts half-way walls in the middle of the link

/// A channel of `height` cells, periodic along x; its upper wall moves with `lid`.
template <class T> class Channel {
public:
  /// By how many steps velocity() lags.
  static constexpr int delay = 0;

  Channel(std::int64_t height, double lid)
      : height_(height),
        flow_(d2q9, lbm_validation::links, {4, height, 1}, all_cells({4, height, 1}), {true, false, true}),
        lid_(flow_.patch([&](const Cell& source) { return lid != 0 && source[1] >= height; })),
        along_(flow_.values(lid_, [&](const Cell&) { return lid; })),
        across_(flow_.values(lid_, [](const Cell&) { return 0.0; })) {
    flow_.start(1.0, [](const Cell&) { return State{}; });
  }
  ListFlow<T, 9>& flow() { return flow_; }
  [[nodiscard]] std::int64_t height() const { return height_; }
  void step(double g, double omega) {
    flow_.step([&](const auto&... arguments) { lbm_validation::trt(arguments..., g, 0.0, magic, omega); });
    lbm_validation::moving_wall(flow_.f(), along_.data(), across_.data(), lid_.mask.data(), lid_.cells.data(),
                                lid_.size());
  }
  /// As the next step sees it, with its force.
  [[nodiscard]] double velocity(std::int64_t y, double force) const {
    return flow_.velocity(Cell{1, y, 0}, {force, 0, 0})[0];
  }

private:
  std::int64_t height_;
  ListFlow<T, 9> flow_;
  Patch lid_;
  heddle::Buffer<T> along_, across_;
};

/// The same with moments in memory; the odd moments of the regularised operator relax with the rate 1, so
/// that its magic parameter is 3/16 where the viscosity is 1/8.
template <class T> class LidChannel {
public:
  static constexpr int delay = 1;

  LidChannel(std::int64_t height, double lid) : height_(height), lid_(lid), flow_({4, height, 1}, true) {
    flow_.start(1.0, [](const Cell&) { return State{}; });
  }
  [[nodiscard]] std::int64_t height() const { return height_; }
  void step(double g, double omega) {
    flow_.step(omega, g, lid_);
    force_ = g;
  }
  /// As the last step saw it, with its force.
  [[nodiscard]] double velocity(std::int64_t y, double) { return flow_.velocity({1, y, 0}, force_); }

private:
  std::int64_t height_;
  double lid_, force_ = 0;
  WalledMoments<T> flow_;
};

/// Calls f(channel) in the given precision.
template <class F> Outcome with_channel(Precision precision, std::int64_t height, double lid, F&& f) {
  if (in_moments(precision)) {
    return with_stress(precision, [&]<class T>(T) {
      LidChannel<T> channel(height, lid);
      return f(channel);
    });
  }
  return with_storage(precision, [&]<class T>(T) {
    Channel<T> channel(height, lid);
    return f(channel);
  });
}

/// Height of the centre of cell y, between 0 and 1.
template <class C> double position(const C& channel, std::int64_t y) {
  return (static_cast<double>(y) + 0.5) / static_cast<double>(channel.height());
}

/// The relative L2 error against exact(position), under a force.
template <class C, class F> double error(C& channel, double force, F&& exact) {
  double difference = 0, whole = 0;
  for (std::int64_t y = 0; y < channel.height(); ++y) {
    difference += std::pow(channel.velocity(y, force) - exact(position(channel, y)), 2);
    whole += std::pow(exact(position(channel, y)), 2);
  }
  return std::sqrt(difference / whole);
}

Outcome poiseuille(Precision precision, Size size) {
  const int height = size == Size::small ? 8 : 32;
  constexpr double viscosity = 0.125, top = 0.05;
  const double force = 8 * viscosity * top / (height * height);
  return with_channel(precision, height, 0, [&](auto& channel) -> Outcome {
    for (int s = 0; s < 4 * height * height / viscosity; ++s)
      channel.step(force, rate(viscosity));
    const double off = error(channel, force, [&](double y) { return 4 * top * y * (1 - y); });
    return {{{"relative L2 error of " + std::to_string(height) + " cells", off, 0, 1e-11, 1e-4}}, {}};
  });
}

Outcome couette(Precision precision, Size size) {
  const int height = size == Size::small ? 8 : 32;
  constexpr double viscosity = 0.125, speed = 0.05;
  return with_channel(precision, height, speed, [&](auto& channel) -> Outcome {
    for (int s = 0; s < 8 * height * height / viscosity; ++s)
      channel.step(0, rate(viscosity));
    const double off = error(channel, 0, [&](double y) { return speed * y; });
    return {{{"relative L2 error of " + std::to_string(height) + " cells", off, 0, 1e-11, 1e-4}}, {}};
  });
}

Outcome womersley(Precision precision, Size size) {
  // u = Re{A / (i w) [1 - cosh(l y) / cosh(l h)] exp(i w t)}, l = sqrt(i w / nu), F = A cos(w t)
  using Complex = std::complex<double>;
  const int height = size == Size::small ? 16 : 32;
  return with_channel(precision, height, 0, [&]<class C>(C& channel) -> Outcome {
    constexpr double number = 4, viscosity = 0.125, top = 0.02;
    const double half = height / 2.0;
    const int period =
        static_cast<int>(std::lround(2 * std::numbers::pi * half * half / (viscosity * number * number)));
    const double w = 2 * std::numbers::pi / period;
    const Complex l = std::sqrt(Complex(0, w / viscosity));
    const auto shape = [&](double y) {
      return Complex(0, -1 / w) * (1.0 - std::cosh(l * (2 * y - 1) * half) / std::cosh(l * half));
    };
    const double amplitude = top / std::abs(shape(0.5));
    double difference = 0, whole = 0;
    Graph graph{"Womersley flow (Wo = 4) over a period", "u / largest u", "y / H", {}};
    const int periods = 12;
    for (int t = 0; t < periods * period; ++t) {
      channel.step(amplitude * std::cos(w * t), rate(viscosity));
      const double now = w * (t + 1 - C::delay), force = amplitude * std::cos(now);
      if (t < (periods - 1) * period) continue;
      const bool draw = (t + 1) % (period / 8) == 0 && graph.curves.size() < 16;
      Curve found{"", {}, {}, true}, expected{"", {}, {}, false};
      for (std::int64_t y = 0; y < height; ++y) {
        const double exact = std::real(amplitude * shape(position(channel, y)) * std::polar(1.0, now));
        const double u = channel.velocity(y, force);
        difference += std::pow(u - exact, 2);
        whole += exact * exact;
        found.x.push_back(u / top), expected.x.push_back(exact / top);
        found.y.push_back(position(channel, y)), expected.y.push_back(position(channel, y));
      }
      if (draw) graph.curves.push_back(expected), graph.curves.push_back(found);
    }
    return {{{"relative L2 error of " + std::to_string(height) + " cells over a period",
              std::sqrt(difference / whole), 0, height == 16 ? 4e-3 : 2e-3}},
            precision == Precision::f64 ? std::vector{graph} : std::vector<Graph>{}};
  });
}

Outcome power_law(Precision precision, Size size) {
  // u = u_m (1 - |y / h|^((n + 1) / n)), u_m = n / (n + 1) (F / K)^(1 / n) h^((n + 1) / n)
  return with_storage(precision, [&]<class T>(T) {
    const int height = size == Size::small ? 16 : 32;
    const double half = height / 2.0;
    constexpr double top = 0.05, viscosity = 0.05; // at the mean shear rate
    Outcome outcome;
    for (const double n : {0.5, 0.75, 1.5}) {
      const double consistency = viscosity * std::pow(top / half, 1 - n);
      const double force = consistency * std::pow(top * (n + 1) / n / std::pow(half, (n + 1) / n), n);
      Channel<T> channel(height, 0);
      for (int s = 0; s < 3 * height * height / viscosity; ++s) {
        channel.flow().step([&](const auto& from, const auto& to, const std::uint32_t* neighbour,
                                std::int64_t stride, const std::uint32_t*, std::int64_t first,
                                std::int64_t last) {
          lbm_validation::power_law(from, to, neighbour, stride, first, last, consistency, n, force, 0.0, 1.0,
                                    1e-3);
        });
      }
      const double off = error(
          channel, force, [&](double y) { return top * (1 - std::pow(std::abs(2 * y - 1), (n + 1) / n)); });
      const std::string exponent = std::to_string(n).substr(0, 4);
      outcome.quantities.push_back({"relative L2 error, exponent " + exponent, off, 0, 0.01});
    }
    return outcome;
  });
}

} // namespace

std::vector<Case> channel_cases(Size size) {
  std::vector<Case> found{
      {"Poiseuille",
       "D2Q9 TRT, magic 3/16; moments: regularised, the same at nu = 1/8",
       "u = 4 u_m y (H - y) / H^2",
       {}},
      {"Couette", "D2Q9 TRT, moving wall; moments: regularised", "u = U y / H", {}},
      {"Womersley", "D2Q9 TRT, Wo = 4, periodic force; moments: regularised", "Womersley 1955", {}},
      {"Power-law Poiseuille",
       "D2Q9 TRT with a local rate",
       "u = u_m (1 - |y / h|^((n + 1) / n))",
       {},
       "No rows of f32 moments and mixed: a rate of each cell's own is not in moment storage."}};
  Outcome (*const flows[])(Precision, Size) = {poiseuille, couette, womersley, power_law};
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i].add(i < 3 ? with_moments : populations, 1, 1,
                 [flow = flows[i], size](Precision p) { return flow(p, size); });
  return found;
}

} // namespace validation
