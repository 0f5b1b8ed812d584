// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_REGISTER_TRANSFORM_HPP
#define HEDDLE_SRC_POISSON_REGISTER_TRANSFORM_HPP

#include <cstdint>
#include <memory>

#include "heddle/poisson/plane_transform.hpp"

namespace heddle {

/// Whether register_transform has kernels for planes that are periodic along x and y.
[[nodiscard]] bool has_register_transform(std::int64_t nx, std::int64_t ny);

/// The transform of planes on the device that are periodic along x and y, with points in registers: one read
/// and one write of the field a direction, and no workspace. row_pitch: 0 for rows that begin at multiples of
/// 128 bytes. Throws Error for other sizes, for an odd pitch or one that is too small. With CUDA, as
/// has_register_transform.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>> register_transform(std::int64_t nx, std::int64_t ny,
                                                                       std::int64_t row_pitch);

} // namespace heddle

#endif
