// SPDX-License-Identifier: Apache-2.0
#include "scaling_processes.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>

#include "heddle/core/device_scope.hpp"
#include "heddle/reduction/reduction.hpp"
#ifdef HEDDLE_WITH_MPI
#include "heddle/mpi/program.hpp"
#include "heddle/mpi/transport.hpp"
#endif

namespace scaling {

namespace {

using Ways = std::map<std::string, std::unique_ptr<heddle::Transport>>;
Ways* ways = nullptr; // while run_processes runs

heddle::Transport* any_way() {
  return ways == nullptr || ways->empty() ? nullptr : ways->begin()->second.get();
}

#ifdef HEDDLE_WITH_MPI
Ways offered() {
  Ways found;
  const auto limit = heddle::longest_wait();
  const auto take = [&](const std::string& name, const heddle::TransportCandidate& candidate) {
    if (candidate.fits) found[name] = candidate.make();
    const bool first = found.empty() || found.begin()->second->rank() == 0;
    if (first)
      std::printf("%s: %s%s\n", name.c_str(), candidate.fits ? "" : "no, ", candidate.reason.c_str());
  };
  take("mpi", heddle::mpi::candidate(limit));
  take("mpi-device", heddle::mpi::device_candidate(limit));
  take("mpi-nccl", heddle::mpi::nccl_candidate(limit));
  return found;
}
#endif

} // namespace

int run_processes([[maybe_unused]] int argc, [[maybe_unused]] char** argv,
                  const std::function<int()>& main_body) {
  try {
#ifdef HEDDLE_WITH_MPI
    if (heddle::mpi::launched()) {
      const heddle::mpi::Session session(argc, argv);
      const char* const place = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
      const int device = place == nullptr ? 0 : std::atoi(place) % std::max(1, heddle::device_count());
      const heddle::DeviceScope here(device);
      Ways found = offered();
      ways = &found;
      if (!first_process() && std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
      const int status = main_body();
      ways = nullptr;
      return status;
    }
#endif
    return main_body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    if (ways != nullptr) std::abort(); // the others would wait
    return 1;
  }
}

int processes() {
  const heddle::Transport* const way = any_way();
  return way == nullptr ? 1 : way->ranks();
}

bool first_process() {
  const heddle::Transport* const way = any_way();
  return way == nullptr || way->rank() == 0;
}

std::vector<std::string> process_transports() {
  std::vector<std::string> names;
  if (ways == nullptr) return names;
  for (const auto& [name, way] : *ways)
    names.push_back(name);
  return names;
}

heddle::Transport* process_transport(const std::string& name) {
  if (ways == nullptr) return nullptr;
  const auto found = ways->find(name);
  return found == ways->end() ? nullptr : found->second.get();
}

std::function<void()> meeting(heddle::Transport& transport) {
  return [count = heddle::reduction_of_numbers(
              heddle::ReductionKind::sum, [] { return 1.0; }, transport)] { static_cast<void>(count()); };
}

bool everywhere(bool holds) {
  heddle::Transport* const way = any_way();
  if (way == nullptr) return holds;
  const auto all =
      heddle::reduction_of_numbers(heddle::ReductionKind::min, [holds] { return holds ? 1.0 : 0.0; }, *way);
  return all() == 1.0;
}

} // namespace scaling
