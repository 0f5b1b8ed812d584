// SPDX-License-Identifier: Apache-2.0
// Under mpirun: the list of this rank, of one block or several, gives the bits of one list, for every pattern
// and precision.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "heddle/mpi/program.hpp"
#include "lists.hpp"

int main(int argc, char** argv) {
  return heddle::mpi::run(argc, argv, [&](heddle::Transport& transport) {
    if (argc > 1 && transport.ranks() != std::stoi(argv[1])) return 1;
    const lists::Medium porous(0.4);
    int status = 0;
    for (const lists::Method& method : lists::methods()) {
      const std::vector<double> expected = lists::alone(method, porous);
      std::int64_t wrong = 0;
      std::vector<std::array<int, 3>> cuts{lists::cut(transport.ranks())};
      if (method.is_double()) cuts.push_back({3, 2, 3});
      for (const std::array<int, 3>& blocks : cuts) {
        for (const bool overlap : {false, true}) {
          if (!overlap && !method.is_double()) continue;
          wrong +=
              lists::differences(method, porous, expected, blocks, transport, {{.overlap = overlap}, false});
        }
      }
      if (wrong == 0) continue;
      std::fprintf(stderr, "rank %d, %s: %lld values differ\n", transport.rank(), method.name.c_str(),
                   static_cast<long long>(wrong));
      status = 1;
    }
    if (transport.rank() == 0 && status == 0) std::printf("equal\n");
    return status;
  });
}
