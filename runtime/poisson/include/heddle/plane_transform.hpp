// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLANE_TRANSFORM_HPP
#define HEDDLE_PLANE_TRANSFORM_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/stream.hpp"

namespace heddle {

/// The forward transform of one direction (its inverse is implied): what turns samples into the amplitudes of
/// the direction's discrete eigenfunctions. dctN and dstN are numbered as in Britanak, Yip and Rao (2007).
enum class TransformKind { dft, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

/// Transforms planes (x fastest, then y) in place, plane by plane. inverse(forward(f)) == f to rounding.
/// What forward leaves are reals, each of which belongs to one mode of x and one of y.
template <class Real> class PlaneTransform {
public:
  virtual ~PlaneTransform() = default;

  /// `field`: `planes` planes, `plane_pitch` reals apart, each of rows() rows that are row_pitch() reals
  /// apart.
  virtual void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) = 0;
  virtual void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) = 0;

  /// Reals from one row to the next; at least 2 * (nx / 2 + 1) where x is periodic.
  [[nodiscard]] virtual std::int64_t row_pitch() const = 0;
  /// Rows of a transformed plane; at least ny.
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  /// The mode number of each of the row_pitch() (rows()) places of a transformed row (column), -1 where there
  /// is padding.
  [[nodiscard]] virtual std::vector<std::int64_t> positions_x() const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> positions_y() const = 0;
  /// The back end, and why it was chosen.
  [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace heddle

#endif
