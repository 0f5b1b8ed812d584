// SPDX-License-Identifier: Apache-2.0
// Under mpirun -n 2: rank 1 does the wrong that the argument names, and the job ends with an error that says
// so.
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/mpi/transport.hpp"
#include "transport/waiting.hpp"

namespace {

const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});

void exchange(const std::string& fault, heddle::Transport& transport) {
  const auto guilty_of = [&](const std::string& what) { return transport.rank() == 1 && fault == what; };
  const heddle::Box domain{{0, 0, 0}, {8, guilty_of("longer") ? 6 : guilty_of("shorter") ? 2 : 4, 4}};
  heddle::Field<double> field(heddle::BlockGrid(domain, {2, 1, 1}, {true, false, false}, 2),
                              {.rank = transport.rank()});
  heddle::HaloExchange halo(packing::exchange(field, shell, heddle::Direction::owner_to_ghost,
                                              guilty_of("another") ? "that" : "this"),
                            transport,
                            {.stamps = fault == "another" ? heddle::Stamps::order : heddle::Stamps::off});
  heddle::Stream stream;
  halo(stream);
  if (guilty_of("throws")) throw heddle::Error("test", "rank 1 gives up");
  if (guilty_of("blocked")) { // in a call that does not return
    const heddle::Watchdog limit(std::chrono::milliseconds(500),
                                 [] { return heddle::Error("test", "rank 1 waited 500 ms for rank 0"); });
    std::this_thread::sleep_for(std::chrono::seconds(30));
  }
  if (guilty_of("late")) std::this_thread::sleep_for(std::chrono::seconds(30));
  halo(stream);
}

} // namespace

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "";
  try {
    const heddle::mpi::Session session(argc, argv);
    const auto transport = heddle::mpi::candidate(std::chrono::seconds(fault == "blocked" ? 60 : 1)).make();
    try {
      exchange(fault, *transport);
      std::cout << "no error" << std::endl;
    } catch (const heddle::Error& error) {
      std::cout << error.what() << std::endl;
      throw;
    }
  } catch (const heddle::Error&) {
    return 1;
  }
  return 0;
}
