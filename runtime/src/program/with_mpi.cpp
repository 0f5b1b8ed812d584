// SPDX-License-Identifier: Apache-2.0
#include "file_limit.hpp"
#include "heddle/mpi/program.hpp"
#include "heddle/program/program.hpp"

namespace heddle {

int run(int& argc, char**& argv, Memory memory, const Body& body) {
  report_file_limit();
  // A program that nobody started several times needs no MPI, and it does not matter whether that works here.
  if (!mpi::launched())
    return run_in_one_process(argv[0], memory, body,
                              {"no mpirun started this program", "mpirun -n N starts N processes"});
  return mpi::run(argc, argv, memory, body);
}

} // namespace heddle
