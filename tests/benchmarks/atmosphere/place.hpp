// SPDX-License-Identifier: Apache-2.0
// Where a row runs: how its time is read, and the yardstick of memory traffic that stands beside it.
#ifndef HEDDLE_BENCHMARKS_ATMOSPHERE_PLACE_HPP
#define HEDDLE_BENCHMARKS_ATMOSPHERE_PLACE_HPP

#include <chrono>
#include <cstdint>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"
#include "streams.hpp"
#if HEDDLE_WITH_CUDA
#include "cuda_timer.hpp"
#endif

namespace atmosphere {

struct Host {
  static constexpr heddle::Memory memory = heddle::Memory::host;
  static constexpr const char* name = "cpu";

  template <class F> static double seconds(heddle::Stream&, F&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  template <class T> static void update19(T* f, std::int64_t stride, std::int64_t count, heddle::Stream&) {
    streams::update19(f, stride, count, T(1));
  }
};

#if HEDDLE_WITH_CUDA
struct Device {
  static constexpr heddle::Memory memory = heddle::Memory::device;
  static constexpr const char* name = "cuda";

  template <class F> static double seconds(heddle::Stream& stream, F&& work) {
    return bench::cuda_seconds(stream, work);
  }

  template <class T>
  static void update19(T* f, std::int64_t stride, std::int64_t count, heddle::Stream& stream) {
    streams::update19_cuda(f, stride, count, T(1), stream.native());
  }
};
#endif

/// Reads and writes 19 arrays in place: the memory traffic that this machine reaches, without arithmetic.
template <class T, class Place> class Yardstick {
public:
  /// bytes: about so many a call, each way.
  explicit Yardstick(std::int64_t bytes)
      : count_(bytes / (19 * static_cast<std::int64_t>(sizeof(T))) / 64 * 64),
        values_(19 * count_, Place::memory) {}

  [[nodiscard]] double bytes() const { return 2.0 * 19 * static_cast<double>(count_) * sizeof(T); }

  double seconds(heddle::Stream& stream) {
    return Place::seconds(stream, [&] { Place::update19(values_.data(), count_, count_, stream); });
  }

private:
  std::int64_t count_;
  heddle::Buffer<T> values_;
};

} // namespace atmosphere

#endif
