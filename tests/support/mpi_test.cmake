# SPDX-License-Identifier: Apache-2.0
# add_mpi_test(name ranks target [argument...]): the program `target` under mpirun. Where there is no MPI the
# test is listed as not run.
include_guard(GLOBAL)

function(add_mpi_test name ranks target)
  if(NOT TARGET ${target})
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E false)
    set_tests_properties(${name} PROPERTIES DISABLED TRUE)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
    $<TARGET_FILE:${target}> ${ARGN})
  _set_mpi_properties(${name} ${ranks})
endfunction()

# add_mpi_script_test(name ranks script target): a script that gets mpirun and a program, and starts it on so
# many ranks at most.
function(add_mpi_script_test name ranks script target)
  add_test(NAME ${name} COMMAND ${script} ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:${target}>)
  _set_mpi_properties(${name} ${ranks})
endfunction()

# More ranks than processors: idle ones give way, and each computes on one thread.
function(_set_mpi_properties name ranks)
  set(environment
      OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_ALLOW_RUN_AS_ROOT=1
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0)
  set_tests_properties(${name} PROPERTIES PROCESSORS ${ranks} TIMEOUT 300 LABELS mpi
                                          ENVIRONMENT "${environment}")
endfunction()
