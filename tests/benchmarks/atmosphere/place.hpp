// SPDX-License-Identifier: Apache-2.0
// Where a row runs: how its time is read, and the yardstick of memory traffic that stands beside it.
#ifndef HEDDLE_BENCHMARKS_ATMOSPHERE_PLACE_HPP
#define HEDDLE_BENCHMARKS_ATMOSPHERE_PLACE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"
#include "heddle/grid/field.hpp"
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

/// What a host takes part in: copies in pinned memory of the fields that a call reads and of those that it
/// writes. Rows `transfers` count both ways; on a CPU there are none.
template <class T> class HostCopies {
public:
  using Fields = std::vector<heddle::Field<T>*>;

  HostCopies(Fields read, Fields written) : read_(std::move(read)), written_(std::move(written)) {
    for (const Fields* fields : {&read_, &written_})
      for (heddle::Field<T>* field : *fields) {
        copies_.push_back(field->like(heddle::Memory::pinned));
        copies_.back().copy_from(*field);
      }
  }

  void upload(heddle::Stream& stream) {
    for (std::size_t i = 0; i < read_.size(); ++i)
      read_[i]->copy_from(copies_[i], stream);
  }
  void download(heddle::Stream& stream) {
    for (std::size_t i = 0; i < written_.size(); ++i)
      copies_[read_.size() + i].copy_from(*written_[i], stream);
  }

private:
  Fields read_, written_;
  std::vector<heddle::Field<T>> copies_;
};

} // namespace atmosphere

#endif
