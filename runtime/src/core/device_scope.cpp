// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/device_scope.hpp"

#include "heddle/core/gpu/calls.hpp"

namespace heddle {

DeviceScope::DeviceScope(int device) : previous_(gpu::current_device()) {
  if (device != previous_) gpu::use_device(device);
}

DeviceScope::~DeviceScope() {
  try {
    gpu::use_device(previous_);
  } catch (...) { // it was the current device before, and a failing driver will be reported by the next call
  }
}

int device_count() {
  return static_cast<int>(gpu::devices().size());
}

} // namespace heddle
