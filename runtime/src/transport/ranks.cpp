// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/transport/launcher.hpp"
#include "heddle/transport/nccl.hpp"
#include "heddle/transport/thread_group.hpp"
#include "heddle/transport/unavailable.hpp"

namespace heddle {

namespace {

constexpr int most_ranks = 4096;
constexpr const char* one_rank = "there is one rank";
constexpr const char* make_several = "HEDDLE_RANKS=<number> gives this process several";

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
          ": each would compute everything and write the same files",
      no_mpi.hint +
          "; on purpose, each computes alone with HEDDLE_TRANSPORT=local, or HEDDLE_RANKS of its own");
}

TransportCandidate peers(int ranks, Memory memory) {
  if (ranks == 1) return unavailable("peer", one_rank, make_several);
  if (memory == Memory::device) return peer_candidate(ranks);
  const std::string many = "one graph computes " + std::to_string(ranks) + " ranks on this processor";
  return {"peer", true, many, {}};
}

TransportCandidate nccl(int ranks) {
  if (ranks == 1) return unavailable("nccl", one_rank, make_several);
  std::string reason = nccl_missing();
  if (reason.empty() && device_count() < ranks)
    reason = std::to_string(ranks) + " ranks need a device each, there are " + std::to_string(device_count());
  if (!reason.empty()) return {"nccl", false, reason, {}};
  return {"nccl", true, nccl_version() + ", a thread for each device", {}};
}

TransportCandidate threads(int ranks) {
  if (ranks == 1) return unavailable("threads", one_rank, make_several);
  const std::string many = std::to_string(ranks) + " ranks on a thread each, messages through host memory";
  return {"threads", true, many, {}};
}

/// All transports that there are, those that do not apply last.
std::vector<TransportCandidate> candidates_here(int ranks, Memory memory, const NoMpi& no_mpi) {
  std::vector<TransportCandidate> candidates;
  if (ranks == 1) candidates.push_back(local_candidate());
  candidates.push_back(peers(ranks, memory));
  if (memory == Memory::device) candidates.push_back(nccl(ranks));
  candidates.push_back(threads(ranks));
  if (memory == Memory::host) candidates.push_back(unavailable_on_hosts("nccl"));
  if (ranks > 1)
    candidates.push_back(
        unavailable("local", "there are " + std::to_string(ranks) + " ranks", "HEDDLE_RANKS=1 makes one"));
  for (const char* const name : {"mpi-device", "mpi"})
    candidates.push_back(unavailable(name, no_mpi.reason, no_mpi.hint));
  return candidates;
}

/// Calls the body on a thread for each rank, as `start` makes them; the first result that is not 0.
int on_threads(const std::function<void(const std::function<void(Transport&)>&)>& start, const Body& body) {
  std::atomic<int> result = 0;
  start([&](Transport& transport) {
    Ranks ranks(transport);
    const int status = body(ranks);
    int good = 0;
    if (status != 0) result.compare_exchange_strong(good, status);
  });
  return result;
}

int run_ranks(Memory memory, const Body& body, const NoMpi& no_mpi) {
  refuse_one_of_many(no_mpi);
  const int ranks = ranks_asked_for(memory);
  const CandidateChoice choice = select_candidate(candidates_here(ranks, memory, no_mpi));
  std::printf("%s\n", choice.line.c_str());

  if (choice.name == "peer") {
    PeerGroup group(ranks, {.memory = memory});
    Ranks all(group);
    return body(all);
  }
  if (choice.name == "nccl") return on_threads([&](const auto& program) { nccl_run(ranks, program); }, body);
  if (choice.name == "threads") {
    ThreadGroup group(ranks, longest_wait());
    return on_threads(
        [&](const auto& program) {
          group.run([&](Transport& transport) {
            std::optional<DeviceScope> device;
            if (memory == Memory::device && device_count() > 0)
              device.emplace(transport.rank() % device_count());
            program(transport);
          });
        },
        body);
  }
  Ranks one;
  return body(one);
}

} // namespace

std::optional<int> ranks_by_environment() {
  const std::optional<std::string> text = env_var("HEDDLE_RANKS");
  if (!text) return std::nullopt;
  const std::optional<int> ranks = number_of<int>(*text);
  if (!ranks || *ranks < 1 || *ranks > most_ranks)
    throw Error("HEDDLE_RANKS", "'" + *text + "' is no number of ranks",
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
  throw Error("Ranks", "this program computes one rank a thread, not " + std::to_string(here_.size()),
              "HEDDLE_TRANSPORT=threads, or mpirun");
}

int run_in_one_process(std::string_view program, Memory memory, const Body& body, const NoMpi& no_mpi) {
  std::string why;
  try {
    return run_ranks(memory, body, no_mpi);
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

} // namespace heddle
