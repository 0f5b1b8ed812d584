// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_ROOFLINE_HPP
#define HEDDLE_ROOFLINE_HPP

#include <cstdint>
#include <string>

namespace terrain_wind {

/// Bytes a second that this machine moves when it updates 19 arrays of `cells` floats in place, each value
/// read and written once: what an in-place D3Q19 step does if it does nothing else. The best of several
/// passes.
[[nodiscard]] double stream_bandwidth(std::int64_t cells);

/// Bytes that an update of a cell moves in the mean over an even and an odd step: 19 populations read and
/// written, and in the odd step 18 entries of the neighbour table.
inline constexpr double bytes_per_update = 2.0 * 19 * sizeof(float) + 18 * sizeof(std::uint32_t) / 2.0;

/// One line: updates a second, bytes per update, bandwidth and its share of `bandwidth` (no share where that
/// is 0).
[[nodiscard]] std::string roofline_line(double updates, double seconds, double bandwidth);

} // namespace terrain_wind

#endif
