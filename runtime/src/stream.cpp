// SPDX-License-Identifier: Apache-2.0
#include "heddle/stream.hpp"

#include <utility>

#include "cuda.hpp"

namespace heddle {

Stream::Stream(Memory memory, bool urgent)
    : native_(memory == Memory::device ? cuda::create_stream(urgent) : nullptr) {}

Stream::~Stream() {
  if (native_ != nullptr) cuda::destroy_stream(native_);
}

Stream::Stream(Stream&& other) noexcept : native_(std::exchange(other.native_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(native_, other.native_);
  return *this;
}

void Stream::synchronise() {
  if (native_ != nullptr) cuda::synchronise(native_);
}

} // namespace heddle
