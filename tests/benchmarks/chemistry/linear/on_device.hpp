// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BENCH_LINEAR_ON_DEVICE_HPP
#define HEDDLE_BENCH_LINEAR_ON_DEVICE_HPP

#include <cstdint>

#include "systems.hpp"

/// Prints times of all solvers on a GPU, for the first cells of each moment. Without CUDA it does nothing.
void time_on_device(const Draw& draw, std::int64_t cells);

#endif
