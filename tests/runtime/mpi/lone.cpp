// SPDX-License-Identifier: Apache-2.0
// A program in the frame of heddle::run that says how many ranks compute it: compiled with MPI where there is
// one, and without.
#include <cstdio>

#include "heddle/program/program.hpp"

int main(int argc, char** argv) {
  return heddle::run(argc, argv, heddle::Memory::host, [](heddle::Ranks& ranks) {
    if (ranks.first()) std::printf("computed by %d\n", ranks.count());
    return 0;
  });
}
