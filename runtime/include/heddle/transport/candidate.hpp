// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_CANDIDATE_HPP
#define HEDDLE_TRANSPORT_CANDIDATE_HPP

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

class Ranks;

/// The body of a program: its result is the exit status.
using Body = std::function<int(Ranks& ranks)>;
/// The same of a program that computes one rank: each has a thread or a process of its own.
using RankBody = std::function<int(Transport& transport)>;

/// A transport that a program could use, and why it should, or why it cannot.
struct TransportCandidate {
  std::string name{};
  bool fits = false;
  std::string reason{};
  /// The transport of the one rank of this process.
  std::function<std::unique_ptr<Transport>()> make{};
  std::string hint{}; // what makes it fit, where something does
  /// Known, but for another kind of program: only who asks for it by name hears why it is not there.
  bool elsewhere = false;
  /// Calls a body for all ranks of this process, where there are several.
  std::function<int(const Body& body)> run{};
};

/// A transport that is known and does not apply to what a program does here.
[[nodiscard]] TransportCandidate unavailable(std::string name, std::string reason, std::string hint);
/// The same of a transport between several ranks of a process, where there is one.
[[nodiscard]] TransportCandidate unavailable_to_one(std::string name);
/// The same of a transport for fields on devices, where they are not.
[[nodiscard]] TransportCandidate unavailable_on_hosts(std::string name);

/// Which candidate was chosen, and a line that says so: "transport mpi: MPI_COMM_WORLD has 4 ranks; ...".
struct CandidateChoice {
  const TransportCandidate* candidate;
  std::string line;
};

/// The candidate called `wanted`, or for "auto" the first one that fits. Throws Error when there is none,
/// with the reason of one that is known, and with the names of those that fit.
[[nodiscard]] CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates,
                                               const std::string& wanted);
/// The same with what the environment variable HEDDLE_TRANSPORT says, or "auto" where it is unset or empty.
[[nodiscard]] CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates);

/// The transport that a chosen candidate made, and the line.
struct TransportChoice {
  std::unique_ptr<Transport> transport;
  std::string line;
};

/// For programs of one process.
[[nodiscard]] TransportCandidate local_candidate();

/// Chooses a candidate as select_candidate does, and makes it.
[[nodiscard]] TransportChoice select_transport(const std::vector<TransportCandidate>& candidates,
                                               const std::string& wanted);
[[nodiscard]] TransportChoice select_transport(const std::vector<TransportCandidate>& candidates);

/// How the ranks of a program came about.
enum class Launcher {
  none,  ///< all are of this process
  mpirun ///< each has a process of its own
};

/// What a program asks of the transports that are registered.
struct LaunchRequest {
  Launcher launcher = Launcher::none;
  int ranks = 1;
  Memory memory = Memory::host; // of the fields
  bool own_threads = false;     // whether the program needs a thread or a process for each rank
  /// Why a transport for the other kind of launch is of no use, and what to do about it.
  std::string reason_elsewhere{};
  std::string hint_elsewhere{};
};

/// Makes a transport known to heddle::run. The file that defines a transport has such a constant:
///
///     const heddle::RegisteredTransport registered("toy", 90, heddle::Launcher::none, toy_candidate);
///
/// preference: "auto" takes the first that fits, small numbers first. The library's are local 0, peer 10,
/// nccl 20, threads 50; under mpirun nccl 20, mpi-device 30, mpi 40. A name that is taken for this launcher
/// ends the program.
///
/// In a static library such a constant is extern "C", and its symbol is named for the linker, which otherwise
/// leaves its file out: see src/transport/CMakeLists.txt.
class RegisteredTransport {
public:
  using Candidate = TransportCandidate (*)(const LaunchRequest& request);
  RegisteredTransport(const char* name, int preference, Launcher launcher, Candidate candidate) noexcept;
};

/// What the registered transports say of a request, in the order of preference. All ranks ask together.
[[nodiscard]] std::vector<TransportCandidate> registered_candidates(const LaunchRequest& request);

} // namespace heddle

#endif
