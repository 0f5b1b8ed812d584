// SPDX-License-Identifier: Apache-2.0
// Where the ranks of one process have their fields: on the host, or in <name>_device_test on a device each.
#ifndef HEDDLE_LBM_COMMON_PEERS_OF_TESTS_HPP
#define HEDDLE_LBM_COMMON_PEERS_OF_TESTS_HPP

#include <algorithm>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/memory.hpp"

namespace test {

#ifdef HEDDLE_ON_DEVICE
inline constexpr heddle::Memory memory_of_peers = heddle::Memory::device;
/// As many as there are devices, up to four.
inline int most_peers() {
  return std::min(4, heddle::device_count());
}
#else
inline constexpr heddle::Memory memory_of_peers = heddle::Memory::host;
inline int most_peers() {
  return 4;
}
#endif

} // namespace test

#endif
