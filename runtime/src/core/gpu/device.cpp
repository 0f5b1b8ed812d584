// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/gpu/check.hpp"

#include <array>
#include <cstdio>

namespace heddle::gpu {
namespace {

#if defined(__HIP_PLATFORM_AMD__)
std::string architecture(const hipDeviceProp_t& properties) {
  return properties.gcnArchName;
}
#else
std::string architecture(const cudaDeviceProp& properties) {
  return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
}
#endif

} // namespace

bool available() noexcept {
  return true;
}

std::vector<std::string> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError(); // no driver, or no device: the list is empty
    return {};
  }
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, i), "Environment");
    std::array<char, 32> size{};
    std::snprintf(size.data(), size.size(), "%.1f GiB",
                  static_cast<double>(properties.totalGlobalMem) / (1024.0 * 1024.0 * 1024.0));
    names.push_back(std::string(properties.name) + ", " + architecture(properties) + ", " + size.data());
  }
  return names;
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "Environment");
  return device;
}

void use_device(int device) {
  check(cudaSetDevice(device), "Environment");
}

#if defined(__HIP_PLATFORM_AMD__) // HIP has no such hint
int fetch_bytes() {
  return 0;
}

void fetch_bytes(int) {}
#else
int fetch_bytes() {
  std::size_t bytes = 0;
  check(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity), "Environment");
  return static_cast<int>(bytes);
}

void fetch_bytes(int bytes) {
  check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, static_cast<std::size_t>(bytes)), "Environment");
}
#endif

bool reach_into(int device) {
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, current_device(), device), "PeerGroup");
  if (possible == 0) return false;
  const cudaError_t result = cudaDeviceEnablePeerAccess(device, 0);
  if (result == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return true;
  }
  check(result, "PeerGroup");
  return true;
}

} // namespace heddle::gpu
