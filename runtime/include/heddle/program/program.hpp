// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROGRAM_PROGRAM_HPP
#define HEDDLE_PROGRAM_PROGRAM_HPP

#include "heddle/core/memory.hpp"
#include "heddle/transport/ranks.hpp"

namespace heddle {

/// The frame of a program, with MPI or without (whichever heddle::program was built with):
///
///     int main(int argc, char** argv) {
///       const auto memory = heddle::Memory::device;
///       return heddle::run(argc, argv, memory, [&](heddle::Ranks& ranks) { ...; return 0; });
///     }
///
/// Started by mpirun on several ranks, each computes one, and those of a node share its devices out; where
/// there is no MPI, or not the launcher's, that is refused with status 1 instead of computing everything
/// several times (HEDDLE_TRANSPORT=local says that this is meant). Started alone, it computes one rank on the
/// host, or one on each device that it sees (CUDA_VISIBLE_DEVICES). In which way messages travel is chosen,
/// and printed with the reason; HEDDLE_TRANSPORT names another one, and is refused with the reason where that
/// does not apply. memory: where the fields will lie.
///
/// | HEDDLE_TRANSPORT | |
/// |---|---|
/// | local | one rank |
/// | peer | one graph of all ranks of a process: devices that store into each other's memory, or on a host |
/// | nccl | NCCL between devices, opened at run time: processes of mpirun, or a thread for each device |
/// | mpi-device | MPI with pointers to device memory, where MPI says so and a start-up test agrees |
/// | mpi | MPI through (pinned) host memory |
/// | threads | ranks of one process on a thread each, through host memory: HEDDLE_RANKS of them |
///
/// When the body throws on a rank, that rank says who it is and why on stderr, and all ranks end at once with
/// status 1; the same where a rank has other arguments than rank 0. How long a rank waits for messages before
/// it does the same is HEDDLE_TIMEOUT in seconds, else five minutes; that covers what another rank does alone
/// meanwhile, such as the picture that rank 0 draws. A file that grows above the limit of the process (ulimit
/// -f) is an error like a full disk: the signal SIGXFSZ is ignored.
int run(int& argc, char**& argv, Memory memory, const Body& body);
/// The same for a program that computes one rank: each has a process or a thread of its own, and "peer" does
/// not apply.
int run(int& argc, char**& argv, Memory memory, const RankBody& body);

/// What main() returns, instead of run(), where the command line ends it: the status. Where mpirun started
/// several ranks, those with other arguments do not wait for this one: all end.
int end_together(int& argc, char**& argv, int status);

} // namespace heddle

#endif
