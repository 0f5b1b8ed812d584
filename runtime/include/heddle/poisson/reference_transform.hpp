// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_REFERENCE_TRANSFORM_HPP
#define HEDDLE_POISSON_REFERENCE_TRANSFORM_HPP

#include <cstdint>
#include <memory>

#include "heddle/poisson/plane_transform.hpp"

namespace heddle {

/// The transforms by their definition: O(nx^2 ny + nx ny^2) a plane, sums in long double, on the host. What
/// the fast back ends are tested against. Throws Error for no entries, or less than two for dct1.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>>
reference_plane_transform(TransformKind kind_x, std::int64_t nx, TransformKind kind_y, std::int64_t ny);

} // namespace heddle

#endif
