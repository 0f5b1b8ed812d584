// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/core/stream.hpp"

namespace heddle {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t least_parallel = std::size_t{1}
                                       << 16; // of a copy: less takes a core a few microseconds

std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> uploads{0};
std::atomic<std::int64_t> uploaded_bytes{0};
std::atomic<std::int64_t> downloads{0};
std::atomic<std::int64_t> downloaded_bytes{0};

void count_copy(Memory to, Memory from, std::size_t bytes) noexcept {
  const bool up = to == Memory::device;
  if (up == (from == Memory::device)) return; // nothing crosses
  ++(up ? uploads : downloads);
  (up ? uploaded_bytes : downloaded_bytes) += static_cast<std::int64_t>(bytes);
}

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

} // namespace

const char* to_string(Memory memory) noexcept {
  switch (memory) {
  case Memory::host:
    return "host";
  case Memory::pinned:
    return "pinned";
  case Memory::device:
    return "device";
  }
  return "unknown";
}

bool built_with_cuda() noexcept {
  return gpu::available();
}

void* allocate(std::size_t bytes, Memory memory) {
  if (bytes == 0) return nullptr;
  ++allocations;
  if (memory != Memory::host) return gpu::allocate(bytes, memory);
  const std::size_t alignment = bytes >= huge_page ? huge_page : line;
  const bool fits = bytes <= SIZE_MAX - alignment;
  void* pointer = fits ? std::aligned_alloc(alignment, round_up(bytes, alignment)) : nullptr;
  if (pointer == nullptr) {
    throw Error("allocate", "cannot allocate " + std::to_string(bytes) + " bytes of host memory",
                "use fewer cells, or a narrower storage type");
  }
  // Only advice: a kernel without huge pages says no, and the memory is good all the same.
  if (alignment == huge_page) (void)madvise(pointer, round_up(bytes, alignment), MADV_HUGEPAGE);
  return pointer;
}

void release(void* pointer, Memory memory) noexcept {
  if (pointer == nullptr) return;
  if (memory != Memory::host) return gpu::release(pointer, memory);
  std::free(pointer);
}

void zero(void* pointer, std::size_t bytes, std::size_t segment, Memory memory) {
  if (bytes == 0) return;
  if (memory == Memory::device) return gpu::zero(pointer, bytes);
  segment = std::clamp<std::size_t>(segment, 1, bytes);
  char* const start = static_cast<char*>(pointer);
  parallel_ranges(static_cast<std::int64_t>(segment), [&](std::int64_t first, std::int64_t last) {
    for (std::size_t offset = static_cast<std::size_t>(first); offset < bytes; offset += segment) {
      std::memset(start + offset, 0, std::min(static_cast<std::size_t>(last - first), bytes - offset));
    }
  });
}

MemoryCounts MemoryCounts::operator-(const MemoryCounts& before) const noexcept {
  return {allocations - before.allocations, uploads - before.uploads, uploaded_bytes - before.uploaded_bytes,
          downloads - before.downloads, downloaded_bytes - before.downloaded_bytes};
}

MemoryCounts MemoryCounts::operator+(const MemoryCounts& other) const noexcept {
  return {allocations + other.allocations, uploads + other.uploads, uploaded_bytes + other.uploaded_bytes,
          downloads + other.downloads, downloaded_bytes + other.downloaded_bytes};
}

MemoryCounts memory_counts() noexcept {
  return {allocations.load(), uploads.load(), uploaded_bytes.load(), downloads.load(),
          downloaded_bytes.load()};
}

std::string to_string(const MemoryCounts& counts) {
  return "uploads: " + std::to_string(counts.uploads) + ", " + std::to_string(counts.uploaded_bytes) +
         " bytes; downloads: " + std::to_string(counts.downloads) + ", " +
         std::to_string(counts.downloaded_bytes) +
         " bytes; allocations: " + std::to_string(counts.allocations);
}

void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes) {
  if (bytes == 0) return;
  count_copy(to_memory, from_memory, bytes);
  if (to_memory == Memory::device || from_memory == Memory::device) return gpu::copy(to, from, bytes);
  std::memcpy(to, from, bytes);
}

void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes,
                Stream& stream) {
  if (bytes == 0) return;
  count_copy(to_memory, from_memory, bytes);
  if (stream.device()) return gpu::copy_later(to, from, bytes, stream.native());
  if (to_memory == Memory::device || from_memory == Memory::device) return gpu::copy(to, from, bytes);
  if (bytes < least_parallel) {
    std::memcpy(to, from, bytes);
    return;
  }
  parallel_ranges(static_cast<std::int64_t>(bytes), [&](std::int64_t first, std::int64_t last) {
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
                static_cast<std::size_t>(last - first));
  });
}

} // namespace heddle
