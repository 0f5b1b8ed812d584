#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# same_on_ranks.sh COMPARE MPIEXEC STEMS PROGRAM ARGUMENT...: an example on 1, 2 and 3 ranks of mpirun
# (MPIEXEC empty: none), on 3 ranks of one graph and on 3 threads writes the volumes STEMS (separated by
# spaces) of one rank, bit for bit.
set -euo pipefail
compare=$1
mpiexec=$2
read -ra stems <<<"$3"
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset HEDDLE_TRANSPORT HEDDLE_RANKS

run() { # name, words that name the transport, command...
  local out=$folder/$1 words=$2
  shift 2
  # Status 2: the files are there, the run was too short to converge.
  "$@" --out "$out" >"$folder/log" 2>&1 || [ $? -eq 2 ] || { cat "$folder/log"; exit 1; }
  if ! grep -q "^transport $words" "$folder/log"; then
    cat "$folder/log"
    echo "$out: not over '$words'"
    exit 1
  fi
}
check() { # name
  echo "$1:"
  "$compare" "$folder/one" "$folder/$1" "${stems[@]}"
}

run one "local: " "$@"
HEDDLE_RANKS=3 run peer "peer: one graph computes 3 ranks" "$@"
check peer
HEDDLE_RANKS=3 HEDDLE_TRANSPORT=threads run threads "threads: 3 ranks" "$@"
check threads
if [ -n "$mpiexec" ]; then
  run mpi1 "local: " "$mpiexec" -n 1 "$@"
  check mpi1
  for ranks in 2 3; do
    run mpi$ranks "mpi: MPI_COMM_WORLD has $ranks ranks" "$mpiexec" -n $ranks "$@"
    check mpi$ranks
  done
  if HEDDLE_RANKS=3 "$mpiexec" -n 2 "$@" --out "$folder/both" >"$folder/log" 2>&1 \
    || ! grep -q "HEDDLE_RANKS: its value is 3, but mpirun started 2 processes" "$folder/log"; then
    cat "$folder/log"
    echo "HEDDLE_RANKS=3 beside mpirun -n 2 is not refused"
    exit 1
  fi
fi
