// SPDX-License-Identifier: Apache-2.0
// The Taylor-Green vortex decays as exp(-2 nu k^2 t): second order in the cell width under diffusive scaling.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>

#include "../../support/full_speed.hpp"
#include "d2q9.hpp"
#include "lbm_taylor_green.h"
#include "periodic_box.hpp"

namespace {

using test::d2q9;
using test::PeriodicBox;
using Cell = std::array<std::int64_t, 3>;

using Step = int (*)(PeriodicBox<double>& f, double omega);

/// viscosity: where the errors of the operator in space and time do not cancel by chance, and sound decays
/// fast.
struct Operator {
  const char* name;
  double viscosity;
  Step even, odd;
  double omega() const { return 1 / (3 * viscosity + 0.5); }
};

const Operator operators[] = {
    {"bgk", 0.1,
     [](PeriodicBox<double>& f, double omega) {
       return lbm_taylor_green_bgk_even_f64(f.data(), f.extents(), f.strides(), omega);
     },
     [](PeriodicBox<double>& f, double omega) {
       return lbm_taylor_green_bgk_odd_f64(f.data(), f.extents(), f.strides(), omega);
     }},
    {"trt", 0.05,
     [](PeriodicBox<double>& f, double omega) {
       return lbm_taylor_green_trt_even_f64(f.data(), f.extents(), f.strides(), 0.25, omega);
     },
     [](PeriodicBox<double>& f, double omega) {
       return lbm_taylor_green_trt_odd_f64(f.data(), f.extents(), f.strides(), 0.25, omega);
     }},
    {"recursive", 0.05,
     [](PeriodicBox<double>& f, double omega) {
       return lbm_taylor_green_recursive_even_f64(f.data(), f.extents(), f.strides(), omega);
     },
     [](PeriodicBox<double>& f, double omega) {
       return lbm_taylor_green_recursive_odd_f64(f.data(), f.extents(), f.strides(), omega);
     }}};

class Vortex {
public:
  Vortex(std::int64_t n, double speed, const Operator& collide)
      : collide_(&collide), speed_(speed), k_(2 * std::numbers::pi / static_cast<double>(n)),
        f_({n, n, 1}, 9, 2), rho_({n, n, 1}, 1, 2), u_({n, n, 1}, 2, 2) {
    f_.for_cells([&](const Cell& cell) {
      const std::array<double, 3> exact = solution(cell, 0);
      rho_.at(cell, 0) = exact[0];
      u_.at(cell, 0) = exact[1];
      u_.at(cell, 1) = exact[2];
    });
    u_.fill_ghosts();
    EXPECT_EQ(lbm_taylor_green_start_f64(rho_.data(), rho_.extents(), rho_.strides(), u_.data(), u_.extents(),
                                         u_.strides(), f_.data(), f_.extents(), f_.strides(),
                                         collide.omega()),
              0);
  }

  /// Density and velocity.
  std::array<double, 3> solution(const Cell& cell, int time) const {
    const double x = k_ * (static_cast<double>(cell[0]) + 0.5);
    const double y = k_ * (static_cast<double>(cell[1]) + 0.5);
    const double decay = std::exp(-2 * collide_->viscosity * k_ * k_ * time);
    const double dynamic = 0.75 * speed_ * speed_ * decay * decay;
    return {1 - dynamic * (std::cos(2 * x) + std::cos(2 * y)), -speed_ * decay * std::cos(x) * std::sin(y),
            speed_ * decay * std::sin(x) * std::cos(y)};
  }

  void step() {
    if (time_ % 2 == 0) {
      ASSERT_EQ(collide_->even(f_, collide_->omega()), 0);
    } else {
      f_.fill_ghosts();
      ASSERT_EQ(collide_->odd(f_, collide_->omega()), 0);
      for (int q = 1; q < 9; ++q)
        f_.return_ghosts(q, d2q9[static_cast<std::size_t>(q)]);
    }
    ++time_;
  }

  /// The relative L2 error of the velocity.
  double error() {
    f_.fill_ghosts();
    const auto moments =
        time_ % 2 == 0 ? lbm_taylor_green_moments_even_f64 : lbm_taylor_green_moments_odd_f64;
    EXPECT_EQ(moments(f_.data(), f_.extents(), f_.strides(), rho_.data(), rho_.extents(), rho_.strides(),
                      u_.data(), u_.extents(), u_.strides()),
              0);
    double difference = 0;
    double whole = 0;
    f_.for_cells([&](const Cell& cell) {
      const std::array<double, 3> exact = solution(cell, time_);
      for (int c = 0; c < 2; ++c) {
        const double u = exact[static_cast<std::size_t>(c) + 1];
        difference += std::pow(u_.at(cell, c) - u, 2);
        whole += u * u;
      }
    });
    return std::sqrt(difference / whole);
  }

private:
  const Operator* collide_;
  double speed_, k_;
  PeriodicBox<double> f_, rho_, u_;
  int time_ = 0;
};

TEST(TaylorGreen, StartsFromTheGivenState) {
  Vortex vortex(32, 0.05, operators[0]);
  EXPECT_LT(vortex.error(), 1e-14);
}

TEST(TaylorGreen, ConvergesWithSecondOrder) {
  const std::size_t levels = test::full_speed ? 3 : 2; // each takes 16 times the work of the one before
  for (const Operator& collide : operators) {
    std::array<double, 3> errors{};
    for (std::size_t level = 0; level < levels; ++level) {
      const int n = 16 << level;
      Vortex vortex(n, 0.08 * 16 / n, collide);
      // an odd number of steps: the output kernel of the odd step is used too
      const int steps = static_cast<int>(std::lround(0.025 / collide.viscosity * n * n)) / 2 * 2 + 1;
      for (int s = 0; s < steps; ++s)
        vortex.step();
      errors[level] = vortex.error();
    }
    const double coarse = std::log2(errors[0] / errors[1]);
    RecordProperty(std::string(collide.name) + "_order_16_32", std::to_string(coarse));
    EXPECT_NEAR(coarse, 2, 0.25) << collide.name;
    if (levels < 3) continue;
    const double fine = std::log2(errors[1] / errors[2]);
    RecordProperty(std::string(collide.name) + "_order_32_64", std::to_string(fine));
    EXPECT_NEAR(fine, 2, 0.05) << collide.name;
    EXPECT_LT(errors[2], 2e-3) << collide.name;
  }
}

} // namespace
