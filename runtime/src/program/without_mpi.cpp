// SPDX-License-Identifier: Apache-2.0
#include "heddle/program/program.hpp"

#include "file_limit.hpp"

namespace heddle {

int run(int&, char**& argv, Memory memory, const Body& body) {
  report_file_limit();
  return run_in_one_process(
      argv[0], memory, body,
      {"this program was built without MPI",
       "install MPI with its headers (Debian: libopenmpi-dev), configure and build again"});
}

} // namespace heddle
