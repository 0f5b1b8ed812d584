// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_STREAM_HPP
#define HEDDLE_CORE_STREAM_HPP

#include <cstdint>

#include "heddle/core/memory.hpp"

namespace heddle {

/// Work in order. A host stream does everything at once; a device stream owns a cudaStream_t.
class Stream {
public:
  /// A host stream for Memory::host and Memory::pinned, a new non-blocking CUDA stream for Memory::device.
  /// urgent: its work goes before that of other streams. Throws Error when there is no CUDA.
  explicit Stream(Memory memory = Memory::host, bool urgent = false);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] bool device() const noexcept { return native_ != nullptr; }
  /// The cudaStream_t, for launchers; null on the host.
  [[nodiscard]] void* native() const noexcept { return native_; }
  /// Waits until all work given so far is done; throws Error when some of it failed.
  void synchronise();

private:
  void* native_ = nullptr;
};

/// How often the host has waited for a device so far, in all threads: for a stream, a copy or zeroes. For
/// tests and reports: a solve that iterates on the device adds the same for one iteration as for a thousand.
[[nodiscard]] std::int64_t host_waits() noexcept;

} // namespace heddle

#endif
