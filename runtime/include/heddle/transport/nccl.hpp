// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_NCCL_HPP
#define HEDDLE_TRANSPORT_NCCL_HPP

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// NCCL, opened when it is first asked for: nothing of it is needed to compile or to link. Sends and receives
/// go into the stream, so that a loop can be captured as a CUDA graph. One device a rank. NVLink multicast
/// stays off (NCCL_NVLS_ENABLE=0, unless the environment says otherwise): it is not to be had on every host.
///
/// Where NCCL starts or ends a communicator, or two ranks first talk, it blocks until the other ranks do the
/// same. When that takes longer than longest_wait(), the program ends with status 1 (where MPI runs all ranks
/// do) and says on stderr who waits for whom: no Error can be thrown there.

/// What the ranks of a communicator have in common: one of them makes it, the others are told.
struct NcclId {
  std::array<char, 128> bytes{};
};

/// Empty where NCCL can be used; else why not ("libnccl.so.2: cannot open shared object file ...").
[[nodiscard]] std::string nccl_missing();
/// "NCCL 2.28.9". Throws Error where it is missing.
[[nodiscard]] std::string nccl_version();
[[nodiscard]] NcclId nccl_id();

/// The transport of `rank`, on the current device. Returns when all ranks have called. Throws Error with
/// NCCL's words.
[[nodiscard]] std::unique_ptr<Transport> nccl_transport(int rank, int ranks, const NcclId& id);

/// Calls program(transport) for each rank, on a thread each whose current device is that of its number, and
/// rethrows what was thrown first. Throws Error where there are fewer devices than ranks.
void nccl_run(int ranks, const std::function<void(Transport&)>& program);

} // namespace heddle

#endif
