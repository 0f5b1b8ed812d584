// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_WAIT_UNTIL_HPP
#define HEDDLE_CORE_WAIT_UNTIL_HPP

#include <chrono>
#include <thread>

namespace heddle {

/// Polls `holds()`, and yields to other threads in between; false if it does not hold within `limit`.
template <class Holds> bool wait_until(std::chrono::milliseconds limit, const Holds& holds) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace heddle

#endif
