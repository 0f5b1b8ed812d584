// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_COMMON_WIDE_FETCHES_HPP
#define HEDDLE_EXAMPLES_COMMON_WIDE_FETCHES_HPP

#include <deque>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/transport/ranks.hpp"

/// As long as this lives, a missed read on the devices of these ranks brings 128 bytes into the cache instead
/// of 64: the neighbours in a list of cells mostly follow each other, and the whole line is soon asked for
/// (decision 0012). Does nothing on the host. A hint for the whole process, which an example owns.
class WideFetches {
public:
  WideFetches(heddle::Ranks& ranks, bool on_devices) {
    if (!on_devices || heddle::device_count() == 0) return;
    ranks.each([this](heddle::Transport&) {
      devices_.emplace_back(heddle::EnvironmentOptions{.fetch_bytes = 128});
    });
  }

private:
  std::deque<heddle::Environment> devices_;
};

#endif
