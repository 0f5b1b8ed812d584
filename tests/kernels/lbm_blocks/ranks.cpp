// SPDX-License-Identifier: Apache-2.0
// Under mpirun: the blocks of this rank equal the same cells of one block, bit for bit, for every pattern.
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "blocks.hpp"
#include "heddle/mpi/transport.hpp"

int main(int argc, char** argv) {
  const heddle::mpi::Session session(argc, argv);
  const heddle::TransportChoice choice =
      heddle::choose_transport({heddle::mpi::offer(), heddle::local_offer()});
  heddle::Transport& transport = *choice.transport;
  const bool speaks = transport.rank() == 0;
  if (speaks) std::cout << choice.line << '\n';
  const int expected = argc > 1 ? std::stoi(argv[1]) : transport.ranks();
  if (transport.ranks() != expected) {
    std::cerr << transport.ranks() << " ranks, not " << expected << '\n';
    return 1;
  }
  const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, {true, true, true}, transport.ranks());
  int status = 0;
  for (const auto& [name, make] : blocks::patterns()) {
    std::int64_t wrong = 0;
    for (const bool overlap : {false, true})
      wrong += blocks::differences(make, grid, transport, {{.overlap = overlap}, false});
    if (wrong != 0) {
      std::cerr << "rank " << transport.rank() << ": " << name << ": " << wrong << " values differ\n";
      status = 1;
    } else if (speaks) {
      std::cout << name << ": equal\n";
    }
  }
  return status;
}
