#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The times of generator/docs/hosts.md, on this machine: builds what they need in build/hosts, then prints the
# load, what a call through each adapter costs beside its kernel, the solves of petsc_poisson on 1, 2 and 4
# ranks, and the steps of kokkos_gray_scott. Times mean little where other programs run: it says so, and goes
# on.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.."
build=build/hosts
cmake --preset release -B "$build" -D HEDDLE_TESTS=ON -D HEDDLE_BENCHMARKS=OFF -D HEDDLE_CUDA=OFF >/dev/null
targets=(host_doubles host_mdspan_cuda host_kokkos host_petsc petsc_poisson kokkos_gray_scott)
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" >/dev/null
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
read -r load _ </proc/loadavg
printf '%s, %s, %s processors, load %s before the first run\n' "$(date -u +%F)" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(getconf _NPROCESSORS_ONLN)" "$load"
if awk -v load="$load" 'BEGIN { exit !(load >= 1.5) }'; then
  printf 'the machine is in use: compare within a row only\n'
fi
ctest --test-dir "$build" -V -R '^embedding\.hosts\.(doubles|mdspan|mdspan_cuda|kokkos|petsc)(\.build)?$' \
  | sed -n 's/^[0-9]*: \(.*adapter and wrapper.*\)/\1/p'
for ranks in 1 2 4; do
  printf 'petsc_poisson on %d ranks\n' "$ranks"
  mpirun -n "$ranks" "$build/bin/petsc_poisson" -n 64 -runs 15
done
"$build/bin/kokkos_gray_scott" 256 3000
