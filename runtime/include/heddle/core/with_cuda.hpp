// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_WITH_CUDA_HPP
#define HEDDLE_CORE_WITH_CUDA_HPP

#if !defined(HEDDLE_WITH_CUDA)
#define HEDDLE_WITH_CUDA 0
#endif

namespace heddle {

/// Whether this build has the CUDA kernels and the runtime's CUDA parts; so that a build without them does
/// not ask the linker for kernels it does not have.
inline constexpr bool with_cuda = HEDDLE_WITH_CUDA != 0;

} // namespace heddle

#endif
