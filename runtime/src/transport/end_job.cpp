// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/end_job.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace heddle {

namespace {
std::atomic<JobEnd> all_ranks{nullptr};
}

void end_job(const std::string& why) {
  std::fflush(stdout);
  if (const JobEnd end = all_ranks) end(why);
  std::fprintf(stderr, "the program ends: %s\n", why.c_str());
  std::_Exit(1); // no destructors: other threads are still at work on what these would end
}

void end_job_by(JobEnd end) noexcept {
  all_ranks = end;
}

} // namespace heddle
