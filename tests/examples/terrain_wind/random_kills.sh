#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# random_kills.sh COMPARE PROGRAM INPUT: runs with checkpoints are killed at random times, and go on from what
# they left until they are done. Every other run stays on one rank and leaves the files of a run that nobody
# disturbed; the rest go on with one to three ranks, and leave the same volumes. HEDDLE_SEED repeats the
# times; HEDDLE_TESTS=full means many more kills.
set -euo pipefail
compare=$1
program=$2
input=$3
wanted=4
if [ "${HEDDLE_TESTS:-}" = full ]; then wanted=150; fi
seed=${HEDDLE_SEED:-$((SRANDOM % 32768))}
RANDOM=$seed
echo "HEDDLE_SEED=$seed"
export OMP_NUM_THREADS=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

wind() { # ranks, folder of the results, option...
  local ranks=$1 out=$2
  shift 2
  HEDDLE_RANKS=$ranks exec "$program" --input "$input" --cell-size 50 --height 400 --steps 240 --frames 6 \
    --no-picture --checkpoint-every 20 --out "$out" "$@" >"$folder/log" 2>&1
}

fail() {
  cat "$folder/log"
  echo "$1 (HEDDLE_SEED=$seed)"
  exit 1
}

begin=$(date +%s%N)
(wind 1 "$folder/calm") || fail "the run that nobody disturbs"
length=$((($(date +%s%N) - begin) / 1000)) # microseconds
rm -r "$folder/calm/checkpoint"

kills=0 runs=0
while [ $kills -lt $wanted ]; do
  rm -rf "$folder/run"
  while true; do
    ranks=1 resume=()
    if [ $((runs % 2)) = 1 ]; then ranks=$((1 + RANDOM % 3)); fi
    if compgen -G "$folder/run/checkpoint/*.checkpoint" >/dev/null; then resume=(--resume last); fi
    wind $ranks "$folder/run" "${resume[@]}" &
    process=$!
    if [ $kills -lt $wanted ]; then
      microseconds=$((length * (RANDOM % 1000) / 1000))
      sleep "$(printf '%d.%06d' $((microseconds / 1000000)) $((microseconds % 1000000)))"
      kill -9 $process 2>/dev/null || :
    fi
    status=0
    wait $process || status=$?
    if [ $status = 0 ]; then break; fi
    [ $status = 137 ] || fail "a run ended with $status, and not because it was killed"
    kills=$((kills + 1))
  done
  rm -rf "$folder/run/checkpoint"
  if [ $((runs % 2)) = 0 ]; then
    diff -r "$folder/calm" "$folder/run" || fail "other files after $kills kills"
  else
    "$compare" "$folder/calm" "$folder/run" mean_00000000 wind_0000000{0..5} >"$folder/log" ||
      fail "other bits after $kills kills"
  fi
  runs=$((runs + 1))
done 2>/dev/null
echo "$kills kills in $runs runs of $((length / 1000)) ms"
