// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_MPI_PROGRAM_HPP
#define HEDDLE_MPI_PROGRAM_HPP

#include <functional>

#include "heddle/transport.hpp"

namespace heddle::mpi {

/// Runs the body of main() on all ranks:
///
///     int main(int argc, char** argv) {
///       return heddle::mpi::run(argc, argv, [&](heddle::Transport& transport) { ...; return 0; });
///     }
///
/// Starts and ends MPI, chooses the transport and prints the choice on rank 0. When the body throws on a
/// rank, that rank says who it is and why on stderr, and all ranks end at once with status 1: otherwise the
/// others would wait for it. How long a rank waits for messages before it does the same is HEDDLE_TIMEOUT in
/// seconds, else five minutes. (A rank that is killed is noticed by mpirun, which ends the others and says
/// so.)
int run(int& argc, char**& argv, const std::function<int(Transport& transport)>& body);

} // namespace heddle::mpi

#endif
