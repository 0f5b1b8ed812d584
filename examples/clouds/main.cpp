// SPDX-License-Identifier: Apache-2.0
// A moist large-eddy simulation. The kernels are generated from model.py; see README.md.
#include "heddle/program/program.hpp"
#include "options.hpp"
#include "run.hpp"
#include "start.hpp"

int main(int argc, char** argv) {
  const auto start = example::start("clouds", clouds::parse_options, argc, argv);
  if (start.status) return heddle::end_together(argc, argv, *start.status);
  const heddle::Memory memory = start.options.gpu ? heddle::Memory::device : heddle::Memory::host;
  return heddle::run(argc, argv, memory, [&](heddle::Transport& transport) {
    int status = 0;
    example::within_memory("choose fewer --cells", [&] { status = clouds::run(start.options, transport); });
    return status;
  });
}
