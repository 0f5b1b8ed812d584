#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# same_line.sh PROGRAM MPIEXEC: a program prints the same last line on 1 rank, on 3 ranks of one graph, on 3
# threads, and on 2 and 3 ranks of mpirun (MPIEXEC empty: none).
set -euo pipefail
program=$1 mpiexec=$2
unset HEDDLE_TRANSPORT HEDDLE_RANKS
expected=$("$program" | tail -n 1)
[[ $expected == error* ]] || { echo "no result: $expected"; exit 1; }

same() { # words that name the transport, command...
  local words=$1 output
  shift
  output=$("$@")
  grep -q "^transport $words" <<<"$output" || { echo "not over '$words': $output"; exit 1; }
  [ "$(tail -n 1 <<<"$output")" = "$expected" ] || { echo "$*: $output, on one rank: $expected"; exit 1; }
}
HEDDLE_RANKS=3 same "peer" "$program"
HEDDLE_RANKS=3 HEDDLE_TRANSPORT=threads same "threads" "$program"
if [ -n "$mpiexec" ]; then
  for ranks in 2 3; do same "mpi" "$mpiexec" -n $ranks "$program"; done
fi
