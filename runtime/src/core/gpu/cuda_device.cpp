// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/gpu/cuda.hpp"
#include "heddle/core/gpu/cuda_check.hpp"

#include <array>
#include <cstdio>

namespace heddle::cuda {

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
    std::array<char, 64> rest{};
    std::snprintf(rest.data(), rest.size(), ", sm_%d%d, %.1f GiB", properties.major, properties.minor,
                  static_cast<double>(properties.totalGlobalMem) / (1024.0 * 1024.0 * 1024.0));
    names.push_back(std::string(properties.name) + rest.data());
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

int fetch_bytes() {
  std::size_t bytes = 0;
  check(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity), "Environment");
  return static_cast<int>(bytes);
}

void fetch_bytes(int bytes) {
  check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, static_cast<std::size_t>(bytes)), "Environment");
}

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

} // namespace heddle::cuda
