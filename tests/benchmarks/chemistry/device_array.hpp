// SPDX-License-Identifier: Apache-2.0
// Arrays on a device, and the time between two events there, for the programs that measure chemistry.
#ifndef HEDDLE_BENCHMARKS_CHEMISTRY_DEVICE_ARRAY_HPP
#define HEDDLE_BENCHMARKS_CHEMISTRY_DEVICE_ARRAY_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

/// Ends the program where a call of CUDA failed.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class T> class DeviceArray {
public:
  explicit DeviceArray(std::int64_t size) : size_(static_cast<std::size_t>(size) * sizeof(T)) {
    check(cudaMalloc(&data_, size_));
    check(cudaMemset(data_, 0, size_));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(static_cast<std::int64_t>(values.size())) {
    set(values);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  void set(const std::vector<T>& values) {
    check(cudaMemcpy(data_, values.data(), size_, cudaMemcpyHostToDevice));
  }
  void clear() { check(cudaMemset(data_, 0, size_)); }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(size_ / sizeof(T));
    check(cudaMemcpy(values.data(), data_, size_, cudaMemcpyDeviceToHost));
    return values;
  }
  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }

private:
  void* data_ = nullptr;
  std::size_t size_;
};

/// Times what is put into the default stream.
class DeviceClock {
public:
  DeviceClock() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  ~DeviceClock() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  void start() { check(cudaEventRecord(begin_)); }
  /// Seconds since start(); waits.
  double stop() {
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

#endif
