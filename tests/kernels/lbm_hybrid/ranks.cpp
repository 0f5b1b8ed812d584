// SPDX-License-Identifier: Apache-2.0
// Under mpirun: blocks of both kinds on these ranks give the bits of one list.
#include <cstdint>
#include <cstdio>
#include <string>

#include "heddle/mpi/program.hpp"
#include "hybrid.hpp"

namespace {

template <class T> int check(heddle::Transport& transport, const char* precision) {
  const hybrid::OneList<T> expected;
  int status = 0;
  for (const heddle::CellCosts& costs : {hybrid::mixed, hybrid::all_listed, hybrid::all_dense}) {
    const hybrid::Outcome outcome =
        hybrid::compare(expected, transport, {.blocks = {4, 4, 2}, .costs = costs});
    if (outcome.different == 0) continue;
    std::fprintf(stderr, "rank %d, %s: %lld of %lld values differ\n", transport.rank(), precision,
                 static_cast<long long>(outcome.different), static_cast<long long>(outcome.compared));
    status = 1;
  }
  return status;
}

} // namespace

int main(int argc, char** argv) {
  return heddle::mpi::run(argc, argv, [&](heddle::Transport& transport) {
    if (argc > 1 && transport.ranks() != std::stoi(argv[1])) return 1;
    const int status = check<double>(transport, "f64") + check<float>(transport, "f32") +
                       check<std::uint16_t>(transport, "f16");
    if (transport.rank() == 0 && status == 0) std::printf("equal\n");
    return status;
  });
}
