// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_RANKS_HPP
#define HEDDLE_TRANSPORT_RANKS_HPP

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/transport/candidate.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// The ranks that this thread computes, and how they talk. One, as under mpirun; or all ranks of a PeerGroup:
/// the GPUs of one process, which one TaskGraph computes. A program that is written as here runs on all of
/// them:
///
///     const heddle::BlockGrid grid(domain, blocks, periodic, ranks.count());
///     heddle::TaskGraph loop;
///     ranks.each([&](heddle::Transport& transport) {
///       // its fields: {.rank = transport.rank()}; its exchanges: HaloExchange(step.before(), transport)
///       parts.push_back(std::make_unique<Part>(grid, transport));
///       parts.back()->add_to(loop);
///     });
///     loop.run(1000);
///
/// heddle::run (heddle/program/program.hpp) makes it.
class Ranks {
public:
  /// One rank, alone.
  Ranks();
  /// One rank; the transport must outlive this.
  explicit Ranks(Transport& transport);
  /// All ranks of a group, which must outlive this.
  explicit Ranks(PeerGroup& group);

  /// The number of ranks of all threads and processes.
  [[nodiscard]] int count() const noexcept { return here_.front()->ranks(); }
  /// The number of ranks of this thread.
  [[nodiscard]] int here() const noexcept { return static_cast<int>(here_.size()); }
  /// Calls f(Transport&) for each rank of this thread, with its device as the current one.
  template <class F> void each(F&& f) {
    for (Transport* const transport : here_) {
      std::optional<DeviceScope> device;
      if (on_devices_) device.emplace(transport->rank());
      f(*transport);
    }
  }

  /// For what is gathered and written: Reduction, Output, Checkpoint. One rank for each process that
  /// computes, or thread with a rank of its own: ranks of one thread are one there.
  [[nodiscard]] Transport& processes() noexcept { return here_.size() == 1 ? *here_.front() : alone_; }
  /// A grid of count() ranks as the processes share it: each has the blocks of its ranks.
  [[nodiscard]] BlockGrid process_grid(const BlockGrid& grid) const {
    return here_.size() == 1 ? grid : grid.on_one_rank();
  }
  /// Whether this thread prints for all ranks.
  [[nodiscard]] bool first() const noexcept { return here_.front()->rank() == 0; }

  /// The only rank of this thread, for programs that compute one. Throws Error where it computes several.
  [[nodiscard]] Transport& only();

private:
  std::vector<Transport*> here_;
  bool on_devices_ = false;
  LocalTransport alone_;
};

/// How many ranks the environment variable HEDDLE_RANKS gives to a process; nullopt where it is not set or
/// empty. Throws Error where it is no number from 1 to 4096.
[[nodiscard]] std::optional<int> ranks_by_environment();

/// For transports that give each rank a thread: start(program) calls program(transport) on each of them. The
/// first result of the body that is not 0.
int run_on_threads(const Body& body,
                   const std::function<void(const std::function<void(Transport&)>& program)>& start);

/// Why processes are no ranks of MPI here, and what to do about it, for messages.
struct NoMpi {
  std::string reason = "this program uses no MPI";
  std::string hint = "heddle::run (heddle/program/program.hpp) does";
};

/// Runs a body without MPI, on one rank on the host, or one on each device that this process sees;
/// HEDDLE_RANKS says another number. Several ranks are a PeerGroup ("peer") where their devices reach each
/// other's memory; else, or where HEDDLE_TRANSPORT says so, each has a thread of its own, and the body is
/// called on each: "nccl", or "threads" through host memory. Prints which was chosen and why. What the body
/// throws is printed on stderr behind the name of the program (argv[0]), and the result is 1. So it is,
/// before the body is called, where the environment says that a launcher started other processes with this
/// one (OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS, PMIX_RANK and their like): each would compute
/// all of it. HEDDLE_TRANSPORT=local says that this is meant.
int run_in_one_process(std::string_view program, Memory memory, const Body& body, const NoMpi& no_mpi = {});
/// The same for a program that computes one rank: each has a thread of its own, and "peer" does not apply.
int run_in_one_process(std::string_view program, Memory memory, const RankBody& body,
                       const NoMpi& no_mpi = {});

} // namespace heddle

#endif
