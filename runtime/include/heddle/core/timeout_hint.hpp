// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_TIMEOUT_HINT_HPP
#define HEDDLE_CORE_TIMEOUT_HINT_HPP

namespace heddle {

/// What to do about a rank that does not come in time. The limit covers what another rank does for itself
/// meanwhile, such as the pictures and files that rank 0 makes of what it has gathered: to those who wait, a
/// rank that is busy and one that hangs look the same.
inline constexpr const char* timeout_hint =
    "a rank stopped, is busy (rank 0 may draw or write for all), or has "
    "not made the same exchanges and sums in "
    "the same order; HEDDLE_TIMEOUT=<seconds> waits longer";

} // namespace heddle

#endif
