// SPDX-License-Identifier: Apache-2.0
// Under mpirun: the blocks of this rank equal the same cells of one block, bit for bit, for every pattern
// and precision.
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "blocks.hpp"
#include "heddle/mpi/transport.hpp"

namespace {

/// 1 if a pattern gives other bits than one block: in a periodic box or between walls, overlapping or not.
template <class T> int check(const char* precision, heddle::Transport& transport) {
  int status = 0;
  for (const blocks::Pattern<T>& pattern : blocks::patterns<T>()) {
    std::int64_t wrong = 0;
    for (const std::array<bool, 3>& axes : {blocks::periodic, pattern.walled}) {
      const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, axes, transport.ranks());
      const blocks::Outcome<T> whole = blocks::alone(pattern, axes);
      for (const bool overlap : {false, true})
        wrong += blocks::differences(pattern, whole, grid, transport, {{.overlap = overlap}, false}) != 0;
    }
    if (wrong != 0) {
      std::cerr << "rank " << transport.rank() << ": " << pattern.name << " " << precision << ": " << wrong
                << " of 4 runs differ\n";
      status = 1;
    } else if (transport.rank() == 0) {
      std::cout << pattern.name << " " << precision << ": equal\n";
    }
  }
  return status;
}

} // namespace

int main(int argc, char** argv) {
  const heddle::mpi::Session session(argc, argv);
  const heddle::TransportChoice choice =
      heddle::select_transport({heddle::mpi::candidate(), heddle::local_candidate()});
  heddle::Transport& transport = *choice.transport;
  if (transport.rank() == 0) std::cout << choice.line << '\n';
  const int expected = argc > 1 ? std::stoi(argv[1]) : transport.ranks();
  if (transport.ranks() != expected) {
    std::cerr << transport.ranks() << " ranks, not " << expected << '\n';
    return 1;
  }
  return check<double>("f64", transport) | check<float>("f32", transport) |
         check<std::uint16_t>("f16", transport);
}
