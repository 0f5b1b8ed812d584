// SPDX-License-Identifier: Apache-2.0
// Planes through a PlaneTransform on the host, or on a device where the test is built for one.
#ifndef TRANSFORMED_HPP
#define TRANSFORMED_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "../../support/device_memory.hpp"
#include "definition.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/poisson/plane_transform.hpp"

/// The back ends of this memory; FFTW where it is installed.
inline std::vector<heddle::TransformBackEnd> back_ends() {
  if (test::device_memory == heddle::Memory::device) return {heddle::TransformBackEnd::cufft};
  std::vector<heddle::TransformBackEnd> result = {heddle::TransformBackEnd::generated};
  try {
    static_cast<void>(
        heddle::make_plane_transform<double>({heddle::TransformKind::dft, 4, heddle::TransformKind::dft, 4},
                                             test::device_memory, heddle::TransformBackEnd::fftw));
    result.push_back(heddle::TransformBackEnd::fftw);
  } catch (const heddle::Error&) { // what it says is pinned by its own test
  }
  return result;
}

/// Planes of a transform, [planes][rows][pitch], with numbers that it must leave alone.
template <class Real> class Planes {
public:
  static constexpr Real untouched = Real(-1234.5);

  Planes(heddle::PlaneTransform<Real>& transform, std::int64_t nx, std::int64_t ny, std::int64_t planes)
      : transform_(transform), nx_(nx), ny_(ny), planes_(planes), pitch_(transform.row_pitch()),
        plane_pitch_(pitch_ * transform.rows() + 2),
        values_(static_cast<std::size_t>(plane_pitch_ * planes), untouched) {}

  Real& at(std::int64_t i, std::int64_t j, std::int64_t k = 0) {
    return values_[static_cast<std::size_t>(k * plane_pitch_ + j * pitch_ + i)];
  }
  void randomise(unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int64_t k = 0; k < planes_; ++k) {
      for (std::int64_t j = 0; j < ny_; ++j) {
        for (std::int64_t i = 0; i < nx_; ++i)
          at(i, j, k) = static_cast<Real>(uniform(generator));
      }
    }
  }
  definition::Plane plane(std::int64_t k = 0) {
    definition::Plane result{nx_, ny_, {}};
    for (std::int64_t j = 0; j < ny_; ++j) {
      for (std::int64_t i = 0; i < nx_; ++i)
        result.values.push_back(static_cast<definition::Number>(at(i, j, k)));
    }
    return result;
  }
  void forward() { run(true); }
  void inverse() { run(false); }
  const std::vector<Real>& values() const { return values_; }

  /// Multiplies each amplitude by a function of its modes.
  template <class Factor> void filter(Factor factor) {
    const auto x = transform_.positions_x(), y = transform_.positions_y();
    for (std::int64_t k = 0; k < planes_; ++k) {
      for (std::size_t j = 0; j < y.size(); ++j) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (x[i] < 0 || y[j] < 0) continue;
          Real& value = at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), k);
          value = static_cast<Real>(static_cast<double>(value) * factor(x[i], y[j]));
        }
      }
    }
  }

private:
  void run(bool forward) {
    heddle::Stream stream(test::device_memory);
    heddle::Buffer<Real> field(std::span<const Real>(values_), test::device_memory);
    if (forward) {
      transform_.forward(field.data(), planes_, plane_pitch_, stream);
    } else {
      transform_.inverse(field.data(), planes_, plane_pitch_, stream);
    }
    stream.synchronise();
    values_ = field.to_host();
  }

  heddle::PlaneTransform<Real>& transform_;
  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t planes_;
  std::int64_t pitch_;
  std::int64_t plane_pitch_;
  std::vector<Real> values_;
};

/// |a - b| / |b| over all numbers, in units of the rounding of Real.
template <class Real> double error(const definition::Plane& a, const definition::Plane& b) {
  long double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    difference += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
    size += b.values[i] * b.values[i];
  }
  if (size == 0) return static_cast<double>(difference);
  return static_cast<double>(std::sqrt(difference / size)) /
         static_cast<double>(std::numeric_limits<Real>::epsilon());
}

/// What the error of a fast transform of n numbers may be, in units of rounding.
inline double allowed(std::int64_t n) {
  return 2.0 + std::log2(static_cast<double>(n));
}

#endif
