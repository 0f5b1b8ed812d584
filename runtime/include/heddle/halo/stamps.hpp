// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_STAMPS_HPP
#define HEDDLE_HALO_STAMPS_HPP

#include <cstdint>

namespace heddle {

/// What the receiver of a message checks. A stamp goes before the bytes of each message: its exchange, step,
/// length, sender and receiver, and a checksum. Results do not depend on it.
enum class Stamps : std::uint8_t {
  /// The length alone.
  off,
  /// The stamp, and so where a message comes from and which step it belongs to; in host memory also up to 16
  /// words of 8 bytes, spread evenly: all of a message up to 128 bytes; of a longer one the first word, the
  /// last one and samples between them. Takes 0.05 microseconds per message and rank, whatever its length.
  order,
  /// The stamp and all bytes of the message.
  checksums
};

/// What the environment variable HEDDLE_STAMPS says: off (or 0), order, checksums (or 1); Stamps::order where
/// it is not set. Throws Error for anything else.
[[nodiscard]] Stamps stamps_of_environment();

} // namespace heddle

#endif
