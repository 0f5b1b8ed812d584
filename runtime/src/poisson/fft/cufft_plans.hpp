// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_CUFFT_PLANS_HPP
#define HEDDLE_SRC_POISSON_FFT_CUFFT_PLANS_HPP

#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"

namespace heddle::fft {

inline void check(cufftResult result, const char* what) {
  if (result == CUFFT_SUCCESS) return;
  throw Error("PlaneTransform (cuFFT)",
              std::string(what) + " failed with cufftResult " + std::to_string(static_cast<int>(result)),
              result == CUFFT_ALLOC_FAILED
                  ? "cuFFT's work area does not fit into device memory; use smaller planes"
                  : "");
}

/// While one lives, this thread may allocate memory although it records a stream, which CUDA else refuses: a
/// stream's first transform may be one that is recorded.
class AllocatesWhileRecording {
public:
  AllocatesWhileRecording() { (void)cudaThreadExchangeStreamCaptureMode(&other_); }
  ~AllocatesWhileRecording() { (void)cudaThreadExchangeStreamCaptureMode(&other_); }
  AllocatesWhileRecording(const AllocatesWhileRecording&) = delete;
  AllocatesWhileRecording& operator=(const AllocatesWhileRecording&) = delete;

private:
  cudaStreamCaptureMode other_ = cudaStreamCaptureModeRelaxed;
};

/// Pairs of cuFFT plans of one stream, of which one runs after the other: they share one work area. cuFFT
/// would give each its own, of the size of the field for some lengths.
class CufftPlans {
public:
  using Key = std::pair<std::int64_t, std::int64_t>;
  using Pair = std::array<cufftHandle, 2>;

  CufftPlans() = default;
  ~CufftPlans() {
    for (const auto& [key, pair] : plans_)
      for (const cufftHandle plan : pair)
        (void)cufftDestroy(plan);
  }
  CufftPlans(const CufftPlans&) = delete;
  CufftPlans& operator=(const CufftPlans&) = delete;

  /// make(plan, 0 or 1, &bytes) calls cufftMakePlanMany, when the key first comes.
  template <class Make> const Pair& get(const Key& key, cudaStream_t stream, Make&& make) {
    const auto known = plans_.find(key);
    if (known != plans_.end()) return known->second;
    const AllocatesWhileRecording allowed;
    Pair& pair = plans_[key];
    std::size_t most = 0;
    for (int way = 0; way < 2; ++way) {
      cufftHandle& plan = pair[static_cast<std::size_t>(way)];
      std::size_t bytes = 0;
      check(cufftCreate(&plan), "cufftCreate");
      check(cufftSetAutoAllocation(plan, 0), "cufftSetAutoAllocation");
      check(make(plan, way, &bytes), "cufftMakePlanMany");
      check(cufftSetStream(plan, stream), "cufftSetStream");
      most = std::max(most, bytes);
    }
    if (most == 0) return pair;
    // Areas stay: a recorded graph may hold the address.
    if (areas_.empty() || areas_.back().bytes() < most)
      areas_.emplace_back(static_cast<std::int64_t>(most), Memory::device,
                          Buffer<std::byte>::Contents::undefined);
    for (const cufftHandle plan : pair)
      check(cufftSetWorkArea(plan, areas_.back().data()), "cufftSetWorkArea");
    return pair;
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& area : areas_)
      total += area.bytes();
    return total;
  }

private:
  std::map<Key, Pair> plans_;
  std::vector<Buffer<std::byte>> areas_;
};

} // namespace heddle::fft

#endif
