// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_TRANSPORT_STREAM_WAIT_HPP
#define HEDDLE_SRC_TRANSPORT_STREAM_WAIT_HPP

#include <chrono>

#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// Who waits for whom: "rank 0, 'swap', step 0: waited 1000 ms for rank 1 (8 bytes)".
[[nodiscard]] Error late(const Transport& transport, const ExchangeRequest& traffic,
                         std::chrono::milliseconds limit);

/// Waits until `stream` has done what a transport that has StreamWait has put there for `traffic`. When
/// that takes longer than `limit`, lets the transport give up and throws late().
void wait_for(Transport& transport, const ExchangeRequest& traffic, Stream& stream,
              std::chrono::milliseconds limit);

} // namespace heddle

#endif
