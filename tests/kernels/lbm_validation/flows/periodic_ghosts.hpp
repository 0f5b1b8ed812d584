// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_PERIODIC_GHOSTS_HPP
#define LBM_VALIDATION_PERIODIC_GHOSTS_HPP

#include <array>
#include <cstdint>

namespace validation {

/// Makes every ghost cell of a box in device memory its periodic image: one layer around. first: the first
/// inner element; extents and strides: x, y, z, components. stream: a cudaStream_t. Returns a cudaError_t.
/// Defined for T = double, float and std::uint16_t where CUDA is compiled.
template <class T>
int fill_ghosts_on_device(T* first, const std::array<std::int64_t, 4>& extents,
                          const std::array<std::int64_t, 4>& strides, void* stream);

} // namespace validation

#endif
