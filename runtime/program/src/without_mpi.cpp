// SPDX-License-Identifier: Apache-2.0
#include "heddle/program.hpp"

namespace heddle {

int run(int&, char**& argv, Memory memory, const Body& body) {
  return run_in_one_process(argv[0], memory, body);
}

} // namespace heddle
