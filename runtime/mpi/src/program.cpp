// SPDX-License-Identifier: Apache-2.0
#include "heddle/mpi/program.hpp"

#include <mpi.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "heddle/error.hpp"
#include "heddle/mpi/transport.hpp"

namespace heddle::mpi {

namespace {

std::chrono::milliseconds timeout() {
  const char* text = std::getenv("HEDDLE_TIMEOUT");
  if (text == nullptr) return std::chrono::minutes(5);
  double seconds = 0;
  const auto [end, status] = std::from_chars(text, text + std::strlen(text), seconds);
  if (status != std::errc{} || *end != '\0' || !(seconds > 0) || seconds > 1e6)
    throw Error("HEDDLE_TIMEOUT", "'" + std::string(text) + "' is no time to wait",
                "give seconds, such as 30");
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

/// Ends all ranks, and says why.
[[noreturn]] void end_job(const char* why) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::fflush(stdout);
  if (ranks > 1) {
    std::fprintf(stderr, "rank %d of %d ends the job: %s\n", rank, ranks, why);
  } else {
    std::fprintf(stderr, "%s\n", why);
  }
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

} // namespace

int run(int& argc, char**& argv, const std::function<int(Transport& transport)>& body) {
  const Session session(argc, argv);
  try {
    const TransportChoice choice = choose_transport({offer(timeout()), local_offer()});
    if (choice.transport->rank() == 0) std::printf("%s\n", choice.line.c_str());
    return body(*choice.transport);
  } catch (const std::exception& error) {
    end_job(error.what());
  } catch (...) {
    end_job("something was thrown that is no std::exception");
  }
}

} // namespace heddle::mpi
