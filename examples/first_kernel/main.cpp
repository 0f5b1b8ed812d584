// SPDX-License-Identifier: Apache-2.0
// A first kernel on memory of our own: a hot spot spreads. Needs the emitted files and nothing else of
// Heddle.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "heat.hpp"

namespace {

/// n x n interior cells with one ghost layer around; what a generated wrapper asks of a view.
struct Plane {
  explicit Plane(std::int64_t edge) : n(edge), values(static_cast<std::size_t>((edge + 2) * (edge + 2))) {}
  double* data() const { return const_cast<double*>(values.data()) + 1 + (n + 2); }
  std::int64_t extent(int) const { return n; }
  std::int64_t stride(int d) const { return d == 0 ? 1 : n + 2; }

  std::int64_t n;
  std::vector<double> values;
};

} // namespace

int main() try {
  constexpr std::int64_t n = 101;
  constexpr std::int64_t centre = n / 2;
  constexpr double alpha = 0.2;
  constexpr int steps = 100;
  Plane u(n);
  Plane u_next(n);
  u.data()[centre + centre * u.stride(1)] = 1.0;
  for (int step = 0; step < steps; ++step) {
    heat::step(u, u_next, alpha);
    std::swap(u.values, u_next.values);
  }
  // The exact solution spreads like a Gaussian of variance 2 alpha t along each axis.
  double total = 0;
  double variance = 0;
  for (std::int64_t y = 0; y < n; ++y) {
    for (std::int64_t x = 0; x < n; ++x) {
      const double value = u.data()[x + y * u.stride(1)];
      const auto distance = static_cast<double>(x - centre);
      total += value;
      variance += value * distance * distance;
    }
  }
  std::printf("heat in all %.12f, variance along x %.6f (exact %.6f)\n", total, variance, 2 * alpha * steps);
  return std::abs(total - 1.0) < 1e-9 && std::abs(variance - 2 * alpha * steps) < 1e-3 ? 0 : 1;
} catch (const std::exception& error) { // from heat::step, for fields that it cannot take
  std::fprintf(stderr, "first_kernel: %s\n", error.what());
  return 1;
}
