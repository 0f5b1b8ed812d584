// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_ENVIRONMENT_HPP
#define HEDDLE_CORE_ENVIRONMENT_HPP

#include <string>

namespace heddle {

/// What Environment sets for the whole process.
struct EnvironmentOptions {
  int threads = 0; // of parallel loops, at most most_threads(); 0 = as OpenMP decides
  int device = -1; // CUDA device; -1 = as CUDA decides
  /// 32, 64 or 128: bytes that a cache miss should load from device memory into the L2 cache; 0: the default
  /// of CUDA. It is a hint that affects everything this process runs on the device, also kernels of other
  /// libraries; so it is for programs, not for libraries. CUDA may round it. 128 is faster if reads are
  /// contiguous.
  int fetch_bytes = 0;
};

/// Threads that an Environment accepts: eight for each processor, and 64 on any machine. Each loop waits for
/// all of its threads, so more of them than processors only cost time.
[[nodiscard]] int most_threads() noexcept;

/// What a program constructs first in main(): it selects threads, device and the fetch size of the device,
/// and restores the previous selection at the end.
class Environment {
public:
  /// Throws Error for a negative number of threads, more than most_threads(), more than one thread without
  /// OpenMP, a device that is not there, fetches of another size than 32, 64 or 128 bytes, or any fetches
  /// where there is no device.
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
