// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_STREAM_WAIT_HPP
#define HEDDLE_STREAM_WAIT_HPP

#include <chrono>

#include "heddle/stream.hpp"
#include "heddle/transport.hpp"

namespace heddle {

/// Waits until `stream` has done what a transport that waits_in_stream() has put there for `traffic`. When
/// that takes longer than `limit`, lets the transport give up and throws Error that says who waits for whom:
/// "rank 0, 'swap', step 0: waited 1000 ms for rank 1 (8 bytes)".
void wait_for(Transport& transport, const Traffic& traffic, Stream& stream, std::chrono::milliseconds limit);

} // namespace heddle

#endif
