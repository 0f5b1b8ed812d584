// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/stream.hpp"

#include <atomic>
#include <utility>

#include "heddle/core/gpu/calls.hpp"

namespace heddle {

namespace {
std::atomic<std::int64_t> waits{0};
}

std::int64_t host_waits() noexcept {
  return waits.load();
}

void gpu::count_wait() noexcept {
  ++waits;
}

Stream::Stream(Memory memory, Priority priority)
    : native_(memory == Memory::device ? gpu::create_stream(priority) : nullptr) {}

Stream::~Stream() {
  if (native_ != nullptr) gpu::destroy_stream(native_);
}

Stream::Stream(Stream&& other) noexcept
    : native_(std::exchange(other.native_, nullptr)), versions_(std::exchange(other.versions_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(native_, other.native_);
  std::swap(versions_, other.versions_);
  return *this;
}

void Stream::synchronise() {
  if (native_ != nullptr) gpu::synchronise(native_);
}

} // namespace heddle
