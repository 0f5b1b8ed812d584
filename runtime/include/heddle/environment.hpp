// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_ENVIRONMENT_HPP
#define HEDDLE_ENVIRONMENT_HPP

#include <string>

namespace heddle {

struct EnvironmentOptions {
  int threads = 0; // of parallel loops; 0 = as OpenMP decides
  int device = -1; // CUDA device; -1 = as CUDA decides
};

/// What a program holds first in main(): it chooses threads and device, and puts the choice back at the end.
class Environment {
public:
  /// Throws Error for a negative number of threads, more than one thread without OpenMP, or a device that is
  /// not there.
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
};

} // namespace heddle

#endif
