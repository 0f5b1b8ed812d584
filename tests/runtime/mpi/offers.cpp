// SPDX-License-Identifier: Apache-2.0
// Under mpirun -n 2: what MPI with device pointers is offered for, with the MPI that there is and with others
// that are made up, and who is named when rank 1 does not come.
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "heddle/core/error.hpp"
#include "heddle/mpi/transport.hpp"
#include "heddle/reduction/reduction.hpp"

namespace {

using heddle::mpi::DevicePointers;
using namespace std::chrono_literals;

/// Chooses among these pointers and host memory, and says what was chosen.
std::string chosen(const DevicePointers& pointers, const std::string& wanted = "auto") {
  const auto [transport, line] = heddle::select_transport(
      {heddle::mpi::device_candidate(5s, pointers), heddle::mpi::candidate(5s)}, wanted);
  return line + ", called " + std::string(transport->name());
}

std::string outcome(std::string_view what, int rank) {
  const bool absent = rank == 1;
  const auto takes_them = [] { return std::string(); };
  const auto host = [](std::chrono::milliseconds limit) {
    return heddle::mpi::memory_goes_around(heddle::Memory::host, limit);
  };
  if (what == "real") return chosen({});
  if (what == "arrives") return chosen({takes_them, host});
  if (what == "one-harmed") return chosen({takes_them, [&](auto limit) { return host(limit) && rank != 1; }});
  if (what == "one-cannot")
    return chosen({[&] { return std::string(absent ? "no device here" : ""); }, host});
  if (what == "harmed-by-name") return chosen({takes_them, [](auto) { return false; }}, "mpi-device");
  // Who does not come is named.
  if (what == "late-start" && absent) std::this_thread::sleep_for(30s);
  const auto transport = heddle::mpi::candidate(500ms).make();
  if (absent) std::this_thread::sleep_for(30s);
  if (what == "late-start") return "came";
  if (what == "late-verdict") return heddle::mpi::device_candidate(500ms, {takes_them, host}).reason;
  if (what == "late-memory") return host(500ms) ? "arrived" : "harmed";
  if (what == "late-nccl") return heddle::mpi::nccl_candidate(500ms).reason;
  if (what == "late-sum")
    return std::to_string(
        heddle::reduction_of_numbers(heddle::ReductionKind::sum, [] { return 1.0; }, *transport)());
  throw std::invalid_argument("no such case");
}

} // namespace

int main(int argc, char** argv) {
  try {
    const heddle::mpi::Session session(argc, argv);
    const int rank = heddle::mpi::candidate().make()->rank();
    try {
      const std::string said = outcome(argc > 1 ? argv[1] : "", rank);
      if (rank == 0) std::cout << said << std::endl;
    } catch (const heddle::Error& error) {
      std::cout << error.what() << std::endl;
      throw;
    }
  } catch (const heddle::Error&) {
    return 1;
  }
  return 0;
}
