// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "definition.hpp"
#include "line_transform.hpp"

namespace {

using heddle::TransformKind;
using heddle::fft::LineFormulas;
using heddle::fft::LineTransform;
using Number = std::complex<long double>;

long double number(double value) {
  return static_cast<long double>(value);
}

/// Both lines through the formulas, with the complex transform by its definition.
std::pair<definition::Line, definition::Line>
evaluated(const LineFormulas<double>& f, const definition::Line& a, const definition::Line& b) {
  const auto wide = [](std::complex<double> value) {
    return Number(number(value.real()), number(value.imag()));
  };
  std::vector<Number> z, spectrum;
  for (std::size_t k = 0; k < static_cast<std::size_t>(f.rows); ++k) {
    const auto p = static_cast<std::size_t>(f.in_p[k]), q = static_cast<std::size_t>(f.in_q[k]);
    z.push_back(wide(f.u[k]) * Number(a[p], b[p]) + wide(f.v[k]) * Number(a[q], b[q]));
  }
  const definition::Circle circle(f.rows);
  for (std::int64_t k = 0; k < f.rows; ++k) {
    Number sum = 0;
    for (std::int64_t j = 0; j < f.rows; ++j) {
      const long double sine = circle.sin(j * k);
      sum += z[static_cast<std::size_t>(j)] * Number(circle.cos(j * k), f.inverse ? sine : -sine);
    }
    spectrum.push_back(sum);
  }
  std::pair<definition::Line, definition::Line> result;
  for (std::size_t j = 0; j < f.alpha.size(); ++j) {
    const Number p = spectrum[static_cast<std::size_t>(f.out_p[j])],
                 q = spectrum[static_cast<std::size_t>(f.out_q[j])];
    const long double alpha = number(f.alpha[j]), beta = number(f.beta[j]);
    result.first.push_back(alpha * (p.real() + q.real()) + beta * (p.imag() - q.imag()));
    result.second.push_back(alpha * (p.imag() + q.imag()) + beta * (q.real() - p.real()));
  }
  return result;
}

TEST(LineFormulas, AreTheTransformAndItsInverse) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const TransformKind kind : definition::kinds) {
    for (std::int64_t n = 2; n <= 36; ++n) {
      definition::Line a, b;
      for (std::int64_t j = 0; j < n; ++j) {
        a.push_back(number(uniform(generator)));
        b.push_back(number(uniform(generator)));
      }
      const auto forward = evaluated(LineTransform<double>(kind, n, false, 1.0).formulas(), a, b);
      const auto back =
          evaluated(LineTransform<double>(kind, n, true, 1.0).formulas(), forward.first, forward.second);
      const definition::Matrix& matrix = definition::matrix(kind, n);
      const auto expected_a = matrix.times(a), expected_b = matrix.times(b);
      for (std::size_t j = 0; j < a.size(); ++j) {
        const std::string where = std::string(to_string(kind)) + " of " + std::to_string(n);
        EXPECT_NEAR(static_cast<double>(forward.first[j]), static_cast<double>(expected_a[j]), 1e-13)
            << where;
        EXPECT_NEAR(static_cast<double>(forward.second[j]), static_cast<double>(expected_b[j]), 1e-13)
            << where;
        EXPECT_NEAR(static_cast<double>(back.first[j]), static_cast<double>(a[j]), 1e-14) << where;
        EXPECT_NEAR(static_cast<double>(back.second[j]), static_cast<double>(b[j]), 1e-14) << where;
      }
    }
  }
}

} // namespace
