// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/device_scope.hpp"

#include "heddle/core/gpu/cuda.hpp"

namespace heddle {

DeviceScope::DeviceScope(int device) : previous_(cuda::current_device()) {
  if (device != previous_) cuda::use_device(device);
}

DeviceScope::~DeviceScope() {
  try {
    cuda::use_device(previous_);
  } catch (...) { // it was the current device before, and a failing driver will be reported by the next call
  }
}

int device_count() {
  return static_cast<int>(cuda::devices().size());
}

} // namespace heddle
