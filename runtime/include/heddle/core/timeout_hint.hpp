// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_TIMEOUT_HINT_HPP
#define HEDDLE_CORE_TIMEOUT_HINT_HPP

namespace heddle {

/// The hint of errors about a rank that does not respond in time. The limit includes the time that another
/// rank spends on its own work, such as the pictures and files that rank 0 makes of what it has gathered: to
/// a waiting rank, a busy rank and a hanging one look the same.
inline constexpr const char* timeout_hint =
    "a rank stopped, is busy (rank 0 may draw or write for all), or has "
    "not made the same exchanges and sums in "
    "the same order; HEDDLE_TIMEOUT=<seconds> waits longer";

} // namespace heddle

#endif
