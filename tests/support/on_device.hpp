// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_ON_DEVICE_HPP
#define HEDDLE_TESTS_ON_DEVICE_HPP

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace test {

/// The values of a vector on the device, or on threads that stand for one (tests/emulation), while this
/// lives.
template <class T> class DeviceMemory {
public:
  explicit DeviceMemory(const std::vector<T>& from) : bytes_(from.size() * sizeof(T)) {
    check(cudaMalloc(&memory_, bytes_));
    upload(from);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { check(cudaFree(memory_)); }

  void upload(const std::vector<T>& from) {
    check(cudaMemcpy(memory_, from.data(), bytes_, cudaMemcpyHostToDevice));
  }
  /// When all that was launched has ended.
  void download(std::vector<T>& to) const {
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(to.data(), memory_, bytes_, cudaMemcpyDeviceToHost));
  }
  [[nodiscard]] T* data() const { return memory_; }

private:
  static void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess); }
  std::size_t bytes_;
  T* memory_ = nullptr;
};

/// The same for a vector that gets the values back at the end.
template <class T> class OnDevice {
public:
  explicit OnDevice(std::vector<T>& values) : values_(values), memory_(values) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { memory_.download(values_); }
  [[nodiscard]] T* data() const { return memory_.data(); }

private:
  std::vector<T>& values_;
  DeviceMemory<T> memory_;
};

} // namespace test

#endif
