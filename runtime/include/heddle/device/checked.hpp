// SPDX-License-Identifier: MIT-0
// The reference target's bounds check.
#ifndef HEDDLE_DEVICE_CHECKED_HPP
#define HEDDLE_DEVICE_CHECKED_HPP

#include <cstdint>

namespace heddle {

/// The index if it is in [lower, upper). Otherwise sets `status` and returns an index that is in
/// range.
inline std::int64_t within(std::int64_t index, std::int64_t lower, std::int64_t upper,
                           int& status) {
  if (index < lower || index >= upper) {
    status = -5;
    return lower;
  }
  return index;
}

}  // namespace heddle

#endif
