// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_MPI_TRANSPORT_HPP
#define HEDDLE_MPI_TRANSPORT_HPP

#include <chrono>

#include "heddle/transport.hpp"

namespace heddle::mpi {

/// Starts MPI, and ends it; what main() holds first. When an exception leaves main's body, all ranks are
/// stopped: otherwise they would wait for this one for ever.
class Session {
public:
  /// Throws Error when MPI cannot be started or has been started already.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;

private:
  int exceptions_;
};

/// MPI_COMM_WORLD through host memory; fits where there is more than one rank. Needs a Session.
/// timeout: how long a rank waits for messages.
/// Fields on a device go through pinned memory.
[[nodiscard]] TransportOffer offer(std::chrono::milliseconds timeout = std::chrono::minutes(5));

/// The same with pointers to device memory; fits where MPI says that it takes them and 4 KiB and 4 MiB of
/// device memory have gone around all ranks unharmed. All ranks call it, each with its own device as the
/// current one (DeviceScope).
[[nodiscard]] TransportOffer device_offer(std::chrono::milliseconds timeout = std::chrono::minutes(5));

/// NCCL between the ranks of MPI_COMM_WORLD; fits where it can be opened and each rank of a node has a device
/// of its own: the one of its number among them. All ranks call it.
[[nodiscard]] TransportOffer nccl_offer();

} // namespace heddle::mpi

#endif
