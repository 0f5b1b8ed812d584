// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_JOB_HPP
#define HEDDLE_TRANSPORT_JOB_HPP

#include <string>

namespace heddle {

/// Whether the environment says that a launcher (mpirun, srun) started this process, and not as the only one.
[[nodiscard]] bool launched();

/// The variable that says that a launcher started other processes together with this one, "PMI_SIZE=3"; empty
/// where none does. What a batch system says of a job (SLURM_NTASKS) is no word on this process: a serial
/// program in a script of sbatch, or in a shell of salloc, is alone whatever the job may start.
[[nodiscard]] std::string started_with_others();

/// Ends the job at once with status 1 and says why on stderr, for threads that have nobody to throw to: this
/// process, and those of all other ranks where set_job_abort() has said how.
[[noreturn]] void abort_job(const std::string& why);

/// What abort_job() calls; does not return. heddle::mpi says MPI_Abort for as long as MPI runs; null:
/// nothing.
using JobAbort = void (*)(const std::string& why);
void set_job_abort(JobAbort end) noexcept;

} // namespace heddle

#endif
