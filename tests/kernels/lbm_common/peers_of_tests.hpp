// SPDX-License-Identifier: Apache-2.0
// How many ranks one process has: on the host, or in <name>_device_test with a device each.
#ifndef HEDDLE_LBM_COMMON_PEERS_OF_TESTS_HPP
#define HEDDLE_LBM_COMMON_PEERS_OF_TESTS_HPP

#include <algorithm>

#include "heddle/core/device_scope.hpp"

namespace test {

#ifdef HEDDLE_ON_DEVICE
/// As many as there are devices, up to four.
inline int most_peers() {
  return std::min(4, heddle::device_count());
}
#else
inline int most_peers() {
  return 4;
}
#endif

} // namespace test

#endif
