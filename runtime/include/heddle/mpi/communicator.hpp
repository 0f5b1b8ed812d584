// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_MPI_COMMUNICATOR_HPP
#define HEDDLE_MPI_COMMUNICATOR_HPP

#include <mpi.h>

#include <chrono>
#include <memory>

#include "heddle/transport/transport.hpp"

namespace heddle::mpi {

/// Halo exchange between the ranks of a host program's communicator, for fields on the host; a Field's rank
/// is transport->rank(). The host starts and ends MPI: there is no heddle::run and no Session. All ranks of
/// `communicator` call this together, and it is duplicated, so that messages of the host and of this
/// transport never meet. The transport must go before MPI_Finalize. timeout: how long a rank waits for
/// messages before it throws Error. Only threads that run tasks call MPI: the one that calls TaskGraph::run,
/// so that MPI_THREAD_FUNNELED is enough, unless the graph has several threads or lagged tasks, which need
/// MPI_THREAD_MULTIPLE. Throws Error where MPI is not initialised, or the communicator is MPI_COMM_NULL or an
/// intercommunicator. The program links MPI itself (MPI::MPI_CXX).
[[nodiscard]] std::unique_ptr<Transport>
transport(MPI_Comm communicator, std::chrono::milliseconds timeout = std::chrono::minutes(5));

} // namespace heddle::mpi

#endif
