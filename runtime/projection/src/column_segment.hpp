// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_COLUMN_SEGMENT_HPP
#define HEDDLE_PROJECTION_COLUMN_SEGMENT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::detail {

/// Rows of tridiagonal systems, in the form -a x[k-1] + (a + c + v) x[k] - c x[k+1] = -g with
/// v = density (lambda_x + lambda_y) + excess; what one segment of levels holds.
template <class Real> struct Rows {
  std::vector<Real> a, c, density, excess; // one a level
  [[nodiscard]] std::int64_t levels() const { return static_cast<std::int64_t>(a.size()); }
};

/// What remains of a segment in terms of X_before, the highest unknown of the segment below, and X, its own
/// highest one, for a run of columns: rows `last` (that before the highest) and `first`,
///   x_last = alpha X_before + gamma X + phi,   x_first = head_alpha X_before + head_gamma X + head_phi.
/// slack = 1 - alpha - gamma >= 0 and head_slack are carried along, so that nothing is subtracted.
template <class Real> struct Ends {
  explicit Ends(std::size_t columns)
      : alpha(columns), gamma(columns), slack(columns), phi(columns), head_alpha(columns),
        head_gamma(columns), head_slack(columns), head_phi(columns) {}
  std::vector<Real> alpha, gamma, slack, phi;
  std::vector<Real> head_alpha, head_gamma, head_slack, head_phi;
};

/// Eliminates upwards, a run of columns side by side. f: g of level k, column i at f[k * pitch + i]; becomes
/// phi of each level but the highest. lambda: eigenvalue of each column.
template <class Real>
void eliminate(const Rows<Real>& rows, std::span<const Real> lambda, Real* f, std::int64_t pitch,
               Ends<Real>& ends) {
  const std::size_t columns = lambda.size();
  for (std::size_t i = 0; i < columns; ++i) { // below the first level lies X_before itself
    ends.alpha[i] = 1;
    ends.gamma[i] = ends.slack[i] = ends.phi[i] = 0;
    ends.head_alpha[i] = ends.head_slack[i] = ends.head_phi[i] = 0;
    ends.head_gamma[i] = 1;
  }
  for (std::int64_t k = 0; k + 1 < rows.levels(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Real a = rows.a[at], c = rows.c[at], density = rows.density[at], excess = rows.excess[at];
    Real* const level = f + k * pitch;
    for (std::size_t i = 0; i < columns; ++i) {
      const Real v = density * lambda[i] + excess;
      const Real rest = a * ends.slack[i] + v;
      const Real forward = a * ends.alpha[i];
      const Real inverse = 1 / (forward + c + rest);
      const Real phi = (a * ends.phi[i] - level[i]) * inverse;
      ends.alpha[i] = forward * inverse;
      ends.gamma[i] = c * inverse;
      ends.slack[i] = rest * inverse;
      ends.phi[i] = level[i] = phi;
      ends.head_alpha[i] += ends.head_gamma[i] * ends.alpha[i];
      ends.head_slack[i] += ends.head_gamma[i] * ends.slack[i];
      ends.head_phi[i] += ends.head_gamma[i] * phi;
      ends.head_gamma[i] *= ends.gamma[i];
    }
  }
}

/// Puts the solution into f, which holds what eliminate() left, from X_before and X. work: two reals a level
/// and column.
template <class Real>
void substitute(const Rows<Real>& rows, std::span<const Real> lambda, Real* f, std::int64_t pitch,
                const Real* below, const Real* own, std::vector<Real>& work) {
  const std::size_t columns = lambda.size();
  const std::int64_t inner = rows.levels() - 1;
  work.resize(columns * static_cast<std::size_t>(2 * inner + 2));
  Real* const alpha = work.data();
  Real* const gamma = alpha + columns * static_cast<std::size_t>(inner);
  Real* const carried =
      gamma + columns * static_cast<std::size_t>(inner); // alpha and slack of the level before
  for (std::size_t i = 0; i < columns; ++i) {
    carried[i] = 1;
    carried[columns + i] = 0;
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Real a = rows.a[at], c = rows.c[at], density = rows.density[at], excess = rows.excess[at];
    for (std::size_t i = 0; i < columns; ++i) {
      const Real rest = a * carried[columns + i] + (density * lambda[i] + excess);
      const Real forward = a * carried[i];
      const Real inverse = 1 / (forward + c + rest);
      carried[i] = alpha[at * columns + i] = forward * inverse;
      carried[columns + i] = rest * inverse;
      gamma[at * columns + i] = c * inverse;
    }
  }
  Real* const top = f + inner * pitch;
  for (std::size_t i = 0; i < columns; ++i)
    top[i] = own[i];
  for (std::int64_t k = inner - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k) * columns;
    Real* const level = f + k * pitch;
    const Real* const above = level + pitch;
    for (std::size_t i = 0; i < columns; ++i)
      level[i] += alpha[at + i] * below[i] + gamma[at + i] * above[i];
  }
}

/// The reduced system of a run of columns: one row a segment, in the form of Rows but with coefficients a
/// column.
template <class Real> struct ReducedRows {
  std::vector<Real> a, c, v; // row s of column i at s * columns + i
};

/// Solves it in place, without a subtraction; a last pivot of exactly 0 (the constant that is left open)
/// gives 0.
template <class Real>
void solve_reduced(const ReducedRows<Real>& rows, std::size_t segments, std::size_t columns, Real* f) {
  std::vector<Real> excess(columns), pivot(segments * columns);
  for (std::size_t s = 0; s < segments; ++s) {
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t at = s * columns + i;
      const Real before = s == 0 ? 0 : rows.a[at] / pivot[at - columns];
      excess[i] = rows.v[at] + (s == 0 ? 0 : before * excess[i]);
      pivot[at] = excess[i] + rows.c[at];
      if (s > 0) f[at] += before * f[at - columns];
    }
  }
  for (std::size_t s = segments; s-- > 0;) {
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t at = s * columns + i;
      const Real above = s + 1 < segments ? rows.c[at] * f[at + columns] : 0;
      f[at] = pivot[at] != 0 ? (f[at] + above) / pivot[at] : 0;
    }
  }
}

} // namespace heddle::detail

#endif
