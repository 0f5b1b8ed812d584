// SPDX-License-Identifier: Apache-2.0
#include "heddle/program/program.hpp"

#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#ifdef HEDDLE_WITH_MPI
#include "heddle/mpi/program.hpp"
#endif

namespace heddle {
namespace {

/// The status of a program; 1 instead of 0 where what it printed did not arrive, as on a full disk.
int after_output(const char* program, int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (::fcntl(STDOUT_FILENO, F_GETFD) < 0) return status; // it was closed from the start: nobody reads it
  std::fprintf(stderr, "%s: not all that was printed could be written. Hint: free some space for stdout\n",
               program);
  return status == 0 ? 1 : status;
}

template <class AnyBody>
int run_body([[maybe_unused]] int& argc, char**& argv, Memory memory, const AnyBody& body) {
#ifdef SIGXFSZ
  // A file that grows above the limit (ulimit -f) makes write() fail, which is reported, instead of ending
  // the process without a word.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
#ifdef HEDDLE_WITH_MPI
  // A program that nobody started several times needs no MPI, and it does not matter whether that works here.
  if (mpi::launched()) return after_output(argv[0], mpi::run(argc, argv, memory, body));
  const NoMpi no_mpi{"no mpirun started this program", "mpirun -n N starts N processes"};
#else
  const NoMpi no_mpi{"this program was built without MPI",
                     "install MPI with its headers (Debian: libopenmpi-dev), configure and build again"};
#endif
  return after_output(argv[0], run_in_one_process(argv[0], memory, body, no_mpi));
}

} // namespace

int run(int& argc, char**& argv, Memory memory, const Body& body) {
  return run_body(argc, argv, memory, body);
}

int run(int& argc, char**& argv, Memory memory, const RankBody& body) {
  return run_body(argc, argv, memory, body);
}

int end_together([[maybe_unused]] int& argc, [[maybe_unused]] char**& argv, int status) {
#ifdef HEDDLE_WITH_MPI
  if (mpi::launched()) return mpi::end_together(argc, argv, status);
#endif
  return status;
}

} // namespace heddle
