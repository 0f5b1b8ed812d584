// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/transport/job.hpp"

namespace heddle {

namespace {

constexpr int most_ranks = 4096;

bool asked_to_be_alone() {
  return env_var("HEDDLE_TRANSPORT") == "local";
}

int ranks_asked_for(Memory memory) {
  const bool spreads = memory == Memory::device && !asked_to_be_alone();
  return ranks_by_environment().value_or(spreads ? std::max(1, device_count()) : 1);
}

/// Throws Error where a launcher started others with this process: all would do the same, in the same folder.
void refuse_one_of_many(const NoMpi& no_mpi) {
  const std::string others = started_with_others();
  const bool meant = asked_to_be_alone() || ranks_by_environment(); // how many *this process* computes
  if (others.empty() || meant) return;
  throw Error(
      "start of the program",
      others + " says that a launcher started several processes, but " + no_mpi.reason +
          ": each process would compute everything and write the same files",
      no_mpi.hint +
          "; to run independent processes on purpose, set HEDDLE_TRANSPORT=local, or HEDDLE_RANKS for each");
}

int run_ranks(Memory memory, bool own_threads, const Body& body, const NoMpi& no_mpi) {
  refuse_one_of_many(no_mpi);
  std::vector<TransportCandidate> candidates = registered_candidates({.ranks = ranks_asked_for(memory),
                                                                      .memory = memory,
                                                                      .own_threads = own_threads,
                                                                      .reason_elsewhere = no_mpi.reason,
                                                                      .hint_elsewhere = no_mpi.hint});
  for (const char* const name : {"mpi-device", "mpi"}) { // not registered in a program without heddle::mpi
    if (std::ranges::find(candidates, name, &TransportCandidate::name) == candidates.end())
      candidates.push_back(unavailable(name, no_mpi.reason, no_mpi.hint));
  }
  const CandidateChoice choice = select_candidate(candidates);
  std::printf("%s\n", choice.line.c_str());
  if (choice.candidate->run) return choice.candidate->run(body);
  const std::unique_ptr<Transport> one = choice.candidate->make();
  Ranks ranks(*one);
  return body(ranks);
}

/// The status of a program; what it throws is printed behind the program's name.
template <class F> int or_printed(std::string_view program, F&& status) {
  std::string why;
  try {
    return status();
  } catch (const std::bad_alloc&) {
    why = "not enough memory";
  } catch (const std::exception& error) {
    why = error.what();
  }
  const std::string name(program.substr(program.rfind('/') + 1)); // npos + 1 is 0
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", name.c_str(), why.c_str());
  return 1;
}

} // namespace

std::optional<int> ranks_by_environment() {
  const std::optional<std::string> text = env_var("HEDDLE_RANKS");
  if (!text) return std::nullopt;
  const std::optional<int> ranks = number_of<int>(*text);
  if (!ranks || *ranks < 1 || *ranks > most_ranks)
    throw Error("HEDDLE_RANKS", "'" + *text + "' is not a valid number of ranks",
                "give a number from 1 to " + std::to_string(most_ranks));
  return ranks;
}

Ranks::Ranks() : here_{&alone_} {}

Ranks::Ranks(Transport& transport) : here_{&transport} {}

Ranks::Ranks(PeerGroup& group) : on_devices_(group.memory() == Memory::device) {
  for (int rank = 0; rank < group.ranks(); ++rank)
    here_.push_back(&group.transport(rank));
}

Transport& Ranks::only() {
  if (here_.size() == 1) return *here_.front();
  throw Error("Ranks",
              "this program needs one rank per thread of its own, not " + std::to_string(here_.size()),
              "use HEDDLE_TRANSPORT=nccl or threads, or mpirun; HEDDLE_RANKS=1 takes one device");
}

int run_on_threads(const Body& body,
                   const std::function<void(const std::function<void(Transport&)>& program)>& start) {
  std::atomic<int> result = 0;
  start([&](Transport& transport) {
    Ranks ranks(transport);
    const int status = body(ranks);
    int good = 0;
    if (status != 0) result.compare_exchange_strong(good, status);
  });
  return result;
}

int run_in_one_process(std::string_view program, Memory memory, const Body& body, const NoMpi& no_mpi) {
  return or_printed(program, [&] { return run_ranks(memory, false, body, no_mpi); });
}

int run_in_one_process(std::string_view program, Memory memory, const RankBody& body, const NoMpi& no_mpi) {
  return or_printed(program, [&] {
    return run_ranks(memory, true, [&](Ranks& ranks) { return body(ranks.only()); }, no_mpi);
  });
}

} // namespace heddle
