// SPDX-License-Identifier: Apache-2.0
// The transforms by their definition in heddle/poisson/plane_transform.hpp: O(n^2), in long double.
#ifndef DEFINITION_HPP
#define DEFINITION_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "heddle/poisson/plane_transform.hpp"

namespace definition {

using heddle::TransformKind;
using Number = long double;
using Line = std::vector<Number>;

inline const std::vector<TransformKind> kinds = {
    TransformKind::dft,  TransformKind::dct1, TransformKind::dct2, TransformKind::dct3, TransformKind::dct4,
    TransformKind::dst1, TransformKind::dst2, TransformKind::dst3, TransformKind::dst4};

/// Cosines of 2 pi k / period, looked up: sums over lines are long.
class Circle {
public:
  explicit Circle(std::int64_t period) : period_(period) {
    for (std::int64_t k = 0; k < 4 * period; ++k) {
      values_.push_back(
          std::cos(std::numbers::pi_v<Number> * static_cast<Number>(k) / static_cast<Number>(2 * period)));
    }
  }
  Number cos(std::int64_t k) const { return values_[static_cast<std::size_t>(4 * k % (4 * period_))]; }
  Number sin(std::int64_t k) const {
    return values_[static_cast<std::size_t>((4 * k + 3 * period_) % (4 * period_))];
  }

private:
  std::int64_t period_;
  Line values_;
};

/// Row l, column j of the matrix of a kind; dft in half-complex order: mode l's real part in row l <= n/2,
/// its imaginary part in row n - l.
inline Number entry(TransformKind kind, std::int64_t n, std::int64_t l, std::int64_t j,
                    const Circle& circle) {
  const Number end = l % 2 == 1 ? -1 : 1;
  switch (kind) {
  case TransformKind::dft: // of period n
    return 2 * l <= n ? circle.cos(j * l) : -circle.sin(j * (n - l));
  case TransformKind::dct1: // of period 2 (n - 1)
    return j == 0 ? 1 : j == n - 1 ? end : 2 * circle.cos(j * l);
  case TransformKind::dct2: // of period 4n
    return 2 * circle.cos((2 * j + 1) * l);
  case TransformKind::dct3:
    return j == 0 ? 1 : 2 * circle.cos(j * (2 * l + 1));
  case TransformKind::dct4: // of period 8n
    return 2 * circle.cos((2 * j + 1) * (2 * l + 1));
  case TransformKind::dst1: // of period 2 (n + 1)
    return 2 * circle.sin((j + 1) * (l + 1));
  case TransformKind::dst2:
    return 2 * circle.sin((2 * j + 1) * (l + 1));
  case TransformKind::dst3:
    return j == n - 1 ? end : 2 * circle.sin((j + 1) * (2 * l + 1));
  case TransformKind::dst4:
    break;
  }
  return 2 * circle.sin((2 * j + 1) * (2 * l + 1));
}

inline std::int64_t period(TransformKind kind, std::int64_t n) {
  switch (kind) {
  case TransformKind::dft:
    return n;
  case TransformKind::dct1:
    return 2 * (n - 1);
  case TransformKind::dst1:
    return 2 * (n + 1);
  case TransformKind::dct4:
  case TransformKind::dst4:
    return 8 * n;
  default:
    return 4 * n;
  }
}

/// The matrix of a kind.
class Matrix {
public:
  Matrix(TransformKind kind, std::int64_t n) : n_(n) {
    const Circle circle(period(kind, n));
    for (std::int64_t l = 0; l < n; ++l) {
      for (std::int64_t j = 0; j < n; ++j)
        values_.push_back(entry(kind, n, l, j, circle));
    }
  }
  Number operator()(std::int64_t l, std::int64_t j) const {
    return values_[static_cast<std::size_t>(l * n_ + j)];
  }
  Line times(const Line& x) const {
    Line result;
    for (std::int64_t l = 0; l < n_; ++l) {
      Number sum = 0;
      for (std::int64_t j = 0; j < n_; ++j)
        sum += (*this)(l, j) * x[static_cast<std::size_t>(j)];
      result.push_back(sum);
    }
    return result;
  }

private:
  std::int64_t n_;
  Line values_;
};

/// The matrix of a kind; made once.
inline const Matrix& matrix(TransformKind kind, std::int64_t n) {
  static std::map<std::pair<TransformKind, std::int64_t>, Matrix> known;
  const auto found = known.find({kind, n});
  return found != known.end() ? found->second : known.try_emplace({kind, n}, kind, n).first->second;
}

/// The mode number of each row of the matrix.
inline std::int64_t mode_of(TransformKind kind, std::int64_t n, std::int64_t row) {
  return kind == TransformKind::dft && 2 * row > n ? n - row : row;
}

/// A plane, [ny][nx].
struct Plane {
  std::int64_t nx;
  std::int64_t ny;
  Line values;
  Number& at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(j * nx + i)]; }
};

/// Applies a function to every row, then one to every column.
inline Plane along_both(Plane plane, const std::function<Line(const Line&)>& x,
                        const std::function<Line(const Line&)>& y) {
  for (std::int64_t j = 0; j < plane.ny; ++j) {
    Line row;
    for (std::int64_t i = 0; i < plane.nx; ++i)
      row.push_back(plane.at(i, j));
    row = x(row);
    for (std::int64_t i = 0; i < plane.nx; ++i)
      plane.at(i, j) = row[static_cast<std::size_t>(i)];
  }
  for (std::int64_t i = 0; i < plane.nx; ++i) {
    Line column;
    for (std::int64_t j = 0; j < plane.ny; ++j)
      column.push_back(plane.at(i, j));
    column = y(column);
    for (std::int64_t j = 0; j < plane.ny; ++j)
      plane.at(i, j) = column[static_cast<std::size_t>(j)];
  }
  return plane;
}

/// The inverse of a kind: the matrix of the kind that undoes it, over the gain; of dft the sum over its
/// waves.
inline Line undone(TransformKind kind, const Line& spectrum) {
  const auto n = static_cast<std::int64_t>(spectrum.size());
  if (kind == TransformKind::dft) {
    const Circle circle(n);
    Line result;
    for (std::int64_t j = 0; j < n; ++j) {
      Number sum = 0;
      for (std::int64_t row = 0; row < n; ++row) {
        const std::int64_t l = mode_of(kind, n, row);
        const Number twice = l == 0 || 2 * l == n ? 1 : 2;
        sum += twice * spectrum[static_cast<std::size_t>(row)] *
               (row == l ? circle.cos(j * l) : -circle.sin(j * l));
      }
      result.push_back(sum / static_cast<Number>(n));
    }
    return result;
  }
  TransformKind other = kind;
  if (kind == TransformKind::dct2) other = TransformKind::dct3;
  if (kind == TransformKind::dct3) other = TransformKind::dct2;
  if (kind == TransformKind::dst2) other = TransformKind::dst3;
  if (kind == TransformKind::dst3) other = TransformKind::dst2;
  const bool node = kind == TransformKind::dct1 || kind == TransformKind::dst1;
  Line result = matrix(other, n).times(spectrum);
  for (Number& value : result)
    value /= static_cast<Number>(node ? period(kind, n) : 2 * n);
  return result;
}

} // namespace definition

#endif
