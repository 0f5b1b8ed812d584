// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HASH_HPP
#define HEDDLE_HASH_HPP

#include <cstddef>
#include <cstdint>

namespace heddle {

/// FNV-1a over eight bytes at a time, with a last mixing of the high bits: finds faults, keeps nobody out.
class Hash {
public:
  void add(std::uint64_t value) noexcept {
    state_ = (state_ ^ value) * 0x100000001b3U;
    state_ ^= state_ >> 32U;
  }
  void add(const std::byte* data, std::size_t bytes) noexcept {
    add(bytes);
    for (std::size_t i = 0; i < bytes; i += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = i; k < i + 8 && k < bytes; ++k)
        word |= static_cast<std::uint64_t>(data[k]) << (8 * (k - i));
      add(word);
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

} // namespace heddle

#endif
