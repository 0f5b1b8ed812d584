// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_HASH_HPP
#define HEDDLE_CORE_HASH_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heddle {

/// FNV-1a over eight bytes at a time, with a last mixing of the high bits: finds faults, keeps nobody
/// out. 2.8 GB/s on a core, where XXH3 of xxHash takes 6.8: above the speed of a disk, and without a package
/// (decision 0143).
class Hash {
public:
  void add(std::uint64_t value) noexcept {
    state_ = (state_ ^ value) * 0x100000001b3U;
    state_ ^= state_ >> 32U;
  }
  void add(const std::byte* data, std::size_t bytes) noexcept {
    add(bytes);
    std::size_t i = 0;
    std::uint64_t word = 0;
    for (; i + 8 <= bytes; i += 8) {
      std::memcpy(&word, data + i, 8);
      add(word);
    }
    if (i == bytes) return;
    word = 0;
    std::memcpy(&word, data + i, bytes - i);
    add(word);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

} // namespace heddle

#endif
