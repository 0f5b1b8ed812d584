// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_ABORT_JOB_HPP
#define HEDDLE_TRANSPORT_ABORT_JOB_HPP

#include <string>

namespace heddle {

/// Ends the job at once with status 1 and says why on stderr, for threads that have nobody to throw to: this
/// process, and those of all other ranks where set_job_abort() has said how.
[[noreturn]] void abort_job(const std::string& why);

/// What abort_job() calls; does not return. heddle::mpi says MPI_Abort for as long as MPI runs; null:
/// nothing.
using JobAbort = void (*)(const std::string& why);
void set_job_abort(JobAbort end) noexcept;

} // namespace heddle

#endif
