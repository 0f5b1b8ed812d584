// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_LAUNCHER_HPP
#define HEDDLE_TRANSPORT_LAUNCHER_HPP

#include <string>

namespace heddle {

/// Whether the environment says that a launcher (mpirun, srun) started this process, and not as the only one.
[[nodiscard]] bool launched();

/// The variable that says that a launcher started other processes together with this one, "PMI_SIZE=3"; empty
/// where none does. What a batch system says of a job (SLURM_NTASKS) is no word on this process: a serial
/// program in a script of sbatch, or in a shell of salloc, is alone whatever the job may start.
[[nodiscard]] std::string started_with_others();

} // namespace heddle

#endif
