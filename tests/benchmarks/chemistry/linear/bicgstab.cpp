// SPDX-License-Identifier: Apache-2.0
#include "bicgstab.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace {

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

bool usable(double divisor) {
  return std::isfinite(divisor) && divisor != 0;
}

/// The sum of a_n b_n as blocks of threads form it.
class DotProduct {
public:
  explicit DotProduct(std::int64_t threads) : threads_(threads) {}

  double operator()(const std::vector<double>& a, const std::vector<double>& b) {
    const std::size_t size = a.size();
    const std::size_t block = threads_ > 0 ? index(threads_) : size;
    double sum = 0;
    for (std::size_t begin = 0; begin < size; begin += block) {
      const std::size_t count = std::min(block, size - begin);
      tree_.assign(std::bit_ceil(block), 0.0);
      for (std::size_t n = 0; n < count; ++n)
        tree_[n] = a[begin + n] * b[begin + n];
      for (std::size_t half = tree_.size() / 2; half > 0; half /= 2)
        for (std::size_t n = 0; n < half; ++n)
          tree_[n] += tree_[n + half];
      sum += tree_[0];
    }
    return sum;
  }

private:
  std::int64_t threads_;
  std::vector<double> tree_;
};

double norm(double squared, const StopRule& rule) {
  return rule.single ? static_cast<double>(std::sqrt(static_cast<float>(squared))) : std::sqrt(squared);
}

} // namespace

GroupResult bicgstab(const LinearSystems& systems, std::int64_t first, std::int64_t cells,
                     const StopRule& rule, std::int64_t threads, std::vector<double>& x) {
  const SparseRows& pattern = systems.pattern;
  const std::int64_t rows = pattern.rows();
  const std::size_t size = index(cells * rows);
  const double* const matrix = &systems.matrix[index(first * pattern.entries())];
  double* const solution = &x[index(first * rows)];
  DotProduct dot(threads);

  const auto multiply = [&](const std::vector<double>& y, std::vector<double>& product) { // A y
    for (std::int64_t cell = 0; cell < cells; ++cell)
      for (std::int64_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (std::int32_t e = pattern.start[index(i)]; e < pattern.start[index(i + 1)]; ++e)
          sum += matrix[cell * pattern.entries() + e] * y[index(cell * rows + pattern.column[index(e)])];
        product[index(cell * rows + i)] = sum;
      }
  };
  std::vector<double> d(size); // 1/a_ii, and 1 where that is 0
  for (std::int64_t cell = 0; cell < cells; ++cell)
    for (std::int64_t i = 0; i < rows; ++i) {
      const double a = matrix[cell * pattern.entries() + pattern.diagonal[index(i)]];
      d[index(cell * rows + i)] = a != 0 ? 1 / a : 1;
    }

  std::vector<double> r(systems.right_side.begin() + first * rows,
                        systems.right_side.begin() + (first + cells) * rows);
  const std::vector<double> r0 = r;
  std::vector<double> p(size), n(size), y(size), s(size), z(size), t(size), u(size);
  std::fill_n(solution, size, 0.0);
  double rho = 1, alpha = 1, omega = 1;
  GroupResult result;
  double e = norm(dot(r, r), rule);
  const double enough = std::max(rule.absolute, rule.relative * e);
  while (e > enough) {
    if (result.iterations == rule.most) return {result.iterations, Ended::too_many};
    const GroupResult broken{result.iterations, Ended::breakdown};
    const double rho_before = rho;
    rho = dot(r, r0);
    if (!usable(rho) || !usable(omega)) return broken;
    const double beta = rho / rho_before * (alpha / omega);
    for (std::size_t i = 0; i < size; ++i) {
      p[i] = r[i] + beta * (p[i] - omega * n[i]);
      y[i] = d[i] * p[i];
    }
    multiply(y, n);
    const double along = dot(r0, n);
    if (!usable(along)) return broken;
    alpha = rho / along;
    for (std::size_t i = 0; i < size; ++i) {
      s[i] = r[i] - alpha * n[i];
      z[i] = d[i] * s[i];
    }
    multiply(z, t);
    for (std::size_t i = 0; i < size; ++i)
      u[i] = d[i] * t[i];
    const double curvature = dot(u, u);
    // Where s is 0, half an iteration has found the solution.
    omega = curvature != 0 ? dot(z, u) / curvature : 0;
    if (!std::isfinite(alpha) || !std::isfinite(omega)) return broken;
    for (std::size_t i = 0; i < size; ++i) {
      solution[i] += alpha * y[i] + omega * z[i];
      r[i] = s[i] - omega * t[i];
    }
    ++result.iterations;
    e = norm(dot(r, r), rule);
  }
  if (!std::isfinite(e)) result.ended = Ended::breakdown;
  return result;
}
