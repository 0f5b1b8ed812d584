// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/parallel.hpp"
#include "threads.hpp"

namespace heddle {

namespace {

/// The first "model name" of Linux, or what can be said without it.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

void check_device(int device) {
  const std::size_t devices = gpu::devices().size();
  if (static_cast<std::size_t>(device) < devices) return;
  throw Error("Environment",
              "device " + std::to_string(device) + " does not exist; there are " + std::to_string(devices) +
                  " devices",
              gpu::available() ? "choose a device that nvidia-smi lists, counted from 0"
                               : "configure with -DHEDDLE_CUDA=ON");
}

void check_fetches(int bytes) {
  if (bytes != 32 && bytes != 64 && bytes != 128) {
    throw Error("Environment", "fetch_bytes = " + std::to_string(bytes) + " is not supported",
                "use 32, 64 or 128, or 0 for the default of CUDA");
  }
  if (!gpu::devices().empty()) return;
  throw Error("Environment", "fetch_bytes = " + std::to_string(bytes) + " needs a device, but there is none",
              gpu::available() ? "nvidia-smi lists devices"
                               : "configure with -DHEDDLE_CUDA=ON, or leave out fetch_bytes");
}

} // namespace

int most_threads() noexcept {
  const unsigned processors = std::thread::hardware_concurrency(); // 0: unknown
  return static_cast<int>(std::max(64U, 8 * processors));
}

Environment::Environment(EnvironmentOptions options) : previous_threads_(thread_count()) {
  if (options.threads < 0) {
    throw Error("Environment", std::to_string(options.threads) + " threads are not valid",
                "use at least 1, or 0 for all");
  }
  if (options.threads > most_threads()) {
    throw Error("Environment",
                std::to_string(options.threads) + " threads on " +
                    std::to_string(std::thread::hardware_concurrency()) +
                    " processors would wait for each other most of the time",
                "use at most " + std::to_string(most_threads()) + ", or 0 for all processors");
  }
  if (options.device >= 0) check_device(options.device);
  if (options.fetch_bytes != 0) check_fetches(options.fetch_bytes);
  if (options.threads > 0) set_thread_count(options.threads);
  if (options.device >= 0) {
    previous_device_ = gpu::current_device();
    gpu::use_device(options.device);
  }
  if (options.fetch_bytes != 0) {
    previous_fetch_ = gpu::fetch_bytes();
    fetching_device_ = gpu::current_device();
    gpu::fetch_bytes(options.fetch_bytes);
  }
}

Environment::~Environment() {
  if (thread_count() != previous_threads_) set_thread_count(previous_threads_);
  if (fetching_device_ >= 0) {
    try {
      const DeviceScope there(fetching_device_);
      gpu::fetch_bytes(previous_fetch_);
    } catch (const Error&) {
      // The device is gone, and its fetches with it.
    }
  }
  if (previous_device_ >= 0) {
    try {
      gpu::use_device(previous_device_);
    } catch (const Error&) {
      // The device is gone; nothing of ours is left on it.
    }
  }
}

std::string Environment::describe() const {
  std::string text = "processor: " + processor() + ", " +
                     std::to_string(std::thread::hardware_concurrency()) + " hardware threads\n";
  text += "threads: " + std::to_string(thread_count()) + (with_openmp() ? " (OpenMP)\n" : " (no OpenMP)\n");
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
  text += "memory: " + std::to_string(pages * page / (std::int64_t{1} << 30)) + " GiB\n";
  const std::vector<std::string> devices = gpu::devices();
  if (!gpu::available()) text += "devices: none (built without CUDA)\n";
  if (gpu::available() && devices.empty()) text += "devices: none found\n";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool current = static_cast<int>(i) == gpu::current_device();
    text += "device " + std::to_string(i) + ": " + devices[i] + (current ? " (used)" : "");
    if (static_cast<int>(i) == fetching_device_) {
      const DeviceScope there(fetching_device_);
      text += ", fetches of " + std::to_string(gpu::fetch_bytes()) + " bytes";
    }
    text += "\n";
  }
  return text;
}

} // namespace heddle
