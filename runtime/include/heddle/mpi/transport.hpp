// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_MPI_TRANSPORT_HPP
#define HEDDLE_MPI_TRANSPORT_HPP

#include <chrono>
#include <functional>
#include <string>

#include "heddle/core/memory.hpp"
#include "heddle/transport/candidate.hpp"

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
[[nodiscard]] TransportCandidate candidate(std::chrono::milliseconds timeout = std::chrono::minutes(5));

/// Why this rank can give MPI no pointers to device memory, by what the MPI library says of itself, by how
/// this was built and by what devices there are; empty where it can.
[[nodiscard]] std::string device_pointers_refused();
/// Sends 4 KiB and 4 MiB from each rank to the next one; whether they came here unharmed. All ranks call it.
/// Throws Error that names the neighbour that is waited for when that takes longer than `limit`.
[[nodiscard]] bool memory_goes_around(Memory memory, std::chrono::milliseconds limit);

/// How device_candidate finds out; another function in its place stands for another MPI.
struct DevicePointers {
  std::function<std::string()> refused = device_pointers_refused;
  std::function<bool(std::chrono::milliseconds limit)> go_around = [](std::chrono::milliseconds limit) {
    return memory_goes_around(Memory::device, limit);
  };
};

/// The same with pointers to device memory; fits where MPI says that it takes them and 4 KiB and 4 MiB of
/// device memory have gone around all ranks unharmed. All ranks call it, each with its own device as the
/// current one (DeviceScope). Throws Error that names who waits for whom when a rank does not come within the
/// timeout.
[[nodiscard]] TransportCandidate device_candidate(std::chrono::milliseconds timeout = std::chrono::minutes(5),
                                                  const DevicePointers& pointers = {});

/// NCCL between the ranks of MPI_COMM_WORLD; fits where it can be opened and each rank of a node has a device
/// of its own: the one of its number among them. All ranks call it. Throws as device_candidate does.
[[nodiscard]] TransportCandidate nccl_candidate(std::chrono::milliseconds timeout = std::chrono::minutes(5));

} // namespace heddle::mpi

#endif
