// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_DEVICE_SCOPE_HPP
#define HEDDLE_CORE_DEVICE_SCOPE_HPP

namespace heddle {

/// Makes a CUDA device the current one of this thread, for programs that use several: fields that are
/// constructed, and tasks that are added to a TaskGraph within the scope belong to it. The end of the scope
/// puts the choice back.
class DeviceScope {
public:
  /// Throws Error for a device that is not there.
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  DeviceScope(DeviceScope&&) = delete;
  DeviceScope& operator=(DeviceScope&&) = delete;

private:
  int previous_;
};

/// How many CUDA devices there are; 0 without CUDA.
[[nodiscard]] int device_count();

} // namespace heddle

#endif
