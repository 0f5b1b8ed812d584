#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kill_and_resume.sh MPIEXEC PROGRAM: a run on three ranks of which one is killed, fails or hangs ends within
# seconds and says why; two ranks go on from its last checkpoint and end in the bits of a run that nobody
# disturbed.
set -euo pipefail
mpiexec=$1
program=$2
export HEDDLE_TIMEOUT=3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

steps=60
every=8
"$mpiexec" -n 1 "$program" "$folder/calm" $steps $every

disturb() { # how, words
  local run=$folder/$1 status=0 begin=$SECONDS
  timeout 30 "$mpiexec" -n 3 "$program" "$run" $steps $every "$1" 1 38 >"$folder/log" 2>&1 || status=$?
  cat "$folder/log"
  if [ $status = 0 ] || [ $status = 124 ]; then
    echo "$1: status $status after $((SECONDS - begin)) s"
    exit 1
  fi
  if ! grep -Eq "$2" "$folder/log"; then
    echo "$1: no word of '$2'"
    exit 1
  fi
  echo "$1: ended after $((SECONDS - begin)) s"
  "$mpiexec" -n 2 "$program" "$run" $steps $every resume | tee "$folder/log"
  grep -q "goes on from step 32" "$folder/log"
  "$program" same "$folder/calm" "$run"
}

disturb kill "rank 1 .*signal 9"
disturb throw "rank 1 of 3 ends the job: test: it gives up"
disturb hang "rank [02] of 3 ends the job: .*waited 3000 ms for what comes from rank 1 "
