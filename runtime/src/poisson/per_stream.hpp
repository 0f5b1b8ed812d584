// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_PER_STREAM_HPP
#define HEDDLE_SRC_POISSON_PER_STREAM_HPP

#include <cstdint>
#include <map>
#include <mutex>

#include "heddle/core/stream.hpp"

namespace heddle {

/// What work in a stream writes beside its field: one for each stream, so that several streams may use a plan
/// at a time. Work in one stream is done in its order, and can share.
template <class Value> class PerStream {
public:
  /// Empty when the stream comes for the first time.
  Value& of(const Stream& stream) {
    const std::lock_guard lock(mutex_);
    return values_[stream.native()]; // stays where it is when others come
  }

  /// The sum of value.bytes().
  [[nodiscard]] std::int64_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::int64_t total = 0;
    for (const auto& [stream, value] : values_)
      total += static_cast<std::int64_t>(value.bytes());
    return total;
  }

private:
  mutable std::mutex mutex_;
  std::map<void*, Value> values_;
};

} // namespace heddle

#endif
