// SPDX-License-Identifier: Apache-2.0
#include "heddle/mpi/program.hpp"

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/mpi/transport.hpp"
#include "heddle/transport/candidate.hpp"
#include "heddle/transport/job.hpp"
#include "library.hpp"
#include "set_up.hpp"

namespace heddle::mpi {

namespace {

/// A device for this rank: the ranks of a node take them in turn.
std::optional<int> own_device() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int place = 0;
  MPI_Comm_rank(node, &place);
  MPI_Comm_free(&node);
  if (device_count() == 0) return std::nullopt; // the first field on a device says so
  return place % device_count();
}

/// "--steps 20 --out a", without the name of the program.
std::string text_of(int count, const char* const* arguments) {
  std::string text;
  for (int i = 1; i < count; ++i)
    text.append(i > 1 ? " " : "").append(arguments[i]);
  return text;
}

/// What all ranks do first. Throws on a rank that has other arguments than rank 0: it would compute something
/// else, and the others would wait for messages that never come.
void meet(int argc, const char* const* argv) {
  static_cast<void>(SetUp("the start of the program", longest_wait()).all(true));
  const SetUp set_up("the arguments of the program", longest_wait());
  const std::string mine = text_of(argc, argv);
  std::uint64_t length = mine.size();
  set_up.broadcast({reinterpret_cast<char*>(&length), sizeof length});
  std::string first = mine;
  first.resize(length);
  set_up.broadcast({first.data(), first.size()});
  if (first == mine) return;
  throw Error("command line", "its arguments are '" + mine + "', but those of rank 0 are '" + first + "'",
              "start the same program with the same arguments on all ranks");
}

int run_ranks(int argc, char** argv, int ranks_of_job, Memory memory, const Body& body) {
  const std::optional<int> wanted = ranks_by_environment();
  if (wanted && *wanted != ranks_of_job)
    throw Error("HEDDLE_RANKS",
                "its value is " + std::to_string(*wanted) + ", but mpirun started " +
                    std::to_string(ranks_of_job) + " processes with one rank each",
                "unset HEDDLE_RANKS, or start one process");
  meet(argc, argv);
  std::optional<DeviceScope> scope;
  if (memory == Memory::device) {
    if (const std::optional<int> device = own_device()) scope.emplace(*device);
  }
  const TransportChoice choice = select_transport(registered_candidates(
      {.launcher = Launcher::mpirun,
       .ranks = ranks_of_job,
       .memory = memory,
       .reason_elsewhere = "it is of one process, and mpirun started " + std::to_string(ranks_of_job),
       .hint_elsewhere = "start one process, without mpirun; HEDDLE_RANKS=<number> gives it several ranks"}));
  if (choice.transport->rank() == 0) std::printf("%s\n", choice.line.c_str());
  Ranks ranks(*choice.transport);
  return body(ranks);
}

/// What f returns; where it throws, all ranks end.
int or_abort(const std::function<int()>& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    abort_job("not enough memory");
  } catch (const std::exception& error) {
    abort_job(error.what());
  } catch (...) {
    abort_job("something was thrown that is no std::exception");
  }
}

/// several: the same body, where MPI has started several ranks.
template <class AnyBody>
int run_body(int& argc, char**& argv, Memory memory, const AnyBody& body, const Body& several) {
  const Session session(argc, argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1)
    return run_in_one_process(argv[0], memory, body,
                              {library() + ", with which this program was built, knows of one process",
                               "start several with the mpirun of this MPI, or build with the launcher's"});
  return or_abort([&] { return run_ranks(argc, argv, ranks, memory, several); });
}

} // namespace

int run(int& argc, char**& argv, Memory memory, const Body& body) {
  return run_body(argc, argv, memory, body, body);
}

int run(int& argc, char**& argv, Memory memory, const RankBody& body) {
  return run_body(argc, argv, memory, body, [&](Ranks& ranks) { return body(ranks.only()); });
}

int end_together(int& argc, char**& argv, int status) {
  const Session session(argc, argv);
  return or_abort([&] {
    meet(argc, argv);
    return status;
  });
}

int run(int& argc, char**& argv, const RankBody& body) {
  return run(argc, argv, Memory::host, body);
}

bool launched() {
  return heddle::launched();
}

} // namespace heddle::mpi
