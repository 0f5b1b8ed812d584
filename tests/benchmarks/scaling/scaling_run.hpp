// SPDX-License-Identifier: Apache-2.0
// What the cases of heddle-scaling share: how a case is run on one rank or several, and timed.
#ifndef HEDDLE_BENCHMARKS_SCALING_RUN_HPP
#define HEDDLE_BENCHMARKS_SCALING_RUN_HPP

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda_timer.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/graph/overlap.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/transport/nccl.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"
#include "scaling_processes.hpp"

namespace scaling {

inline constexpr double seconds_a_run = 0.12;
inline constexpr int runs = 5;

/// How a case is run. transport: "stores" and "copies" (ranks of one graph), "nccl", "pinned" (staged through
/// pinned memory, as for MPI, with copies between threads as the network), one of process_transports(), or
/// "one" for a single rank.
struct Case {
  std::array<std::int64_t, 3> cells{};
  int ranks = 1;
  std::string transport = "one";
  heddle::Overlap overlap = heddle::Overlap::on;
  bool capture = true;
  bool exchanges = true;
  int unroll = 2;
  int slabs = 0; // of TaskGraphOptions
  heddle::Trace* trace = nullptr;
};

struct Result {
  double pair_seconds = 0;
  std::size_t sent_bytes = 0; // of one exchange, the most of any rank here
  heddle::OverlapDecision choice;
};

/// The ranks of one graph, or one of several; meet() returns when all ranks are there.
template <typename Rank>
using Program = std::function<void(std::vector<std::unique_ptr<Rank>>&, heddle::TaskGraph&,
                                   const std::function<void()>& meet)>;
template <typename Rank> using Make = std::function<std::unique_ptr<Rank>(heddle::Transport&)>;

/// Whether a loop over this transport can be recorded as a CUDA graph.
inline bool records(const std::string& transport) {
  const heddle::Transport* const process = process_transport(transport);
  return process == nullptr ? transport != "pinned" : process->only_enqueues();
}

inline heddle::TaskGraph graph_of(const Case& one) {
  return heddle::TaskGraph({.memory = heddle::Memory::device,
                            .capture = one.capture && records(one.transport),
                            .overlap = one.overlap,
                            .unroll = one.unroll,
                            .trace = one.trace,
                            .interior_tiles = one.slabs});
}

/// Calls program once for ranks of one graph, else on a thread for each rank, with its device. A Rank has
/// rank(), add_to(loop, exchanges), disturb() and sent_bytes().
template <typename Rank>
void with_ranks(const Case& one, const Make<Rank>& make, const Program<Rank>& program) {
  const auto of_one_graph = [&](const std::function<heddle::Transport&(int)>& transport) {
    heddle::TaskGraph loop = graph_of(one);
    std::vector<std::unique_ptr<Rank>> ranks;
    for (int rank = 0; rank < one.ranks; ++rank) {
      const heddle::DeviceScope device(rank);
      ranks.push_back(make(transport(rank)));
      ranks.back()->add_to(loop, one.exchanges);
    }
    program(ranks, loop, [] {});
  };
  if (one.transport == "one") {
    heddle::LocalTransport local;
    return of_one_graph([&](int) -> heddle::Transport& { return local; });
  }
  if (one.transport == "stores" || one.transport == "copies") {
    heddle::PeerGroup group(one.ranks, {.stores = one.transport == "stores"});
    return of_one_graph([&](int rank) -> heddle::Transport& { return group.transport(rank); });
  }
  const auto of_one_rank = [&](heddle::Transport& transport, const std::function<void()>& meet) {
    const heddle::DeviceScope device(transport.rank());
    heddle::TaskGraph loop = graph_of(one);
    std::vector<std::unique_ptr<Rank>> ranks;
    ranks.push_back(make(transport));
    ranks.back()->add_to(loop, one.exchanges);
    program(ranks, loop, meet);
  };
  if (heddle::Transport* const process = process_transport(one.transport))
    return of_one_rank(*process, meeting(*process)); // made here: a new one costs messages of its own
  std::barrier meeting(one.ranks);
  const auto of_one_thread = [&](heddle::Transport& transport) {
    of_one_rank(transport, [&] { meeting.arrive_and_wait(); });
  };
  if (one.transport == "nccl") return heddle::nccl_run(one.ranks, of_one_thread);
  heddle::ThreadGroup network(one.ranks);
  network.run(of_one_thread);
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The median time of a pair of steps, by the clock of the host around whole runs. updates: of one cell, in
/// a pair of steps on one rank. Under mpirun the first process alone measures what one rank does.
template <typename Rank> Result measure(const Case& one, const Make<Rank>& make, double updates) {
  Result result;
  if (one.transport == "one" && !first_process()) return result;
  with_ranks<Rank>(one, make, [&](auto& ranks, heddle::TaskGraph& loop, const std::function<void()>& meet) {
    for (auto& rank : ranks) {
      const heddle::DeviceScope device(rank->rank());
      rank->disturb();
    }
    loop.run((one.overlap == heddle::Overlap::automatic ? 100 : 2) * one.unroll);
    const auto timed = [&](std::int64_t pairs) {
      meet();
      const double began = now();
      loop.run(pairs);
      meet();
      return (now() - began) / static_cast<double>(pairs);
    };
    // The same number on all ranks: it follows from the size of the problem, not from a time.
    const double guess = updates / 20e9;
    const auto pairs =
        one.unroll * std::max<std::int64_t>(2, static_cast<std::int64_t>(seconds_a_run / guess / one.unroll));
    timed(pairs);
    std::vector<double> times;
    for (int run = 0; run < runs; ++run)
      times.push_back(timed(pairs));
    std::sort(times.begin(), times.end());
    if (ranks.front()->rank() != 0) return;
    std::size_t sent = 0;
    for (auto& rank : ranks)
      sent = std::max(sent, rank->sent_bytes());
    result = {times[runs / 2], sent, loop.overlap()};
  });
  return result;
}

/// The transports of this machine; under mpirun those of MPI.
inline std::vector<std::string> transports() {
  if (processes() > 1) return process_transports();
  std::vector<std::string> known{"stores", "copies"};
  const std::string missing = heddle::nccl_missing();
  if (missing.empty()) known.push_back("nccl");
  std::printf("nccl: %s\n", missing.empty() ? heddle::nccl_version().c_str() : missing.c_str());
  known.emplace_back("pinned");
  return known;
}

/// A copy from device 0 to device 1, or within one: seconds. Measured by the first process alone.
inline double copy_seconds(std::size_t bytes, bool between) {
  if (!first_process()) return 1;
  const heddle::DeviceScope first(0);
  heddle::Stream stream(heddle::Memory::device);
  const heddle::Buffer<std::byte> from(static_cast<std::int64_t>(bytes), heddle::Memory::device);
  const heddle::DeviceScope second(between ? 1 : 0);
  heddle::Buffer<std::byte> to(static_cast<std::int64_t>(bytes), heddle::Memory::device);
  const heddle::DeviceScope again(0);
  const auto copy = [&] {
    bench::check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDefault,
                                 static_cast<cudaStream_t>(stream.native())));
  };
  copy();
  return bench::cuda_seconds(stream, copy);
}

} // namespace scaling

#endif
