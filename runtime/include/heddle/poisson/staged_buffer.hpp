// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_STAGED_BUFFER_HPP
#define HEDDLE_POISSON_STAGED_BUFFER_HPP

#include <cstdint>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"

namespace heddle {

/// Values that kernels and messages share: in host memory, one array; on a device, an array for kernels and a
/// page-locked copy on the host for messages.
template <class T> class StagedBuffer {
public:
  StagedBuffer() = default;
  StagedBuffer(std::int64_t count, Memory memory)
      : own_(count, memory), copy_(memory == Memory::device ? count : 0, staging(memory)) {}

  /// Where kernels find the values.
  [[nodiscard]] T* data() noexcept { return own_.data(); }
  /// Where messages do; the same array in host memory.
  [[nodiscard]] T* host() noexcept { return on_device() ? copy_.data() : own_.data(); }
  [[nodiscard]] std::int64_t size() const noexcept { return own_.size(); }

  /// Copies what kernels of the stream left to the host, when they are done.
  void fetch(Stream& stream) {
    if (!on_device()) return;
    stream.synchronise();
    copy_bytes(copy_.data(), copy_.memory(), own_.data(), own_.memory(), own_.bytes());
  }
  /// Copies what came to the host to where kernels find it.
  void put() {
    if (on_device()) copy_bytes(own_.data(), own_.memory(), copy_.data(), copy_.memory(), own_.bytes());
  }

private:
  static Memory staging(Memory memory) { return memory == Memory::device ? Memory::pinned : Memory::host; }
  [[nodiscard]] bool on_device() const noexcept { return own_.memory() == Memory::device; }

  Buffer<T> own_, copy_;
};

} // namespace heddle

#endif
