// SPDX-License-Identifier: Apache-2.0
// mpirun -n 3 mpi_strikes off|order|checksums|default: each fault of a network in the messages of one rank
// and one step. Rank 0 prints how many of them were found, harmless, and silently wrong.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "../../support/fault_injector.hpp"
#include "../../support/struck_run.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/mpi/transport.hpp"

namespace {

using test::StruckRun;

/// Whether any rank says so.
bool any(bool here) {
  int value = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return value != 0;
}

struct Outcome {
  bool found = false; // an error on some rank
  std::vector<double> values;
};

Outcome run(const std::optional<heddle::Stamps>& stamps, const std::optional<test::Strike>& strike) {
  const auto transport = heddle::mpi::candidate(std::chrono::milliseconds(300)).make();
  test::FaultInjector way(*transport, {.strike = strike});
  Outcome outcome;
  bool found = false;
  try {
    StruckRun all(way, stamps.value_or(heddle::stamps_of_environment()));
    for (int step = 0; step < StruckRun::steps; ++step)
      all.step();
    outcome.values = all.values();
  } catch (const heddle::Error&) {
    found = true;
  }
  outcome.found = any(found);
  return outcome;
}

std::optional<heddle::Stamps> level(const std::string& word) {
  if (word == "off") return heddle::Stamps::off;
  if (word == "order") return heddle::Stamps::order;
  if (word == "checksums") return heddle::Stamps::checksums;
  return std::nullopt; // what the environment says
}

} // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  const heddle::mpi::Session session(argc, argv);
  const heddle::Environment one_thread({.threads = 1});
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<double> right = run(heddle::Stamps::off, std::nullopt).values;
  int found = 0;
  int harmless = 0;
  int wrong = 0;
  for (const test::Harm harm : test::every_harm) {
    const Outcome outcome = run(level(word), test::Strike{harm, 1, 3});
    const bool different = any(!outcome.found && outcome.values != right);
    ++(outcome.found ? found : different ? wrong : harmless);
    if (rank == 0 && different) std::printf("silently wrong: %s\n", std::string(to_string(harm)).c_str());
  }
  if (rank == 0) std::printf("%d found, %d harmless, %d silently wrong\n", found, harmless, wrong);
  return 0;
}
