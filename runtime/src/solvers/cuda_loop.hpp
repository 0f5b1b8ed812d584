// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SOLVERS_CUDA_LOOP_HPP
#define HEDDLE_SRC_SOLVERS_CUDA_LOOP_HPP

#include <cstdint>
#include <functional>

#include "heddle/core/stream.hpp"
#include "heddle/solvers/solve.hpp"

/// Defined in cuda_loop.cu, with HEDDLE_CUDA.
namespace heddle::gpu {

/// Whether a graph can hold a loop.
[[nodiscard]] bool loops_in_graphs() noexcept;
/// Runs what `cycle` puts into its stream until heddle::solve is done, without the host.
Solution loop(const std::function<void(Stream&)>& cycle, const float* measure, std::int64_t count,
              const Stopping& stopping);
Solution loop(const std::function<void(Stream&)>& cycle, const double* measure, std::int64_t count,
              const Stopping& stopping);

} // namespace heddle::gpu

#endif
