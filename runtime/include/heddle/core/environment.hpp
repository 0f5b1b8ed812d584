// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_ENVIRONMENT_HPP
#define HEDDLE_CORE_ENVIRONMENT_HPP

#include <string>

namespace heddle {

struct EnvironmentOptions {
  int threads = 0; // of parallel loops; 0 = as OpenMP decides
  int device = -1; // CUDA device; -1 = as CUDA decides
  /// 32, 64 or 128: bytes of a device's memory that a missed read should bring into its L2 cache; 0 = as CUDA
  /// decides, and nothing is asked of CUDA. A hint for all that this process runs on the device, other
  /// libraries' kernels too, so it is for programs, not for libraries within them; CUDA may round it. 128
  /// gains where reads are contiguous.
  int fetch_bytes = 0;
};

/// What a program holds first in main(): it chooses threads, device and the device's fetches, and puts the
/// choice back at the end.
class Environment {
public:
  /// Throws Error for a negative number of threads, more than one thread without OpenMP, a device that is not
  /// there, fetches of another size than 32, 64 or 128 bytes, or any fetches where there is no device.
  explicit Environment(EnvironmentOptions options = {});
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  Environment(Environment&&) = delete;
  Environment& operator=(Environment&&) = delete;

  /// What was found and chosen, one line each: processor, threads, memory, devices.
  [[nodiscard]] std::string describe() const;

private:
  int previous_threads_;
  int previous_device_ = -1;
  int fetching_device_ = -1; // whose fetches were chosen
  int previous_fetch_ = 0;
};

} // namespace heddle

#endif
