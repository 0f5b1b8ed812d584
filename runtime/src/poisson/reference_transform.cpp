// SPDX-License-Identifier: Apache-2.0
#include "heddle/poisson/reference_transform.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

using Number = long double;
using Matrix = std::vector<std::vector<Number>>; // [output][input]

/// sin or cos of pi * numerator / denominator; the angle is reduced exactly first.
Number wave(bool cosine, std::int64_t numerator, std::int64_t denominator) {
  numerator %= 2 * denominator;
  const Number angle =
      std::numbers::pi_v<Number> * static_cast<Number>(numerator) / static_cast<Number>(denominator);
  return cosine ? std::cos(angle) : std::sin(angle);
}

/// The eigenfunctions of a kind: sample `k` of mode `l`.
Number mode(TransformKind kind, std::int64_t n, std::int64_t l, std::int64_t k) {
  switch (kind) {
  case TransformKind::dft: // modes as stored: re and im of each wave
    return wave(l % 2 == 0, 2 * (l / 2) * k, n) * (l % 2 == 0 ? 1 : -1);
  case TransformKind::dct1:
    return wave(true, l * k, n - 1);
  case TransformKind::dct2:
    return wave(true, l * (2 * k + 1), 2 * n);
  case TransformKind::dct3:
    return wave(true, (2 * l + 1) * k, 2 * n);
  case TransformKind::dct4:
    return wave(true, (2 * l + 1) * (2 * k + 1), 4 * n);
  case TransformKind::dst1:
    return wave(false, (l + 1) * (k + 1), n + 1);
  case TransformKind::dst2:
    return wave(false, (l + 1) * (2 * k + 1), 2 * n);
  case TransformKind::dst3:
    return wave(false, (2 * l + 1) * (k + 1), 2 * n);
  case TransformKind::dst4:
    break;
  }
  return wave(false, (2 * l + 1) * (2 * k + 1), 4 * n);
}

/// The weight of sample k in the inner product in which modes are orthogonal: 1/2 on a Neumann node.
Number sample_weight(TransformKind kind, std::int64_t n, std::int64_t k) {
  if (kind == TransformKind::dct1 && (k == 0 || k == n - 1)) return 0.5L;
  if (kind == TransformKind::dct3 && k == 0) return 0.5L;
  if (kind == TransformKind::dst3 && k == n - 1) return 0.5L;
  return 1;
}

std::int64_t places(TransformKind kind, std::int64_t n) {
  return kind == TransformKind::dft ? 2 * (n / 2 + 1) : n;
}

/// Forward and inverse of one direction, as matrices between `n` samples and places(kind, n) amplitudes.
std::pair<Matrix, Matrix> matrices(TransformKind kind, std::int64_t n) {
  if (n < 1 || (kind == TransformKind::dct1 && n < 2)) {
    throw Error("reference_plane_transform", "a direction has " + std::to_string(n) + " entries");
  }
  const std::int64_t amplitudes = places(kind, n);
  Matrix forward(static_cast<std::size_t>(amplitudes)), inverse(static_cast<std::size_t>(n));
  for (auto& row : inverse)
    row.resize(forward.size());
  for (std::int64_t l = 0; l < amplitudes; ++l) {
    Number square = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const Number value = mode(kind, n, l, k);
      forward[static_cast<std::size_t>(l)].push_back(value * sample_weight(kind, n, k));
      square += value * value * sample_weight(kind, n, k);
    }
    // The imaginary part of wave 0, and of wave n/2 where n is even, has no samples but zeros.
    const bool empty = kind == TransformKind::dft && l % 2 == 1 && (l == 1 || l == n + 1);
    for (std::int64_t k = 0; k < n; ++k) {
      Number& entry = forward[static_cast<std::size_t>(l)][static_cast<std::size_t>(k)];
      inverse[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)] =
          empty ? 0 : mode(kind, n, l, k) / square;
      if (empty) entry = 0;
    }
  }
  return {forward, inverse};
}

template <class Real> class ReferenceTransform final : public PlaneTransform<Real> {
public:
  ReferenceTransform(TransformKind kind_x, std::int64_t nx, TransformKind kind_y, std::int64_t ny)
      : kind_x_(kind_x), kind_y_(kind_y), nx_(nx), ny_(ny), x_(matrices(kind_x, nx)),
        y_(matrices(kind_y, ny)) {}

  void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream&) override {
    for (std::int64_t k = 0; k < planes; ++k) {
      Real* const plane = field + k * plane_pitch;
      for (std::int64_t j = 0; j < ny_; ++j)
        apply(x_.first, plane + j * row_pitch(), 1);
      if (complex_y()) {
        for (std::int64_t i = 0; i < row_pitch(); i += 2)
          rotate(plane + i, -1, 1);
      } else {
        for (std::int64_t i = 0; i < row_pitch(); ++i)
          apply(y_.first, plane + i, row_pitch());
      }
    }
  }

  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream&) override {
    for (std::int64_t k = 0; k < planes; ++k) {
      Real* const plane = field + k * plane_pitch;
      if (complex_y()) {
        for (std::int64_t i = 0; i < row_pitch(); i += 2)
          rotate(plane + i, 1, 1 / static_cast<Number>(ny_));
      } else {
        for (std::int64_t i = 0; i < row_pitch(); ++i)
          apply(y_.second, plane + i, row_pitch());
      }
      for (std::int64_t j = 0; j < ny_; ++j)
        apply(x_.second, plane + j * row_pitch(), 1);
    }
  }

  [[nodiscard]] std::int64_t row_pitch() const override { return places(kind_x_, nx_); }
  [[nodiscard]] std::int64_t rows() const override { return complex_y() ? ny_ : places(kind_y_, ny_); }
  [[nodiscard]] std::vector<std::int64_t> positions_x() const override {
    return positions(kind_x_, row_pitch());
  }
  [[nodiscard]] std::vector<std::int64_t> positions_y() const override {
    return positions(complex_y() ? TransformKind::dct1 : kind_y_, rows());
  }
  [[nodiscard]] std::string description() const override { return "reference: sums as in the definition"; }

private:
  [[nodiscard]] bool complex_y() const {
    return kind_x_ == TransformKind::dft && kind_y_ == TransformKind::dft;
  }

  static std::vector<std::int64_t> positions(TransformKind kind, std::int64_t count) {
    std::vector<std::int64_t> modes;
    for (std::int64_t place = 0; place < count; ++place)
      modes.push_back(kind == TransformKind::dft ? place / 2 : place);
    return modes;
  }

  /// A line of reals, `stride` apart, times a matrix, in place.
  static void apply(const Matrix& matrix, Real* line, std::int64_t stride) {
    std::vector<Number> result;
    for (const auto& row : matrix) {
      Number sum = 0;
      for (std::size_t k = 0; k < row.size(); ++k)
        sum += row[k] * static_cast<Number>(line[static_cast<std::int64_t>(k) * stride]);
      result.push_back(sum);
    }
    for (std::size_t l = 0; l < result.size(); ++l)
      line[static_cast<std::int64_t>(l) * stride] = static_cast<Real>(result[l]);
  }

  /// The complex transform of a column of pairs.
  void rotate(Real* column, int sign, Number scale) const {
    std::vector<std::pair<Number, Number>> result;
    for (std::int64_t l = 0; l < ny_; ++l) {
      Number re = 0, im = 0;
      for (std::int64_t k = 0; k < ny_; ++k) {
        const Number c = wave(true, 2 * l * k, ny_), s = sign * wave(false, 2 * l * k, ny_);
        const auto a = static_cast<Number>(column[k * row_pitch()]);
        const auto b = static_cast<Number>(column[k * row_pitch() + 1]);
        re += a * c - b * s;
        im += a * s + b * c;
      }
      result.emplace_back(re * scale, im * scale);
    }
    for (std::int64_t l = 0; l < ny_; ++l) {
      column[l * row_pitch()] = static_cast<Real>(result[static_cast<std::size_t>(l)].first);
      column[l * row_pitch() + 1] = static_cast<Real>(result[static_cast<std::size_t>(l)].second);
    }
  }

  TransformKind kind_x_, kind_y_;
  std::int64_t nx_, ny_;
  std::pair<Matrix, Matrix> x_, y_; // forward, inverse
};

} // namespace

template <class Real>
std::unique_ptr<PlaneTransform<Real>> reference_plane_transform(TransformKind kind_x, std::int64_t nx,
                                                                TransformKind kind_y, std::int64_t ny) {
  return std::make_unique<ReferenceTransform<Real>>(kind_x, nx, kind_y, ny);
}

template std::unique_ptr<PlaneTransform<float>> reference_plane_transform(TransformKind, std::int64_t,
                                                                          TransformKind, std::int64_t);
template std::unique_ptr<PlaneTransform<double>> reference_plane_transform(TransformKind, std::int64_t,
                                                                           TransformKind, std::int64_t);

} // namespace heddle
