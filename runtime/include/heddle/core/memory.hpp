// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_MEMORY_HPP
#define HEDDLE_CORE_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle {

/// Where bytes live: pageable host memory, page-locked host memory, or memory of the current CUDA device.
enum class Memory { host, pinned, device };

[[nodiscard]] const char* to_string(Memory memory) noexcept;

/// True when the library was built with HEDDLE_CUDA.
[[nodiscard]] bool built_with_cuda() noexcept;

/// At least `bytes` bytes, 64-byte aligned; host memory of 2 MiB and more is aligned to 2 MiB and advised to
/// use huge pages. Contents are undefined. Throws Error when there is not enough memory, or no CUDA for
/// Memory::pinned and Memory::device. Zero bytes give a null pointer.
[[nodiscard]] void* allocate(std::size_t bytes, Memory memory);
void release(void* pointer, Memory memory) noexcept;

/// Zeroes `bytes` bytes. On the host in parallel, as `bytes / segment` stretches that are each split evenly
/// over the threads: so each thread touches first what it will later compute on, in every component of a
/// field.
void zero(void* pointer, std::size_t bytes, std::size_t segment, Memory memory);

/// Copies between any two kinds of memory, and returns when it is done.
void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes);

/// What this process has done so far, in all threads: allocations of any memory by allocate(), and copies by
/// copy_bytes() between the host (pageable or pinned) and devices, which is how Field, SparseField, Buffer,
/// Output and Checkpoint reach what lies on a device. A copy that a recorded graph repeats counts once.
struct MemoryCounts {
  std::int64_t allocations = 0;
  std::int64_t uploads = 0;
  std::int64_t uploaded_bytes = 0;
  std::int64_t downloads = 0;
  std::int64_t downloaded_bytes = 0;

  /// Since then.
  [[nodiscard]] MemoryCounts operator-(const MemoryCounts& before) const noexcept;
  /// Both together.
  [[nodiscard]] MemoryCounts operator+(const MemoryCounts& other) const noexcept;
  friend bool operator==(const MemoryCounts&, const MemoryCounts&) noexcept = default;
};
[[nodiscard]] MemoryCounts memory_counts() noexcept;
/// "uploads: 2, 4096 bytes; downloads: 0, 0 bytes; allocations: 3".
[[nodiscard]] std::string to_string(const MemoryCounts& counts);

class Stream;
/// The same in the order of a stream: a device stream does it later, a host stream at once, in parallel.
void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes,
                Stream& stream);

} // namespace heddle

#endif
