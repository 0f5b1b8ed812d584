// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_END_JOB_HPP
#define HEDDLE_TRANSPORT_END_JOB_HPP

#include <string>

namespace heddle {

/// Ends the job at once with status 1 and says why on stderr, for threads that have nobody to throw to: this
/// process, and those of all other ranks where end_job_by() has said how.
[[noreturn]] void end_job(const std::string& why);

/// What end_job() calls; does not return. heddle::mpi says MPI_Abort for as long as MPI runs; null: nothing.
using JobEnd = void (*)(const std::string& why);
void end_job_by(JobEnd end) noexcept;

} // namespace heddle

#endif
