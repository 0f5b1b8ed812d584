// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BENCH_LINEAR_ON_DEVICE_HPP
#define HEDDLE_BENCH_LINEAR_ON_DEVICE_HPP

#include <cstdint>
#include <vector>

#include "systems.hpp"

/// Prints times of all solvers on a GPU, for the first cells of each moment. counts: of systems at once,
/// those of all moments one after the other, over and over; empty: all of them once and four times, and then
/// the cells of each moment alone. Without CUDA it does nothing.
void time_on_device(const Draw& draw, std::int64_t cells, const std::vector<std::int64_t>& counts);

#endif
