// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_MPI_PROGRAM_HPP
#define HEDDLE_MPI_PROGRAM_HPP

#include "heddle/core/memory.hpp"
#include "heddle/transport/ranks.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle::mpi {

/// Runs the body of main() on all ranks; heddle::run (heddle/program/program.hpp) does so where there is MPI:
///
///     int main(int argc, char** argv) {
///       return heddle::mpi::run(argc, argv, memory, [&](heddle::Ranks& ranks) { ...; return 0; });
///     }
///
/// Starts and ends MPI, gives each rank of a node a device (in turn, where there are fewer), chooses the
/// transport and prints the choice on rank 0: for fields on devices NCCL, MPI with device pointers or MPI
/// through pinned memory, the first that works; else MPI through host memory; for one rank as
/// run_in_one_process, which refuses where another launcher than this MPI's has started several processes.
/// HEDDLE_RANKS may not name another number of ranks than mpirun has started, and all ranks need the same
/// arguments. When the body throws on a rank,
/// that rank says who it is and why on stderr, and all ranks end at once with status 1: otherwise the others
/// would wait for it. How long a rank waits for others before it does the same is HEDDLE_TIMEOUT in seconds,
/// else five minutes. (A rank that is killed is noticed by mpirun, which ends the others and says so.)
int run(int& argc, char**& argv, Memory memory, const Body& body);

/// For a program that ends before it computes (--help, a wrong argument): returns the status on all ranks,
/// and ends them with status 1 where some have other arguments, so that none of them waits.
int end_together(int& argc, char**& argv, int status);

/// The same for a body that computes one rank, with fields in this memory, or on the host.
int run(int& argc, char**& argv, Memory memory, const RankBody& body);
int run(int& argc, char**& argv, const RankBody& body);

/// Whether the environment says that an mpirun (or srun) started this process, and not as the only one.
[[nodiscard]] bool launched();

} // namespace heddle::mpi

#endif
