// SPDX-License-Identifier: Apache-2.0
// heddle-atmosphere: what its files share, and one function per family of kernels. A family is one file that
// every compiler takes; what only a device has stands in place.hpp.
#ifndef HEDDLE_BENCHMARKS_ATMOSPHERE_ROWS_HPP
#define HEDDLE_BENCHMARKS_ATMOSPHERE_ROWS_HPP

#include <array>
#include <cstdint>

namespace atmosphere {

/// Cells of the domain: HEDDLE_BENCH_CELLS="425x300x35", else `otherwise`.
std::array<std::int64_t, 3> cells(const std::array<std::int64_t, 3>& otherwise);

void add_advection();
void add_cloudsc();
void add_longwave();
void add_microphysics();
void add_nesting();

} // namespace atmosphere

#endif
