// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_MESSAGE_STAMP_HPP
#define HEDDLE_SRC_HALO_MESSAGE_STAMP_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// What stands before the bytes of a message: which exchange it belongs to, and that they are unharmed. Both
/// ranks run the same program on machines of one kind, so it crosses as it lies in memory.
struct MessageStamp {
  static constexpr std::uint64_t word = 0x68656464'6c653031U;

  std::uint64_t mark = word;
  std::uint64_t plan = 0;
  std::int64_t step = 0;
  std::uint64_t bytes = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint64_t checksum = 0; // of the bytes and of what stands above
  std::uint64_t unused[2]{};
};

/// Writes the stamp of `message`, which goes from rank `from` and begins with room for it.
void stamp(const Message& message, int from, std::uint64_t plan, std::int64_t step);

/// Empty if `message`, received by rank `to`, is the one that was expected; else what is wrong with it.
[[nodiscard]] std::string fault(const Message& message, int to, std::uint64_t plan, std::int64_t step);

} // namespace heddle

#endif
