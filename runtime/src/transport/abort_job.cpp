// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/abort_job.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace heddle {

namespace {
std::atomic<JobAbort> all_ranks{nullptr};
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
