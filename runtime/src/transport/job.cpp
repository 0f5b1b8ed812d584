// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/job.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "heddle/core/number_text.hpp"

namespace heddle {

namespace {

// Open MPI; MVAPICH; MPICH, Intel MPI and whatever else speaks PMI; a step of Slurm's srun. The launchers of
// MPI come first: they may start their processes through srun, whose step then counts their daemons.
constexpr std::array size_names{"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
                                "SLURM_STEP_NUM_TASKS"};
// PMIx, which says no size; Cray PALS; SLURM_PROCID is 0 in a script of sbatch, too.
constexpr std::array rank_names{"PMI_RANK",    "PMIX_RANK",   "MV2_COMM_WORLD_RANK",
                                "MPIRUN_RANK", "PALS_RANKID", "SLURM_PROCID"};

std::optional<long> number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : number_of<long>(text);
}

std::atomic<JobAbort> all_ranks{nullptr};

} // namespace

bool launched() {
  for (const char* const name : size_names) { // one alone needs no MPI, which srun may not let it start
    if (const std::optional<long> size = number(name)) return *size > 1;
  }
  return std::ranges::any_of(rank_names, [](const char* name) { return std::getenv(name) != nullptr; });
}

std::string started_with_others() {
  for (const char* const name : size_names) { // the first that is there decides
    if (const std::optional<long> size = number(name))
      return *size > 1 ? name + ("=" + std::to_string(*size)) : std::string();
  }
  for (const char* const name : rank_names) { // rank 2 has ranks 0 and 1 beside it
    if (const std::optional<long> rank = number(name); rank && *rank > 0)
      return name + ("=" + std::to_string(*rank));
  }
  return {};
}

void abort_job(const std::string& why) {
  std::fflush(stdout);
  if (const JobAbort end = all_ranks) end(why);
  std::fprintf(stderr, "the program ends: %s\n", why.c_str());
  std::_Exit(1); // no destructors: other threads are still at work on what these would end
}

void set_job_abort(JobAbort end) noexcept {
  all_ranks = end;
}

} // namespace heddle
