// SPDX-License-Identifier: Apache-2.0
// heddle-scaling under mpirun: each process computes one rank, and MPI brings the transports.
#ifndef HEDDLE_BENCHMARKS_SCALING_PROCESSES_HPP
#define HEDDLE_BENCHMARKS_SCALING_PROCESSES_HPP

#include <functional>
#include <string>
#include <vector>

#include "heddle/transport/transport.hpp"

namespace scaling {

/// Calls main_body in a program that mpirun may have started, and returns its status. Then the transports of
/// MPI that fit are there while it runs, each process has a device of its own, and only the first one prints
/// to stdout. Writes what it throws to stderr behind the name of the program, and ends the other processes.
int run_processes(int argc, char** argv, const std::function<int()>& main_body);

/// How many processes mpirun started; 1 without it.
[[nodiscard]] int processes();
/// Whether this is the one that measures what one rank does.
[[nodiscard]] bool first_process();
/// "mpi", "mpi-device" and "mpi-nccl", as far as they fit; none without mpirun.
[[nodiscard]] std::vector<std::string> process_transports();
/// One of those, or null for another name.
[[nodiscard]] heddle::Transport* process_transport(const std::string& name);
/// A function that returns when all processes have called it. The transport must outlive it.
[[nodiscard]] std::function<void()> meeting(heddle::Transport& transport);
/// Whether it holds in all processes.
[[nodiscard]] bool everywhere(bool holds);

} // namespace scaling

#endif
