#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The times of generator/docs/hosts.md, on this machine: builds what they need in build/hosts, then prints the
# load, what a call from each framework costs beside its kernel, the solves of petsc_poisson on 1, 2 and 4
# ranks, a routine of fortran_model before and after, and the steps of kokkos_gray_scott. What is compared
# takes turns in one run. Times mean little where other programs run: it says so, and goes on, with priority
# over them where it may.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.."
build=build/hosts
cmake --preset release -B "$build" -D HEDDLE_TESTS=ON -D HEDDLE_BENCHMARKS=OFF -D HEDDLE_CUDA=OFF >/dev/null
targets=(host_doubles host_mdspan_cuda host_kokkos host_petsc embedding_from_fortran_module petsc_poisson
  fortran_model kokkos_gray_scott)
if ! cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" >"$build/times.log"; then
  tail -n 30 "$build/times.log" >&2
  exit 1
fi
renice -n -20 -p $$ >/dev/null 2>&1 || true
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
processors=$(getconf _NPROCESSORS_ONLN)
read -r load _ </proc/loadavg
printf '%s, %s, %s processors, load %s before the first run\n' "$(date -u +%F)" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$processors" "$load"
if awk -v load="$load" 'BEGIN { exit !(load >= 1.5) }'; then
  printf 'the machine is in use: compare within a row only\n'
fi
hosts='hosts\.(doubles|mdspan|mdspan_cuda|kokkos|petsc|frameworks|frameworks_of_debian)(\.build)?'
ctest --test-dir "$build" -V -R "^embedding\.($hosts|fortran\.module)\$" \
  | sed -n 's/^[0-9]*: \(.*\(kernel at 64^3\|; 64^3:\).*\)/\1/p'
for ranks in 1 2 4; do
  printf 'petsc_poisson on %d ranks\n' "$ranks"
  # Ranks that wait give way where there are more of them than processors; else what else runs would get
  # the processor, and keep it.
  OMPI_MCA_mpi_yield_when_idle=$((ranks > processors)) \
    mpirun -n "$ranks" "$build/bin/petsc_poisson" -n 64 -runs 15
done
"$build/bin/fortran_model" both 64 200
"$build/bin/kokkos_gray_scott" 256 3000
